/** What every generator owes: right values are right, a fault breaks one rule, edges have names that are true, seeds repeat, failures shrink. */
import * as fc from 'fast-check';
import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Labelled } from '../../../generators/index.ts';
import * as generators from '../../../generators/index.ts';
import { type Domain as DomainOf, drawn } from '../../../generators/labelled.ts';
import { requirementsIn, validateResponse } from '../../../schemas/messages.ts';
import { buildCloseDay, type CloseDayFields } from '../../../src/protocol/close-day.ts';
import { encodeCsv } from '../../../src/protocol/csv.ts';
import type { ClientCase } from '../../../src/record/case.ts';
import { rowsInRequests } from '../../../src/rules/schema-crosscheck.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, type Draft, failing, now, recurring } from '../../unit/rules/client/sample-requests.ts';

interface Domain {
  readonly name: string;
  readonly valid: fc.Arbitrary<Labelled<unknown>>;
  readonly edge: fc.Arbitrary<Labelled<unknown>>;
  readonly faulty?: fc.Arbitrary<Labelled<unknown>>;
  readonly edges: readonly Labelled<unknown>[];
  /** The rules that a value of the domain breaks in a message that is right otherwise, by judges or schemas: neither knows the generators. */
  readonly broken: (value: never) => string[];
}

/** What the judges say of a client's request; nothing is signed over what was changed, so signatures are not asked about. */
function brokenIn(testCase: ClientCase): string[] {
  return failing([testCase], { hasKeys: false, keysOf: () => undefined });
}

/** What a client breaks that sends an edge which is open to a gateway, and faults that have another row beside a client's judges. */
const brokenByClients: Readonly<Record<string, string>> = {
  ...inAll('recurring/csv-utf-8', ['A12 csv:byte-order-mark', 'A12 csv:latin-1']),
  ...inAll('recurring/csv-rows', ['A12 csv:cr', 'A12 csv:empty-last-row']),
  ...inAll('recurring/payload-base64', ['A16 url-safe-alphabet', 'A16 without-padding', 'A16 line-feed-at-the-end']),
  ...inAll('recurring/payload-base64', ['A16 wrapped-at-64-with-line-ends', 'A16 wrapped-at-76-with-line-feeds']),
  ...inAll('authentication/signature-base64', ['A16 signature-in-url-safe-alphabet', 'A16 signature-without-padding']),
  ...inAll('authentication/signature-base64', ['A16 signature-with-a-line-feed']),
  ...inAll('authentication/header-values-encoded', ['A4 spaces-around-the-equals-sign', 'A4 unquoted-values']),
  ...inAll('authentication/timestamp-seconds', ['A3 timestamp-an-hour-ago', 'A3 timestamp-in-an-hour']),
  ...inAll('authentication/timestamp-seconds', ['A3 timestamp-a-day-ago', 'A3 timestamp-a-year-ago']),
  ...inAll('authentication/timestamp-seconds', ['A3 timestamp-with-plus']),
  ...inAll('close-day/request-id-present', ['close-day/request-id-length empty']),
  ...inAll('recurring/payload-escaped', ['recurring/payload-base64 percent-encoded']),
  ...inAll('authentication/header-parameters', [
    'authentication/close-day-method empty-oauth_signature_method',
    'authentication/recurring-method empty-oauth_signature_method',
    'authentication/signature-base64 empty-oauth_signature',
    'authentication/timestamp-seconds empty-oauth_timestamp',
    'authentication/consumer-key empty-oauth_consumer_key',
  ]),
};

function inAll(row: string, edges: readonly string[]): Record<string, string> {
  return Object.fromEntries(edges.map((edge) => [edge, row]));
}

/** What judges should find in a value of that label. */
function stated({ label, edge = '' }: Labelled<unknown>): string {
  if (label.kind === 'valid') return '';
  const about = label.kind === 'fault' ? label.breaks : label.openPoint;
  return brokenByClients[`${about} ${edge}`] ?? (label.kind === 'fault' ? label.breaks : '');
}

/** As in a recording: what the client was asked for is not known. */
const recorded = { asked: null, label: { input: 'observed' } } as const satisfies Draft;

/** With a total, since a body without any field is no form. */
const ofFields = (fields: CloseDayFields) =>
  brokenIn(closeDay({ ...recorded, pairs: buildCloseDay({ sale_approved_count: '1', ...fields }) }));
