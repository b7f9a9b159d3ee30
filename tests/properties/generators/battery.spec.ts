/** What every generator owes: right values are right, a fault breaks one rule, edges come, seeds repeat, failures shrink. */

import * as fc from 'fast-check';
import type { Labelled } from '../../../generators/index.ts';
import * as generators from '../../../generators/index.ts';
import { formObject, rowObjects, type SchemaFault, validate } from '../../../schemas/index.ts';
import type { CloseDayFields } from '../../../src/protocol/close-day.ts';
import { expect, test } from '../../engine.ts';
import * as rules from './rules.ts';

interface Domain<T> {
  readonly name: string;
  readonly valid: fc.Arbitrary<Labelled<T>>;
  readonly edge: fc.Arbitrary<Labelled<T>>;
  readonly faulty?: fc.Arbitrary<Labelled<T>>;
  readonly edges: readonly Labelled<T>[];
  readonly rules: rules.Rules<T>;
  /** What the schema says of a value. */
  readonly schema?: (value: T) => SchemaFault[];
  /** Rules whose faults a schema cannot see; all others it reports, once. */
  readonly unseen?: readonly string[];
  /** Edges that the document leaves open and that the schema refuses, because a client has no use for them. */
  readonly refused?: readonly string[];
}

const signatures = { 'close-day': base64(20), 'process-recurring-payments': base64(256) };
const given = { consumerKey: 'shop', timestamp: 1_700_000_000 };

