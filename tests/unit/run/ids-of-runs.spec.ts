/** The ids that live runs send: a gateway may take each once (A7), from one run to the next too. */
import { gatewayScenarios } from '../../../src/plan/index.ts';
import { withOwnIds } from '../../../src/run/gateway/perform-case.ts';
import { plannedCases, reletter, reletterIds } from '../../../src/run/gateway/planned-cases.ts';
import { orderSteps } from '../../../src/run/live/order.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { publishedProfile } from '../../../src/run/target/published.ts';
import { expect, test } from '../../engine.ts';

const target = 'http://127.0.0.1:1';
const { credentials: _, ...published } = publishedProfile;
const live = { config: { ...published, target }, ledger: '/nowhere', holder: 1 };

function optionsOf(runId: string) {
  return { ...completeRunOptions({ target, seed: '7', runId, cases: 100 }, 0, '/nowhere'), live };
}

test('no two requests of a run share an id, but where that is what they are about', () => {
  const options = optionsOf('r');
  const seen = new Map<string, string>();
  const shared = orderSteps(options).flatMap(({ scenario, numbers }) => {
    const planned = plannedCases(scenario, options);
    return numbers.flatMap((number) => {
      const plan = planned[number]!;
      if (plan.request.replay !== undefined || plan.label.openPoint === 'A7') return [];
      const { body } = withOwnIds(plan.request, `${scenario.id} ${number}`);
      return idsOf(body).flatMap((id) => {
        const before = seen.get(id);
        seen.set(id, `${scenario.id} ${number}`);
        return before === undefined || plan.label.intent !== 'valid'
          ? []
          : [`${before} and ${scenario.id} ${number}: ${id}`];
      });
    });
  });
  expect(shared).toEqual([]);
});

test('no run sends an id of an earlier one in what must be accepted, with the same seed neither', () => {
  const seen = new Map<string, string>();
  const again = Array.from({ length: 12 }, (_, run) => {
    const runId = `run ${run}`;
    const options = optionsOf(runId);
    return orderSteps(options).flatMap(({ scenario, numbers }) => {
      const planned = plannedCases(scenario, options);
      return numbers.flatMap((number) => {
        const { label, request } = planned[number]!;
        if (label.intent !== 'valid') return [];
        const { body } = withOwnIds(reletterIds(request, runId), `${runId} ${scenario.id} ${number}`);
        return idsOf(body).flatMap((id) => {
          const before = seen.get(id) ?? runId;
          seen.set(id, runId);
          return before === runId ? [] : [`${before} and ${runId}: ${label.differsIn}: ${id}`];
        });
      });
    });
  }).flat();
  expect(again).toEqual([]);
});

test('an id of one character repeated stays so with another one, and is sent where no earlier run can have sent it', () => {
  expect(reletter('aaaaaaaa', 'run')).toMatch(/^([a-z])\1{7}$/);
  const sentTo = (options: Parameters<typeof plannedCases>[1]) =>
    plannedCases(gatewayScenarios.find(({ id }) => id === 'close-day/edges')!, options).map(
      ({ label }) => label.edge?.name,
    );
  const name = 'one-letter-repeated';
  expect([sentTo(optionsOf('r')).includes(name), sentTo({ seed: '7', cases: 8 }).includes(name)]).toEqual([
    false,
    true,
  ]);
});

function idsOf(body: readonly (readonly [string, string])[]): string[] {
  return body.flatMap(([name, value]) => {
    if (name === 'day_close_request_id') return [value];
    const [, ...lines] = Buffer.from(value, 'base64').toString('utf8').split('\n');
    return lines.flatMap((line) => (line === '' ? [] : [line.split(';')[0]!]));
  });
}

test('a hexadecimal number stays one, and words of SQL between hyphens stay: order ids of both kinds are fresh in each run', () => {
  expect(reletter('0x42715386', 'run')).toMatch(/^0x[1-9]{8}$/);
  expect(reletter('or-union-select-drop-42715386', 'run')).toMatch(/^or-union-select-drop-[1-9]{8}$/);
  expect(reletter('order-union', 'run')).toMatch(/^(?!order)[a-z]{5}-union$/);
});
