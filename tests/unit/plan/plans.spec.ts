/** Checks the plans: scenarios test every row, labels are true, and seed and scenario decide all values. */
import fc from 'fast-check';
import { requirements } from '../../../contracts/requirements/index.ts';
import { amounts } from '../../../generators/amount.ts';
import { clientOrderids } from '../../../generators/client-orderid.ts';
import { dayCloseRequestIds } from '../../../generators/day-close-request-id.ts';
import { gateResults } from '../../../generators/gate-result.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import { recurringPaymentIds } from '../../../generators/recurring-payment-id.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import type { PlannedCase } from '../../../src/plan/scenario.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import type { CallInput, CloseDayInput } from '../../../src/record/case.ts';
import { sessionCase } from '../../../src/run/client/open-client.ts';
import { plannedCases } from '../../../src/run/gateway/planned-cases.ts';
import { expect, test } from '../../engine.ts';
import { planned, planWith } from './client/planned.ts';

const testable = requirements.filter(({ side, untestable }) => side === 'client' && untestable === undefined);
/** Cases about a request. Some of them also ask how the client reads the answer. */
const wire = planned.filter(({ plan: { label } }) => label.decoding === undefined || label.about !== undefined);
const decoding = planned.filter(({ plan }) => plan.label.decoding !== undefined);

test('client scenarios test every testable row and no other row', () => {
  const shown = new Set(clientScenarios.flatMap(({ shows }) => shows));
  expect([...shown].sort()).toEqual(testable.map(({ id }) => id).sort());
  expect(new Set(clientScenarios.map(({ id }) => id)).size).toBe(clientScenarios.length);
});

test('equal seeds give equal plans, and other seeds give other plans', () => {
  expect(planWith('1')).toEqual(planned);
  expect(planWith('2')).not.toEqual(planned);
});

test('every wire case names its input and a row of a client', () => {
  const ids = testable.map(({ id }) => id);
  const nameless = wire.filter(
    ({ plan: { label } }) => label.special === undefined || (label.input !== 'probe' && !ids.includes(label.about!)),
  );
  expect(nameless).toEqual([]);
});

test('no two decoding questions have the same input', () => {
  const inputs = decoding.filter((one) => !wire.includes(one)).map(({ plan }) => JSON.stringify(plan.input));
  expect(inputs.filter((input, at) => inputs.indexOf(input) !== at)).toEqual([]);
});

test('case folding changes the key and the secret of `both-cases`, and its HMAC key is longer than a block', () => {
  const plans = planned.flatMap(({ plan }) => (plan.identity === 'both-cases' ? [plan] : []));
  expect(plans.map(({ label }) => label.operation)).toEqual(['close-day', 'process-recurring-payments']);
  const { auth } = sessionCase(plans[0]!, 'https://gate.example');
  const secret = 'secret' in auth ? auth.secret : '';
  for (const text of [auth.consumerKey, secret])
    expect(new Set([text, text.toLowerCase(), text.toUpperCase()]).size, text).toBe(3);
  expect(`${secret}&`.length).toBeGreaterThan(64);
});

