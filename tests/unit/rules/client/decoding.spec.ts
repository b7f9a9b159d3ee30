/** The judges of decoding pass a client that reads everything, and fail each misreading in its own requirement only. */
import { type RequirementId, requirements } from '../../../../contracts/requirements/index.ts';
import type { ClientCase, Decoded, DecodedValue } from '../../../../src/record/case.ts';
import type { Exchange } from '../../../../src/record/exchange.ts';
import { compareAs } from '../../../../src/rules/client/decoded-value.ts';
import type { Finding } from '../../../../src/rules/judge.ts';
import { expect, test } from '../../../engine.ts';
import { decodingIds, readAll, replyToAll, rowsWith, verdictsOn } from './decoding-cases.ts';

const right = readAll((decoded) => decoded);

test('there is a judge for every row of a client about decoding', () => {
  const rows = requirements.filter(({ side, dimension }) => side === 'client' && dimension === 'response-decoding');
  expect([...decodingIds].sort()).toEqual(rows.map(({ id }) => id).sort());
});

test('a client that reads everything passes every row without a remark', () => {
  for (const id of decodingIds) {
    const findings = verdictsOn(id, right).map(({ finding }) => finding);
    expect(findings.length, id).toBeGreaterThan(0);
    expect(new Set(findings.map((finding) => JSON.stringify(finding))), id).toEqual(new Set(['{"outcome":"pass"}']));
  }
});

type Read = Parameters<typeof readAll>[0];

const inParameters =
  (change: (pair: readonly [string, string], at: number) => readonly [string, string]): Read =>
  (right) =>
    right.kind === 'parameters' ? { ...right, params: right.params.map(change) } : right;

/** Wrong clients that are not in the kill matrix. */
const faults: readonly (readonly [client: string, breaks: RequirementId, read: Read])[] = [
  [
    'takes a nested gateId for that of the gate',
    'close-day/decodes-extra-members',
    (right, { decoding }) =>
      right.kind === 'finished' && decoding.answers.includes('close-day/decodes-extra-members')
        ? { ...right, gates: right.gates!.map((gate) => ({ ...gate, gateId: { long: '1' } })) }
        : right,
  ],
  [
    'takes an error beside gates for success',
    'close-day/decodes-error',
    (right, { decoding }) => (decoding.question === 'an error beside gates' ? { kind: 'finished' } : right),
  ],
  [
    'takes error under HTTP 403 for success, and reads it under HTTP 200',
    'recurring/decodes-error',
    (right, { special }) => (/^error .*HTTP 403/.test(special!) ? { kind: 'accepted' } : right),
  ],
  [
    'tells another HTTP status',
    'recurring/decodes-refused',
    (right) => (right.kind === 'refused' ? { ...right, http_status: 401 } : right),
  ],
  [
    'puts the line feed before the next name',
    'recurring/decodes-parameters',
    inParameters(([name, value], at) => [at === 0 ? name : `\n${name}`, value]),
  ],
  [
    'reads another status',
    'recurring/decodes-parameters',
    inParameters(([name, value]) => [name, name === 'status' ? 'done' : value]),
  ],
];

for (const [client, breaks, read] of faults) {
  test(`a client that ${client} fails ${breaks} and no other row`, () => {
    expect(rowsWith('fail', readAll(read))).toEqual([breaks]);
  });
}

test('a question gives verdicts only on the requirements that it tests', () => {
  const wrong = decodingIds.filter((id) =>
    verdictsOn(id, right).some(({ testCase }) => !testCase.call.label.decoding!.answers.includes(id)),
  );
  expect(wrong).toEqual([]);
});

test('probes are never judged', () => {
  const probes = right.filter(({ call: { label } }) => label.input === 'probe').map(withAnswer);
  expect(probes.length).toBeGreaterThan(10);
  for (const id of decodingIds) expect(verdictsOn(id, probes)).toEqual([]);
});

for (const form of ['wrapped', 'unwrapped', 'escaped-line-feed', 'raw-line-feed']) {
  test(`a client that reads nothing ${form} passes with a remark`, () => {
    const cases = readAll((decoded, { decoding }) =>
      decoding.form === form && decoding.expected.kind !== 'not-success' ? { kind: 'undecodable' } : decoded,
    );
    expect(rowsWith('fail', cases)).toEqual([]);
    const id = form.includes('wrapped') ? 'close-day/decodes-finished' : 'recurring/decodes-error';
    const remarks = verdictsOn(id, cases).map(({ finding }) => finding.remark);
    expect(remarks.filter((remark) => !remark?.match(`^not read: .*\\b${form}\\)`))).toEqual([]);
  });
}

