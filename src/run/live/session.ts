/** Opens and ends a live run, and keeps the state that its steps share in one process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../../contracts/operations.ts';
import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { isAlive } from '../../record/disk/processes.ts';
import { messageOf } from '../../record/errors.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { isUnsent } from '../../record/run.ts';
import { isUnreached } from '../../rules/answers/acceptance.ts';
import type { Reserve } from '../allowance/budget.ts';
import { type EffectGuard, newGuard, newPace } from '../allowance/guard.ts';
import { balanceAfter, beginLedger, type Ledger, LiveError, openLedger } from '../allowance/ledger.ts';
import { credentialFailureReason, idsJudgedByRun, isPastAuthentication } from '../doctor/answer-findings.ts';
import { doctorSend, examineTarget } from '../doctor/examine-target.ts';
import type { BuiltRequest, Stamp } from '../gateway/build-request.ts';
import type { performerOf } from '../gateway/perform-case.ts';
import type { RunOptions } from '../options/run-options.ts';
import { redactorFor, secretsAt, secretsIn } from '../secrets/secret.ts';
import type { DoctorFinding, LiveConfig, LiveRun } from '../target/live-config.ts';
import { type Site, siteOf } from '../target/site.ts';
import { controlOf, liveTarget, type Target } from '../target/target.ts';
import { notSent, openTransport, type Transport } from '../transport/transport.ts';
import { costOfValid } from './plan.ts';

type Place = Pick<Case, 'scenario' | 'number'>;

export interface LiveSession {
  readonly target: Target;
  readonly guard: EffectGuard;
  readonly sent: Map<string, NonNullable<Parameters<typeof performerOf>[2]>>;
  /** Effects of the run's valid requests, for which the guard reserves a part of the allowance. */
  readonly reserve: Reserve;
  readonly usesOracle?: boolean;
  readonly built?: Map<string, BuiltRequest>;
  readonly fresh?: () => Stamp;
  openTransport(): Transport;
  probe(transport: Transport): Promise<Probe>;
  /** Call this after each case, to count unanswered requests. Absent for an in-memory target: it always answers. */
  readonly note?: ReturnType<typeof newTimeoutCounter>['note'];
  goneAfter?(): Place | undefined;
  setFirstAnswer(operation: Operation, exchange: Exchange): void;
  /** Why the run sends nothing more. Undefined while the run continues. */
  stopReason(afterFirstValid: boolean): string | undefined;
  /** Stops sending, and waits until pending requests are answered and booked. Absent for an in-memory target. */
  end?(): Promise<void>;
}

const sessions = new Map<string, Promise<LiveSession>>();

type LiveOptions = RunOptions & { readonly live: LiveRun };

export function liveSession(options: LiveOptions, env: NodeJS.ProcessEnv): Promise<LiveSession> {
  const opened = sessions.get(options.runId) ?? openSession(options, env);
  sessions.set(options.runId, opened);
  return opened;
}

/** Maximum wait for pending requests after an interruption, so that a slow target does not delay the end of the run. */
const endingMs = 5_000;

/** Ends the session of an interrupted run. Waits for pending requests, but at most `endingMs`. */
export async function endSession({ runId }: RunOptions): Promise<void> {
  const session = await sessions.get(runId);
  await Promise.race([session?.end?.(), sleep(endingMs)]);
}

