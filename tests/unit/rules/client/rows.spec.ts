/** Every row about the wire is shown by a conforming client, and by nothing else. */
import type { ClientCase, ClientLabel } from '../../../../src/record/client-case.ts';
import { expect, test } from '../../../engine.ts';
import {
  closeDay,
  type Draft,
  failing,
  fields,
  findingsOn,
  passing,
  recurring,
  unsent,
  wireIds,
} from './sample-requests.ts';

const permuted = (build: (draft: Draft) => ClientCase) =>
  ['ordinary', 'TZ'].flatMap((environment) =>
    [1, 2].map((round) => build({ label: { permutation: { group: 'g', environment, round } } })),
  );

const run = [
  closeDay(),
  recurring(),
  closeDay({ asked: { baseUrl: 'https://LocalHost:8443/p1' } }),
  closeDay({ asked: { baseUrl: 'https://localhost:443/p1' }, host: 'localhost' }),
  unsent({ outcome: 'transport_error' }, { server: 'other-authority' }),
  ...permuted(closeDay),
  ...permuted(recurring),
];

test('a conforming client shows every row and breaks none', () => {
  expect(failing(run)).toEqual([]);
  expect(passing(run)).toEqual([...wireIds].sort());
});

test('nothing shows no row', () => {
  expect(wireIds.flatMap((id) => findingsOn(id, []))).toEqual([]);
});

test('probes show no row but that of the nonces', () => {
  const label: Partial<ClientLabel> = { input: 'probe' };
  const cases = [closeDay, recurring].flatMap((build) => [1, 2].map(() => build({ label, method: 'PUT' })));
  expect(failing(cases)).toEqual([]);
  expect(passing(cases)).toEqual(['authentication/nonce-unique']);
});

test('a request is judged whatever it is answered: a client may go wrong after a failure', () => {
  const decoding = { question: 'q', form: 'only', answers: [], expected: { kind: 'accepted' } } as const;
  const label: Partial<ClientLabel> = { input: 'mandatory', decoding };
  expect(failing([closeDay({ label, method: 'PUT' }), recurring({ label, method: 'PUT' })])).toEqual([
    'close-day/method',
    'recurring/method',
  ]);
  expect(failing([closeDay({ label }), recurring({ label })])).toEqual([]);
  const declined = (more: Partial<ClientLabel>) => unsent({ outcome: 'unsupported' }, { ...label, ...more });
  expect(wireIds.flatMap((id) => findingsOn(id, [declined({})]))).toEqual([]);
  const told = findingsOn('close-day/path', [declined({ about: 'close-day/path' })]);
  expect(told).toMatchObject([{ outcome: 'inconclusive' }]);
});

test('rows of one operation say nothing of the other', () => {
  const ofBatches = wireIds.filter((id) => id.startsWith('recurring/') || id === 'authentication/recurring-method');
  expect(ofBatches.flatMap((id) => findingsOn(id, [closeDay(), closeDay()]))).toEqual([]);
  const ofCloseDay = wireIds.filter((id) => id.startsWith('close-day/') || id === 'authentication/close-day-method');
  expect(ofCloseDay.flatMap((id) => findingsOn(id, [recurring(), recurring()]))).toEqual([]);
});

test('rows without occasion stay silent', () => {
  const plain = [closeDay(), recurring({ input: { columns: ['client-orderid'], rows: [['a']] } })];
  const ofUris = ['authentication/uri-host-case', 'authentication/uri-default-port'] as const;
  const ofBatches = ['recurring/csv-utf-8', 'recurring/csv-delimiter', 'recurring/payload-escaped'] as const;
  expect([...ofUris, ...ofBatches].flatMap((id) => findingsOn(id, plain))).toEqual([]);
  const withoutPort = closeDay({ asked: { baseUrl: 'https://h/p1' }, host: 'h' });
  expect(findingsOn('authentication/uri-port', [withoutPort])).toEqual([]);
});

test('without keys signatures are inconclusive and all else is judged', () => {
  const cases = [closeDay(), recurring({ payload: (text) => text.slice(0, -1) })];
  const keys = { hasKeys: false, keysOf: () => undefined };
  const open = { outcome: 'inconclusive', blame: 'configuration' };
  expect(findingsOn('authentication/signature-verifies', cases, keys)).toMatchObject([open, open]);
  expect(findingsOn('authentication/uri-port', cases, keys)).toEqual([]);
  expect(findingsOn('authentication/close-day-method', cases, keys)).toMatchObject([{ outcome: 'pass' }]);
});

test('where the input is not known, rows that compare with it are inconclusive and the others are judged', () => {
  const label = { input: 'observed' } as const;
  const right = [closeDay({ label, asked: null }), recurring({ label, asked: null })];
  expect(failing(right)).toEqual([]);
  for (const id of ['close-day/sale-approved-sum', 'recurring/csv-rows'] as const) {
    expect(findingsOn(id, right)).toMatchObject([{ outcome: 'inconclusive', blame: 'configuration' }]);
  }
  expect(passing(right)).toEqual(
    expect.arrayContaining(['close-day/path', 'close-day/request-id-length', 'recurring/amount-numeric']),
  );
  const id = 'dashed-0123-4567';
  const wrong = closeDay({
    label,
    asked: null,
    target: '/close-day/1',
    input: { ...fields, day_close_request_id: id },
  });
  expect(failing([wrong])).toEqual(['close-day/path', 'close-day/request-id-alphabet']);
  const unknown = closeDay({ label, asked: null, parameters: ([, ...rest]) => [['oauth_consumer_key', 'x'], ...rest] });
  expect(failing([unknown])).toEqual(['authentication/consumer-key']);
});

test('a record without the bytes of the body leaves the rows of the body open', () => {
  const examined = { ...closeDay({ body: '' }), incomplete: 'the bytes of the request body' };
  expect(failing([examined])).toEqual([]);
  const open = ['close-day/body-is-form', 'close-day/sale-approved-sum', 'authentication/signature-verifies'] as const;
  for (const id of open) expect(findingsOn(id, [examined])).toMatchObject([{ outcome: 'inconclusive' }]);
  expect(passing([examined])).toContain('authentication/header-parameters');
});

test('the base string and the signature in a finding hold no secret', () => {
  const [finding] = findingsOn('authentication/signature-verifies', [closeDay({ base: (base) => `${base}x` })]);
  expect(finding!.expected).toContain('over POST&https%3A%2F%2Flocalhost%3A8443%2Fp1');
  expect(JSON.stringify(finding)).not.toContain('published-secret');
});

test('a timestamp that was injected is judged by its form alone', () => {
  const inject = { timestamp: '1500000000', nonce: 'n' };
  const parameters: Draft['parameters'] = (pairs) =>
    pairs.map(([name, value]) => [name, name === 'oauth_timestamp' ? inject.timestamp : value]);
  expect(failing([closeDay({ parameters, asked: { inject } })])).toEqual([]);
  expect(failing([closeDay({ parameters })])).toEqual(['authentication/timestamp-seconds']);
});

test('a clock that differs from that of a recording is remarked', () => {
  const parameters: Draft['parameters'] = (pairs) =>
    pairs.map(([name, value]) => [name, name === 'oauth_timestamp' ? '1700001000' : value]);
  expect(findingsOn('authentication/timestamp-seconds', [closeDay({ parameters, asked: null })])).toEqual([
    { outcome: 'pass', remark: '1000 seconds after the clock of the record' },
  ]);
});