const ofRow = (row: generators.CsvRow) => {
  const columns = Object.keys(row);
  const csv = encodeCsv({ columns, rows: [columns.map((name) => row[name as keyof typeof row] ?? '')] });
  return brokenIn(recurring({ ...recorded, csv: () => csv }));
};
const plainRow = { 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890', amount: '1.00' };
const plainId = { day_close_request_id: 'a1b2c3d4' };
const signatures = { 'close-day': base64(20), 'process-recurring-payments': base64(256) };

function domain<T>(name: string, values: DomainOf<T>, broken: (value: never) => string[]): Domain {
  const { edges, odd, edge = odd === undefined ? drawn(edges) : fc.oneof(drawn(edges), odd) } = values;
  return { name, ...values, edge, broken };
}

const csvText = domain('CsvText', generators.csvTexts, ({ bytes }: generators.CsvText) =>
  brokenIn(recurring({ ...recorded, csv: () => Buffer.from(bytes) })),
);

const domains: readonly Domain[] = [
  domain('DayCloseRequestId', generators.dayCloseRequestIds, (id: string) => ofFields({ day_close_request_id: id })),
  domain('Count', generators.counts, (count: string) => ofFields({ ...plainId, sale_approved_count: count })),
  domain('Sum', generators.sums, (sum: string) => ofFields({ ...plainId, reversal_approved_sum: sum })),
  domain('CloseDayRequest', generators.closeDayRequests, ofFields),
  domain('ClientOrderid', generators.clientOrderids, (id: string) => ofRow({ ...plainRow, 'client-orderid': id })),
  domain('RecurringPaymentId', generators.recurringPaymentIds, (id: string) =>
    ofRow({ ...plainRow, 'recurring-payment-id': id }),
  ),
  domain('Amount', generators.amounts, (amount: string) => ofRow({ ...plainRow, amount })),
  domain('CsvRow', generators.csvRows, ofRow),
  { ...csvText, edge: csvText.edge.map(inCsv), edges: csvText.edges.map(inCsv) },
  domain('Payload', generators.payloads, ({ form }: generators.DrawnPayload) =>
    brokenIn(recurring({ ...recorded, pairs: form })),
  ),
  ...(['close-day', 'process-recurring-payments'] as const).map((operation) => {
    const given = { operation, consumerKey: 'shop', timestamp: now / 1000, nonce: '0123456789abcdef0123456789abcdef' };
    const right = generators.rightHeader(given);
    const applied = (one: Labelled<generators.HeaderChange>) => ({ ...one, value: one.value(right) });
    return {
      name: `authorization-parameters of ${operation}`,
      valid: generators.authorizationHeaders.valid.map(applied),
      edge: generators.authorizationHeaders.edge.map(applied),
      faulty: generators.faultyHeader(operation).map(applied),
      edges: generators.authorizationHeaders.edges.map(applied),
      broken: (plan: generators.HeaderPlan) => {
        const print = () => generators.printHeader(plan, signatures[operation]);
        const asked = { consumerKey: 'shop' };
        return brokenIn(operation === 'close-day' ? closeDay({ print, asked }) : recurring({ print, asked }));
      },
    };
  }),
  domain('GateResult', generators.gateResults, ({ text }: generators.DrawnGate) => {
    const serial = '"theRequestSerialNumber":"00000000-0000-0000-0000-000002d9b22a"';
    const answer = `{"response":{"status":"finished","gates":[${text}]},${serial}}`;
    return [...validateResponse('close-day', 200, Buffer.from(answer)).keys()];
  }),
];

/** More where all mutations are drawn. */
const runs = { seed: 20_260_131, numRuns: process.env.MUTATIONS === undefined ? 50 : 400 };

/** So many that each fault is drawn, whatever else is: a fault whose row is not stated shows in every run. */
const faults = { ...runs, numRuns: 400 };

/** A failure of these is shrunk for seconds. */
const long = ['CsvText', 'Payload', 'CsvRow'];

for (const { name, valid, edge, faulty, edges, broken } of domains) {
  /** Those of which judges say something else than the label. */
  const mislabelled = (values: readonly Labelled<unknown>[]) =>
    values.flatMap((one) => {
      const found = String(broken(one.value as never));
      return found === stated(one) ? [] : [{ edge: one.edge, label: one.label, found }];
    });

  test.describe(name, () => {
    test('right values break no rule', () => {
      const drawn = fc.sample(valid, runs);
      expect(drawn.filter(({ label }) => label.kind !== 'valid')).toEqual([]);
      expect(mislabelled(drawn)).toEqual([]);
    });

    test('each edge is what its label says', () => {
      expect(mislabelled([...edges, ...fc.sample(edge, runs)])).toEqual([]);
    });

    test('edges have names of their own, and each comes among the drawn ones', () => {
      const names = edges.map((one) => one.edge);
      expect(new Set(names).size).toBe(edges.length);
      const drawn = new Set(fc.sample(edge, { seed: runs.seed, numRuns: 20 * edges.length }).map((one) => one.edge));
      expect(names.filter((one) => !drawn.has(one))).toEqual([]);
    });

    test('the same seed gives the same values, another seed others', () => {
      for (const arbitrary of [valid, edge, faulty].filter((one) => one !== undefined)) {
        const [once, again, other] = [7, 7, 8].map((seed) =>
          JSON.stringify(fc.sample(arbitrary as fc.Arbitrary<unknown>, { seed, numRuns: 50 })),
        );
        expect(again).toBe(once);
        expect(other).not.toBe(once);
      }
    });

    test('a failing right value shrinks to a smaller one that is right', {
      tag: long.includes(name) ? '@all' : [],
    }, () => {
      const sizes = fc
        .sample(valid, runs)
        .map(sizeOf)
        .sort((a, b) => a - b);
      const median = sizes[sizes.length / 2]!;
      const result = fc.check(
        fc.property(valid, (one) => sizeOf(one) < median),
        runs,
      );
      const [smallest] = result.counterexample!;
      expect(result.numShrinks).toBeGreaterThan(0);
      expect(sizeOf(smallest)).toBeGreaterThanOrEqual(median);
      expect(sizeOf(smallest)).toBeLessThanOrEqual(Math.ceil(median * 1.25));
      expect(broken(smallest.value as never)).toEqual([]);
    });

    if (faulty === undefined) return;

    test('a faulty value breaks the named rule and no other', () => {
      const drawn = fc.sample(faulty, faults);
      expect(drawn.filter(({ label }) => label.kind !== 'fault')).toEqual([]);
      expect(mislabelled(drawn)).toEqual([]);
    });
  });
}

/** Named as among the edges of a payload. */
function inCsv<T>(one: Labelled<T>): Labelled<T> {
  return { ...one, edge: `csv:${one.edge}` };
}

function sizeOf({ value }: Labelled<unknown>): number {
  return JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? part.length : part)).length;
}

