/** Why a narrowed run sends nothing: what it needs and the configuration does not name. Pure. */
import { cannotArrange } from '../gateway-run/perform-case.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { Scenario, Situation } from '../scenarios/scenario.ts';
import { placeOf } from '../target/live-target.ts';
import { orderSteps } from './order.ts';
import type { LiveOptions } from './priced-cases.ts';

/** What a situation needs, by the key of the configuration that names it; an ordinary endpoint is always named. */
const keys: Readonly<Record<Situation, string>> = {
  open: 'endpointId',
  closing: 'states.closing (an endpoint all of whose gates are closing)',
  locked: 'states.locked (an endpoint all of whose gates are locked)',
  'several-gates': 'gates (the number of gates of the endpoint)',
  unknown: 'unknownEndpointId (an endpoint that does not exist)',
  'of-another-consumer': 'nothing (the endpoint of another consumer: sent to the mock alone)',
  unlocked: 'controlUrl (the control interface of a mock)',
  'closed-by-hand': 'controlUrl (the control interface of a mock)',
};

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
  return `what --only asks for can be sent to no target whose configuration lacks ${needed}`;
}

function keyOf({ situation, needsAnswers, needsProfiles }: Scenario): string {
  return needsAnswers === true || needsProfiles === true ? keys.unlocked : keys[situation];
}
