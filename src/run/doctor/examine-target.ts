/** Checks connection, TLS, path and clock of a target for `doctor`. Every request passes the effect guard. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { type Effect, operationNames } from '../../../contracts/operations.ts';
import { tlsReason } from '../../record/errors.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import { pluralize } from '../../record/pluralize.ts';
import { isUnsent } from '../../record/run.ts';
import { isUnreached } from '../../rules/answers/acceptance.ts';
import { Effects } from '../allowance/budget.ts';
import { type EffectGuard, newGuard, newPace } from '../allowance/guard.ts';
import { beginLedger } from '../allowance/ledger.ts';
import { isSigned, worstCaseOf } from '../allowance/worst-case.ts';
import type { DoctorFinding, LiveConfig } from '../target/live-config.ts';
import { allowsEffects, ok, problem, remark, unchecked } from '../target/live-config.ts';
import { siteOf } from '../target/site.ts';
import { operationPath } from '../target/target.ts';
import { hostAndPort, notSent, type Transport } from '../transport/transport.ts';
import { answerFindings, isAccepted, type UnsignedCall } from './answer-findings.ts';

/** Does not throw if the target fails. If the guard stops the request, the exchange has the failure `not-sent`. */
type DoctorSend = (request: SentRequest, effect: Effect) => Promise<Exchange>;
type TargetToExamine = Pick<LiveConfig, 'target' | 'versions' | 'unknownEndpointId' | 'ca' | 'deadlineMs'>;

interface ExaminedTarget {
  readonly findings: readonly DoctorFinding[];
  readonly isAnswering: boolean;
  /** Seconds by which the target's clock is ahead of this machine's. Undefined if unknown. */
  readonly clockOffset?: number;
  /** Unsigned requests to `unknownEndpointId` that were accepted. At most one, because `doctor` then sends no more. */
  readonly accepted: readonly UnsignedCall[];
}

/** Sends only a GET to the base URL, and one unsigned request for each operation to `unknownEndpointId`. */
export async function examineTarget(
  config: TargetToExamine,
  { send, now, env }: { readonly send: DoctorSend; readonly now: () => number; readonly env: NodeJS.ProcessEnv },
): Promise<ExaminedTarget> {
  const reachFinding = await reachTarget(config);
  if (reachFinding.status === 'problem') return stopExamination([reachFinding], 'the target cannot be reached');
  const before = [reachFinding, ...(await tlsFindings(new URL(config.target), config, now()))];
  const isUnsafe = before.some(({ status }) => status === 'problem');
  if (isUnsafe) return stopExamination(before, 'the suite sends nothing over an unsafe connection');
  const greeting = await send(requestTo(config.target, 'GET'), 'none');
  if (greeting.response === undefined && greeting.failure?.kind !== 'too-large') {
    const notHttp = problem('reachable/http')`${greeting.failure?.message ?? 'no answer was received'}
      Check that the port speaks HTTP/1.1, and whether target needs http:// or https://.`;
    return stopExamination([...before, notHttp], 'the target does not answer');
  }
  const calls = await sendUnsigned(config, send);
  const { findings, clockOffset } = answerFindings(greeting, calls, env);
  return { findings: [...before, ...findings], isAnswering: true, accepted: calls.filter(isAccepted), clockOffset };
}

export async function reachTarget({ target, deadlineMs }: Pick<TargetToExamine, 'target' | 'deadlineMs'>) {
  const place = hostAndPort(new URL(target));
  const socket = connectTcp(place);
  const facts = () => ({ address: socket.remoteAddress ?? place.host });
  return reachableFinding(place, await waitForEvent(socket, 'connect', deadlineMs, facts));
}

