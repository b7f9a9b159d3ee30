/** Gives every request ids of its own: 2.1 calls them unique, and a gateway may take each id once (A7). Pure. */
import { createHash } from 'node:crypto';
import { orderMark } from '../../plan/requests.ts';
import type { RequestPlan } from '../../plan/scenario.ts';
import type { Pair } from '../../protocol/form.ts';

/**
 * The plan with ids that no other case of the run has, each of the same length; unchanged where ids are what the case is
 * about. `place` is the seed, the scenario and the number of the case: the same place gives the same ids.
 */
export function withOwnIds(plan: RequestPlan, place: string): RequestPlan {
  if (plan.keepsId) return plan;
  const body = plan.body.map(([name, value]): Pair => {
    if (name === 'day_close_request_id') return [name, isPlain(value) ? drawnId(place, value.length) : value];
    return [name, name === 'payload' ? renewedOrders(value, place) : value];
  });
  return { ...plan, body };
}

/** The request id of that place. */
export function drawnId(place: string, length: number): string {
  return hashOf(place).slice(0, length);
}

function isPlain(value: string): boolean {
  return /^[A-Za-z0-9]{8,32}$/.test(value);
}

/** Order ids with our mark get another one, row by row; a payload in another form than plain base64 is not changed. */
function renewedOrders(payload: string, place: string): string {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.toString('base64') !== payload) return payload;
  // One character a byte, whatever the charset.
  const text = bytes
    .toString('latin1')
    .replace(orderMark, (_, at: number) => `cs${hashOf(`${place} ${at}`).slice(0, 10)}-`);
  return Buffer.from(text, 'latin1').toString('base64');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
