/**
 * Everything about a target that can be known without an effect, asked through the effect guard and the ledger of the
 * target.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationNames } from '../../../contracts/operations.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { isUnsent } from '../../record/gateway-run.ts';
import { isLoopback } from '../../record/hosts.ts';
import { neverArrived } from '../../rules/answers/acceptance.ts';
import { less, nothingSpent, type Spent, spend } from '../allowance/budget.ts';
import { type EffectGuard, newGuard, newPace } from '../allowance/guard.ts';
import { ledgerPlace, openLedger, takeLedgerLock } from '../allowance/ledger.ts';
import { examinationPrefix } from '../allowance/ledger-lines.ts';
import { isSigned, type WorstCase, worstCaseOf } from '../allowance/worst-case.ts';
import type { Environment } from '../target/credentials.ts';
import { type DoctorFinding, ok, problem, unchecked } from '../target/examination.ts';
import { allowsEffects, type LiveConfig } from '../target/live-config.ts';
import { siteOf } from '../target/site.ts';
import { operationPath } from '../target/target.ts';
import { notSent, type Transport } from '../transport/transport.ts';
import { type AskedUnsigned, betweenFindings, clockFinding, clockOffset, isAccepted, pathFinding } from './answers.ts';
import { certificateFindings, type HostAndPort, reachableFinding, tryTcp, tryTls } from './connection.ts';

/** Sends a request with that effect. Never throws for what the target does. What is not sent comes back as an exchange with the failure `not-sent`. */
export type DoctorSend = (request: SentRequest, effect: WorstCase['effect']) => Promise<Exchange>;

type TargetToExamine = Pick<LiveConfig, 'target' | 'versions' | 'unknownEndpointId' | 'ca' | 'deadlineMs'>;

interface Examination {
  readonly send: DoctorSend;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly env: Environment;
}

interface ExaminedTarget {
  readonly findings: readonly DoctorFinding[];
  /** Whether it can be talked to in HTTP at all. */
  readonly answers: boolean;
  /** Seconds by which the target's clock is ahead of this machine's; undefined where it is not known. */
  readonly clockOffset?: number;
  /** Unsigned requests to the unknown endpoint that were accepted; after the first one nothing more is sent to it. */
  readonly accepted: readonly AskedUnsigned[];
}

/** Sends a GET of the base URL and one unsigned request per operation to the unknown endpoint, and nothing else. */
export async function examineTarget(config: TargetToExamine, io: Examination): Promise<ExaminedTarget> {
  const url = new URL(config.target);
  const place = placeOf(url);
  const reached = await reachTarget(config);
  if (reached.status === 'problem')
    return { findings: [reached, ...unexamined('the target is not reached')], answers: false, accepted: [] };
  const tls = await tlsFindings(url, place, config, io.now());
  if (tls.some(({ status }) => status === 'problem')) {
    const findings = [reached, ...tls, ...unexamined('nothing is sent over such a connection')];
    return { findings, answers: false, accepted: [] };
  }
  return overHttp(url, config, io, [reached, ...tls]);
}

/** Whether the target takes connections; not a byte is sent. */
export async function reachTarget({ target, deadlineMs }: Pick<TargetToExamine, 'target' | 'deadlineMs'>) {
  const place = placeOf(new URL(target));
  return reachableFinding(place, await tryTcp(place, deadlineMs));
}

async function overHttp(
  url: URL,
  config: TargetToExamine,
  { send, env }: Examination,
  before: readonly DoctorFinding[],
): Promise<ExaminedTarget> {
  const greeted = await send({ ...requestTo(url), method: 'GET' }, 'none');
  // A page of any size is an answer.
  if (greeted.response === undefined && greeted.failure?.kind !== 'too-large') {
    const message = greeted.failure?.message ?? 'no answer was received';
    const hint = 'Check that the port speaks HTTP/1.1, and http:// or https:// in target.';
    const findings = [...before, problem('reachable/http', message, hint), ...unexamined('the target does not answer')];
    return { findings, answers: false, accepted: [] };
  }
  const asked = await askOperations(url, config, send);
  const exchanges = [greeted, ...asked.map(({ exchange }) => exchange)];
  const offset = clockOffset(exchanges);
  const findings = [
    ...before,
    asked.length === 0
      ? unchecked(
          'path',
          'base URL not checked: no endpoint is known that does not exist there',
          'Name one under unknown-endpoint-id: requests to it have no effect.',
        )
      : pathFinding(asked),
    clockFinding(offset),
    ...betweenFindings(exchanges, env),
  ];
  const accepted = asked.filter(isAccepted);
  return { findings, answers: true, accepted, clockOffset: offset };
}

async function askOperations(
  url: URL,
  { unknownEndpointId: endpointId, versions }: TargetToExamine,
  send: DoctorSend,
): Promise<AskedUnsigned[]> {
  if (endpointId === undefined) return [];
  const asked: AskedUnsigned[] = [];
  for (const operation of operationNames) {
    const base = requestTo(url);
    const request: SentRequest = {
      ...base,
      target: operationPath({ prefix: base.target.replace(/\/$/, ''), versions }, operation, endpointId),
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    };
    const exchange: Exchange = await send(request, 'none');
    asked.push({ operation, exchange });
    // Then the endpoint is there, or nobody looks at it: the next request would have an effect that nobody allowed.
    if (isAccepted(asked.at(-1)!)) break;
  }
  return asked;
}

/** Off loopback plain HTTP shows every payment to whoever is on the way, and lets an answer be forged. */
async function tlsFindings(
  url: URL,
  place: HostAndPort,
  config: TargetToExamine,
  now: number,
): Promise<DoctorFinding[]> {
  if (url.protocol === 'https:') {
    const tried = await tryTls(place, config.ca, config.deadlineMs);
    return certificateFindings(place, tried, config.ca !== undefined, now);
  }
  if (isLoopback(url.host)) return [ok('tls', 'plain HTTP, on this machine only')];
  return [
    problem('tls/none', 'the base URL uses plain HTTP', 'The interface requires HTTPS: write https:// in target.'),
  ];
}

function unexamined(because: string): DoctorFinding[] {
  return [unchecked('path', `base URL not checked: ${because}`), unchecked('clock', `clock not checked: ${because}`)];
}

function placeOf(url: URL): HostAndPort {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

function requestTo(url: URL): SentRequest {
  return {
    method: 'POST',
    scheme: url.protocol === 'https:' ? 'https' : 'http',
    host: url.host,
    target: `${url.pathname.replace(/\/+$/, '')}/`,
    headers: [],
    body: new Uint8Array(),
  };
}

/** The guard reads the effect from the bytes of the request itself; the one that is given only names the request in the ledger. */
export function doctorSend(guard: EffectGuard, send: (request: SentRequest) => Promise<Exchange>): DoctorSend {
  return async (request, effect) => {
    // A signed request of doctor is a right one: where it is refused, nothing shows that refusals mean anything.
    const settles = effect !== 'none';
    const sent = await guard.send(request, { what: `doctor: ${effect}`, settles }, send);
    return isUnsent(sent) ? notSent(request, `not sent: ${sent.reason}`) : sent;
  };
}

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
    readonly env: Environment;
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
    if (!isUnsent(worst) && !neverArrived(exchange)) sent = spend(sent, worst);
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
