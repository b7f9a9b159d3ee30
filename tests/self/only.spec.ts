/**
 * What --only and --smoke perform decides the same as the whole run of a right subject; the kill matrix has the wrong
 * ones.
 */
import { runClientInProcess, runInProcess } from '../../src/app/prove/run-in-process.ts';
import { clientScenarios } from '../../src/plan/client/index.ts';
import { gatewayScenarios } from '../../src/plan/index.ts';
import type { AnyCase } from '../../src/record/case.ts';
import { exitCode } from '../../src/record/result/conclude.ts';
import { type Outcome, worse } from '../../src/record/result/result.ts';
import type { RecordedRun } from '../../src/record/run.ts';
import witnesses from '../../src/run/client/calls-shown-by.json' with { type: 'json' };
import { callKey, clientSmokeIds, neededCalls } from '../../src/run/client/needed-calls.ts';
import { callsOf } from '../../src/run/client/perform-client.ts';
import { gatewaySmokeIds, neededNumbers } from '../../src/run/gateway/planned-cases.ts';
import { completeRunOptions, type RunOptions } from '../../src/run/options/run-options.ts';
import { selectedIds } from '../../src/run/options/selection.ts';
import { type ConcludedRun, evidenceOf } from '../../src/verdict/conclude.ts';
import type { Evidence } from '../../src/verdict/evidence.ts';
import { expect, test } from '../engine.ts';

type Side = 'client' | 'gateway';
const few = { seed: 'only', cases: 2 };

const sides = {
  gateway: {
    whole: () => runInProcess(optionsOf(few), { usesOracle: false, unframed: true, outcomesOnly: true }),
    numbers: (options: RunOptions) =>
      new Map(gatewayScenarios.map((one) => [one.id, neededNumbers(one, options)] as const)),
    performed: 1681,
    smoke: gatewaySmokeIds,
  },
  client: {
    whole: () => runClientInProcess({ ...few, profile: 'strict', usesOracle: false, outcomesOnly: true }, []),
    numbers: (options: RunOptions) =>
      new Map(clientScenarios.map((one) => [one.id, neededCalls(one, options)] as const)),
    performed: 600,
    smoke: clientSmokeIds,
  },
};

function optionsOf(input: Partial<RunOptions>): RunOptions {
  return completeRunOptions(input, Date.now(), '.');
}

for (const side of ['gateway', 'client'] as const) {
  const { whole, numbers, performed, smoke } = sides[side];
  const neededFor = (id: string) => numbers(optionsOf({ ...few, only: [id] }));

  for (const [name, step] of Object.entries({ 'a sample': 7, 'all @all': 1 })) {
    const ids = selectedIds(side, []).filter((_, at) => at % step === 0);

    test(`--only performs less than a tenth of a whole ${side} run, and something for each requirement: ${name}`, () => {
      for (const id of ids) {
        const cases = side === 'gateway' ? 100 : 25;
        const count = [...numbers(optionsOf({ seed: '1', cases, only: [id], slow: true })).values()].flat().length;
        expect(count, id).toBeGreaterThan(0);
        expect(count, id).toBeLessThan(performed / 10);
      }
    });

    test(`on a right ${side} requirements have the same outcome under --only as in the whole run: ${name}`, async () => {
      const run = await whole();
      const evidence = evidenceOf({ ...run.recorded!, side });
      for (const id of ids) expect(outcomeIn(side, id, narrow(run, neededFor(id))), id).toBe(outcomeOf(evidence, id));
    });
  }

  test(`--smoke of a right ${side} performs few cases, and is green in all that it judges`, async () => {
    const only = smoke();
    const run =
      side === 'gateway'
        ? await runInProcess(optionsOf({ ...few, smoke: true, only }))
        : await runClientInProcess({ ...few, smoke: true, only }, []);
    expect(run.cases.length).toBeLessThanOrEqual(35);
    expect(exitCode(run.result)).toBe(0);
    expect(run.result.results.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
    expect(run.result.scope?.smoke).toBe(true);
  });
}

test('with --only, a correct gateway has no more effects than expected', async () => {
  const { result } = await runInProcess(optionsOf({ ...few, only: ['close-day/closing-gate-*'] }), { alterations: [] });
  const { predicted, recorded } = result.effects;
  expect([recorded['closes-day'], predicted['closes-day']]).toEqual([1, 1]);
});

test('every call that the table of witnesses names is planned', () => {
  const planned = clientScenarios.flatMap((scenario) =>
    callsOf(scenario, { seed: '1', cases: 25 }).map((plan) => callKey(scenario.id, plan)),
  );
  expect(
    Object.values(witnesses)
      .flat()
      .filter((key) => !planned.includes(key)),
  ).toEqual([]);
});

test('the cases that failed in the last run are performed too, with their twins', () => {
  const again = ['close-day/edges 9', 'close-day/header-forms 40'];
  const options = (id: string) => optionsOf({ ...few, only: [id], again });
  const edges = clientScenarios.find(({ id }) => id === 'close-day/edges')!;
  expect(neededCalls(edges, options('close-day/method'))).toContain(9);
  const forms = gatewayScenarios.find(({ id }) => id === 'close-day/header-forms')!;
  expect(neededNumbers(forms, options('close-day/status-200'))).toContain(40);
});

function narrow(run: ConcludedRun, needed: ReadonlyMap<string, readonly number[]>): RecordedRun {
  const { records, ...rest } = run.recorded!;
  const isNeeded = ({ scenario, number }: AnyCase) => needed.get(scenario)?.includes(number) === true;
  return { ...rest, records: records.map((record) => ({ ...record, cases: record.cases.filter(isNeeded) })) };
}

function outcomeIn(side: Side, id: string, recorded: RecordedRun): Outcome | 'none' {
  return outcomeOf(evidenceOf({ ...recorded, side }), id);
}

function outcomeOf(evidence: Evidence, id: string): Outcome | 'none' {
  const outcomes = evidence.judge(id as never).map(({ finding }) => finding.outcome);
  return outcomes.length === 0 ? 'none' : outcomes.reduce(worse);
}
