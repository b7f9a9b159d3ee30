/** Opens NEW for the stored requests of clients: lock, ledger, doctor and guard of a live run, the built-in mock included. */

import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../record/disk/files.ts';
import { newGuard, newPace } from '../../run/allowance/guard.ts';
import { openLedger } from '../../run/allowance/ledger.ts';
import { freshNow } from '../../run/gateway/perform-case.ts';
import { beginLive } from '../../run/live/begin-live.ts';
import { redactorFor } from '../../run/secrets/scan.ts';
import { secretsIn } from '../../run/secrets/secret.ts';
import type { Environment } from '../../run/target/credentials.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { publishedProfile } from '../../run/target/published.ts';
import { siteOf } from '../../run/target/site.ts';
import { liveTarget, mockTarget } from '../../run/target/target.ts';
import { openTransport, type Transport } from '../../run/transport/transport.ts';
import type { ReplayTarget } from './replay.ts';

/** `hindrance`: why nothing can be sent there. Throws LiveError where another run is at the target. */
export async function withLiveTarget<T>(
  config: LiveConfig,
  { runId, env, cwd }: { readonly runId: string; readonly env: Environment; readonly cwd: string },
  use: (target: ReplayTarget) => Promise<T>,
): Promise<T | { readonly hindrance: string }> {
  const begun = await beginLive({ runId, config }, env, cwd);
  const { rate, deadlineMs, ca } = config;
  let transport: Transport | undefined;
  let done = false;
  try {
    if (begun.hindrance !== undefined) {
      done = true;
      return { hindrance: begun.hindrance.reason };
    }
    const { live } = begun;
    const target = await liveTarget(live.config, env);
    const opened = openTransport({ deadlineMs, ca, redactor: redactorFor(secretsIn(target.credentials)) });
    transport = opened;
    const [site, pace] = [siteOf(config), newPace({ rate, sleep })];
    const guard = newGuard({ site, limits: config, ledger: openLedger(live.ledger, runId), pace });
    const send: ReplayTarget['send'] = async (request, what) => {
      const overloaded = pace.overloaded();
      if (overloaded !== undefined) return { why: 'given-up', reason: overloaded };
      return guard.send(request, { what }, (sent) => opened.send(sent));
    };
    const used = await use({ target, config, site, runId, fresh: freshNow, send });
    done = true;
    return used;
  } finally {
    await transport?.close();
    begun.end(done);
  }
}

/** As many effects as there are requests: nothing of it outlives the mock. */
const everything: LiveConfig['allow'] = {
  'closes-day': 1_000_000,
  'starts-payments': { count: 1_000_000, total: '1000000000000.00' },
};

/** A mock with the defects and variants that NEW had, thrown away afterwards. */
export async function withMockTarget<T>(
  { defects, variants }: { readonly defects: readonly string[]; readonly variants: readonly string[] },
  runId: string,
  use: (target: ReplayTarget) => Promise<T>,
): Promise<T | { readonly hindrance: string }> {
  const mock = await mockTarget(defects, variants);
  const { path: ledger, remove } = temporaryFolder('countersign-');
  try {
    const { scheme, host, prefix } = mock.target;
    const most = '99999999.99';
    const config: LiveConfig = {
      ...publishedProfile,
      target: `${scheme}://${host}${prefix}`,
      recurring: publishedProfile.recurring.map(({ id }) => ({ id, amount: most, savedAmount: most })),
      allow: everything,
      trustRefusals: 1_000_000,
      rate: 10_000,
      ledger,
    };
    return await withLiveTarget(config, { runId, env: {}, cwd: ledger }, use);
  } finally {
    await mock.close();
    remove();
  }
}