const domains = [
  domain<string>({
    name: 'day-close-request-id',
    valid: generators.validDayCloseRequestId,
    edge: generators.edgeDayCloseRequestId,
    faulty: generators.faultyDayCloseRequestId,
    edges: generators.dayCloseRequestIdEdges,
    rules: rules.requestIdRules,
    schema: (id) => validate('close-day-request', { day_close_request_id: id }),
  }),
  domain<string>({
    name: 'count',
    valid: generators.validCount,
    edge: generators.edgeCount,
    edges: generators.countEdges,
    rules: {},
    schema: (count) => validate('close-day-request', { day_close_request_id: 'a1b2c3d4', sale_approved_count: count }),
  }),
  domain<string>({
    name: 'sum',
    valid: generators.validSum,
    edge: generators.edgeSum,
    edges: generators.sumEdges,
    rules: {},
    schema: (sum) => validate('close-day-request', { day_close_request_id: 'a1b2c3d4', reversal_approved_sum: sum }),
  }),
  domain<CloseDayFields>({
    name: 'close-day-request',
    valid: generators.validCloseDayRequest,
    edge: generators.edgeCloseDayRequest,
    faulty: generators.faultyCloseDayRequest,
    edges: generators.closeDayRequestEdges,
    rules: rules.closeDayRules,
    schema: (fields) => validate('close-day-request', fields),
  }),
  domain<string>({
    name: 'client-orderid',
    valid: generators.validClientOrderid,
    edge: generators.edgeClientOrderid,
    faulty: generators.faultyClientOrderid,
    edges: generators.clientOrderidEdges,
    rules: rules.clientOrderidRules,
    schema: (id) => validate('csv-row', { 'client-orderid': id, 'recurring-payment-id': '1234567890', amount: '1.00' }),
  }),
  domain<string>({
    name: 'recurring-payment-id',
    valid: generators.validRecurringPaymentId,
    edge: generators.edgeRecurringPaymentId,
    faulty: generators.faultyRecurringPaymentId,
    edges: generators.recurringPaymentIdEdges,
    rules: rules.recurringPaymentIdRules,
    schema: (id) => validate('csv-row', { 'client-orderid': 'order-1', 'recurring-payment-id': id, amount: '1.00' }),
  }),
  domain<string>({
    name: 'amount',
    valid: generators.validAmount,
    edge: generators.edgeAmount,
    faulty: generators.faultyAmount,
    edges: generators.amountEdges,
    rules: rules.amountRules,
    schema: (amount) =>
      validate('csv-row', { 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890', amount }),
  }),
  domain<generators.CsvRow>({
    name: 'csv-row',
    valid: generators.validCsvRow,
    edge: generators.edgeCsvRow,
    faulty: generators.faultyCsvRow,
    edges: generators.csvRowEdges,
    rules: rules.rowRules,
    schema: (row) => validate('csv-row', row),
  }),
  domain<generators.CsvText>({
    name: 'csv-text',
    valid: generators.validCsvText,
    edge: generators.edgeCsvText,
    faulty: generators.faultyCsvText,
    edges: generators.csvTextEdges,
    rules: rules.csvRules,
  }),
  domain<generators.DrawnPayload>({
    name: 'payload',
    valid: generators.validPayload,
    edge: generators.edgePayload,
    faulty: generators.faultyPayload,
    edges: generators.payloadEdges,
    rules: rules.payloadRules,
    schema: ({ form, csv }) =>
      validate('recurring-request', { form: formObject(form), csv: { columns: csv.columns, rows: rowObjects(csv) } }),
    // The schema sees the table that was meant, and whether the text could be base64, not what it decodes to.
    unseen: [
      'recurring/csv-delimiter',
      'recurring/csv-header-quoted',
      'recurring/csv-rows',
      'recurring/payload-base64',
      'recurring/payload-only',
      'recurring/client-orderid-present',
      'recurring/recurring-payment-id-present',
    ],
    refused: [
      'url-safe-alphabet',
      'without-padding',
      'wrapped-at-76-with-line-feeds',
      'wrapped-at-64-with-line-ends',
      'line-feed-at-the-end',
    ],
  }),
  ...(['close-day', 'process-recurring-payments'] as const).map((operation) => {
    const signature = signatures[operation];
    const right = generators.rightHeader({ operation, ...given, nonce: '0123456789abcdef0123456789abcdef' });
    const applied = (one: Labelled<generators.HeaderChange>) => ({ ...one, value: one.value(right) });
    return domain<generators.HeaderPlan>({
      name: `authorization-parameters of ${operation}`,
      valid: generators.validHeader.map(applied),
      edge: generators.edgeHeader.map(applied),
      faulty: generators.faultyHeader(operation).map(applied),
      edges: generators.headerEdges.map(applied),
      rules: rules.authorizationRules(operation, { ...given, signature }),
      schema: (plan) => validate(`authorization/${operation}`, formObject(generators.finalParameters(plan, signature))),
      // The schema knows neither the text of the header nor the key and the time of this run; more parameters may come.
      unseen: [
        'authentication/header-scheme',
        'authentication/header-values-encoded',
        'authentication/header-parameters',
        'authentication/consumer-key',
        'authentication/timestamp-seconds',
      ],
      refused: [
        'timestamp-with-plus',
        'signature-in-url-safe-alphabet',
        'signature-without-padding',
        'signature-with-a-line-feed',
      ],
    });
  }),
  domain<generators.DrawnGate>({
    name: 'gate-result',
    valid: generators.validGateResult,
    edge: generators.edgeGateResult,
    faulty: generators.faultyGateResult,
    edges: generators.gateResultEdges,
    rules: rules.gateRules,
    schema: ({ text }) => validate('gate-result', JSON.parse(text)),
  }),
];

/** Four times as many where all mutations are drawn. */
const runs = { seed: 20_260_131, numRuns: process.env.MUTATIONS === undefined ? 50 : 400 };

/** A failure of these is shrunk for seconds. */
const long = ['csv-text', 'payload', 'csv-row'];

for (const { name, valid, edge, faulty, edges, rules: table, schema, unseen, refused } of domains) {
  test.describe(name, () => {
    test('right values break no rule and fit the schema', () => {
      const wrong = fc
        .sample(valid, runs)
        .filter(
          ({ value, label }) =>
            label.kind !== 'valid' || rules.brokenBy(table, value).length > 0 || schema?.(value).length,
        );
      expect(wrong).toEqual([]);
    });

    test('each edge is what its label says', () => {
      const wrong = edges.flatMap((one) => {
        const broken = rules.brokenBy(table, one.value);
        const expected = one.label.kind === 'fault' ? [one.label.breaks] : [];
        return String(broken) === String(expected) ? [] : [{ edge: one.edge, label: one.label, broken }];
      });
      expect(wrong).toEqual([]);
    });

    test('a drawn edge is what its label says', () => {
      const wrong = fc.sample(edge, runs).flatMap((one) => {
        const broken = rules.brokenBy(table, one.value);
        const expected = one.label.kind === 'fault' ? [one.label.breaks] : [];
        return String(broken) === String(expected) ? [] : [{ edge: one.edge, label: one.label, broken }];
      });
      expect(wrong).toEqual([]);
    });

    if (schema !== undefined) {
      test('an edge that is not a fault fits the schema, unless it is named as refused', () => {
        const unfit = edges.filter(({ label, value }) => label.kind !== 'fault' && schema(value).length > 0);
        expect(unfit.map((one) => one.edge)).toEqual(refused ?? []);
      });
    }

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
      expect(rules.brokenBy(table, smallest.value)).toEqual([]);
    });

    if (faulty === undefined) return;

    test('a faulty value breaks the named rule and no other', () => {
      const wrong = fc.sample(faulty, runs).flatMap((one) => {
        const broken = rules.brokenBy(table, one.value);
        const named = one.label.kind === 'fault' ? one.label.breaks : '';
        return String(broken) === named ? [] : [{ edge: one.edge, label: one.label, broken }];
      });
      expect(wrong).toEqual([]);
    });

    test('every rule has faulty values', () => {
      const broken = new Set(
        fc
          .sample(faulty, { seed: runs.seed, numRuns: 2000 })
          .map(({ label }) => (label.kind === 'fault' ? label.breaks : '')),
      );
      expect(Object.keys(table).filter((id) => !broken.has(id as never))).toEqual([]);
    });

    if (schema === undefined) return;

    test('the schema reports each fault that it can see, once', () => {
      const wrong = fc.sample(faulty, runs).flatMap(({ value, label, edge: name }) => {
        const visible = label.kind === 'fault' && !unseen?.includes(label.breaks);
        const faults = schema(value);
        return !visible || faults.length === 1 ? [] : [{ edge: name, faults: faults.map(({ sentence }) => sentence) }];
      });
      expect(wrong).toEqual([]);
    });
  });
}

/** The domains differ in their value; the battery looks at values only through the functions beside them. */
function domain<T>(one: Domain<T>): Domain<unknown> {
  return one as unknown as Domain<unknown>;
}

function sizeOf({ value }: Labelled<unknown>): number {
  return JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? part.length : part)).length;
}

function base64(bytes: number): string {
  return Buffer.alloc(bytes, 0xfb).toString('base64');
}