test('a client that reads neither form fails the requirements on types, not the one on line feeds', () => {
  const cases = readAll((decoded) => (decoded.kind === 'parameters' ? { kind: 'undecodable' } : decoded));
  expect(rowsWith('fail', cases).sort()).toEqual([
    'recurring/decodes-error',
    'recurring/decodes-response-type',
    'recurring/decodes-validation-error',
  ]);
});

test('an answer that the gateway did not send as planned is no evidence', () => {
  const request = { method: 'POST', scheme: 'https', host: '', target: '', headers: [], body: Buffer.of() } as const;
  const failure = { kind: 'not-sent', message: 'it was not cut' } as const;
  const exchanges = [{ request, failure, startedAt: 0, durationMs: 0 }];
  for (const decoded of [{ kind: 'accepted' }, { kind: 'undecodable' }] as const) {
    const cases = replyToAll({ outcome: 'completed', decoded }, {}, exchanges);
    for (const outcome of ['pass', 'fail']) expect(rowsWith(outcome, cases)).toEqual([]);
    expect(rowsWith('inconclusive', cases)).toEqual(decodingIds);
  }
});

test('a client whose requests cannot be read got no answer, so only success is a wrong reading', () => {
  const incomplete = 'a request that is not HTTP: it has a second length';
  const decoded = { kind: 'undecodable', reason: 'HTTP 400' } as const;
  const refused = replyToAll({ outcome: 'completed', decoded }, { incomplete });
  expect(rowsWith('fail', refused)).toEqual([]);
  expect(rowsWith('pass', refused)).toEqual([]);
  expect(verdictsOn('recurring/decodes-accepted', refused)[0]!.finding).toMatchObject({
    outcome: 'inconclusive',
    blame: 'subject',
    actual: `the client got no answer, because the gateway received ${incomplete}`,
  });
  const cases = replyToAll({ outcome: 'completed', decoded: { kind: 'accepted' } }, { incomplete });
  expect(rowsWith('fail', cases)).toContain('recurring/broken-body-not-success');
});

test('a client that reads nothing under text/html is judged on application/json in all other requirements', () => {
  const cases = readAll((decoded, { decoding: { form } }) => {
    if (form === 'unwrapped' || form === 'wrapped') return { kind: 'undecodable' };
    return decoded.kind === 'finished' ? { ...decoded, serial: 'other' } : decoded;
  });
  expect(rowsWith('fail', cases).sort()).toEqual(['close-day/decodes-serial', 'close-day/decodes-text-html']);
  expect(rowsWith('pass', cases)).toContain('close-day/decodes-gate-rrn');
});

test('a client that exposes only the kind is not judged on what it does not expose', () => {
  const cases = readAll((decoded) => ({ kind: decoded.kind, http_status: 403, params: [] }) as Decoded);
  expect(rowsWith('fail', cases)).toEqual(['recurring/decodes-response-type', 'recurring/decodes-error-id']);
  expect(rowsWith('not-applicable', cases)).toContain('close-day/decodes-gate-id');
  expect(rowsWith('not-applicable', cases)).toContain('close-day/decodes-serial');
  expect(rowsWith('pass', cases)).toContain('close-day/decodes-finished');
});

test('accepted and refused are readings of a body of 2.4, without its parameters', () => {
  const cases = readAll((decoded) => {
    if (decoded.kind !== 'parameters') return decoded;
    const accepted = decoded.params.some(([, value]) => value === 'process-recurring-payment-response');
    return accepted ? { kind: 'accepted' } : { kind: 'refused', http_status: 200 };
  });
  expect(rowsWith('fail', cases)).toEqual([]);
  expect(rowsWith('pass', cases)).toContain('recurring/decodes-response-type');
  expect(rowsWith('pass', cases)).not.toContain('recurring/decodes-error');
});

