/** What a run on the built-in mock is going to do, for `--dry-run`: all of it is thrown away with the mock. Pure. */

import { gatewayScenarios } from '../../plan/index.ts';
import type { EffectCount } from '../../record/result/effects.ts';
import type { RunOptions } from '../options/run-options.ts';
import { selectedIds, selectScenarios, shareOf } from '../options/selection.ts';
import { countEffects } from './effects.ts';

export interface MockPlan {
  readonly format: 'countersign-plan';
  readonly formatVersion: 1;
  readonly target: 'mock';
  readonly scenarios: number;
  readonly predicted: EffectCount;
}

export function planMock(options: RunOptions): MockPlan {
  const all = selectScenarios(gatewayScenarios, selectedIds('gateway', options.only), options.slow);
  const scenarios = shareOf(all, options.shard);
  const { predicted } = countEffects(scenarios, [], options);
  return { format: 'countersign-plan', formatVersion: 1, target: 'mock', scenarios: scenarios.length, predicted };
}
