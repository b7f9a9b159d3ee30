/** What a run sent, or is going to send, as the keys of its cases. Pure. */

import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import type { LiveConfig, LiveRun } from '../../run/target/live-config.ts';
import { caseKey, rightKey, unknownEndpointKey } from './case-key.ts';

/** Of what was answered: a case without an answer determined nothing. */
export function keysOfCases(cases: readonly Case[]): Set<string> {
  const keys = new Set<string>();
  for (const examined of cases) {
    const { scenario, label, exchange } = examined;
    if (exchange.response === undefined) continue;
    keys.add(caseKey(scenario, label.operation, label));
    if (label.intent === 'valid' && classify(examined) === 'accepted') keys.add(rightKey(label.operation));
  }
  return keys;
}

/** Of what a plan sends, if the target takes every right request. */
export function keysOfPlan(sent: readonly { readonly scenario: string; readonly planned: PlannedCase }[]): Set<string> {
  const keys = new Set<string>();
  for (const {
    scenario,
    planned: { label, request },
  } of sent) {
    keys.add(caseKey(scenario, request.operation, label));
    if (label.intent === 'valid') keys.add(rightKey(request.operation));
  }
  return keys;
}

/** Doctor asks the endpoint that is named as unknown before every run. */
export function withUnknownEndpoint(
  keys: Set<string>,
  { config, accepted }: { readonly config: Pick<LiveConfig, 'unknownEndpointId'> } & Pick<LiveRun, 'accepted'>,
): Set<string> {
  return config.unknownEndpointId === undefined && accepted === undefined ? keys : keys.add(unknownEndpointKey);
}
