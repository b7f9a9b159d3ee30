/** Everything about a target that can be known without an effect: connection, certificate, base URL, clock. */
import { operationNames, type PathVersions } from '../../../contracts/operations.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { isLoopback } from '../../record/loopback.ts';
import { type DoctorFinding, ok, problem, unchecked } from '../target/examination.ts';
import { operationPath } from '../target/target.ts';
import { certificateFindings } from './certificate.ts';
import { clockFinding, clockOffset } from './clock.ts';
import { type HostAndPort, tryTcp, tryTls } from './connect.ts';
import { type AskedUnsigned, isAccepted, pathFinding } from './path.ts';
import { betweenFindings } from './proxy.ts';
import { reachableFinding } from './reachable.ts';
import type { DoctorSend } from './send.ts';

export interface TargetToExamine {
  /** Base URL. */
  readonly target: string;
  readonly versions?: PathVersions;
  readonly unknownEndpointId?: string;
  /** PEM of the authority to trust. */
  readonly ca?: string;
  readonly deadlineMs: number;
}

export interface Examination {
  readonly send: DoctorSend;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ExaminedTarget {
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
  const greeted = await send({ ...requestTo(url), method: 'GET' }, { effect: 'none' });
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
          'Name one under unknownEndpointId: requests to it have no effect.',
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
    const exchange: Exchange = await send(request, { effect: 'none' });
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
