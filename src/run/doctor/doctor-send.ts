/** The effect guard as doctor uses it: what may not be sent comes back as an exchange that was not. */

import type { Exchange, SentRequest } from '../../record/exchange.ts';
import type { EffectGuard } from '../allowance/guard.ts';
import type { DoctorSend } from './send.ts';

/** The guard reads the effect from the bytes of the request itself; what is declared only names the request in the ledger. */
export function doctorSend(guard: EffectGuard, send: (request: SentRequest) => Promise<Exchange>): DoctorSend {
  return async (request, declared) => {
    // A signed request of doctor is a right one: where it is refused, nothing shows that refusals mean anything.
    const settles = declared.effect !== 'none';
    const sent = await guard.send(request, { what: `doctor: ${declared.effect}`, settles }, send);
    if (!('withheld' in sent)) return sent;
    const failure = { kind: 'not-sent', message: `not sent: ${sent.withheld.reason}` } as const;
    return { request, failure, startedAt: Date.now(), durationMs: 0 };
  };
}
