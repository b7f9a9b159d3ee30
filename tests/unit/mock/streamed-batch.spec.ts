/** A batch that is read as it arrives is decided as one that is read whole: any body, in any chunks, with the world that results. */

import { isDeepStrictEqual } from 'node:util';
import { newCsvScan } from '../../../src/mock/csv-scan.ts';
import {
  type Consumer,
  defaultSettings,
  defaultWorld,
  type Received,
  respond,
  stopProfile,
  type World,
} from '../../../src/mock/index.ts';
import { openBatchStream } from '../../../src/mock/streamed-batch.ts';
import {
  decodeForm as decoded,
  encodeBase64,
  type Pair,
  percentEncode,
  signRequest,
} from '../../../src/protocol/index.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';

const count = process.env.MUTATIONS === undefined ? 200 : Number(process.env.MUTATIONS) / 50;
const { privateKey } = shopKeys;
const publicKeyPem = shopKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const consumer: Consumer = { consumerKey: 'shop', publicKeyPem };
const now = 1_700_000_000_000;
const target = '/api/v4/process-recurring-payments/1111';
const place = { method: 'POST', scheme: 'http', host: 'mock.example', target } as const;
const names = ['client-orderid', 'recurring-payment-id', 'amount', 'amount-from', 'amount-to', 'amount-sequence', 'x'];

