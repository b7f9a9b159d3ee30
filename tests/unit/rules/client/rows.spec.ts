/** A conforming client passes every requirement on requests, one fault breaks one of them, and a tolerated difference breaks none. */
import { sign } from 'node:crypto';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { type Pair, printAuthorization } from '../../../../src/protocol/index.ts';
import type { Call, ClientCase, ClientLabel } from '../../../../src/record/case.ts';
import { batchOf } from '../../../../src/rules/client/batch.ts';
import { expect, test } from '../../../engine.ts';
import {
  batch,
  closeDay,
  type Draft,
  edited,
  failing,
  fields,
  findingsOn,
  passing,
  recurring,
  remarks,
  setValue,
  unsent,
  wireIds,
  withCall,
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

test('a conforming client passes every requirement and breaks none', () => {
  expect(failing(run)).toEqual([]);
  expect(passing(run)).toEqual([...wireIds].sort());
});

test('probes are evidence only on nonces', () => {
  const label: Partial<ClientLabel> = { input: 'probe' };
  const cases = [closeDay, recurring].flatMap((build) => [1, 2].map(() => build({ label, method: 'PUT' })));
  expect(failing(cases)).toEqual([]);
  expect(passing(cases)).toEqual(['authentication/nonce-unique']);
});

test('a request is judged whatever its answer is, because a client may fail after a failure', () => {
  const decoding = { question: 'q', form: 'only', answers: [], expected: { kind: 'accepted' } } as const;
  const label: Partial<ClientLabel> = { input: 'mandatory', decoding };
  expect(failing([closeDay({ label, method: 'PUT' }), recurring({ label, method: 'PUT' })])).toEqual([
    'close-day/method',
    'recurring/method',
  ]);
  expect(failing([closeDay({ label }), recurring({ label })])).toEqual([]);
  const declined = (more: Partial<ClientLabel>) => unsent({ outcome: 'unsupported' }, { ...label, ...more });
  expect(wireIds.flatMap((id) => findingsOn(id, [declined({})]))).toEqual([]);
  const findings = findingsOn('close-day/path', [declined({ about: 'close-day/path' })]);
  expect(findings).toMatchObject([{ outcome: 'inconclusive' }]);
});

test('a requirement without occasion gets no verdict', () => {
  const plain = [closeDay(), recurring({ input: { columns: ['client-orderid'], rows: [['a']] } })];
  const uriRows = ['authentication/uri-host-case', 'authentication/uri-default-port'] as const;
  const batchRows = ['recurring/csv-utf-8', 'recurring/csv-delimiter', 'recurring/payload-escaped'] as const;
  expect([...uriRows, ...batchRows].flatMap((id) => findingsOn(id, plain))).toEqual([]);
  const withoutPort = closeDay({ asked: { baseUrl: 'https://h/p1' }, host: 'h' });
  expect(findingsOn('authentication/uri-port', [withoutPort])).toEqual([]);
});

test('without keys only signatures are inconclusive', () => {
  const cases = [closeDay(), recurring({ payload: (text) => text.slice(0, -1) })];
  const keys = { hasKeys: false, keysOf: () => undefined };
  const open = { outcome: 'inconclusive', blame: 'configuration' };
  expect(findingsOn('authentication/signature-verifies', cases, keys)).toMatchObject([open, open]);
  expect(findingsOn('authentication/uri-port', cases, keys)).toEqual([]);
  expect(findingsOn('authentication/close-day-method', cases, keys)).toMatchObject([{ outcome: 'pass' }]);
});

test('if the input is not known, requirements that compare with it are inconclusive and the others are judged', () => {
  const label = { input: 'observed' } as const;
  const right = [closeDay({ label, asked: null }), recurring({ label, asked: null })];
  expect(failing(right)).toEqual([]);
  for (const id of ['close-day/sale-approved-sum', 'recurring/csv-rows'] as const)
    expect(findingsOn(id, right)).toMatchObject([{ outcome: 'inconclusive', blame: 'configuration' }]);
  expect(passing(right)).toEqual(
    expect.arrayContaining(['close-day/path', 'close-day/request-id-length', 'recurring/amount-numeric']),
  );
  const id = 'dashed-0123-4567';
  const wrong = closeDay({ label, asked: null, target: '/close-day', input: { ...fields, day_close_request_id: id } });
  expect(failing([wrong])).toEqual(['close-day/path', 'close-day/request-id-alphabet']);
  const unknown = closeDay({ label, asked: null, parameters: ([, ...rest]) => [['oauth_consumer_key', 'x'], ...rest] });
  expect(failing([unknown])).toEqual(['authentication/consumer-key']);
});

test('a record without the bytes of the body leaves requirements on the body inconclusive', () => {
  const testCase = withCall(closeDay({ body: '' }), { incomplete: 'the bytes of the request body' });
  expect(failing([testCase])).toEqual([]);
  const open = ['close-day/body-is-form', 'close-day/sale-approved-sum', 'authentication/signature-verifies'] as const;
  for (const id of open) expect(findingsOn(id, [testCase])).toMatchObject([{ outcome: 'inconclusive' }]);
  expect(passing([testCase])).toContain('authentication/header-parameters');
});

test('the base string and the signature in a finding hold no secret', () => {
  const [finding] = findingsOn('authentication/signature-verifies', [closeDay({ base: (base) => `${base}x` })]);
  expect(finding!.expected).toContain('over POST&https%3A%2F%2Flocalhost%3A8443%2Fp1');
  expect(JSON.stringify(finding)).not.toContain('published-secret');
});

test('an RSA signature with its leading zero dropped or doubled still names its digest', () => {
  const signature = sign('sha1', Buffer.from('x417'), publishedIdentity.privateKeyPem);
  expect(signature[0]).toBe(0);
  for (const bytes of [signature.subarray(1), Buffer.concat([Buffer.alloc(1), signature])]) {
    const cases = [recurring({ signature: () => bytes.toString('base64') })];
    expect(findingsOn('authentication/recurring-method', cases)).toMatchObject([{ actual: 'RSA with SHA-1' }]);
  }
});

test('only the form of an injected timestamp is judged', () => {
  const inject = { timestamp: '1500000000', nonce: 'n' };
  const parameters: Draft['parameters'] = (pairs) =>
    pairs.map(([name, value]) => [name, name === 'oauth_timestamp' ? inject.timestamp : value]);
  expect(failing([closeDay({ parameters, asked: { inject } })])).toEqual([]);
  expect(failing([closeDay({ parameters })])).toEqual(['authentication/timestamp-seconds']);
});

test('a clock that differs from that of a recording gives a remark', () => {
  const parameters: Draft['parameters'] = (pairs) =>
    pairs.map(([name, value]) => [name, name === 'oauth_timestamp' ? '1700001000' : value]);
  expect(findingsOn('authentication/timestamp-seconds', [closeDay({ parameters, asked: null })])).toEqual([
    { outcome: 'pass', remark: '1000 seconds after the clock of the record' },
  ]);
});

const about = 'close-day/request-id-alphabet';
const reply = (outcome: NonNullable<Call['reply']>['outcome']) => ({ outcome, reason: 'no' });

for (const [input, outcome, expected] of [
  ['mandatory', 'refused_locally', { outcome: 'fail', actual: 'the client refused the input: no' }],
  ['mandatory', 'unsupported', { outcome: 'inconclusive', blame: 'configuration' }],
  ['mandatory', 'transport_error', { outcome: 'inconclusive', blame: 'environment' }],
  ['mandatory', 'adapter_error', { outcome: 'inconclusive', blame: 'subject' }],
  ['mandatory', 'completed', { outcome: 'inconclusive', blame: 'subject' }],
  ['hardening', 'refused_locally', { outcome: 'not-applicable', remark: 'the client declines an unusual input: no' }],
  ['hardening', 'unsupported', { outcome: 'not-applicable' }],
  ['forbidden', 'refused_locally', { outcome: 'pass' }],
  ['forbidden', 'unsupported', { outcome: 'not-applicable' }],
] as const) {
  test(`a ${input} input that ends in ${outcome} gives a verdict only on its requirement`, () => {
    const cases = [unsent(reply(outcome), { input, about })];
    expect(findingsOn(about, cases)).toMatchObject([expected]);
    expect(findingsOn('close-day/path', cases)).toEqual([]);
    expect(findingsOn('close-day/body-is-form', cases)).toEqual([]);
  });
}

for (const outcome of ['completed', 'transport_error'] as const) {
  test(`a call that ends in ${outcome} names what arrived and was no request`, () => {
    const incomplete = 'a request that is not HTTP: the size of a chunk is no number';
    const testCase = withCall(unsent(reply(outcome), { input: 'mandatory', about }), { incomplete });
    expect(findingsOn(about, [testCase])).toMatchObject([
      { outcome: 'inconclusive', blame: 'subject', actual: expect.stringContaining(`the record lacks ${incomplete}`) },
    ]);
  });
}

test('a case that tests no requirement gives a verdict on the body or the path', () => {
  const batchLabel = { operation: 'process-recurring-payments' } as const;
  expect(failing([unsent(reply('refused_locally'), {})])).toEqual(['close-day/body-is-form']);
  expect(failing([unsent(reply('refused_locally'), batchLabel)])).toEqual(['recurring/csv-rows']);
  const [finding] = findingsOn('recurring/path', [unsent(reply('transport_error'), batchLabel)]);
  expect(finding).toMatchObject({ outcome: 'inconclusive', blame: 'environment' });
});

test('an adapter that crashed leaves the requirement inconclusive', () => {
  const crashed = withCall(unsent(undefined, {}), { adapterFault: { code: 'adapter-crash', message: 'it ended' } });
  expect(findingsOn('close-day/path', [crashed])).toMatchObject([{ outcome: 'inconclusive', blame: 'subject' }]);
});

const dashed = { ...fields, day_close_request_id: '902b4ff5-902b-4ff5-902b-4ff5902b4ff5' };
const label = { input: 'forbidden', about } as const;

test('a forbidden id that is sent unchanged passes with a remark, and gives no other verdict', () => {
  const testCase = closeDay({ label, input: dashed });
  expect(findingsOn(about, [testCase])).toMatchObject([{ outcome: 'pass' }]);
  expect(findingsOn(about, [testCase])[0]!.remark).toContain('does not validate');
  expect(failing([testCase])).toEqual([]);
  expect(findingsOn('close-day/request-id-length', [testCase])).toEqual([]);
  expect(passing([testCase])).toContain('close-day/sale-approved-sum');
});

test('a client may create a missing id of a request or an order, but not of a payment', () => {
  const { day_close_request_id: _, ...input } = fields;
  const absent = { input: 'forbidden', about: 'close-day/request-id-present' } as const;
  expect(failing([closeDay({ label: absent, input })])).toEqual([]);
  const pairs = Object.entries({ day_close_request_id: 'invented1', ...input });
  const invented = closeDay({ label: absent, input, pairs });
  expect(failing([invented])).toEqual([]);
  expect(findingsOn('close-day/request-id-present', [invented])[0]!.remark).toContain('creates a missing id');
  const row = (order: string, payment: string): Draft => ({
    label: {
      input: 'forbidden',
      about: `recurring/${order === '' ? 'client-orderid' : 'recurring-payment-id'}-present`,
    },
    input: { ...batch, rows: [[order, payment, '1.00']] },
    csv: (csv) => csv.replace(/^;/m, 'order-1;').replace(';;', ';0000000001;'),
  });
  expect(failing([recurring(row('', '1234567890'))])).toEqual([]);
  expect(failing([recurring(row('order-1', ''))])).toEqual(['recurring/recurring-payment-id-present']);
});

test('a forbidden order id may not be cut, and is counted in characters', () => {
  const orderId = { input: 'forbidden', about: 'recurring/client-orderid-length' } as const;
  const input = { ...batch, rows: [['ß'.repeat(129), '0000000042', '1.00']] };
  expect(failing([recurring({ label: orderId, input })])).toEqual([]);
  expect(failing([recurring({ label: orderId, input, csv: (csv) => csv.replace('ßß', 'ß') })])).toEqual([
    'recurring/client-orderid-length',
  ]);
  const maxLength = { ...batch, rows: [['ß'.repeat(128), '0000000042', '1.00']] };
  expect(failing([recurring({ input: maxLength })])).toEqual([]);
});

test('with a forbidden value, another value may be sent as an equal number', () => {
  const orderId = { input: 'forbidden', about: 'recurring/client-orderid-length' } as const;
  const input = { ...batch, rows: [['a'.repeat(129), '0000000042', '1.00']] };
  expect(failing([recurring({ label: orderId, input, csv: (csv) => csv.replace('1.00', '1') })])).toEqual([]);
  const other = recurring({ label: orderId, input, csv: (csv) => csv.replace('1.00', '100') });
  expect(failing([other])).toContain('recurring/client-orderid-length');
  const id = { input: 'forbidden', about: 'close-day/request-id-length' } as const;
  const short = { ...fields, day_close_request_id: '0000007', sale_approved_sum: '10.00' };
  const changedFields = (changed: object) =>
    closeDay({ label: id, input: short, pairs: Object.entries({ ...short, ...changed }) });
  expect(failing([changedFields({ sale_approved_sum: '10' })])).toEqual([]);
  expect(failing([changedFields({ day_close_request_id: '7' })])).toContain('close-day/request-id-length');
});

test('an equal number instead of an unusual one gives a remark', () => {
  const unusual = { input: 'hardening' } as const;
  const input = { ...fields, sale_approved_count: '002', sale_approved_sum: '-100.00' };
  const pairs = Object.entries({ ...input, sale_approved_count: '2', sale_approved_sum: '-100.0' });
  const testCase = closeDay({ label: unusual, input, pairs });
  expect(failing([testCase])).toEqual([]);
  expect(findingsOn('close-day/sale-approved-sum', [testCase])).toEqual([
    { outcome: 'pass', remark: '-100.00 is sent as -100.0' },
  ]);
  const other = closeDay({ label: unusual, input, pairs: Object.entries({ ...input, sale_approved_sum: '100.00' }) });
  expect(failing([other])).toEqual(['close-day/sale-approved-sum']);
});

test('a line end inside an unusual cell may change like the line ends of rows, with a remark', () => {
  const input = { ...batch, rows: [['order\n42', '0000000042', '1.00']] };
  const csv = (text: string) => text.replaceAll('\n', '\r\n');
  const testCase = recurring({ label: { input: 'hardening' }, input, csv });
  expect(failing([testCase])).toEqual([]);
  expect(findingsOn('recurring/csv-rows', [testCase])[0]!.remark).toContain('line ends inside a cell');
  expect(failing([recurring({ input, csv })])).toEqual(['recurring/csv-rows']);
});

test('an absent cell is sent as an empty one', () => {
  const input = {
    columns: [...batch.columns, 'amount-sequence'],
    rows: [
      ['a', '0000000042', null, '1,2'],
      ['b', '1', '1.00', null],
    ],
  };
  expect(failing([recurring({ input })])).toEqual([]);
});

test('a letter with many accents counts as one letter', () => {
  const letter = `a${'\u0301'.repeat(2_000)}`;
  const brokenBy = (id: string) => failing([recurring({ input: { ...batch, rows: [['a', id, '1.00']] } })]);
  expect(brokenBy(letter)).toEqual([]);
  expect(brokenBy(`${letter}${'b'.repeat(10)}`)).toEqual(['recurring/recurring-payment-id-length']);
});

test('an accent belongs to a letter before it, not to a digit', () => {
  const about = 'close-day/request-id-alphabet';
  const judged = (value: string) => findingsOn(about, [closeDay(edited(setValue('day_close_request_id', value)))])[0];
  expect(judged('1日e\u0301')).toMatchObject({ outcome: 'pass' });
  expect(judged('日1\u0301')).toMatchObject({ outcome: 'fail' });
  expect(judged('\u0301日')).toMatchObject({ outcome: 'fail' });
  expect(judged('日-日')).toMatchObject({ outcome: 'fail' });
});

test('a recorded id that is the word of a programming language for a missing value gives a remark', () => {
  const testCase = closeDay({ asked: null, ...edited(setValue('day_close_request_id', 'undefined')) });
  expect(findingsOn('close-day/request-id-alphabet', [testCase])).toMatchObject([
    { outcome: 'pass', remark: 'undefined is a word that programs print for a missing value' },
  ]);
});

test('the hint names a template, a locale or a missing value as the cause of a strange value', () => {
  const timed = (value: string) => (pairs: readonly Pair[]) =>
    pairs.map(([name, old]): Pair => [name, name === 'oauth_timestamp' ? value : old]);
  const hints = ['{{now}}', '\u0661\u0662', 'null', '1.5'].map(
    (value) => findingsOn('authentication/timestamp-seconds', [closeDay({ parameters: timed(value) })])[0]!.hint,
  );
  expect(hints).toEqual([
    expect.stringContaining('variable'),
    expect.stringContaining('locale'),
    expect.stringContaining('is set'),
    undefined,
  ]);
});

const verifies = 'authentication/signature-verifies';

/** Faults that show only if the input is known, or in a signature. tests/properties/table has faults of the bytes alone. */
const faults: readonly (readonly [what: string, testCase: ClientCase, ...breaks: string[]])[] = [
  [
    'a consumer key with its space as +',
    closeDay({ identity: 'reserved', print: (pairs) => printAuthorization(pairs).replaceAll('%20', '+') }),
    'authentication/header-values-encoded',
  ],
  ['a slash of the path that is escaped', closeDay({ target: '/p1%2Fapi/v2/close-day/1111' }), 'close-day/path'],
  ['a sum rewritten after signing', closeDay({ body: (body) => body.replace('100.00', '100.0') }), verifies],
  ['an empty total added after signing', closeDay({ body: (body) => `${body}&reversal_approved_count=` }), verifies],
  [
    'an empty total that is signed and not sent',
    closeDay({
      input: { ...fields, reversal_approved_count: '' },
      body: (body) => body.replace('&reversal_approved_count=', ''),
    }),
    verifies,
  ],
  [
    'a payload with an escape that is not UTF-8',
    recurring({ payload: (payload) => `${payload.slice(0, 40)}%DE${payload.slice(40)}` }),
    'recurring/payload-base64',
    'recurring/payload-escaped',
  ],
  [
    'a wrapped payload whose line ends change after signing',
    recurring({ payload: (text) => text.replace(/.{76}/g, '$&\n'), body: (body) => body.replaceAll('%0A', '%0D%0A') }),
    'recurring/payload-base64',
  ],
  [
    'an amount that nobody gave',
    recurring({
      csv: (text) =>
        text.replaceAll(/^(.*)$/gm, (line, _, at) => line && `${line};${at === 0 ? '"amount-from"' : '1.00'}`),
    }),
    'recurring/csv-header-quoted',
  ],
];

for (const [what, testCase, ...breaks] of faults) {
  test(`a request with ${what} breaks ${breaks.join(' and ')}`, () => {
    expect(failing([closeDay(), recurring(), testCase])).toEqual(breaks);
  });
}

test('a + that is not encoded breaks only the requirement on its field', () => {
  const draft: Draft = { input: { ...fields, sale_approved_sum: '1+0' }, body: (body) => body.replace('%2B', '+') };
  expect(failing([closeDay(draft)])).toEqual(['close-day/sale-approved-sum']);
});

test('an amount in a range has no form of its own, and is sent as it was given', () => {
  const input = {
    columns: [...batch.columns.slice(0, 2), 'amount-from', 'amount-to'],
    rows: [['o', '0000000042', '1.00', '2.00']],
  };
  expect(failing([recurring({ input })])).toEqual([]);
  // The form of these columns is open (A15).
  const wide = { ...input, rows: [['o', '0000000042', '1234567890.12', 'from €2']] };
  expect(failing([recurring({ input: wide })])).toEqual([]);
  const rewritten = recurring({ input, csv: (text) => text.replace('2.00', '2.0') });
  expect(failing([rewritten])).toEqual([]);
  expect(findingsOn('recurring/csv-rows', [rewritten])).toMatchObject([{ remark: '2.00 is sent as 2.0' }]);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '2,00') })])).toEqual(['recurring/csv-rows']);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '') })])).toEqual([
    'recurring/amount-conditional',
  ]);
});

