/** What the client scenarios plan: every row is shown, every label is true, and a seed always gives the same plan. */
import { requirements } from '../../../../contracts/requirements/index.ts';
import { amounts } from '../../../../generators/amount.ts';
import { clientOrderids } from '../../../../generators/client-orderid.ts';
import { dayCloseRequestIds } from '../../../../generators/day-close-request-id.ts';
import type { Labelled } from '../../../../generators/labelled.ts';
import { recurringPaymentIds } from '../../../../generators/recurring-payment-id.ts';
import { clientScenarios } from '../../../../src/plan/client/index.ts';
import type { CallInput, CloseDayInput } from '../../../../src/record/case.ts';
import { sessionCase } from '../../../../src/run/client/perform-client.ts';
import { expect, test } from '../../../engine.ts';
import { planned, plannedWith } from './planned.ts';

const testable = requirements.filter(({ side, untestable }) => side === 'client' && untestable === undefined);
/** Some of them are asked what they read as well. */
const wire = planned.filter(({ plan: { label } }) => label.decoding === undefined || label.about !== undefined);
const decoding = planned.filter(({ plan }) => plan.label.decoding !== undefined);

test('every testable row of a client is shown by a scenario, and nothing else is', () => {
  const shown = new Set(clientScenarios.flatMap(({ shows }) => shows));
  expect([...shown].sort()).toEqual(testable.map(({ id }) => id).sort());
  expect(new Set(clientScenarios.map(({ id }) => id)).size).toBe(clientScenarios.length);
});

test('the same seed gives the same plan, another seed another one', () => {
  expect(plannedWith('1')).toEqual(planned);
  expect(plannedWith('2')).not.toEqual(planned);
});

test('every wire case says what its input is about, and every row it names is a row of a client', () => {
  const ids = testable.map(({ id }) => id);
  const nameless = wire.filter(
    ({ plan: { label } }) => label.special === undefined || (label.input !== 'probe' && !ids.includes(label.about!)),
  );
  expect(nameless).toEqual([]);
});

test('no two questions to a decoder come with the same input: the batch of an earlier call in its place is another one', () => {
  const inputs = decoding.filter((one) => !wire.includes(one)).map(({ plan }) => JSON.stringify(plan.input));
  expect(inputs.filter((input, at) => inputs.indexOf(input) !== at)).toEqual([]);
});

test('both operations have a key and a secret that no folding of letters leaves as they are, and an HMAC key longer than a block', () => {
  const plans = planned.flatMap(({ plan }) => (plan.identity === 'both-cases' ? [plan] : []));
  expect(plans.map(({ label }) => label.operation)).toEqual(['close-day', 'process-recurring-payments']);
  const { auth } = sessionCase(plans[0]!, 'https://gate.example');
  const secret = 'secret' in auth ? auth.secret : '';
  for (const text of [auth.consumerKey, secret]) {
    expect(new Set([text, text.toLowerCase(), text.toUpperCase()]).size, text).toBe(3);
  }
  expect(`${secret}&`.length).toBeGreaterThan(64);
});

test('every forbidden value is labelled as a breach of the row that the case is about, by the generators', () => {
  const forbidden = wire.filter(({ plan }) => plan.label.input === 'forbidden');
  expect(forbidden.length).toBeGreaterThan(25);
  for (const { plan } of forbidden) {
    for (const label of labelsOf(plan.input)) {
      if (label.kind === 'fault') expect(label.breaks, plan.label.special).toBe(plan.label.about);
    }
  }
});

test('no mandatory input has a value that a generator labels as a fault', () => {
  const faulty = wire.filter(
    ({ plan }) => plan.label.input === 'mandatory' && labelsOf(plan.input).some(({ kind }) => kind === 'fault'),
  );
  expect(faulty).toEqual([]);
});

test('the mandatory inputs are those that any client has to manage', () => {
  const texts = wire
    .filter(({ plan }) => plan.label.input === 'mandatory')
    .flatMap(({ plan: { input } }) => ('columns' in input ? input.rows.flat() : Object.values(input)));
  for (const text of ['a1b2c3d4', '0000000042', '100.00', '1234.50', 'A'.repeat(128)]) {
    expect(texts).toContain(text);
  }
  expect(texts.filter((text) => text === null || text === '' || /[\x00-\x1f\x7f]|^ | $/.test(text))).toEqual([]);
});

test('the cases of one group have one input and differ in the environment; every environment has two rounds', () => {
  const permuted = wire.filter(({ plan }) => plan.label.permutation !== undefined);
  for (const group of ['fields', 'rows', 'rows beyond ASCII']) {
    const cases = permuted.filter(({ plan }) => plan.label.permutation!.group === group);
    expect(new Set(cases.map(({ plan }) => JSON.stringify(plan.input))).size).toBe(1);
    const environments = cases.map(({ plan }) => JSON.stringify(plan.environment ?? {}));
    expect(new Set(environments).size).toBe(6);
    expect(environments.filter((environment) => environment === '{}').length).toBe(2);
    expect(new Set(cases.map(({ plan }) => JSON.stringify(plan.label.permutation))).size).toBe(12);
  }
});

test('the server that a label names is the one that the plan leads to', () => {
  expect(planned.filter(({ plan }) => plan.server !== plan.label.server)).toEqual([]);
});

test('no two injected calls share timestamp and nonce', () => {
  const injected = wire.flatMap(({ plan }) => (plan.inject === undefined ? [] : [JSON.stringify(plan.inject)]));
  expect(new Set(injected).size).toBe(injected.length);
});

test('probes answer no row, and every other question answers rows that its scenario shows', () => {
  for (const { scenario, plan } of decoding) {
    const { shows } = clientScenarios.find(({ id }) => id === scenario)!;
    const answers = plan.label.decoding!.answers;
    expect(answers.length === 0, plan.label.special).toBe(plan.label.input === 'probe');
    expect(answers.filter((id) => !(shows as readonly string[]).includes(id))).toEqual([]);
  }
});

/** What the generators say of the values of an input, where they know them. */
function labelsOf(input: CallInput): Labelled<string>['label'][] {
  const known = (edges: readonly Labelled<string>[], value: string | null | undefined) =>
    edges.filter((edge) => edge.value === value).map(({ label }) => label);
  if (!('columns' in input)) return known(dayCloseRequestIds.edges, (input as CloseDayInput).day_close_request_id);
  const edges: Readonly<Record<string, readonly Labelled<string>[]>> = {
    'client-orderid': clientOrderids.edges,
    'recurring-payment-id': recurringPaymentIds.edges,
    amount: amounts.edges,
  };
  return input.rows.flatMap((row) =>
    input.columns.flatMap((column, at) => (edges[column] ? known(edges[column], row[at]) : [])),
  );
}
