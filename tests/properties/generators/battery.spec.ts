/** Checks every generator: valid values are valid, a fault breaks one rule, and the names of edges are true. */
import * as fc from 'fast-check';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { amounts } from '../../../generators/amount.ts';
import {
  authorizationHeaders,
  faultyHeader,
  type HeaderPlan,
  printHeader,
  validHeader,
} from '../../../generators/authorization.ts';
import { clientOrderids } from '../../../generators/client-orderid.ts';
import { closeDayRequests } from '../../../generators/close-day-request.ts';
import { counts, sums } from '../../../generators/counts-and-sums.ts';
import { dayCloseRequestIds } from '../../../generators/day-close-request-id.ts';
import { type GateSample, gateResults } from '../../../generators/gate-result.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import {
  amountFormEdges,
  type CsvRow,
  csvFaults,
  csvFormEdges,
  faultyPayloadOf,
  oddPayloadOf,
  type PayloadSample,
  payloadFormEdges,
  payloads,
  paymentRows,
  plainRow,
} from '../../../generators/payload.ts';
import { recurringPaymentIds } from '../../../generators/recurring-payment-id.ts';
import { validateResponse } from '../../../schemas/payloads.ts';
import { buildCloseDay, type CloseDayFields } from '../../../src/protocol/close-day.ts';
import { encodeCsv } from '../../../src/protocol/csv.ts';
import type { ClientCase } from '../../../src/record/case.ts';
import { groupBy } from '../../../src/record/group-by.ts';
import { requestRows } from '../../../src/rules/schema-crosscheck.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, type Draft, failing, now, recurring } from '../../unit/rules/client/sample-requests.ts';

interface Domain {
  readonly name: string;
  readonly valid?: fc.Arbitrary<Labelled<unknown>>;
  readonly odd?: fc.Arbitrary<Labelled<unknown>>;
  readonly faulty?: fc.Arbitrary<Labelled<unknown>>;
  readonly edges?: readonly Labelled<unknown>[];
  /** Puts the value into a valid message, and returns the rows that judges or schemas find broken. */
  readonly broken: (value: never) => string[];
}

/** The rows that judges find broken. Signatures are not judged, because a changed request is not signed again. */
function brokenRows(testCase: ClientCase): string[] {
  return failing([testCase], { hasKeys: false, keysOf: () => undefined });
}

/** The row that a client breaks with an edge, if it is not the row of the label. The key is row or open point, and edge. */
const brokenByClients: Readonly<Record<string, string>> = {
  ...toRow('recurring/csv-utf-8', ['A12 csv:byte-order-mark', 'A12 csv:latin-1']),
  ...toRow('recurring/csv-rows', ['A12 csv:cr', 'A12 csv:empty-last-row']),
  ...toRow('recurring/payload-base64', ['A16 url-safe-alphabet', 'A16 without-padding', 'A16 line-feed-at-the-end']),
  ...toRow('recurring/payload-base64', ['A16 wrapped-at-64-with-line-ends', 'A16 wrapped-at-76-with-line-feeds']),
  ...toRow('authentication/signature-base64', ['A16 signature-in-url-safe-alphabet', 'A16 signature-without-padding']),
  ...toRow('authentication/signature-base64', ['A16 signature-with-a-line-feed']),
  ...toRow('authentication/header-values-encoded', ['A4 spaces-around-the-equals-sign', 'A4 unquoted-values']),
  ...toRow('authentication/timestamp-seconds', ['A3 timestamp-an-hour-ago', 'A3 timestamp-in-an-hour']),
  ...toRow('authentication/timestamp-seconds', ['A3 timestamp-a-day-ago', 'A3 timestamp-a-year-ago']),
  ...toRow('authentication/timestamp-seconds', ['A3 timestamp-with-plus']),
  ...toRow('close-day/request-id-present', ['close-day/request-id-length empty']),
  ...toRow('recurring/payload-escaped', ['recurring/payload-base64 percent-encoded']),
  ...toRow('authentication/header-parameters', [
    'authentication/close-day-method empty-oauth_signature_method',
    'authentication/recurring-method empty-oauth_signature_method',
    'authentication/signature-base64 empty-oauth_signature',
    'authentication/timestamp-seconds empty-oauth_timestamp',
    'authentication/consumer-key empty-oauth_consumer_key',
  ]),
};