const declined: readonly (readonly [client: string, read: Read])[] = [
  ['takes no gates for a failure', (decoded) => (noGates(decoded) ? { kind: 'undecodable' } : decoded)],
  [
    'throws at a date that is not an English one in UTC',
    (decoded) => (/^(?!\w{3} \w{3} \d+ [\d:]+ UTC )/.test(dateOf(decoded)) ? { kind: 'undecodable' } : decoded),
  ],
  [
    'reads no date that is not an English one',
    (decoded) => (/^(?!\w{3} \w{3} )/.test(dateOf(decoded)) ? withDate(decoded, () => '') : decoded),
  ],
  [
    'reads no 2.4 body under HTTP 403 and 500',
    (decoded, { special }) => (/HTTP (?:403|500), /.test(special!) ? { kind: 'undecodable' } : decoded),
  ],
];

for (const [client, read] of declined) {
  test(`a client that ${client} declines what the document leaves open, and fails no requirement`, () => {
    const cases = readAll(read);
    expect(rowsWith('fail', cases)).toEqual([]);
    expect(rowsWith('inconclusive', cases)).toEqual([]);
    expect(rowsWith('pass', cases).sort()).toEqual([...decodingIds].sort());
  });
}

test('a client that reads counts as numbers passes with a remark', () => {
  const cases = readAll((decoded) =>
    decoded.kind !== 'finished'
      ? decoded
      : {
          ...decoded,
          gates: decoded.gates!.map((gate) => ({
            ...gate,
            saleApprovedCount: { long: String(Number(Object.values(gate.saleApprovedCount!)[0])) },
          })),
        },
  );
  expect(rowsWith('fail', cases)).toEqual([]);
  const remarks = verdictsOn('close-day/decodes-gate-sale-approved-count', cases).map(({ finding }) => finding.remark);
  expect(remarks).toContain('saleApprovedCount is 10 instead of 010, which is the same number');
});

for (const [what, cases, blame] of [
  ['an unsupported call', replyToAll({ outcome: 'unsupported' }), 'configuration'],
  ['a call that came to nothing', replyToAll({ outcome: 'transport_error' }), 'environment'],
  ['an adapter that fails', replyToAll(undefined, { adapterFault: { code: 'crash', message: 'gone' } }), 'subject'],
  ['an adapter error', replyToAll({ outcome: 'adapter_error' }), 'subject'],
  ['a refusal to call', replyToAll({ outcome: 'refused_locally' }), 'subject'],
  ['an adapter that reports no reading', replyToAll({ outcome: 'completed' }), 'configuration'],
] as const) {
  test(`${what} is inconclusive, blame ${blame}`, () => {
    for (const id of decodingIds) {
      const findings = verdictsOn(id, cases).map(({ finding }) => `${finding.outcome} ${finding.blame}`);
      expect(new Set(findings), id).toEqual(new Set([`inconclusive ${blame}`]));
    }
  });
}

test('a client whose HTTP library refuses a broken body passes', () => {
  const exchange = {} as Exchange;
  const cases = replyToAll({ outcome: 'transport_error' }, {}, [exchange]);
  expect(rowsWith('pass', cases).sort()).toEqual([
    'close-day/broken-body-not-success',
    // The question is about an error that also has gates.
    'close-day/decodes-error',
    'close-day/decodes-unknown-status',
    'recurring/broken-body-not-success',
  ]);
});

test('recordings have no readings, so they give no verdict', () => {
  for (const id of decodingIds) expect(verdictsOn(id, replyToAll(undefined))).toEqual([]);
});

function noGates(decoded: Decoded): boolean {
  return decoded.kind === 'finished' && decoded.gates?.length === 0;
}

/** The close date of the first gate, or a date in UTC if there is no gate. */
function dateOf(decoded: Decoded): string {
  const date = decoded.kind === 'finished' ? decoded.gates?.[0]?.gateCloseDate : undefined;
  return date !== undefined && 'text' in date ? date.text : 'Wed Jan 31 23:59:59 UTC 2024';
}

function withDate(decoded: Decoded, change: (date: string) => string): Decoded {
  if (decoded.kind !== 'finished') return decoded;
  const changed = (date: DecodedValue | undefined) => ({ text: change(String(Object.values(date ?? {})[0])) });
  return { ...decoded, gates: decoded.gates!.map((gate) => ({ ...gate, gateCloseDate: changed(gate.gateCloseDate) })) };
}