async function openSession(options: LiveOptions, env: NodeJS.ProcessEnv): Promise<LiveSession> {
  const { live, runId } = options;
  const { config, clockOffset } = live;
  const { rate, deadlineMs, ca } = config;
  // Use a shorter deadline for requests with unusual framing, because a correct target may not answer them.
  const limits = { deadlineMs, framedDeadlineMs: Math.min(deadlineMs, 3_000) };
  const target = await liveTarget(config, env);
  // Create the redactor once, because hundreds of steps open a transport each.
  const redactor = redactorFor(secretsIn(target.credentials));
  const stop = new AbortController();
  const pending = new Set<Promise<unknown>>();
  const pace = newPace({ rate, sleep: (ms) => sleep(ms, undefined, { signal: stop.signal }).catch(() => {}) });
  const site = siteOf(config);
  const innerGuard = newGuard({ site, limits: config, ledger: openLedger(live.ledger, runId), pace });
  const firstAnswers: Partial<Record<Operation, Exchange>> = {};
  const timeouts = newTimeoutCounter();
  let isAcceptedElsewhere = false;
  let refusal: string | undefined;
  let endReason: string | undefined;
  // Which request may have stopped the target? The first that failed after the last answer, or else the answered one.
  let suspect: { readonly place: Place; readonly isAnswered: boolean } | undefined;
  let goneAfter: Place | undefined;
  const guard: EffectGuard = {
    async send(request, purpose, send) {
      const sending = innerGuard.send(request, purpose, async (sent) =>
        stop.signal.aborted ? notSent(sent, interruptedReason) : send(sent),
      );
      pending.add(sending);
      try {
        return await sending;
      } catch (cause) {
        // Do not throw if the ledger is lost: the engine would restart the worker and lose the session.
        if (!(cause instanceof LiveError)) throw cause;
        endReason ??= `${cause.message}; the run was given up`;
        return { why: 'given-up', reason: endReason };
      } finally {
        pending.delete(sending);
      }
    },
  };
  const probe = newProbe(guard, site);
  return {
    target,
    guard,
    sent: new Map(),
    reserve: costOfValid(options),
    openTransport: () => openTransport({ ...limits, oneConnection: true, ca, redactor }),
    async probe(transport) {
      if (stop.signal.aborted) return { isGone: false };
      const result = await probe(transport);
      if (result.isGone && endReason === undefined) {
        endReason = `${result.failure}; the run was given up`;
        goneAfter = result.mayBeNetwork ? undefined : suspect?.place;
      }
      return result;
    },
    note(testCase, planned) {
      timeouts.note(testCase, planned);
      isAcceptedElsewhere ||= isPastAuthentication(testCase);
      const { scenario, number, exchanges } = testCase;
      if (isUnreached(exchanges[0])) return;
      const isAnswered = (exchanges[0].response?.status ?? 500) < 500;
      if (isAnswered || suspect?.isAnswered !== false) suspect = { place: { scenario, number }, isAnswered };
    },
    goneAfter: () => goneAfter,
    setFirstAnswer(operation, exchange) {
      firstAnswers[operation] = exchange;
      // Compute the reason here, because `stopReason` is called before each case, and answers may have megabytes.
      refusal = credentialFailureReason({ sent: firstAnswers, clockOffset, isAcceptedElsewhere });
    },
    stopReason(afterFirstValid) {
      const reason = pace.overloadReason() ?? timeouts.reason();
      if (!isAlive(live.holder)) endReason ??= 'the command that started the run has ended';
      return endReason ?? (reason && `${reason}; the run was given up`) ?? (afterFirstValid ? refusal : undefined);
    },
    async end() {
      endReason ??= interruptedReason;
      stop.abort();
      await Promise.allSettled(pending);
    },
  };
}

/** `mayBeNetwork`: the failure may come from the network instead of the target. */
type Probe = { readonly failure?: string; readonly isGone: boolean; readonly mayBeNetwork?: boolean };

/** If this number of probes in a row fail, the target counts as gone. A probe has no effect, so it may be repeated. */
const maxTries = 3;

/** A probe is a GET of the base URL. HTTP 5xx is a failure only if the first answer to a probe was below 500. */
export function newProbe(guard: EffectGuard, { scheme, host, prefix }: Site) {
  const request: SentRequest = { method: 'GET', scheme, host, target: `${prefix}/`, headers: [], body: Buffer.of() };
  let firstStatus: number | undefined;
  let mayBeNetwork = false;
  const probeFailure = async (transport: Pick<Transport, 'send'>): Promise<string | undefined> => {
    const sent = await guard.send(request, { what: 'probe' }, (probed) => transport.send(probed));
    if (isUnsent(sent)) throw new Error(`the effect guard forbids the probe: ${sent.reason}`);
    // An answer that is too large also shows that the target is alive.
    if (sent.failure?.kind === 'too-large') return undefined;
    const status = sent.response?.status;
    const { kind = '', message = '' } = sent.failure ?? {};
    mayBeNetwork = ['tls', 'timeout'].includes(kind) || (kind === 'unreachable' && !message.includes('ECONNREFUSED'));
    if (status === undefined) return sent.failure?.message ?? 'no answer was received';
    firstStatus ??= status;
    return status >= 500 && firstStatus < 500 ? `${host} answers HTTP ${status}` : undefined;
  };
  return async (transport: Pick<Transport, 'send'>): Promise<Probe> => {
    const failure = await probeFailure(transport);
    for (let remaining = maxTries - 1; failure !== undefined && remaining > 0; remaining -= 1) {
      if ((await probeFailure(transport)) === undefined) return { failure, isGone: false };
    }
    return failure === undefined ? { isGone: false } : { failure, isGone: true, mayBeNetwork };
  };
}