export async function sendUnsigned(
  { target, unknownEndpointId: endpointId, versions }: TargetToExamine,
  send: DoctorSend,
): Promise<UnsignedCall[]> {
  if (endpointId === undefined) return [];
  const calls: UnsignedCall[] = [];
  for (const operation of operationNames) {
    const path = operationPath(siteOf({ target, versions }), operation, endpointId);
    const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
    const exchange = await send({ ...requestTo(target, 'POST'), target: path, headers }, 'none');
    calls.push({ operation, exchange });
    // Stop after an acceptance: the endpoint exists, or signatures are not checked. The next request may have effects.
    if (isAccepted({ operation, exchange })) break;
  }
  return calls;
}

/** Plain HTTP is a problem outside loopback, because others can read payments and forge answers. */
async function tlsFindings(url: URL, { ca, deadlineMs }: TargetToExamine, now: number): Promise<DoctorFinding[]> {
  if (url.protocol === 'https:') {
    const { host, port } = hostAndPort(url);
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connectTls({ host, port, rejectUnauthorized: false, ...name, ca });
    const result = await waitForEvent(socket, 'secureConnect', deadlineMs, () => factsOf(socket, host));
    if ('code' in result) return [handshakeProblem(`${host}:${port}`, result)];
    return certificateFindings(host, result, ca !== undefined, now);
  }
  if (isLoopback(url.host)) return [ok('tls')`plain HTTP, on this machine only`];
  return [
    problem('tls/none')`the base URL uses plain HTTP
      The interface requires HTTPS: write https:// in target.`,
  ];
}

function stopExamination(findings: readonly DoctorFinding[], reason: string): ExaminedTarget {
  const rest = [unchecked('path')`base URL not checked: ${reason}`, unchecked('clock')`clock not checked: ${reason}`];
  return { findings: [...findings, ...rest], isAnswering: false, accepted: [] };
}

function requestTo(baseUrl: string, method: 'GET' | 'POST'): SentRequest {
  const { scheme, host, prefix } = siteOf({ target: baseUrl });
  return { method, scheme, host, target: `${prefix}/`, headers: [], body: new Uint8Array() };
}

/** `effect` is the effect that `doctor` expects. The guard computes the possible effect from the request itself. */
export function doctorSend(guard: EffectGuard, send: (request: SentRequest) => Promise<Exchange>): DoctorSend {
  return async (request, effect) => {
    // Requests of `doctor` with an effect are always valid. If one is refused, other refusals prove nothing.
    const settles = effect !== 'none';
    const sent = await guard.send(request, { what: `doctor: ${effect}`, settles }, send);
    return isUnsent(sent) ? notSent(request, `not sent: ${sent.reason}`) : sent;
  };
}

export interface DoctorEffects {
  /** Effects of earlier unfinished runs. They count against the allowance. */
  readonly carried: Effects;
  /** Effects of this examination that count in the ledger. */
  booked(): Effects;
  /** Maximum effects of this examination, from all requests that may have reached the target. */
  maximum(): Effects;
}

/** Calls `use` with a guarded `send`. Locks the ledger if effects are allowed. Throws LiveError or the abort reason. */
export async function withGuardedSend<T>(
  config: LiveConfig,
  transport: Transport,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
  use: (send: DoctorSend, effects: DoctorEffects) => Promise<T>,
): Promise<T> {
  const opened = allowsEffects(config.allow) ? beginLedger(config, env) : undefined;
  const balance = () => opened?.ledger.balance() ?? { carried: Effects.none, spent: Effects.none };
  const pace = newPace({ rate: config.rate, sleep });
  const site = siteOf(config);
  let sentEffects = Effects.none;
  const guarded = doctorSend(newGuard({ site, limits: config, pace, ledger: opened?.ledger }), async (request) => {
    const exchange = await transport.send(request);
    const worst = worstCaseOf({ ...request, isSigned: isSigned(request) }, site);
    if (!isUnsent(worst) && !isUnreached(exchange)) sentEffects = sentEffects.add(worst);
    return exchange;
  });
  const send: DoctorSend = (...call) => {
    signal.throwIfAborted();
    return guarded(...call);
  };
  let complete = false;
  try {
    const { carried } = balance();
    const booked = () => balance().spent.minus(carried);
    const result = await use(send, { carried, booked, maximum: () => sentEffects });
    complete = true;
    return result;
  } catch (cause) {
    // An abort only stops further requests. All sent requests are answered and booked, so the entries are complete.
    complete = signal.aborted;
    throw cause;
  } finally {
    opened?.end(complete);
  }
}

