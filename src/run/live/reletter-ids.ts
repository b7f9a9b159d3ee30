/** Ids that a case is about are sent unchanged, but for their letters and digits: a gateway may take each id once (2.1). Pure. */

import type { RequestPlan } from '../../plan/scenario.ts';
import type { Pair } from '../../protocol/form.ts';
import { reletter } from '../allowance/chargeable.ts';

/** The plan with another id of the same form in every run; equal ids stay equal. */
export function reletterIds(plan: RequestPlan, runId: string): RequestPlan {
  if (plan.keepsId !== true) return plan;
  const body = plan.body.map(
    ([name, value]): Pair => [name, name === 'day_close_request_id' ? reletter(value, runId) : value],
  );
  return { ...plan, body };
}