function toRow(row: string, edges: readonly string[]): Record<string, string> {
  return Object.fromEntries(edges.map((edge) => [edge, row]));
}

function expectedRow({ label, edge = '' }: Labelled<unknown>): string {
  if (label.kind === 'valid') return '';
  const about = label.kind === 'fault' ? label.breaks : label.openPoint;
  return brokenByClients[`${about} ${edge}`] ?? (label.kind === 'fault' ? label.breaks : '');
}

const recorded = { asked: null, label: { input: 'observed' } } as const satisfies Draft;

/** Adds a total, because a body without a field is no form. */
const tryFields = (fields: CloseDayFields) =>
  brokenRows(closeDay({ ...recorded, pairs: buildCloseDay({ sale_approved_count: '1', ...fields }) }));
const tryRow = (row: CsvRow) => {
  const columns = Object.keys(row);
  const csv = encodeCsv({ columns, rows: [columns.map((name) => row[name as keyof typeof row] ?? '')] });
  return brokenRows(recurring({ ...recorded, signature, csv: () => csv }));
};
const plainId = { day_close_request_id: 'a1b2c3d4' };
const signatures = { 'close-day': base64(20), 'process-recurring-payments': base64(256) };
/** A given signature saves the signing of each batch. */
const signature = signatures['process-recurring-payments'];

const domains: readonly Domain[] = [
  {
    name: 'day_close_request_id',
    ...dayCloseRequestIds,
    broken: (id: string) => tryFields({ day_close_request_id: id }),
  },
  { name: 'a count', ...counts, broken: (count: string) => tryFields({ ...plainId, sale_approved_count: count }) },
  { name: 'a sum', ...sums, broken: (sum: string) => tryFields({ ...plainId, reversal_approved_sum: sum }) },
  { name: 'a close-day request', ...closeDayRequests, broken: tryFields },
  { name: 'client-orderid', ...clientOrderids, broken: (id: string) => tryRow({ ...plainRow, 'client-orderid': id }) },
  {
    name: 'recurring-payment-id',
    ...recurringPaymentIds,
    broken: (id: string) => tryRow({ ...plainRow, 'recurring-payment-id': id }),
  },
  { name: 'amount', ...amounts, broken: (amount: string) => tryRow({ ...plainRow, amount }) },
  { name: 'a row', edges: amountFormEdges(plainRow), broken: tryRow },
  {
    name: 'a payload',
    valid: payloads,
    edges: payloadFormEdges(plainRow),
    odd: oddPayloadOf(plainRow),
    faulty: faultyPayloadOf(paymentRows.map(({ value }) => value)),
    broken: ({ form }: PayloadSample) => brokenRows(recurring({ ...recorded, signature, pairs: form })),
  },
  ...(['close-day', 'process-recurring-payments'] as const).map((operation) => {
    const input = { operation, consumerKey: 'shop', timestamp: now / 1000, nonce: '0123456789abcdef0123456789abcdef' };
    const right = validHeader(input);
    const apply = <T>(one: Labelled<(plan: HeaderPlan) => T>) => ({ ...one, value: one.value(right) });
    return {
      name: `a header of ${operation}`,
      edges: authorizationHeaders.edges.map(apply),
      odd: authorizationHeaders.edge.map(apply),
      faulty: faultyHeader(operation).map(apply),
      broken: (plan: HeaderPlan) => {
        const print = () => printHeader(plan, signatures[operation]);
        const draft = { print, signature, asked: { consumerKey: 'shop' } };
        return brokenRows(operation === 'close-day' ? closeDay(draft) : recurring(draft));
      },
    };
  }),
  {
    name: 'a gate result',
    ...gateResults,
    broken: ({ text }: GateSample) => {
      const serial = '"theRequestSerialNumber":"00000000-0000-0000-0000-000002d9b22a"';
      const answer = `{"response":{"status":"finished","gates":[${text}]},${serial}}`;
      return [...validateResponse('close-day', 200, Buffer.from(answer)).keys()];
    },
  },
];

