/** Doctor's requests through the effect guard and the ledger of the target, like those of a run. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { neverArrived } from '../../rules/answers/acceptance.ts';
import { less, nothingSpent, type Spent, spend } from '../allowance/budget.ts';
import { newGuard } from '../allowance/guard.ts';
import { openLedger } from '../allowance/ledger.ts';
import { examinationPrefix } from '../allowance/ledger-lines.ts';
import { ledgerPlace } from '../allowance/ledger-place.ts';
import { takeLedgerLock } from '../allowance/lock.ts';
import { newPace } from '../allowance/pace.ts';
import { isSigned, worstCaseOf } from '../allowance/worst-case.ts';
import { allowsEffects, type LiveConfig } from '../target/live-config.ts';
import { siteOf } from '../target/site.ts';
import type { Transport } from '../transport/transport.ts';
import { doctorSend } from './doctor-send.ts';
import type { DoctorSend } from './send.ts';

/** What the ledger and the requests that were sent say of doctor's own effects. */
export interface DoctorEffects {
  /** By runs that did not end: it counts against the allowance. */
  readonly carried: Spent;
  /** What doctor itself has booked and not given back. */
  booked(): Spent;
  /** All that it sent and that may have arrived, as if every refusal were untrue and every endpoint there. */
  atWorst(): Spent;
}

/**
 * Lends `use` what it sends with. Lock and ledger are taken only where something is allowed: without that nothing with an
 * effect passes but to the endpoint that is named as unknown. Throws LiveError where a run is at the target, or its ledger
 * cannot be used, and the reason of `signal` for what is to be sent once that is aborted: then `use` was interrupted.
 */
export async function withGuardedSend<T>(
  config: LiveConfig,
  transport: Transport,
  {
    env,
    cwd,
    signal,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly signal: AbortSignal;
  },
  use: (send: DoctorSend, effects: DoctorEffects) => Promise<T>,
): Promise<T> {
  const path = ledgerPlace(config, env, cwd).path;
  const allowed = allowsEffects(config.allow);
  const ledger = openLedger(path, `${examinationPrefix}${randomBytes(8).toString('hex')}`);
  const pace = newPace({ rate: config.rate, sleep });
  const site = siteOf(config);
  const guard = newGuard({ site, limits: config, pace, ...(allowed ? { ledger } : {}) });
  let sent = nothingSpent;
  const guarded = doctorSend(guard, async (request) => {
    const exchange = await transport.send(request);
    const worst = worstCaseOf({ ...request, isSigned: isSigned(request) }, site);
    if (!('forbidden' in worst) && !neverArrived(exchange)) sent = spend(sent, worst);
    return exchange;
  });
  const send: DoctorSend = (...sent) => {
    signal.throwIfAborted();
    return guarded(...sent);
  };
  const effects = { carried: nothingSpent, booked: () => nothingSpent, atWorst: () => sent };
  if (!allowed) return use(send, effects);
  const lock = takeLedgerLock(`${path}.lock`);
  try {
    ledger.begin(config.target, config.endpointId, config.allow);
    const { carried } = ledger.balance();
    const used = use(send, { ...effects, carried, booked: () => less(ledger.balance().spent, carried) });
    // Interrupted, it has nothing under way any more: what it sent is answered and booked.
    await used.catch((cause) => {
      if (!signal.aborted) throw cause;
    });
    ledger.end();
    return await used;
  } finally {
    lock.release();
  }
}