export function reachableFinding(place: HostAndPort, result: { readonly address: string } | Failure): DoctorFinding {
  const address = `${place.host}:${place.port}`;
  if ('address' in result) return ok('reachable')`${address} accepts connections (${result.address})`;
  const unreachable = problem('reachable');
  switch (result.code) {
    case 'ENOTFOUND':
      return unreachable`${place.host} cannot be resolved here (DNS)
        Check the spelling, and whether this machine needs a VPN or another name server.`;
    case 'EAI_AGAIN':
      return unreachable`${place.host} cannot be resolved, because the name server does not answer (DNS)
        Check the network and the name server of this machine.`;
    case 'ECONNREFUSED':
      return unreachable`${address} refuses connections
        Check the port, and that the gateway is up.`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return unreachable`${address} has no route from this machine
        Check network, VPN and firewall of this machine.`;
    case 'ETIMEDOUT':
    case 'TIMEOUT':
      return unreachable`${address} does not answer when the suite connects
        A firewall probably drops the connection: ask to allow the address of this machine, and check the port.`;
  }
  return unreachable`${address} cannot be reached (${result.code})
    Check the address and the network.`;
}

const dayMs = 24 * 60 * 60 * 1000;

function certificateFindings(host: string, tried: CertificateFacts, hasCa: boolean, now: number): DoctorFinding[] {
  const { otherName, validFrom, validTo, subject, protocol } = tried;
  const days = (milliseconds: number) => pluralize(Math.floor(milliseconds / dayMs), 'day');
  const clock = `If the clock of this machine (${timeOf(now)}) is wrong, set the clock.`;
  const problems = [
    now > validTo &&
      problem('tls/expired')`the certificate expired on ${timeOf(validTo)}, ${days(now - validTo)} ago
        The operator of the gateway must renew it. ${clock}`,
    now < validFrom &&
      problem('tls/not-yet-valid')`the certificate is not valid before ${timeOf(validFrom)}
        ${clock}`,
    otherName !== undefined &&
      problem('tls/name')`the certificate is for ${otherName}, not for ${host}
        Write the name of the certificate into \`target\`, or get a certificate for this host.`,
    chainProblem(tried, hasCa, now),
  ].filter((found) => found !== false && found !== undefined);
  if (problems.length > 0) return problems;
  const remaining = days(validTo - now);
  const good = ok('tls')`the certificate of ${subject} is trusted and valid for ${remaining} (${protocol})`;
  const soon = remark('tls/ends-soon')`the certificate expires in ${remaining}
    Tell the operator of the gateway.`;
  return validTo - now >= 21 * dayMs ? [good] : [good, soon];
}

