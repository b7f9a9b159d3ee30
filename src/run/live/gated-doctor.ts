/** Doctor's requests through the effect gate and the ledger of the target, like those of a run. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoctorSend } from '../doctor/send.ts';
import { allowsEffects, type LiveConfig } from '../live-config.ts';
import type { Transport } from '../transport.ts';
import { nothingSpent, type Spent } from './budget.ts';
import { doctorSend } from './doctor-send.ts';
import { newGate } from './gate.ts';
import { openLedger } from './ledger.ts';
import { ledgerPlace } from './ledger-place.ts';
import { takeLock } from './lock.ts';
import { newPace } from './pace.ts';
import { siteOf } from './site.ts';

/**
 * Lends `use` what it sends with, and tells it what runs that did not end count against the allowance. Lock and ledger are taken only where something is allowed: without that nothing with an
 * effect passes. Throws LiveError where a run is at the target, or its ledger cannot be used.
 */
export async function withGatedSend<T>(
  config: LiveConfig,
  transport: Transport,
  { env, cwd }: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
  use: (send: DoctorSend, carried: Spent) => Promise<T>,
): Promise<T> {
  const path = ledgerPlace(config, env, cwd).path;
  const allowed = allowsEffects(config.allow);
  const ledger = openLedger(path, `doctor-${randomBytes(8).toString('hex')}`);
  const pace = newPace({ rate: config.rate, sleep });
  const gate = newGate({ site: siteOf(config), limits: config, pace, ...(allowed ? { ledger } : {}) });
  const send = doctorSend(gate, (request) => transport.send(request));
  if (!allowed) return use(send, nothingSpent);
  const lock = takeLock(`${path}.lock`);
  try {
    ledger.begin(config.target, config.endpointId, config.allow);
    const used = await use(send, ledger.stand().carried);
    ledger.end();
    return used;
  } finally {
    lock.release();
  }
}