test('in any chunks a batch is refused or accepted for the same reason, with the same payments', () => {
  const draw = drawn(11);
  // RSASSA-PKCS1-v1_5 signs the same text alike: a pool of signatures is enough for as many bodies.
  const made = new Map<string, string>();
  const differing: unknown[] = [];
  const reasons = new Map<string, number>();
  for (let at = 0; at < count; at++) {
    const { request, chunks } = draw.request(made);
    const profiles = at % 5 === 0;
    const [whole, streamed] = [worldOf(profiles), worldOf(profiles)];
    const expected = respond(request, whole, defaultSettings, now);
    const stream = openBatchStream({ ...request, body: new Uint8Array(0) }, streamed, defaultSettings, now);
    for (const chunk of chunks) stream?.push(Buffer.from(chunk));
    const actual = respond(request, streamed, defaultSettings, now, undefined, stream?.end());
    const told = (answer: typeof expected, { counters, nonces, serial }: World) => {
      const { decision, step, reason } = answer.about;
      return { status: answer.status, decision, step, reason, counters, nonces: [...nonces], serial };
    };
    if (JSON.stringify(told(expected, whole)) !== JSON.stringify(told(actual, streamed))) {
      differing.push([Buffer.from(request.body).toString('latin1'), told(expected, whole), told(actual, streamed)]);
    }
    const reason = expected.about.step ?? 'accepted';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  expect(differing.slice(0, 2)).toEqual([]);
  if (count < 4000) return;
  // Enough of them reach every step that looks at the body.
  const seen = [
    'accepted',
    'signature',
    'payload',
    'payload-alone',
    'base64',
    'utf-8',
    'byte-order-mark',
    'csv',
    'amount',
  ];
  const rules = [
    'csv-header-quotes',
    'csv-columns',
    'csv-columns-once',
    'csv-rows',
    'csv-cells',
    'client-orderid',
    'profile',
  ];
  const lengths = [
    'client-orderid-length',
    'recurring-payment-id',
    'recurring-payment-id-length',
    'amount-numeric',
    'amount-length',
  ];
  expect([...seen, ...rules, ...lengths].filter((step) => !reasons.has(step))).toEqual([]);
});

test('of a long body nothing is kept, and what comes too late to be counted in is refused', () => {
  const world = worldOf(false);
  const stream = openBatchStream({ ...place, headers: [], body: new Uint8Array(0) }, world, defaultSettings, now)!;
  const kept = Array.from({ length: 20 }, (_, at) =>
    stream.push(Buffer.from((at === 0 ? 'payload=' : '') + 'QUFB'.repeat(16_384))),
  );
  expect(kept.indexOf(false)).toBe(15);
  expect(kept.slice(15)).not.toContain(true);
  stream.push(Buffer.from('&more=1'));
  const { batch, verifies } = stream.end()!;
  expect(batch.strictBase64).toBe(false);
  expect(verifies('', { method: 'RSA-SHA256' } as never)).toBe(false);
});

function worldOf(profiles: boolean): World {
  const world = defaultWorld({ consumers: [consumer] });
  if (profiles) stopProfile(world, '77');
  return world;
}

test('rows that arrive whole are judged as those that come byte by byte, which are never taken at once', () => {
  const { below, of } = diceFrom(12);
  const usual = ['a', '5', '10.42', '', '', '2'];
  const odd = [
    '',
    '1.',
    '.5',
    '1.2.3',
    'x',
    '12345678901',
    '1234567.90',
    'é'.repeat(10),
    'é'.repeat(65),
    'x'.repeat(129),
    '"1"',
    '1\r',
    '\n',
    ';',
    '1"',
  ];
  const broken = new Set<string>();
  const differing: string[] = [];
  for (let at = 0; at < 20 * count; at++) {
    const columns = names.filter(() => below(7) > 0);
    const rows = Array.from({ length: 1 + below(3) }, () => columns.map((name) => usual[names.indexOf(name)] ?? 'y'));
    const row = of(rows);
    if (row.length > 0) row[below(row.length)] = of(odd);
    const lines = [columns.map((name) => `"${name}"`), ...rows].map((cells) => cells.join(';'));
    const text = lines.join(of(['\n', '\n', '\r\n'])) + of(['\n', '']);
    const bytes = Buffer.from(below(9) > 0 ? text : text.replace(/;(?=[^;]*$)/, of(['\r', '"'])));
    const [whole, pieces] = [newCsvScan(), newCsvScan()];
    whole.push(bytes);
    for (const byte of bytes) pieces.push(Uint8Array.of(byte));
    const [one, other] = [whole.end(), pieces.end()];
    if (!isDeepStrictEqual(one, other)) differing.push(bytes.toString());
    for (const rule of one.broken) broken.add(rule);
  }
  expect(differing.slice(0, 3)).toEqual([]);
  expect([...broken].sort()).toEqual([
    'amount',
    'amount-length',
    'amount-numeric',
    'client-orderid',
    'client-orderid-length',
    'csv-cells',
    'csv-rows',
    'recurring-payment-id',
    'recurring-payment-id-length',
  ]);
});

/** Bodies and their chunks, all from one seed. */
function drawn(seed: number) {
  const { below: next, of } = diceFrom(seed);
  const rarely = <T>(usual: T, odd: () => T, one = 12): T => (next(one) === 0 ? odd() : usual);
  const cell = (name: string): string => {
    const text = name.startsWith('amount')
      ? rarely(of(['1', '10.42', '0.5', '99']), () =>
          of(['', '1.', '.5', '12345678.90', '1.2.3', '٣', '-1', '123456789', '1.00000000']),
        )
      : name === 'recurring-payment-id'
        ? rarely(of(['1', '5', '1234567890']), () => of(['', '77', '12345678901', 'é'.repeat(10), '😀'.repeat(11)]))
        : rarely(of(['a', 'order 7', 'é€😀']), () =>
            of(['', 'x'.repeat(128), 'é'.repeat(129), 'a\rb', '\r', '😀'.repeat(128)]),
          );
    const quoted = `"${text.replaceAll('"', '""')}"`;
    return rarely(
      next(4) === 0 ? quoted : text,
      () => of([`"a;\n""${text}"`, `"${text}`, `${text}"`, `"${text}"x`, '""""']),
      40,
    );
  };
  const csv = (): string => {
    const columns = rarely(names, () => [...names.slice(0, 3), of(names), of(['y', '\n', 'client-orderid'])], 6);
    const used = rarely(columns, () => columns.filter(() => next(5) > 0), 8);
    const header = used.map((name) => rarely(`"${name}"`, () => name, 40)).join(';');
    const rows = Array.from(
      { length: next(8) },
      () =>
        used.map((name) => (name.startsWith('amount-') && next(2) === 0 ? '' : cell(name))).join(';') +
        rarely('', () => of([';', ';x', '\n']), 40),
    );
    const end = of(['\n', '\r\n']);
    return rarely('', () => '\uFEFF', 40) + [header, ...rows].join(end) + of([end, '', end, '\r']);
  };
  const spelled = (encoded: string): string =>
    of<(text: string) => string>([
      (text) => text.replaceAll('%2B', '%2b').replaceAll('%2F', '/'),
      (text) => text.replaceAll('%2B', '+'),
      (text) => text.replaceAll('%3D', '='),
      (text) => text.replace(/[A-Z]/g, (letter) => (next(9) ? letter : `%${letter.charCodeAt(0).toString(16)}`)),
      (text) => text.slice(0, -1 - next(6)),
      (text) =>
        text.slice(0, next(text.length)) +
        of(['%', '-', '_', ' ', '\n', '%0A', '%3D', '=', 'A', '%zz', 'é', '%C3']) +
        text.slice(next(text.length)),
      (text) => `${text}&payload=${text}`,
      (text) => `${text}&${of(['', 'a=1', 'z=1', 'oauth_nonce=1'])}`,
    ])(encoded);
  return {
    request(made: Map<string, string>): { request: Received; chunks: Uint8Array[] } {
      const text = csv();
      const bytes = rarely(
        Buffer.from(text),
        () => Buffer.concat([Buffer.from(text), Buffer.of(of([0xff, 0xc3, 0x80]))]),
        20,
      );
      const payload = rarely(encodeBase64(bytes), () => of(['', 'AA', 'QQ==QQ==', 'Q Q=', '%%']), 20);
      let field = `payload=${percentEncode(payload)}`;
      if (next(3) === 0)
        field = of(['payload=', 'payload=', 'payload=', '&payload=', 'p%61yload=']) + spelled(percentEncode(payload));
      const body = Buffer.from(field, next(9) === 0 ? 'latin1' : 'utf8');
      // What is signed is what the body says, however it is spelled.
      const pairs: Pair[] = rarely(decoded(body), () => [['payload', payload]], 9);
      const key = { method: 'RSA-SHA256', privateKey, made } as const;
      const path = target + rarely('', () => of(['?a=1', '?z=1', '?payload=1']), 12);
      const fresh = { timestamp: '1700000000', nonce: 'n' };
      const signed = { ...place, target: path };
      const { authorization } = signRequest({ ...signed, body: pairs }, { consumerKey: 'shop', key }, fresh);
      const headers = [
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ['Authorization', authorization],
      ] as const;
      const chunks: Uint8Array[] = [];
      const size = of([1, 3, 7, 40, 1_000_000]);
      for (let at = 0; at < body.length; ) {
        const length = 1 + next(size);
        chunks.push(body.subarray(at, at + length));
        at += length;
      }
      return { request: { ...signed, headers, body }, chunks };
    },
  };
}
