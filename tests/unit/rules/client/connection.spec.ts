/** Requirements that need several cases, such as nonces, certificates and environments, and observations of open points. */
import type { ClientCase, ServerKind } from '../../../../src/record/case.ts';
import { splitBaseUrl } from '../../../../src/rules/client/inputs.ts';
import { observeClient } from '../../../../src/rules/observe.ts';
import { hostNotes, junkNotes } from '../../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../../engine.ts';
import {
  closeDay,
  type Draft,
  failing,
  fields,
  findingsOn,
  now,
  recurring,
  unsent,
  withCall,
} from './sample-requests.ts';

const outcomes = (id: Parameters<typeof findingsOn>[0], cases: readonly ClientCase[]) =>
  findingsOn(id, cases).map(({ outcome }) => outcome);

const nonce = 'authentication/nonce-unique';
const nonced = (value: string, timestamp = now / 1000): Draft => ({
  parameters: (pairs) =>
    pairs.map(([name, old]) => [
      name,
      name === 'oauth_nonce' ? value : name === 'oauth_timestamp' ? `${timestamp}` : old,
    ]),
});

test('one request alone is no evidence on nonces', () => {
  expect(findingsOn(nonce, [closeDay()])).toEqual([]);
  expect(outcomes(nonce, [closeDay(), recurring()])).toEqual(['pass', 'pass']);
});

test('a nonce at another timestamp gives a remark', () => {
  const cases = [closeDay(nonced('a')), closeDay(nonced('a', now / 1000 + 1))];
  expect(findingsOn(nonce, cases)[1]!.remark).toContain('another timestamp');
  expect(failing(cases)).toEqual([]);
});

test('injected nonces are not judged', () => {
  const asked = { inject: { nonce: 'a' } };
  expect(findingsOn(nonce, [closeDay({ ...nonced('a'), asked }), closeDay({ ...nonced('a'), asked })])).toEqual([]);
});

const https = 'transport/https';
const refused = (server: ServerKind, outcome = 'transport_error' as const) => unsent({ outcome }, { server });

test('HTTPS is shown by requests over TLS together with a refused certificate', () => {
  expect(outcomes(https, [closeDay()])).toEqual(['inconclusive']);
  expect(outcomes(https, [closeDay(), refused('wrong-name')])).toEqual(['inconclusive', 'pass']);
  expect(outcomes(https, [closeDay(), refused('other-authority')])).toEqual(['pass', 'pass']);
});

test('a base URL with plain http leaves HTTPS open', () => {
  const [finding] = findingsOn(https, [closeDay({ scheme: 'http', asked: { baseUrl: 'http://localhost:8443/p1' } })]);
  expect(finding).toMatchObject({ outcome: 'inconclusive', blame: 'configuration' });
  expect(failing([closeDay({ scheme: 'http' })])).toEqual([https]);
});

test('a client that does not report a wrong certificate is inconclusive', () => {
  const findingsFor = (outcome: 'completed' | 'unsupported') =>
    findingsOn(https, [unsent({ outcome }, { server: 'expired' })]);
  expect(findingsFor('completed')).toMatchObject([{ outcome: 'inconclusive', blame: 'subject' }]);
  expect(findingsFor('unsupported')).toMatchObject([{ outcome: 'inconclusive', blame: 'configuration' }]);
});

const independent = 'recurring/environment-independent';
const comma = (csv: string) => csv.replace('1234.50', '1234,50');
const round = (environment: string, number: number, draft: Draft = {}) =>
  recurring({ ...draft, label: { permutation: { group: 'g', environment, round: number } } });
const rounds = (other: Draft, again = other) => [
  round('ordinary', 1),
  round('ordinary', 2),
  round('LC_ALL=de_DE', 1, other),
  round('LC_ALL=de_DE', 2, again),
];

const [one, two, ...others] = rounds({});
const ending = (outcome: 'refused_locally' | 'transport_error') => [
  ...[one!, two!],
  ...others.map((testCase) => withCall({ ...testCase, exchanges: [] }, { reply: { outcome } })),
];
const difference = { expected: expect.stringContaining('the CSV'), actual: expect.stringContaining('1234,50') };

for (const [what, cases, finding] of [
  ['the same bytes in every environment', rounds({}), { outcome: 'pass' }],
  ['other bytes in both rounds of an environment', rounds({ csv: comma }), { outcome: 'fail', ...difference }],
  ['other bytes in one round', rounds({ csv: comma }, {}), { outcome: 'inconclusive' }],
  ['other bytes in the first', [round('ordinary', 1, { csv: comma }), two!, ...others], { outcome: 'inconclusive' }],
  ['one ordinary round alone', [one!, ...others], { outcome: 'inconclusive' }],
  ['a refusal in one environment alone', ending('refused_locally'), { outcome: 'fail' }],
  ['an environment that could not be reached', ending('transport_error'), { outcome: 'inconclusive' }],
] as const) {
  test(`the finding on independence after ${what} is ${finding.outcome}`, () => {
    expect(findingsOn(independent, cases)).toMatchObject([finding]);
  });
}

