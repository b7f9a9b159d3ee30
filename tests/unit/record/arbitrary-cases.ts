/** Arbitrary cases, for formats that must keep every case unchanged. */
import fc from 'fast-check';
import type { Case } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { toJson } from '../../../src/record/json.ts';
import { anyCharacter } from '../any-character.ts';

const text = fc.string({ unit: anyCharacter, maxLength: 12 });
/** Latin-1 text, such as header values on the wire. */
const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 12,
});
const body = fc.oneof(
  fc.uint8Array({ maxLength: 24 }),
  text.map((value) => new Uint8Array(Buffer.from(value))),
);
const headers = fc.array(fc.tuple(fc.constantFrom('Set-Cookie', 'content-type', 'X-A', ':odd', ''), latin1), {
  maxLength: 5,
});

const request: fc.Arbitrary<Exchange['request']> = fc.record({
  method: fc.constantFrom('POST', 'GET', 'odd method'),
  scheme: fc.constantFrom('http', 'https'),
  host: fc.oneof(fc.constantFrom('127.0.0.1:8080', 'LocalHost', 'a/b', ''), text),
  target: fc.oneof(fc.constantFrom('/paynet/api/v2/close-day/1', '/a?b=c&b=%zz', '*', 'http://elsewhere/x', ''), text),
  headers,
  body,
});

const response: fc.Arbitrary<NonNullable<Exchange['response']>> = fc.record({
  status: fc.constantFrom(200, 403, 0, 999),
  reason: latin1,
  headers,
  body,
});

const failure: fc.Arbitrary<NonNullable<Exchange['failure']>> = fc.record({
  kind: fc.constantFrom('unreachable', 'reset', 'timeout', 'tls', 'malformed', 'too-large'),
  message: text,
});

const end = fc.oneof(
  response.map((value) => ({ response: value })),
  failure.map((value) => ({ failure: value })),
  fc.record({ response, failure }),
  fc.constant({}),
);

const exchange: fc.Arbitrary<Exchange> = fc
  .record({
    request,
    end,
    startedAt: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    durationMs: fc.integer({ min: 0, max: 30_000_000 }).map((microseconds) => microseconds / 1000),
    connection: fc.option(fc.constantFrom('1', '17'), { nil: undefined }),
  })
  .map(({ request, end, connection, ...times }) => ({ request, ...end, ...times, connection }));

export const arbitraryCase: fc.Arbitrary<Case> = fc.record({
  scenario: fc.constantFrom('close-day/minimal', 'recurring/generated'),
  number: fc.nat(300),
  label: fc.record(
    {
      operation: fc.constantFrom('close-day', 'process-recurring-payments'),
      intent: fc.constantFrom('valid', 'fault', 'open'),
      about: fc.constantFrom('authentication/signed', 'odd\u2028id'),
      openPoint: fc.constantFrom('A5'),
      twin: fc.record({ scenario: fc.constantFrom('close-day/minimal'), number: fc.nat(9) }),
      differsIn: text,
      facts: fc.record({ gate: fc.constantFrom('open', 'closing', 'locked'), gates: fc.nat(9) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['operation', 'intent'] },
  ),
  exchanges: fc.tuple(exchange),
});

/** The case with its bodies as text, because `toEqual` distinguishes Buffer and Uint8Array. */
export function comparable(testCase: Case): unknown {
  return JSON.parse(toJson(testCase));
}