function withAnswer(testCase: ClientCase): ClientCase {
  const decoding = { ...testCase.call.label.decoding!, answers: [...decodingIds] };
  const { call } = testCase;
  return { ...testCase, call: { ...call, label: { ...call.label, decoding } } };
}

const verdictOf = ({ outcome, remark }: Finding) => (outcome === 'pass' && remark !== undefined ? 'remark' : outcome);

const compared: readonly (readonly [
  same: (actual: DecodedValue) => Finding,
  pass: DecodedValue,
  remark: DecodedValue[],
  fail: DecodedValue[],
])[] = [
  [
    (got) => compareAs.id('gateId', '9007199254740993', got),
    { long: '9007199254740993' },
    [{ text: '9007199254740993' }],
    [{ long: '9007199254740992' }, { text: '9.007199254740993e15' }, { bool: true }],
  ],
  [
    (got) => compareAs.truth('isDayClosing', true, got),
    { bool: true },
    [{ text: 'true' }],
    [{ bool: false }, { text: '1' }],
  ],
  [(got) => compareAs.text('code39', '10', got), { text: '10' }, [{ long: '10' }], [{ long: '0' }, { text: '010' }]],
  [
    (got) => compareAs.amount('saleAmount', '0.10', got),
    { text: '0.10' },
    texts('0.1 0.100 .1 00.1'),
    texts(' . 0 1 10 0.01 -0.1 0,10 ten'),
  ],
  [
    (got) => compareAs.amount('saleAmount', '90071992547409.00', got),
    { text: '90071992547409.00' },
    [{ text: '90071992547409' }, { long: '90071992547409' }],
    [{ text: '90071992547409.01' }],
  ],
];

test('an equal value passes, another notation passes with a remark, and a changed value fails', () => {
  for (const [same, pass, remark, fail] of compared) {
    expect([pass, ...remark, ...fail].map((got) => verdictOf(same(got)))).toEqual([
      'pass',
      ...remark.map(() => 'remark'),
      ...fail.map(() => 'fail'),
    ]);
  }
});

function texts(listed: string): DecodedValue[] {
  return listed.split(' ').map((text) => ({ text }));
}

test('an unchanged date passes, and its instant passes with a remark', () => {
  const utc = 'Wed Jan 31 23:59:59 UTC 2024';
  expect(verdictOf(compareAs.date('gateCloseDate', utc, { text: utc }))).toBe('pass');
  const instants =
    '2024-01-31T23:59:59Z¦2024-01-31T23:59:59.000Z¦2024-02-01T00:59:59+01:00¦2024-01-31T23:59:59Z[UTC]¦' +
    '2024-01-31 23:59:59+00:00¦1706745599¦1706745599000';
  for (const text of instants.split('¦'))
    expect(verdictOf(compareAs.date('gateCloseDate', utc, { text })), text).toBe('remark');
  for (const text of ['2024-01-31T22:59:59Z', '2024-01-31T23:59:59', '2024-01-31', 'Wed Jan 31 23:59:59 2024', ''])
    expect(verdictOf(compareAs.date('gateCloseDate', utc, { text })), text).toBe('fail');
});

test('a zone with one offset is compared, and another language is left open', () => {
  const read = { text: '2024-01-31T21:00:00Z' };
  expect(verdictOf(compareAs.date('gateCloseDate', 'Thu Feb 1 00:00:00 MSK 2024', read))).toBe('remark');
  expect(verdictOf(compareAs.date('gateCloseDate', 'Thu Feb 01 00:00:00 GMT+03:00 2024', read))).toBe('remark');
  expect(verdictOf(compareAs.date('gateCloseDate', 'Wed Jan 31 18:30:00 GMT-02:30 2024', read))).toBe('remark');
  expect(verdictOf(compareAs.date('gateCloseDate', 'Thu Feb 1 00:00:00 UTC 2024', read))).toBe('fail');
  expect(verdictOf(compareAs.date('gateCloseDate', 'Thu Feb 1 00:00:00 CST 2024', read))).toBe('not-applicable');
  expect(verdictOf(compareAs.date('gateCloseDate', '\u0427\u0442 \u0444\u0435\u0432 1 00:00:00 MSK 2024', read))).toBe(
    'not-applicable',
  );
});