test('if a request is missing in an environment, the finding has the reason of the client and the blame', () => {
  const firstRound = (environment: string) => ({ permutation: { group: 'g', environment, round: 0 } });
  const rounds = ['ordinary', 'ordinary', 'TZ=UTC'].map((name) => {
    const sent = closeDay();
    return withCall(sent, { label: { ...sent.call.label, ...firstRound(name) } });
  });
  const actual = 'a request is missing in a round of TZ=UTC: not sent';
  for (const [outcome, blame] of [
    ['transport_error', 'environment'],
    ['adapter_error', 'subject'],
    ['completed', 'subject'],
  ] as const) {
    const missing = unsent({ outcome, reason: 'not sent' }, firstRound('TZ=UTC'));
    const found = findingsOn('close-day/environment-independent', [...rounds, missing]);
    expect(found).toContainEqual(expect.objectContaining({ actual, blame }));
  }
});

const tolerated: readonly [string, Draft, string | undefined][] = [
  [
    'quotes and a comma in the realm',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth ', 'OAuth realm="a, b=\\"c\\"", ') },
    'the header also has realm',
  ],
  ['an empty token', { parameters: (p) => [...p, ['oauth_token', '']] }, 'the header also has an empty oauth_token'],
  ['an escape %3d', { print: (p) => printAuthorization(p).replace('%3D', '%3d') }, 'escapes in lower-case hexadecimal'],
  [
    'an escape of the path in lower-case hexadecimal, and a letter of it escaped',
    { asked: { baseUrl: 'https://localhost:8443/n%C3%AAt' }, target: '/n%c3%AAt/%61pi/v2/close-day/1111' },
    'the path is written /n%c3%AAt/%61pi/v2/close-day/1111',
  ],
  [
    '%20 for a space',
    { input: { ...fields, sale_approved_sum: '1 0+4' }, body: (body) => body.replace('+', '%20') },
    undefined,
  ],
  ['fields in another order', edited((pairs) => [...pairs].reverse()), undefined],
  [
    'a total that nobody gave sent empty',
    edited((pairs) => [...pairs, ['reversal_approved_count', '']]),
    'reversal_approved_count is sent empty',
  ],
  [
    'an empty total left out',
    { input: { ...fields, reversal_approved_count: '' }, ...edited((pairs) => pairs) },
    'reversal_approved_count is left out if it is empty',
  ],
  [
    'an id of 32 letters in more code points',
    { input: { ...fields, day_close_request_id: 'e\u0301'.repeat(32) } },
    'letters or digits beyond ASCII; more than 32 bytes, but at most 32 letters, not counting accents: the document does not say whether the limit counts bytes or letters',
  ],
  [
    'an id of 4 letters in 8 bytes',
    { input: { ...fields, day_close_request_id: '\u00e9'.repeat(4) } },
    'letters or digits beyond ASCII; 8 bytes or more, but fewer than 8 letters if accents do not count: the document does not say whether the limit counts bytes or letters',
  ],
  [
    'a sum in another notation',
    { input: { ...fields, sale_approved_sum: '1e3' }, ...edited(setValue('sale_approved_sum', '1000.00')) },
    '1e3 is sent as 1000.00',
  ],
];