/** The run ends after so many timeouts in a row. `maxDocumentedTimeouts` counts no requests about open points. */
const maxDocumentedTimeouts = 5;
const maxTimeouts = 20;

/** Counts timeouts in a row. A closed connection counts as an answer. Ignores requests with unusual HTTP framing. */
export function newTimeoutCounter() {
  let documented = 0;
  let all = 0;
  let last = '';
  return {
    note({ label, exchanges: [{ failure }] }: Case, { request }: Pick<PlannedCase, 'request'>): void {
      if (request.framing !== undefined) return;
      const isSilent = failure?.kind === 'timeout';
      all = isSilent ? all + 1 : 0;
      documented = isSilent ? documented + Number(label.intent !== 'open') : 0;
      last = failure?.message ?? '';
    },
    reason(): string | undefined {
      if (documented < maxDocumentedTimeouts && all < maxTimeouts) return undefined;
      return `${all} requests in a row got no answer: ${last}`;
    },
  };
}

/** Locks the ledger and examines the target. Call `end` in any case. With `hindrance`, do not run. Throws LiveError. */
export async function beginLive(
  run: { readonly runId: string; readonly config: LiveConfig; readonly forgetUnfinished?: boolean },
  env: NodeJS.ProcessEnv,
) {
  const { runId, config, forgetUnfinished = false } = run;
  const { path, ledger, end } = beginLedger(config, env, runId);
  try {
    const { carried } = ledger.balance();
    if (forgetUnfinished) ledger.forgetUnfinished();
    const { findings, clockOffset, accepted } = await examine(config, ledger, env);
    const { counters, unreachable } = await countersOf(config);
    // If the gateway accepts requests to `unknownEndpointId`, they have effects. Then the run must not use this id.
    const { unknownEndpointId, ...withoutUnknown } = config;
    const notes = [
      forgetUnfinished && `Effects of unfinished earlier runs, cleared on request: ${carried}.`,
      ...findings
        .filter(({ status }) => status === 'problem' || status === 'remark')
        .map(({ what }) => `${what[0]?.toUpperCase()}${what.slice(1)}.`),
      accepted.length > 0 &&
        `Endpoint ${unknownEndpointId} accepts requests, although unknown-endpoint-id names it. So the run sent it nothing more. The accepted requests count as effects.`,
    ];
    const live: LiveRun = {
      config: accepted.length === 0 ? config : withoutUnknown,
      ledger: path,
      holder: process.pid,
      clockOffset,
      ...(counters && { countersBefore: counters }),
      ...(accepted.length > 0 && { accepted }),
      notes: notes.filter((note) => note !== false),
    };
    return { live, hindrance: hindranceOf(findings, unreachable), end };
  } catch (cause) {
    end(false);
    throw cause;
  }
}

async function examine(config: LiveConfig, ledger: Ledger, env: NodeJS.ProcessEnv) {
  const { rate, deadlineMs, ca } = config;
  // Accepted requests become evidence, so the redactor must remove their secrets.
  const transport = openTransport({ deadlineMs, ca, redactor: redactorFor(await secretsAt(config.credentials, env)) });
  const guard = newGuard({ site: siteOf(config), limits: config, ledger, pace: newPace({ rate, sleep }) });
  const send = doctorSend(guard, (request) => transport.send(request));
  return examineTarget(config, { send, now: Date.now, env }).finally(() => transport.close());
}

type CountersResult = { readonly counters?: LiveRun['countersBefore']; readonly unreachable?: string };

async function countersOf({ controlUrl }: LiveConfig): Promise<CountersResult> {
  if (controlUrl === undefined) return {};
  try {
    return { counters: await controlOf(controlUrl).counters() };
  } catch (cause) {
    return { unreachable: messageOf(cause) };
  }
}

function hindranceOf(findings: readonly DoctorFinding[], failure: string | undefined) {
  const problem = findings.find(
    ({ id, status }) => status === 'problem' && /^(?:reachable|tls|path)/.test(id) && !idsJudgedByRun.has(id),
  );
  if (problem !== undefined) return { reason: problem.what, hint: problem.hint ?? '' };
  return failure === undefined ? undefined : { reason: failure, hint: 'Check control-url, or remove it.' };
}

export const interruptedReason = 'the run was interrupted before its end';

/** `countersAfter` is absent if the target has no control interface, or if the interface does not answer. */
export async function endOfLive({ runId, live }: LiveOptions) {
  const { counters } = await countersOf(live.config);
  return { balance: balanceAfter(live.ledger, runId), ...(counters && { countersAfter: counters }) };
}