function base64(bytes: number): string {
  return Buffer.alloc(bytes, 0xfb).toString('base64');
}

const everyEdge: readonly Labelled<unknown>[] = [
  ...generators.closeDayRequests.edges,
  ...generators.payloads.edges,
  ...generators.csvFaults([generators.plainRow]),
  ...generators.authorizationHeaders.edges,
  ...generators.gateResults.edges,
  ...generators.discriminatingInputs,
];

const sampled = (arbitrary: fc.Arbitrary<Labelled<unknown>>) => fc.sample(arbitrary, { seed: 1, numRuns: 1000 });
const brokenBy = (values: readonly Labelled<unknown>[]) =>
  new Set(values.flatMap(({ label }) => (label.kind === 'fault' ? [label.breaks] : [])));

let requestFaults: readonly Labelled<unknown>[] = [];
let gateFaults: readonly Labelled<unknown>[] = [];

test.beforeAll(() => {
  const headers = [generators.faultyHeader('close-day'), generators.faultyHeader('process-recurring-payments')];
  requestFaults = [generators.closeDayRequests.faulty, generators.payloads.faulty, ...headers].flatMap(sampled);
  gateFaults = sampled(generators.gateResults.faulty);
});

test('faults of requests break rows of a client, each that a schema states but two of names', () => {
  const broken = brokenBy([...everyEdge, ...requestFaults]);
  expect([...broken].filter((id) => requirementById(id)?.side !== 'client')).toEqual([]);
  const whole = [...rowsInRequests].filter((id) => !broken.has(id));
  expect(whole).toEqual(['close-day/body-is-form', 'authentication/parameters-only-in-header']);
});

test('faults of a gate result break rows of a gateway, each that a schema states of one', () => {
  const broken = brokenBy(gateFaults);
  expect([...broken].filter((id) => requirementById(id)?.side !== 'gateway')).toEqual([]);
  expect(requirementsIn('gate-result').filter((id) => !broken.has(id))).toEqual(['close-day/finished-has-gates']);
});

test('an open edge names a point of the register', () => {
  const known = new Set<string>(openPoints.map(({ id }) => id));
  const named = everyEdge.flatMap(({ label }) => (label.kind === 'open' ? [label.openPoint] : []));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((id) => !known.has(id))).toEqual([]);
});