test('generators label every forbidden value as a breach of the row of its case', () => {
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

test('mandatory inputs are texts that every client must manage', () => {
  const texts = wire
    .filter(({ plan }) => plan.label.input === 'mandatory')
    .flatMap(({ plan: { input } }) => ('columns' in input ? input.rows.flat() : Object.values(input)));
  for (const text of ['a1b2c3d4', '0000000042', '100.00', '1234.50', 'A'.repeat(128)]) expect(texts).toContain(text);
  expect(texts.filter((text) => text === null || text === '' || /[\x00-\x1f\x7f]|^ | $/.test(text))).toEqual([]);
});

test('the cases of one group share their input, and each environment has two rounds', () => {
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

test('a label names the server of its plan', () => {
  expect(planned.filter(({ plan }) => plan.server !== plan.label.server)).toEqual([]);
});

test('no two injected calls share timestamp and nonce', () => {
  const injected = wire.flatMap(({ plan }) => (plan.inject === undefined ? [] : [JSON.stringify(plan.inject)]));
  expect(new Set(injected).size).toBe(injected.length);
});

test('a probe answers no row, and every other question answers rows of its scenario', () => {
  for (const { scenario, plan } of decoding) {
    const { shows } = clientScenarios.find(({ id }) => id === scenario)!;
    const answers = plan.label.decoding!.answers;
    expect(answers.length === 0, plan.label.special).toBe(plan.label.input === 'probe');
    expect(answers.filter((id) => !(shows as readonly string[]).includes(id))).toEqual([]);
  }
});

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

const judged = planned.flatMap(({ plan }) =>
  plan.label.decoding === undefined || plan.label.input === 'probe' ? [] : [{ ...plan, decoding: plan.label.decoding }],
);

test('a question that depends on an open point comes in each of its forms', () => {
  const forms = new Map<string, string[]>();
  for (const { label, decoding } of judged) {
    const key = `${label.operation} ${decoding.question}`;
    forms.set(key, [...(forms.get(key) ?? []), decoding.form]);
  }
  const sets = new Set([...forms.values()].map((found) => [...new Set(found)].join(' ')));
  expect(sets).toEqual(
    new Set(['unwrapped wrapped json', 'unwrapped wrapped', 'raw-line-feed escaped-line-feed', 'only']),
  );
});

test('a reply has the length of its body, comes in chunks, or is cut off on purpose', () => {
  const lengths = planned.flatMap(({ plan: { answer, label } }) => {
    if (answer.kind !== 'reply' || answer.status === 204 || label.misbehaviour === 'cut off') return [];
    const sent = answer.headers.filter(([name]) => name === 'Content-Length').map(([, value]) => value);
    const inChunks = answer.headers.some(([name]) => name === 'Transfer-Encoding');
    return [{ sent, expected: inChunks ? [] : [String(answer.body.length)] }];
  });
  expect(lengths.map(({ sent }) => sent)).toEqual(lengths.map(({ expected }) => expected));
});

test('each run answers with every named edge of a gate, and a client may decline open edges', () => {
  const textsUnder = (inputs: readonly string[]) =>
    planned.flatMap(({ plan: { answer, label } }) =>
      answer.kind === 'reply' && inputs.includes(label.input) ? [Buffer.from(answer.body).toString('utf8')] : [],
    );
  const [binding, declinable] = [textsUnder(['mandatory']), textsUnder(['hardening', 'probe'])];
  for (const { edge, label, value } of gateResults.edges) {
    const bodies = label.kind === 'open' ? declinable : binding;
    expect(
      bodies.some((body) => body.includes(value.text)),
      edge,
    ).toBe(true);
  }
});

const build = (value: number): PlannedCase => ({
  label: { intent: 'valid', differsIn: String(value) },
  request: { operation: 'close-day', body: [['n', String(value)]] },
});
const drawnValue = (planned: PlannedCase) => Number(planned.request.body[0]![1]);
const numbers = fc.integer({ min: 0, max: 1_000_000 });

test('equal seeds and scenarios draw equal values; another seed, scenario or stream draws other values', () => {
  const draw = (seed: string, scenario: string) => drawFor(seed, scenario, 20).values(numbers, 20);
  expect(draw('7', 'a/b')).toEqual(draw('7', 'a/b'));
  expect(draw('8', 'a/b')).not.toEqual(draw('7', 'a/b'));
  expect(draw('7', 'a/c')).not.toEqual(draw('7', 'a/b'));
  const one = drawFor('7', 'a/b', 20);
  expect(one.values(numbers, 20)).not.toEqual(one.values(numbers, 20));
});

test('a failing value shrinks to the smallest failing value, and its path repeats that value', async () => {
  const planned = drawFor('7', 'a/b', 50).generate(numbers, 50, build);
  const failing = planned.find((one) => drawnValue(one) > 1000)!;
  const { planned: smallest, path } = await failing.generated!.shrink(async (one) => drawnValue(one) > 1000);
  expect(drawnValue(smallest)).toBe(1001);
  const repeated = drawFor('7', 'a/b', 50, path).generate(numbers, 50, build);
  expect(repeated.map(drawnValue)).toEqual([1001]);
  expect(drawFor('7', 'a/c', 50, path).generate(numbers, 50, build), 'of another scenario').toEqual([]);
  expect(drawFor('7', 'a/b', 50, path.replace('a/b/', '')).generate(numbers, 50, build)).toHaveLength(1);
});

test('a path of one stream does not change the values of other streams', () => {
  const whole = drawFor('7', 'a/b', 3);
  const first = whole.values(numbers, 3);
  const narrowed = drawFor('7', 'a/b', 3, '2/1');
  expect(narrowed.values(numbers, 3)).toEqual(first);
  expect(narrowed.generate(numbers, 3, build)).toHaveLength(1);
});

test('a range with one end is always open, also in 400 generated batches', () => {
  const halves = gatewayScenarios
    .filter(({ operation }) => operation === 'process-recurring-payments')
    .flatMap((scenario) => plannedCases(scenario, { seed: '7', cases: 400 }))
    .filter(({ label }) => /amount-(?:from|to)[ -]alone|empty-amount-to/.test(label.differsIn ?? ''));
  expect(new Set(halves.map(({ label }) => label.differsIn)).size).toBe(5);
  expect(halves.filter(({ label }) => label.intent !== 'open' || label.openPoint !== 'A15')).toEqual([]);
});

test('no header has the nonce of another request, also with 400 generated cases', () => {
  const parts = gatewayScenarios.filter(({ id }) => id.endsWith('/header-forms'));
  expect(parts).toHaveLength(2);
  for (const scenario of parts) {
    const nonces = plannedCases(scenario, { seed: '7', cases: 400 }).flatMap(({ request: { header } }, at) => {
      const nonce = `${at}`.padStart(16, String.fromCharCode(0x4e00 + at));
      const right = { consumerKey: 'shop', method: 'HMAC-SHA1', timestamp: '1700000000', nonce } as const;
      return (
        header?.(right).parameters.flatMap(([name, value]) => (name === 'oauth_nonce' && value ? [value] : [])) ?? []
      );
    });
    expect(nonces.length).toBeGreaterThan(100);
    // A header that has oauth_nonce twice has the same nonce twice.
    const repeated = nonces.filter((nonce, at) => at !== nonces.indexOf(nonce) && nonce !== nonces[at - 1]);
    expect(repeated).toEqual([]);
  }
});

test('the two order ids of the valid batch differ and have the same length', () => {
  const scenario = gatewayScenarios.find(({ id }) => id === 'recurring/many-rows')!;
  for (let seed = 1; seed <= 200; seed += 1) {
    const planned = plannedCases(scenario, { seed: String(seed), cases: 1 });
    const { body } = planned.find(({ label }) => label.differsIn === '2 rows')!.request;
    const csv = Buffer.from(body.find(([name]) => name === 'payload')![1]!, 'base64').toString();
    const orders = csv
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(';')[0]!);
    expect(new Set(orders.map(({ length }) => length)).size, csv).toBe(1);
    expect(new Set(orders).size, csv).toBe(2);
  }
});
