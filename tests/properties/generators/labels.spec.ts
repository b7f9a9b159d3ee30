/** Labels speak the contract's language, and named edges have the lengths and the bytes that their names promise. */

import * as fc from 'fast-check';
import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Labelled } from '../../../generators/index.ts';
import * as generators from '../../../generators/index.ts';
import { expect, test } from '../../engine.ts';

const everyEdge: readonly Labelled<unknown>[] = [
  ...generators.closeDayRequestEdges,
  ...generators.payloadEdges,
  ...generators.headerEdges,
  ...generators.gateResultEdges,
  ...generators.tellingInputs,
];

let requestFaults: readonly Labelled<unknown>[] = [];
let gateFaults: readonly Labelled<unknown>[] = [];

test.beforeAll(() => {
  requestFaults = [
    generators.faultyCloseDayRequest,
    generators.faultyPayload,
    generators.faultyHeader('close-day'),
    generators.faultyHeader('process-recurring-payments'),
  ].flatMap((arbitrary) => fc.sample<Labelled<unknown>>(arbitrary, { seed: 1, numRuns: 1000 }));
  gateFaults = fc.sample(generators.faultyGateResult, { seed: 1, numRuns: 500 });
});

test('a fault of a request breaks a row that a client has to keep', () => {
  const broken = [...everyEdge, ...requestFaults].flatMap(({ label }) =>
    label.kind === 'fault' ? [label.breaks] : [],
  );
  expect(broken.length).toBeGreaterThan(3000);
  expect([...new Set(broken)].filter((id) => requirementById(id)?.side !== 'client')).toEqual([]);
});

