/** What a scenario sends: selected requirements and scenarios, unique ids and nonces, and its effects. */

import { gatewayScenarios } from '../../../src/plan/index.ts';
import { encodeForm } from '../../../src/protocol/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { countEffects } from '../../../src/run/gateway/effects.ts';
import { newStamp, withUniqueIds } from '../../../src/run/gateway/perform-case.ts';
import { plannedCases, renewIds, renewText } from '../../../src/run/gateway/planned-cases.ts';
import { orderSteps } from '../../../src/run/live/plan.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { selectScenarios } from '../../../src/run/options/scenarios.ts';
import { matchesAny, selectedIds } from '../../../src/run/options/selection.ts';
import { expect, test } from '../../engine.ts';
import { finished, sampleCase } from '../rules/sample-cases.ts';
import { liveOptions } from './guarded.ts';

test('a nonce has 32 letters of both cases and digits, and never comes twice', () => {
  const nonces = Array.from({ length: 200 }, () => newStamp().nonce);
  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces) expect(nonce).toMatch(/^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{32}$/);
});

const header = '"client-orderid";"recurring-payment-id";"amount"\n';

function batch(csv: string): Case {
  const one = sampleCase('process-recurring-payments', { status: 200 });
  const body = Buffer.from(encodeForm([['payload', Buffer.from(csv).toString('base64')]]));
  return { ...one, exchanges: [{ ...one.exchanges[0], request: { ...one.exchanges[0].request, body } }] };
}

function effectsOf(...cases: Case[]) {
  const records = [{ scenario: 'sample/scenario', cases, suiteErrors: [] }];
  const { recorded, unclear } = countEffects([], records, completeRunOptions({}, 0, '.'));
  return [recorded, unclear];
}

test('an accepted row that can be read confirms an effect, and what cannot be read or has no answer may have had one', () => {
  const effects = (closesDay: number, payments: number) => ({ 'closes-day': closesDay, 'starts-payments': payments });
  for (const [cases, recorded, unclear] of [
    [[batch(`${header}"a\nb";1234567890;1.00\nc;1234567890;1.00\n`)], effects(0, 2), effects(0, 1)],
    [[batch(`${header}"a;1234567890;1.00\nb;1234567890;1.00\n`)], effects(0, 0), effects(0, 2)],
    [[finished(), sampleCase('close-day', undefined)], effects(1, 0), effects(1, 0)],
  ] as const)
    expect(effectsOf(...cases)).toEqual([recorded, unclear]);
});

const optionsOf = (runId: string) => liveOptions({}, { runId, cases: 100 });

/** Each id that a run sends, with its case. */
function idsIn(runId: string) {
  const options = optionsOf(runId);
  return orderSteps(options).flatMap(({ scenario, numbers }) => {
    const planned = plannedCases(scenario, options);
    return numbers.flatMap((number) => {
      const { label, request } = planned[number]!;
      const place = `${runId} ${scenario.id} ${number}`;
      return idsOf(withUniqueIds(renewIds(request, runId), place).body).map((id) => ({ id, place, label, request }));
    });
  });
}

test('no two requests of a run share an id, unless the case is about an id that is used again', () => {
  const seen = new Map<string, string>();
  const shared = idsIn('r')
    .filter(({ label, request }) => request.replay === undefined && label.openPoint !== 'A7')
    .flatMap(({ id, place, label }) => {
      const before = seen.get(id);
      seen.set(id, place);
      return before === undefined || label.intent !== 'valid' ? [] : [`${before} and ${place}: ${id}`];
    });
  expect(shared).toEqual([]);
});

test('no run sends a valid request with an id of an earlier run, even with the same seed', () => {
  const seen = new Map<string, string>();
  const duplicates = Array.from({ length: 5 }, (_, run) => `run ${run}`).flatMap((runId) =>
    idsIn(runId)
      .filter(({ label }) => label.intent === 'valid')
      .flatMap(({ id, place }) => {
        const before = seen.get(id) ?? runId;
        seen.set(id, runId);
        return before === runId ? [] : [`${before} and ${place}: ${id}`];
      }),
  );
  expect(duplicates).toEqual([]);
});

test('an id of one repeated character stays such an id, and is sent only if no earlier run can have sent it', () => {
  expect(renewText('aaaaaaaa', 'run')).toMatch(/^([a-z])\1{7}$/);
  const sentTo = (options: Parameters<typeof plannedCases>[1]) =>
    plannedCases(gatewayScenarios.find(({ id }) => id === 'close-day/edges')!, options).map(
      ({ label }) => label.edge?.name,
    );
  const name = 'one-letter-repeated';
  expect(sentTo(optionsOf('r'))).not.toContain(name);
  expect(sentTo({ seed: '7', cases: 8 })).toContain(name);
});

function idsOf(body: readonly (readonly [string, string])[]): string[] {
  return body.flatMap(([name, value]) => {
    if (name === 'day_close_request_id') return [value];
    const [, ...lines] = Buffer.from(value, 'base64').toString('utf8').split('\n');
    return lines.flatMap((line) => (line === '' ? [] : [line.split(';')[0]!]));
  });
}

test('a hexadecimal number stays one, and words of SQL between hyphens stay: order ids of both kinds are fresh in each run', () => {
  expect(renewText('0x42715386', 'run')).toMatch(/^0x[1-9]{8}$/);
  expect(renewText('or-union-select-drop-42715386', 'run')).toMatch(/^or-union-select-drop-[1-9]{8}$/);
  expect(renewText('order-union', 'run')).toMatch(/^(?!order)[a-z]{5}-union$/);
});

test('a star stands for any characters, an exclamation mark excludes, and every other character stands for itself', () => {
  const id = 'close-day/serial-shape';
  for (const [patterns, selected] of [
    [['close-day/*'], true],
    [['close-day/serial-shap'], false],
    [['close-day.serial-shape'], false],
    [['close-day/[(*'], false],
    [['*/*serial**-*'], true],
    [['!close-day/*'], false],
    [['!recurring/*'], true],
    [['close-day/*', '!close-day/serial-*'], false],
    [['close-day/*', '!close-day/status-*'], true],
    [['recurring/*', '!recurring/status-*'], false],
  ] as const)
    expect(matchesAny(id, patterns), patterns.join()).toBe(selected);
});

test('a pattern selects the scenarios that show its rows, and no pattern selects all but the slow ones', () => {
  const selected = (...patterns: string[]) => selectScenarios(gatewayScenarios, selectedIds('gateway', patterns));
  const all = selectScenarios(gatewayScenarios, selectedIds('gateway', []), true);
  expect(all).toEqual([...gatewayScenarios]);
  expect(selected()).toEqual(gatewayScenarios.filter(({ id }) => id !== 'recurring/kept-connection'));
  expect(selected('close-day/closing-gate-error').map(({ id }) => id)).toEqual(['close-day/closing-gate']);
  // Every response shows this requirement.
  const operations = selected('close-day/serial-shape').map(({ operation }) => operation);
  expect(new Set(operations)).toEqual(new Set(['close-day']));
  const ids: readonly string[] = selectedIds('gateway', []);
  expect(gatewayScenarios.flatMap(({ shows }) => shows.filter((id) => !ids.includes(id)))).toEqual([]);
});

test('a run of some requirements has one worker, and a whole run two, unless --workers says otherwise', () => {
  const only = ['close-day/path'];
  const workers = [{}, { only: [] }, { only }, { only, workers: 3 }].map(
    (some) => completeRunOptions(some, 0, '/').workers,
  );
  expect(workers).toEqual([2, 2, 1, 3]);
});
