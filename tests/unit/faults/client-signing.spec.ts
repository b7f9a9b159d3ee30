/** What defects of the signature sign, and what holds of the lists of defects; that each breaks exactly its rows is for the kill matrix. */

import { signedWithOtherHash } from '../../../src/faults/client/signing.ts';
import { clientDefects, gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { asStored, keys, plainBatch, plainCloseDay, traced, wireCalls } from './telling-calls.ts';

/** What the base string of the defect has in place of that of the right client. */
const baseStrings: readonly (readonly [id: string, value: string, signed: string])[] = [
  ['authentication/sub-delimiters-signed-bare', "!*'()", "%3D!*'()"],
  ['authentication/tilde-signed-as-escape', '~', '%3D%257E'],
  ['authentication/reserved-characters-signed-bare', 'a/b:c', '%3Da%2Fb%3Ac'],
  ['authentication/space-signed-as-plus', 'a b', '%3Da%2Bb'],
  ['authentication/plus-signed-as-space', 'a+b', '%3Da%2520b'],
  ['authentication/values-encoded-once-too-often', 'a b', '%3Da%252520b'],
  ['authentication/values-joined-unencoded', 'a b', '%3Da%20b'],
  ['authentication/values-decoded-before-signing', 'a%20b', '%3Da%2520b'],
  ['authentication/text-signed-as-latin-1', '\u00e9\u6f22', '%3D%25E9%253F'],
  ['authentication/text-signed-twice-encoded', '\u00e9', '%3D%25C3%2583%25C2%25A9'],
  ['authentication/text-signed-by-utf-16-unit', '\u{1f600}', '%3D%25ED%25A0%25BD%25ED%25B8%2580'],
  ['authentication/lower-case-escapes-signed', 'a/b', '%3da%252fb'],
];

for (const [id, value, signed] of baseStrings) {
  test(`${id} signs ${JSON.stringify(value)} as ${signed}`, async () => {
    const call = { ...plainCloseDay, input: { day_close_request_id: 'TITLEiI12', sale_approved_sum: value } };
    const { alteration } = clientDefects.find((defect) => defect.id === id)!;
    expect((await traced(call, [alteration])).baseString!.endsWith(signed)).toBe(true);
    expect((await traced(call, [])).baseString!.endsWith(signed)).toBe(false);
  });
}

test('a default port is signed only where the URL writes it', async () => {
  const { alteration } = clientDefects.find(({ id }) => id === 'authentication/default-port-signed')!;
  const signed = async (baseUrl: string) =>
    decodeURIComponent((await traced({ ...plainBatch, baseUrl }, [alteration])).baseString!.split('&')[1]!);
  expect(await signed('https://Gate.example:443')).toMatch(/^https:\/\/gate\.example:443\//);
  expect(await signed('https://gate.example')).toMatch(/^https:\/\/gate\.example\//);
});

test('the other hash of HMAC has 32 bytes, and that of RSA is not a signature with SHA-256', () => {
  expect(Buffer.from(signedWithOtherHash('POST&a&b', keys['HMAC-SHA1']), 'base64')).toHaveLength(32);
  expect(Buffer.from(signedWithOtherHash('POST&a&b', keys['RSA-SHA256']), 'base64')).toHaveLength(256);
});

for (const defects of [gatewayDefects, clientDefects])
  test(`ids of ${defects[0]!.side} defects are unique, and each breaks a requirement`, () => {
    const ids = defects.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(defects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
    expect(defects.filter(({ reach, stored }) => (reach === 'stored') !== (stored !== undefined))).toEqual([]);
  });

for (const { id, alteration, stored = [] } of clientDefects.filter(({ reach }) => reach === 'stored'))
  test(`${id} shows in its stored requests, and in no call`, async () => {
    for (const call of wireCalls)
      expect((await traced(call, [alteration])).requests).toEqual((await traced(call, [])).requests);
    for (const request of stored) {
      const right = await traced(plainCloseDay, [asStored(request)]);
      expect((await traced(plainCloseDay, [asStored(request), alteration])).requests).not.toEqual(right.requests);
    }
  });