/** A run with the variable MUTATIONS draws more values. */
const runs = { seed: 20_260_131, numRuns: process.env.MUTATIONS === undefined ? 50 : 400 };

/** Enough draws to get every fault in every run. */
const faults = { ...runs, numRuns: 400 };

/** Keeps five values of each fault, because judging takes long. */
function limitEach(draws: readonly Labelled<unknown>[]): Labelled<unknown>[] {
  return [...groupBy(draws, ({ edge }) => edge).values()].flatMap((group) => group.slice(0, 5));
}

for (const { name, valid, odd, faulty, edges = [], broken } of domains) {
  const mislabelled = (values: readonly Labelled<unknown>[], kind?: string) =>
    values.flatMap((one) => {
      const found = String(broken(one.value as never));
      const isRight = found === expectedRow(one) && (kind === undefined || one.label.kind === kind);
      return isRight ? [] : [{ edge: one.edge, label: one.label, found }];
    });

  test(`${name}: each value is what its label says, and each edge has its own name`, () => {
    const [rightOnes, oddOnes] = [valid, odd].map((drawn) => (drawn === undefined ? [] : fc.sample(drawn, runs)));
    expect(mislabelled(rightOnes!, 'valid')).toEqual([]);
    expect(mislabelled([...edges, ...oddOnes!])).toEqual([]);
    expect(new Set(edges.map((one) => one.edge)).size).toBe(edges.length);
    const faultyOnes = faulty === undefined ? [] : limitEach(fc.sample(faulty, faults));
    expect(mislabelled(faultyOnes, 'fault')).toEqual([]);
    expect(faultyOnes.filter(({ edge }) => edge === undefined)).toEqual([]);
  });
}

function base64(bytes: number): string {
  return Buffer.alloc(bytes, 0xfb).toString('base64');
}

test('faults of requests break client rows: all rows that a schema states, except two about names', () => {
  const drawnFaults = domains.flatMap(({ faulty }) =>
    faulty === undefined ? [] : fc.sample(faulty, { seed: 1, numRuns: 1000 }),
  );
  const all = [...drawnFaults, ...csvFaults([plainRow]), ...csvFormEdges(plainRow)];
  const broken = new Set(all.flatMap(({ label }) => (label.kind === 'fault' ? [label.breaks] : [])));
  expect([...broken].filter((id) => requirementById(id)?.side !== 'client')).toEqual([]);
  const unbroken = [...requestRows].filter((id) => !broken.has(id));
  expect(unbroken).toEqual(['close-day/body-is-form', 'authentication/parameters-only-in-header']);
});

test('each normal form of Unicode changes an edge of client-orderid, which reveals a client that normalises', () => {
  const texts = clientOrderids.edges.map(({ value }) => value);
  const missed = ['NFC', 'NFD', 'NFKC', 'NFKD'].filter((form) => texts.every((text) => text.normalize(form) === text));
  expect(missed).toEqual([]);
});

test('every reading of the document accepts a valid batch', () => {
  const edges = payloadFormEdges(plainRow).filter(({ label }) => label.kind === 'valid');
  const right = [...fc.sample(payloads, { seed: 3, numRuns: 500 }), ...edges];
  const rows = right.flatMap(({ value }) => value.csv.text.split('\n').slice(1, -1));
  expect(rows.filter((row) => !/^[A-Za-z0-9-]{1,128};\d{10};\d{1,7}\.\d\d$/.test(row))).toEqual([]);
});