test('a fault of a gate result breaks a row that a gateway has to keep', () => {
  const broken = gateFaults.flatMap(({ label }) => (label.kind === 'fault' ? [label.breaks] : []));
  expect([...new Set(broken)].filter((id) => requirementById(id)?.side !== 'gateway')).toEqual([]);
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

test('the four lengths around both bounds of the request id are there', () => {
  const wanted = [7, 8, 32, 33];
  expect(wanted.map((length) => named(generators.dayCloseRequestIdEdges, `length-${length}`).length)).toEqual(wanted);
});

test('edges of client-orderid count characters and bytes as their names say', () => {
  const edges = generators.clientOrderidEdges;
  const counts = (name: string) => {
    const text = named(edges, name);
    return { characters: [...text].length, bytes: Buffer.byteLength(text) };
  };
  expect(counts('length-128')).toEqual({ characters: 128, bytes: 128 });
  expect(counts('length-129')).toEqual({ characters: 129, bytes: 129 });
  expect(counts('length-128-in-bytes-64-in-characters')).toEqual({ characters: 64, bytes: 128 });
  expect(counts('length-129-in-bytes-128-in-characters')).toEqual({ characters: 128, bytes: 129 });
  expect(counts('length-128-in-characters-256-in-bytes')).toEqual({ characters: 128, bytes: 256 });
  expect(counts('length-129-in-two-byte-characters')).toEqual({ characters: 129, bytes: 258 });
  expect(named(edges, 'length-64-in-astral-characters-128-in-utf-16')).toHaveLength(128);
});

test('each normal form of Unicode alters an edge of client-orderid: a client that normalises is seen', () => {
  const texts = generators.clientOrderidEdges.map(({ value }) => value);
  const unseen = ['NFC', 'NFD', 'NFKC', 'NFKD'].filter((form) => texts.every((text) => text.normalize(form) === text));
  expect(unseen).toEqual([]);
});

test('edges of recurring-payment-id count characters and bytes as their names say', () => {
  const counts = (name: string) => {
    const text = named(generators.recurringPaymentIdEdges, name);
    return [[...text].length, Buffer.byteLength(text)];
  };
  expect(counts('length-10')).toEqual([10, 10]);
  expect(counts('length-11')).toEqual([11, 11]);
  expect(counts('length-10-in-bytes-5-in-characters')).toEqual([5, 10]);
  expect(counts('length-11-in-bytes-10-in-characters')).toEqual([10, 11]);
  expect(counts('length-10-in-characters-20-in-bytes')).toEqual([10, 20]);
});

test('edges of the CSV differ in the bytes that their names are about', () => {
  const text = (name: string) => named(generators.csvTextEdges, name).text;
  expect(text('crlf').split('\r\n')).toHaveLength(4);
  expect(text('no-final-line-end').endsWith('\n')).toBe(false);
  expect([...named(generators.csvTextEdges, 'byte-order-mark').bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x22]);
  expect([...named(generators.csvTextEdges, 'latin-1').bytes]).toContain(0xdf);
  expect(text('bare-rows')).toBe('"client-orderid";"recurring-payment-id";"amount"\norder-1;1234567890;1.00\n');
  expect(text('quoted-rows')).toContain('\n"order-1";"1234567890";"1.00"\n');
  expect(text('row:client-orderid:delimiter')).toContain('\n"order;42";');
  expect(text('row:client-orderid:quote')).toContain('\n"order \\""42""";');
  expect(text('row:client-orderid:line-end')).toContain('\n"order\r\n42";');
});

test('telling payloads hold a plus and a slash, and each padding comes', () => {
  const payloads = fc
    .sample(generators.tellingPayload, { seed: 3, numRuns: 300 })
    .map(({ value }) => value.form[0]![1]);
  expect(payloads.filter((payload) => !payload.includes('+') || !payload.includes('/'))).toEqual([]);
  const paddings = payloads.map((payload) => payload.length - payload.replace(/=+$/, '').length);
  for (const padding of [0, 1, 2]) expect(paddings.filter((one) => one === padding).length).toBeGreaterThan(60);
});

test('every subset of the optional totals comes', () => {
  const subsets = fc
    .sample(generators.closeDayRequestWithTotals, { seed: 3, numRuns: 500 })
    .map(({ value }) => Object.keys(value).join());
  expect(new Set(subsets).size).toBe(16);
});

test('a right value is one that every reading of the document takes', () => {
  const rows = fc
    .sample(generators.validPayload, { seed: 3, numRuns: 500 })
    .flatMap(({ value }) => value.csv.text.split('\n').slice(1, -1));
  const plain = /^[A-Za-z0-9-]{1,128};\d{10};\d{1,7}\.\d\d$/;
  expect(rows.filter((row) => !plain.test(row))).toEqual([]);
  const edges = generators.payloadEdges.filter(({ label }) => label.kind === 'valid');
  expect(
    edges.flatMap(({ value }) => value.csv.text.split('\n').slice(1, -1)).filter((row) => !plain.test(row)),
  ).toEqual([]);
  const requests = [...fc.sample(generators.validCloseDayRequest, 100), ...generators.closeDayRequestEdges];
  const right = requests.filter(({ label }) => label.kind === 'valid');
  expect(right.filter(({ value }) => Object.keys(value).join() !== 'day_close_request_id')).toEqual([]);
});

test('what is unusual comes at random places of cells, and lengths around every bound', () => {
  const drawn = fc.sample(generators.oddPayloadOf(generators.plainRow), { seed: 3, numRuns: 1500 });
  const cells = drawn
    .filter(({ edge }) => edge!.includes('client-orderid:'))
    .map(({ value }) => value.csv.rows[0]![0]!);
  for (const character of ['"', ';', '\r', '\n', '\u00df', '%']) {
    const places = new Set(cells.flatMap((cell) => (cell.includes(character) ? [cell.indexOf(character)] : [])));
    expect(places.size, JSON.stringify(character)).toBeGreaterThan(5);
  }
  const lengths = (at: number) => new Set(drawn.map(({ value }) => [...(value.csv.rows[0]?.[at] ?? '')].length));
  for (const length of [127, 128, 129]) expect(lengths(0)).toContain(length);
  for (const length of [9, 10, 11]) expect(lengths(1)).toContain(length);
  for (const length of [9, 10, 11, 12]) expect(lengths(2)).toContain(length);
  const ids = fc.sample(generators.oddDayCloseRequestId, { seed: 3, numRuns: 500 }).map(({ value }) => value.length);
  for (const length of [7, 8, 9, 31, 32, 33]) expect(ids).toContain(length);
});

test('a failing order id shrinks to the shortest one of the simplest letters', () => {
  const holds = fc.property(generators.validClientOrderid, ({ value }) => !(value.length > 5 && value.includes('7')));
  const { counterexample } = fc.check(holds, { seed: 3, numRuns: 1000 });
  expect(counterexample![0].value).toMatch(/^A*7A*$/);
  expect(counterexample![0].value).toHaveLength(6);
});

function named<T>(edges: readonly Labelled<T>[], name: string): T {
  const found = edges.find(({ edge }) => edge === name);
  if (found === undefined) throw new Error(`no edge named ${name}`);
  return found.value;
}
