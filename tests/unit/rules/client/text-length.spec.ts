/** The length of a text that a client sent, which may be all of a batch. */
import { readOAuthHeader } from '../../../../schemas/validate-request.ts';
import { readSeenUrl } from '../../../../src/autopsy/request-text.ts';
import { decodeBase64, parseAuthorization } from '../../../../src/protocol/index.ts';
import { sameNumber, splitBaseUrl } from '../../../../src/rules/client/asked.ts';
import { readForm, readHeader, readPayload } from '../../../../src/rules/client/reading.ts';
import { readSignature } from '../../../../src/rules/client/signature.ts';
import { atLeast, atMost } from '../../../../src/rules/client/text-length.ts';
import { expect, test } from '../../../engine.ts';
import { closeDay, findingsOn, replaced, sent } from './sample-requests.ts';

test('letters are counted as far as the limit and no further, of a text of megabytes too', () => {
  const made: (string | undefined)[] = [];
  const segment = Intl.Segmenter.prototype.segment;
  Intl.Segmenter.prototype.segment = function (text) {
    made.push(text.length > 10_000 ? 'long' : undefined);
    return segment.call(this, text);
  };
  try {
    expect(atMost(10, 'é'.repeat(3_000_000))).toMatchObject({
      outcome: 'fail',
      expected: 'at most 10 characters',
      actual: '3000000 characters',
    });
    expect(atLeast(8, 'é'.repeat(3_000_000)).outcome).toBe('pass');
  } finally {
    Intl.Segmenter.prototype.segment = segment;
  }
  expect(made).toEqual([undefined, undefined]);
});

test('a letter with many accents is one, however long it is', () => {
  expect(atMost(10, `a${'\u0301'.repeat(2_000)}`)).toMatchObject({ outcome: 'pass' });
  expect(atMost(1, `a${'\u0301'.repeat(2_000)}b`)).toMatchObject({ outcome: 'fail' });
});

test('an accent belongs to the letter before it, and to no digit', () => {
  const about = 'close-day/request-id-alphabet';
  const judged = (value: string) => findingsOn(about, [closeDay(sent(replaced('day_close_request_id', value)))])[0];
  expect(judged('1日e\u0301')).toMatchObject({ outcome: 'pass' });
  expect(judged('日1\u0301')).toMatchObject({ outcome: 'fail' });
  expect(judged('\u0301日')).toMatchObject({ outcome: 'fail' });
  expect(judged('日-日')).toMatchObject({ outcome: 'fail' });
});

test('what stands at the end of texts is looked for in time of their length, also where it is not at the end', () => {
  const inside = (text: string) => `${text.repeat(60_000)}x`;
  for (const read of [
    () => readHeader(`OAuth a="b"${inside(' ')}`),
    () => readOAuthHeader(`OAuth a="b"${inside(' ')}`),
    () => expect(() => parseAuthorization(`OAuth a="b"${inside(' ')}`)).toThrow(),
    () => readForm(Buffer.from(`a=b${inside('\n')}`)),
    () => readPayload(readForm(Buffer.from(`payload=${inside('%3D')}`))),
    () => readPayload(readForm(Buffer.from(`payload=%25${inside('25')}`))),
    () => readSignature(`%${inside('25')}`),
    () => expect(() => decodeBase64(inside('='))).toThrow(),
    () => sameNumber(`1.${inside('0').replace('x', '1')}`, '1'),
    () => readSeenUrl(`https://h${inside('/')}`),
    () => splitBaseUrl(`https://h${inside('/')}`),
  ]) {
    const before = process.cpuUsage();
    read();
    // With a search from each of the characters it is some 2 s.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  }
});
