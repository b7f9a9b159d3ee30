/** Why a narrowed run sends nothing: what it needs and the configuration does not name. Pure. */

import type { Scenario } from '../../plan/scenario.ts';
import { cannotArrange } from '../gateway/perform-case.ts';
import type { RunOptions } from '../options/run-options.ts';
import { placeOf } from '../target/live-target.ts';
import { missingKeys, orderSteps } from './order.ts';
import type { LiveOptions } from './priced-cases.ts';

/** One clause, where no case of the run can be sent at all whatever is allowed; undefined where nothing of the configuration is missing. */
export function whyNothingToSend(options: LiveOptions): string | undefined {
  const { config } = options.live;
  const answers = config.controlUrl === undefined ? {} : { setNextAnswer: async () => {} };
  const missing = orderSteps(options as RunOptions).map(({ scenario }) =>
    cannotArrange(scenario, { ...placeOf(config), ...answers }) ? keyOf(scenario) : undefined,
  );
  const known = [...new Set(missing.filter((key) => key !== undefined))];
  const totals = config.totals === undefined ? ["totals (the gateway's own)"] : [];
  const needed = (known.length > 0 ? known : totals).join(' or ');
  if (needed === '') return undefined;
  return `--only selects requirements that need ${needed} in the configuration`;
}

function keyOf({ situation, needsAnswers, needsProfiles }: Scenario): string {
  return needsAnswers === true || needsProfiles === true ? missingKeys.unlocked : missingKeys[situation];
}
