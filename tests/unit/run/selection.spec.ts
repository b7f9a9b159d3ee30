/** Patterns select rows, and rows select the scenarios that can show them. */

import { gatewayScenarios } from '../../../src/plan/index.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { matchesAny, selectedIds, selectScenarios } from '../../../src/run/options/selection.ts';
import { expect, test } from '../../engine.ts';

test('a star stands for any run of characters and every other character for itself', () => {
  expect(matchesAny('close-day/serial-shape', ['close-day/*'])).toBe(true);
  expect(matchesAny('close-day/serial-shape', ['close-day/serial-shap'])).toBe(false);
  expect(matchesAny('close-dayXserial', ['close-day.serial'])).toBe(false);
});

for (const [patterns, selected] of [
  [['!close-day/*'], false],
  [['!recurring/*'], true],
  [['close-day/*', '!close-day/serial-*'], false],
  [['close-day/*', '!close-day/status-*'], true],
  [['recurring/*', '!recurring/status-*'], false],
] as const) {
  test(`${patterns.join(' ')} ${selected ? 'selects' : 'leaves out'} close-day/serial-shape`, () => {
    expect(matchesAny('close-day/serial-shape', patterns)).toBe(selected);
  });
}

test('a pattern of any length and with any characters is read as it stands', () => {
  const id = 'close-day/serial-shape';
  const many = ['*'.repeat(100_000), `${'*-'.repeat(1)}*${'*'.repeat(50)}`, '*/*-*', 'close-day/*serial*-*shape*'];
  expect(many.filter((pattern) => !matchesAny(id, [pattern]))).toEqual([]);
  const none = [
    'a'.repeat(100_000),
    `${'*s*'.repeat(40)}z`,
    'close-day/[(',
    '(a+)+$',
    '\\',
    'close-day/s*serial-shape',
    '\0',
  ];
  expect(none.filter((pattern) => matchesAny(id, [pattern]))).toEqual([]);
});

test('without a pattern all rows of the side are selected, and all scenarios', () => {
  const ids = selectedIds('gateway', []);
  expect(ids.length).toBeGreaterThan(90);
  expect(selectScenarios(gatewayScenarios, ids, true)).toEqual([...gatewayScenarios]);
  const slow = ['recurring/kept-connection'];
  expect(selectScenarios(gatewayScenarios, ids)).toEqual(gatewayScenarios.filter(({ id }) => !slow.includes(id)));
});

test('a row that one scenario shows needs that scenario alone', () => {
  const ids = selectedIds('gateway', ['close-day/closing-gate-error']);
  expect(selectScenarios(gatewayScenarios, ids).map(({ id }) => id)).toEqual(['close-day/closing-gate']);
});

test('a row that every response shows needs the scenarios of its operation', () => {
  const selected = selectScenarios(gatewayScenarios, selectedIds('gateway', ['close-day/serial-shape']));
  expect(new Set(selected.map(({ operation }) => operation))).toEqual(new Set(['close-day']));
});

test('every row that a scenario shows is a testable row of the gateway', () => {
  const ids: readonly string[] = selectedIds('gateway', []);
  expect(gatewayScenarios.flatMap(({ shows }) => shows.filter((id) => !ids.includes(id)))).toEqual([]);
});

test('a run of some requirements has one worker, and of all of them two, unless somebody says otherwise', () => {
  const only = ['close-day/path'];
  const workers = [{}, { only: [] }, { only }, { only, workers: 3 }].map(
    (some) => completeRunOptions(some, 0, '/').workers,
  );
  expect(workers).toEqual([2, 2, 1, 3]);
});