for (const [what, draft, remark] of tolerated) {
  test(`close-day with ${what} breaks nothing${remark === undefined ? '' : ' and is remarked'}`, () => {
    const cases = [closeDay(), closeDay(draft)];
    expect(failing(cases)).toEqual([]);
    expect(remarks(cases).join('; ')).toBe(remark ?? '');
    expect(passing([cases[1]!])).toContain('authentication/signature-verifies');
  });
}

test('payments in another order are paired by their order ids, so that swapped amounts are found', () => {
  const swapped: Draft = { csv: (text) => text.replace(/^(.*\n)(.*;)(.*\n)(.*;)(.*\n?)$/, '$1$4$3$2$5') };
  expect(findingsOn('recurring/csv-rows', [recurring(swapped)])).toMatchObject([
    { outcome: 'fail', expected: expect.stringContaining('"1234.50" as amount'), actual: '"100.00"' },
  ]);
});

const oneOrder = {
  columns: batch.columns,
  rows: [...batch.rows.slice(0, 1), ...batch.rows.map(([, ...cells]) => [batch.rows[0]![0]!, ...cells])],
};
const reversed = (text: string) => {
  const [names, ...rows] = text.trimEnd().split('\n');
  return `${[names, ...rows.reverse()].join('\n')}\n`;
};