test('faults have names', () => {
  expect([...requestFaults, ...gateFaults].filter(({ edge }) => edge === undefined)).toEqual([]);
});

const lengths: readonly (readonly [
  list: readonly Labelled<string>[],
  edge: string,
  characters: number,
  bytes: number,
])[] = [
  [generators.clientOrderids.edges, 'length-128', 128, 128],
  [generators.clientOrderids.edges, 'length-129', 129, 129],
  [generators.clientOrderids.edges, 'length-128-in-bytes-64-in-characters', 64, 128],
  [generators.clientOrderids.edges, 'length-129-in-bytes-128-in-characters', 128, 129],
  [generators.clientOrderids.edges, 'length-128-in-characters-256-in-bytes', 128, 256],
  [generators.clientOrderids.edges, 'length-129-in-two-byte-characters', 129, 258],
  [generators.recurringPaymentIds.edges, 'length-10', 10, 10],
  [generators.recurringPaymentIds.edges, 'length-11', 11, 11],
  [generators.recurringPaymentIds.edges, 'length-10-in-bytes-5-in-characters', 5, 10],
  [generators.recurringPaymentIds.edges, 'length-11-in-bytes-10-in-characters', 10, 11],
  [generators.recurringPaymentIds.edges, 'length-10-in-characters-20-in-bytes', 10, 20],
  ...[7, 8, 32, 33].map((length) => [generators.dayCloseRequestIds.edges, `length-${length}`, length, length] as const),
];

test('edges count characters and bytes as their names say', () => {
  const counted = lengths.map(([list, edge]) => [
    edge,
    [...named(list, edge)].length,
    Buffer.byteLength(named(list, edge)),
  ]);
  expect(counted).toEqual(lengths.map(([, ...row]) => row));
  expect(named(generators.clientOrderids.edges, 'length-64-in-astral-characters-128-in-utf-16')).toHaveLength(128);
});

test('each normal form of Unicode alters an edge of client-orderid: a client that normalises is seen', () => {
  const texts = generators.clientOrderids.edges.map(({ value }) => value);
  const unseen = ['NFC', 'NFD', 'NFKC', 'NFKD'].filter((form) => texts.every((text) => text.normalize(form) === text));
  expect(unseen).toEqual([]);
});

test('edges of the CSV differ in the bytes that their names are about', () => {
  const text = (name: string) => named(generators.csvTexts.edges, name).text;
  expect(text('crlf').split('\r\n')).toHaveLength(4);
  expect(text('no-final-line-end').endsWith('\n')).toBe(false);
  expect([...named(generators.csvTexts.edges, 'byte-order-mark').bytes.subarray(0, 4)]).toEqual([
    0xef, 0xbb, 0xbf, 0x22,
  ]);
  expect([...named(generators.csvTexts.edges, 'latin-1').bytes]).toContain(0xdf);
  expect(text('bare-rows')).toBe('"client-orderid";"recurring-payment-id";"amount"\norder-1;1234567890;1.00\n');
  expect(text('quoted-rows')).toContain('\n"order-1";"1234567890";"1.00"\n');
  expect(text('row:client-orderid:delimiter')).toContain('\n"order;42";');
  expect(text('row:client-orderid:quote')).toContain('\n"order \\""42""";');
  expect(text('row:client-orderid:line-end')).toContain('\n"order\r\n42";');
});

test('a right value is one that every reading of the document takes', () => {
  const rows = fc
    .sample(generators.payloads.valid, { seed: 3, numRuns: 500 })
    .flatMap(({ value }) => value.csv.text.split('\n').slice(1, -1));
  const plain = /^[A-Za-z0-9-]{1,128};\d{10};\d{1,7}\.\d\d$/;
  expect(rows.filter((row) => !plain.test(row))).toEqual([]);
  const edges = generators.payloads.edges.filter(({ label }) => label.kind === 'valid');
  expect(
    edges.flatMap(({ value }) => value.csv.text.split('\n').slice(1, -1)).filter((row) => !plain.test(row)),
  ).toEqual([]);
  const requests = [...fc.sample(generators.closeDayRequests.valid, 100), ...generators.closeDayRequests.edges];
  const right = requests.filter(({ label }) => label.kind === 'valid');
  expect(right.filter(({ value }) => Object.keys(value).join() !== 'day_close_request_id')).toEqual([]);
});

function named<T>(edges: readonly Labelled<T>[], name: string): T {
  const found = edges.find(({ edge }) => edge === name);
  if (found === undefined) throw new Error(`no edge named ${name}`);
  return found.value;
}
