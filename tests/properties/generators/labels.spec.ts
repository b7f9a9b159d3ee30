/** Labels speak the contract's language, and named edges have the lengths and the bytes that their names promise. */
import * as fc from 'fast-check';
import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Labelled } from '../../../generators/index.ts';
import * as generators from '../../../generators/index.ts';
import { requirementsIn } from '../../../schemas/findings.ts';
import { rowsInRequests } from '../../../src/rules/schema-crosscheck.ts';
import { expect, test } from '../../engine.ts';

const everyEdge: readonly Labelled<unknown>[] = [
  ...generators.closeDayRequests.edges,
  ...generators.payloads.edges,
  ...generators.csvFaults([generators.plainRow]),
  ...generators.authorizationHeaders.edges,
  ...generators.gateResults.edges,
  ...generators.tellingInputs,
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
