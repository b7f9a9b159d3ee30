/** What all steps of a live run share in one process: the target, the guard, and whether it is over. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import { isAlive } from '../../record/disk/process-lock.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { CasePlace } from '../../record/gateway-run.ts';
import { neverArrived } from '../../rules/answers/acceptance.ts';
import { type EffectGuard, type Kept, newGuard } from '../allowance/guard.ts';
import { openLedger } from '../allowance/ledger.ts';
import { LiveError } from '../allowance/live-error.ts';
import { newPace } from '../allowance/pace.ts';
import { isTakenElsewhere, whyCredentialsFail } from '../doctor/why-credentials-fail.ts';
import type { BuiltRequest, Fresh } from '../gateway/build-request.ts';
import type { RunOptions } from '../options/run-options.ts';
import { redactorFor } from '../secrets/redactor.ts';
import { secretsIn } from '../secrets/secrets-of.ts';
import type { LiveRun } from '../target/live-run.ts';
import { liveTarget } from '../target/live-target.ts';
import { siteOf } from '../target/site.ts';
import type { Target } from '../target/target.ts';
import { eachBodyOnce, keepingTransport } from '../transport/each-body-once.ts';
import { redactingTransport } from '../transport/redacting-transport.ts';
import { openTransport, type Transport, transportDefaults } from '../transport/transport.ts';
import { interruptedReason } from './end-of-live.ts';
import { costOfRight } from './priced-cases.ts';
import { newProbe, type Probe } from './probe.ts';
import { newSilence, type SilenceWatch } from './silence.ts';

export interface LiveSession {
  readonly target: Target;
  readonly guard: EffectGuard;
  /** What the right requests of the run cost at worst. */
  readonly keep: Kept;
  /** Whether every signature is computed a second time; default yes. */
  readonly secondVoice?: boolean;
  /** See RunContext. */
  readonly built?: Map<string, BuiltRequest>;
  /** The timestamp and the nonce of the next request; by default now, and a random one. */
  readonly fresh?: () => Fresh;
  openTransport(): Transport;
  /** Asks whether the target is there; gives it up where it is gone. */
  probe(transport: Transport): Promise<Probe>;
  /** Takes note of what came of any request to an operation; in memory each is answered at once. */
  readonly note?: SilenceWatch['note'];
  /** After which case the target was gone. */
  goneAfter?(): CasePlace | undefined;
  /** Takes note of the answer to the right request that others wait for. */
  settle(operation: Operation, exchange: Exchange): void;
  /** Why nothing more is sent; undefined while the run goes on. `settled`: the right requests were sent, as far as they are. */
  over(settled: boolean): string | undefined;
  /** Sends nothing more, and resolves once what is under way is answered and booked; in memory there is nothing to end. */
  end?(): Promise<void>;
}

/** Silence to unusual framing is an answer too; milliseconds until it counts as one. */
const framedDeadlineMs = 3_000;

const sessions = new Map<string, Promise<LiveSession>>();

/** The session of this run in this process, opened once. */
export function liveSession(
  options: RunOptions & { readonly live: LiveRun },
  env: Readonly<Record<string, string | undefined>>,
): Promise<LiveSession> {
  const known = sessions.get(options.runId);
  if (known !== undefined) return known;
  const opened = openSession(options, env);
  sessions.set(options.runId, opened);
  return opened;
}

/** Milliseconds, of the ten seconds that the command gives its engine to end. */
const endingMs = 5_000;

/** Ends the session of a run that is ended from outside, where it has one; a target that answers late is not waited for. */
export async function endSession({ runId }: RunOptions): Promise<void> {
  const session = await sessions.get(runId);
  await Promise.race([session?.end?.(), sleep(endingMs)]);
}