test('payments of one order may be reordered and have their amounts in another notation', () => {
  const testCase = recurring({ input: oneOrder, csv: (text) => reversed(text).replaceAll('1234.50', '1234.5') });
  expect(passing([testCase])).toContain('recurring/csv-rows');
});

test('of payments in another order, only the one with another order id differs', () => {
  const testCase = recurring({ csv: (text) => reversed(text).replace('order-2', 'order-3') });
  expect(findingsOn('recurring/csv-rows', [testCase])).toMatchObject([
    { outcome: 'fail', expected: '"order-2" as client-orderid of row 2', actual: '"order-3"' },
  ]);
});

for (const [amount, remark] of [
  ['12345678.90', '12345678.90 has 10 digits and 11 characters: the limit of 10 can mean either'],
  ['-1.00', 'not every program reads -1.00 as a number'],
  ['0001.00', undefined],
]) {
  test(`the amount ${amount} breaks nothing, with a known and with an unknown input`, () => {
    const input = { ...batch, rows: [['a', '0000000042', amount!]] };
    for (const asked of [undefined, null]) {
      const testCase = recurring({ input, ...(asked === null ? { asked, label: { input: 'observed' } } : {}) });
      expect(failing([testCase])).toEqual([]);
      expect(remarks([testCase])).toEqual(remark === undefined ? [] : [remark]);
    }
  });
}

test('equal rows are paired in order, and a row with too few cells takes the place that is left', () => {
  const [row, other] = [
    ['one-order', '1', '1.00'],
    ['b', '2', '3.00'],
  ];
  const input = { ...batch, rows: [row, other, row, ['c', '3', '4.00']] };
  const lines = [batch.columns.map((name) => `"${name}"`), other, ['short'], row, row];
  const testCase = recurring({ input, csv: () => lines.map((cells) => cells.join(';')).join('\n') });
  expect(batchOf(testCase, testCase.exchanges[0]!)!.rows).toEqual([row, other, row, undefined]);
});