test('a CSV with reordered columns and unneeded quotes counts as the same', () => {
  const quoted = '"client-orderid";"recurring-payment-id";"amount"\norder;42;1.50\n';
  const reordered = '"amount";"client-orderid";"recurring-payment-id"\n"1.50";"order";42';
  const inEnvironments = (csv: string) => [
    ...[1, 2].map((number) => round('ordinary', number, { csv: () => quoted })),
    ...[1, 2].map((number) => round('LC_ALL=de_DE', number, { csv: () => csv })),
  ];
  expect(outcomes(independent, inEnvironments(reordered))).toEqual(['pass']);
  expect(outcomes(independent, inEnvironments(reordered.replace('.', ',')))).toEqual(['fail']);
});

test('an environment without variables is the ordinary one', () => {
  const asked = (environment: Record<string, string> | undefined) => ({ asked: { environment } });
  const cases = [1, 2].flatMap((number) => [
    round('east', number, { ...asked({ TZ: 'Pacific/Kiritimati' }), csv: comma }),
    round('none', number, asked(undefined)),
  ]);
  expect(outcomes(independent, cases)).toEqual(['fail']);
});

const values = (cases: readonly ClientCase[]) =>
  observeClient(cases).map(({ openPoint, value }) => `${openPoint} ${value}`);

test('the form of header, body and CSV is recorded', () => {
  expect(values([closeDay({ input: { ...fields, sale_approved_sum: '1 0' } }), recurring()])).toEqual([
    'A1 a space in the form body is sent as +',
    'A4 parameters in the order consumer_key, signature_method, timestamp, nonce, version, signature',
    'A4 parameters separated by ", "',
    'A12 cells of data are bare',
    'A12 lines end in LF',
    'A12 the last line ends too',
  ]);
});

test('other forms of the CSV are recorded too', () => {
  const csv = (text: string) =>
    text
      .replaceAll(/^(order-2);(\d+);(.*)$/gm, '"$1";"$2";"$3"')
      .replaceAll('\n', '\r\n')
      .trimEnd();
  expect(values([recurring({ csv })])).toEqual(
    expect.arrayContaining([
      'A12 cells of data are some in quotes',
      'A12 lines end in CRLF',
      'A12 the last line has no end',
    ]),
  );
});

test('a second request for one call is recorded', () => {
  const testCase = closeDay();
  const retried = { ...testCase, exchanges: [testCase.exchanges[0]!, closeDay().exchanges[0]!] };
  expect(values([retried])).toContain('A36 close-day: 2 requests for one call');
  expect(values([testCase]).filter((value) => value.startsWith('A36'))).toEqual([]);
});

test('a note names what arrived and was no request, once for each reason', () => {
  const [length, line] = ['a request that is not HTTP: its body is longer', 'a request that is not HTTP: its line'];
  const call = (number: number, incomplete: string) => withCall({ ...closeDay(), number }, { incomplete });
  const calls = [closeDay(), call(3, length), call(4, line), call(5, length), { ...call(6, line), exchanges: [] }];
  expect(junkNotes(calls)).toEqual([
    expect.stringMatching(
      /^In 2 calls the gateway also received .* its body is longer: see .* case 3 \(close-day\)\.$/,
    ),
    expect.stringMatching(/^In 1 call the gateway also received .* its line: see .* case 4 \(close-day\)\.$/),
  ]);
});

test('a note names a Host header that is not the called address, and no other notation of it', () => {
  const { call, exchanges } = closeDay();
  const { authority } = splitBaseUrl(call.asked!.baseUrl);
  const toHost = (host: string, target = '/p1'): ClientCase => {
    const request = { ...exchanges[0]!.request, host, target };
    return { ...closeDay(), number: 3, exchanges: [{ ...exchanges[0]!, request }] };
  };
  const notes = (...calls: ClientCase[]) => hostNotes(calls);
  expect(notes(closeDay(), toHost(authority.toUpperCase()), toHost('other', `https://${authority}/p1`))).toEqual([]);
  const asked = { ...call.asked!, baseUrl: 'http://127.0.0.1:80/p1' };
  const plain = withCall(toHost('127.0.0.1'), { asked });
  expect(notes(plain)).toEqual([]);
  expect(notes(toHost('other.example'), toHost('other.example'))).toEqual([
    expect.stringMatching(/^In 2 calls .* case 3 \(close-day\) the header is other\.example, and the address is /),
  ]);
});

test('the reaction to a misbehaving answer is recorded', () => {
  const label = { input: 'probe', misbehaviour: 'reset' } as const;
  expect(values([closeDay({ label, reply: { outcome: 'transport_error' } })])).toEqual([
    'A36 close-day, reset: 1 request, the client reported transport_error',
  ]);
});