async function openSession(
  options: RunOptions & { readonly live: LiveRun },
  env: Readonly<Record<string, string | undefined>>,
): Promise<LiveSession> {
  const { live, runId } = options;
  const { config, clockOffset } = live;
  const { rate, deadlineMs, ca } = config;
  const target = await liveTarget(config, env);
  // Made once: a run has hundreds of steps, each with a transport of its own.
  const redactor = redactorFor(secretsIn(target.credentials));
  const stop = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const pace = newPace({ rate, sleep: (ms) => sleep(ms, undefined, { signal: stop.signal }).catch(() => {}) });
  const site = siteOf(config);
  const guarded = newGuard({ site, limits: config, ledger: openLedger(live.ledger, runId), pace });
  const bodies = eachBodyOnce(options.engineFolder);
  const settling: Partial<Record<Operation, Exchange>> = {};
  const silence = newSilence();
  let isTaken = false;
  let refused: string | undefined;
  let transport: Transport | undefined;
  let gone: string | undefined;
  let goneAfter: CasePlace | undefined;
  const culprit = newCulprit();
  // An exception would end this process, and the next one knows nothing of what this one remembers.
  const guard = unlessLedgerFails(unlessEnded(guarded, stop.signal, underWay), (fault) => {
    gone ??= `${fault}; the run was given up`;
    return gone;
  });
  const ask = newProbe(guard, site, (request) => transport!.send(request));
  return {
    target,
    guard,
    keep: costOfRight(options),
    openTransport: () =>
      keepingTransport(
        redactingTransport(
          openTransport({
            ...transportDefaults,
            deadlineMs,
            framedDeadlineMs: Math.min(deadlineMs, framedDeadlineMs),
            connections: 1,
            ca,
          }),
          redactor,
        ),
        bodies,
      ),
    async probe(through) {
      if (stop.signal.aborted) return { gone: false };
      transport = through;
      const probed = await ask();
      if (probed.gone && gone === undefined) {
        gone = `${probed.failed}; the run was given up`;
        goneAfter = probed.mayBeNetwork ? undefined : culprit.place();
      }
      return probed;
    },
    note(examined, planned) {
      silence.note(examined, planned);
      culprit.note(examined);
      isTaken ||= isTakenElsewhere(examined);
    },
    goneAfter: () => goneAfter,
    settle(operation, exchange) {
      settling[operation] = exchange;
      // Asked for before each case: an answer may have megabytes.
      refused = whyCredentialsFail({ sent: settling, clockOffset, isTakenElsewhere: isTaken });
    },
    over(settled) {
      const tooMuch = pace.overloaded() ?? silence.reason();
      if (!isAlive(live.holder)) gone ??= 'the command that started the run was ended';
      return gone ?? (tooMuch && `${tooMuch}; the run was given up`) ?? (settled ? refused : undefined);
    },
    async end() {
      gone ??= interruptedReason;
      stop.abort();
      await Promise.allSettled(underWay);
    },
  };
}

/** Which request a target that is gone did not survive: the first of the last ones without an answer of its own, or the last one. */
function newCulprit() {
  let last: { readonly place: CasePlace; readonly isAnswered: boolean } | undefined;
  return {
    note({ scenario, number, exchange }: Case): void {
      if (neverArrived(exchange)) return;
      const isAnswered = (exchange.response?.status ?? 500) < 500;
      if (isAnswered || last === undefined || last.isAnswered) last = { place: { scenario, number }, isAnswered };
    },
    place: () => last?.place,
  };
}

/** The guard, behind which nothing is sent once the signal is aborted: what had waited for its turn never arrived. */
function unlessEnded(guard: EffectGuard, signal: AbortSignal, underWay: Set<Promise<unknown>>): EffectGuard {
  return {
    send(request, purpose, send) {
      const sending = guard.send(request, purpose, async (sent) => {
        if (!signal.aborted) return send(sent);
        const failure = { kind: 'not-sent', message: interruptedReason } as const;
        return { request: sent, failure, startedAt: Date.now(), durationMs: 0 };
      });
      underWay.add(sending);
      return sending.finally(() => underWay.delete(sending));
    },
  };
}

/** The guard, from which a ledger that cannot be used comes as the reason why nothing more is sent. */
function unlessLedgerFails(guard: EffectGuard, giveUp: (fault: string) => string): EffectGuard {
  return {
    async send(request, purpose, send) {
      try {
        return await guard.send(request, purpose, send);
      } catch (cause) {
        if (!(cause instanceof LiveError)) throw cause;
        return { withheld: { why: 'given-up', reason: giveUp(cause.message) } };
      }
    },
  };
}
