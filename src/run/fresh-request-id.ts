/** Gives every close-day request an id of its own: 2.1 calls it unique, and a gateway may take each id once. Pure. */
import { createHash } from 'node:crypto';
import type { Pair } from '../protocol/form.ts';
import type { RequestPlan } from '../scenarios/scenario.ts';

const field = 'day_close_request_id';

/**
 * The plan with an id that no other case of the run has, of the same length; unchanged where the id is what the case is
 * about. `place` is the seed, the scenario and the number of the case: the same place gives the same id.
 */
export function withOwnRequestId(plan: RequestPlan, place: string): RequestPlan {
  if (plan.operation !== 'close-day' || plan.keepsId) return plan;
  const digest = createHash('sha256').update(place).digest('hex');
  const renewed = (body: readonly Pair[]): Pair[] =>
    body.map(([name, value]) => [name, name === field && isPlain(value) ? digest.slice(0, value.length) : value]);
  const signed = plan.signed?.body === undefined ? plan.signed : { ...plan.signed, body: renewed(plan.signed.body) };
  return { ...plan, body: renewed(plan.body), ...(signed === undefined ? {} : { signed }) };
}

function isPlain(value: string): boolean {
  return /^[A-Za-z0-9]{8,32}$/.test(value);
}