/** A problem of the certificate chain. Other findings report a wrong name or date of the certificate itself. */
function chainProblem({ distrust, issuer, validFrom, validTo }: CertificateFacts, hasCa: boolean, now: number) {
  if (distrust === undefined || distrust === 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  if (distrust === 'CERT_HAS_EXPIRED' || distrust === 'CERT_NOT_YET_VALID') {
    if (now > validTo || now < validFrom) return undefined;
    return problem('tls/chain')`
      the certificate is issued by ${issuer}, and a higher certificate in its chain has expired or is not yet valid
      The operator of the gateway must renew the chain. The file in the key "ca" may also be out of date.`;
  }
  const wrongCa =
    'The file in the key "ca" is the certificate of another authority. Ask the operator for the authority that issued the certificate of the gateway.';
  if (distrust === 'DEPTH_ZERO_SELF_SIGNED_CERT') {
    return problem('tls/self-signed')`the certificate is self-signed (${issuer})
      ${hasCa ? wrongCa : 'Check in another way that the certificate is genuine. Then save it as a PEM file, and name the file in the key "ca".'}`;
  }
  return problem('tls/authority')`this machine does not trust the authority of the certificate: ${issuer} (${distrust})
    ${hasCa ? wrongCa : 'If the authority is your own, save its certificate as a PEM file, and name the file in the key "ca". If the authority is public, the chain that the gateway sends is incomplete: tell its operator.'}`;
}

function handshakeProblem(place: string, { code, reason }: Failure): DoctorFinding {
  const cause = reason === undefined ? code : `${reason}, ${code}`;
  const details = code === 'TIMEOUT' ? 'no answer' : cause;
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD/.test(code)) {
    return problem('tls/none')`${place} does not speak TLS (${details})
      Check the port. If the gateway really speaks plain HTTP there, write http:// in target.`;
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/.test(code)) {
    return problem('tls/handshake')`${place} broke off the TLS handshake (${details})
      The server may require another version of TLS, or a client certificate, which the suite does not send.`;
  }
  return problem('tls/handshake')`the TLS handshake with ${place} failed (${details})
    Check that this is the HTTPS port, and that no proxy replaces the certificate.`;
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

type HostAndPort = ReturnType<typeof hostAndPort>;
type CertificateFacts = ReturnType<typeof factsOf>;

/** `code` is an error code of Node or OpenSSL, or `TIMEOUT`. */
type Failure = { readonly code: string; readonly reason?: string | undefined };

/** `distrust` is Node's error code for an untrusted chain or a wrong name. The times are Unix milliseconds. */
function factsOf(socket: TLSSocket, host: string) {
  const certificate = socket.getPeerCertificate();
  const { subjectaltname } = certificate;
  const distrust = socket.authorizationError as unknown as string | (Error & { code?: string }) | null;
  const isOtherName = checkServerIdentity(host, certificate) !== undefined;
  // The names that RFC 2818 section 3.1 compares with the host, such as `a.example, 10.0.0.1`.
  const names = subjectaltname?.replace(/(?<=^|, )(?:DNS|IP Address):/g, '') ?? nameIn(certificate.subject);
  return {
    distrust: (typeof distrust === 'object' ? distrust?.code : distrust) || undefined,
    otherName: isOtherName ? names : undefined,
    validFrom: Date.parse(certificate.valid_from),
    validTo: Date.parse(certificate.valid_to),
    subject: nameIn(certificate.subject),
    issuer: nameIn(certificate.issuer),
    protocol: socket.getProtocol() ?? 'unknown',
  };
}

function nameIn(name: PeerCertificate['subject'] | undefined): string {
  const found = name?.CN ?? name?.O ?? 'without a name';
  return Array.isArray(found) ? found.join(', ') : found;
}

function waitForEvent<T extends object>(socket: Socket, event: string, deadlineMs: number, read: () => T) {
  const ended = new Promise<T | Failure>((resolve) => {
    setTimeout(() => resolve({ code: 'TIMEOUT' }), deadlineMs).unref();
    socket.once(event, () => resolve(read()));
    // Use `on`, not `once`: a socket may emit several errors, and an error without a listener ends the process.
    socket.on('error', (error: NodeJS.ErrnoException) => resolve({ code: codeOf(error), reason: tlsReason(error) }));
    socket.once('close', () => resolve({ code: 'ECONNRESET' }));
  });
  return ended.finally(() => socket.destroy());
}

/** If a host has several addresses, Node reports an error for each address. The first error is enough. */
function codeOf(error: NodeJS.ErrnoException): string {
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  return error.code ?? first?.code ?? error.message;
}
