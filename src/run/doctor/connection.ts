/**
 * What a connection shows before a word of HTTP: the address, the TLS handshake, the certificate (RFC 5280 section 6,
 * RFC 6125).
 */

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { countedWord } from '../../record/counted-word.ts';
import { tlsReason } from '../../record/errors.ts';
import { type DoctorFinding, ok, problem, remark } from '../target/examination.ts';

/** The finding on a TCP connection that was tried. */
export function reachableFinding(place: HostAndPort, tried: { readonly address: string } | Failed): DoctorFinding {
  const whole = `${place.host}:${place.port}`;
  if ('address' in tried) return ok('reachable', `${whole} takes connections (${tried.address})`);
  const name = namesHost.has(tried.code) ? place.host : whole;
  const [what, hint] = reasons[tried.code] ?? [
    `cannot be reached (${tried.code})`,
    'Check the address and the network.',
  ];
  return problem('reachable', `${name} ${what}`, hint);
}

const unknownName = [
  'is a name that cannot be resolved here (DNS)',
  'Check its spelling, and whether this machine needs a VPN or another name server.',
] as const;
/** What a name server says is about the host alone. */
const namesHost: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const noRoute = ['has no route from here', 'Check network, VPN and firewall of this machine.'] as const;
const silent = [
  'does not answer a connection',
  'A firewall probably drops it: have the address of this machine allowed, and check the port.',
] as const;

const reasons: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOTFOUND: unknownName,
  EAI_AGAIN: [
    'is a name that the name server does not answer for (DNS)',
    'Check the network and the name server of this machine.',
  ],
  ECONNREFUSED: ['refuses connections', 'Check the port, and that the gateway is up.'],
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: silent,
  TIMEOUT: silent,
};

const dayMs = 24 * 60 * 60 * 1000;

/** From so many days on the end of a certificate is worth a remark. */
const remarkDays = 21;

/** Findings on a handshake; `now` is in milliseconds since the Unix epoch. `hasCa`: the configuration names an authority. */
export function certificateFindings(
  { host, port }: HostAndPort,
  tried: CertificateFacts | Failed,
  hasCa: boolean,
  now: number,
): DoctorFinding[] {
  if ('code' in tried) return [handshakeFailed(`${host}:${port}`, tried)];
  const problems = [...validity(tried, now), ...name(tried, host), ...chain(tried, hasCa, now)];
  if (problems.length > 0) return problems;
  const days = Math.floor((tried.validTo - now) / dayMs);
  const good = ok(
    'tls',
    `the certificate of ${tried.subject} is trusted and valid for ${countedWord(days, 'day')} (${tried.protocol})`,
  );
  if (days >= remarkDays) return [good];
  return [
    good,
    remark(
      'tls/ends-soon',
      `the certificate ends in ${countedWord(days, 'day')}`,
      'Let the operator of the gateway know.',
    ),
  ];
}

function validity({ validFrom, validTo }: CertificateFacts, now: number): DoctorFinding[] {
  const clock = `If this machine's clock, ${timeOf(now)}, is wrong, set it.`;
  if (now > validTo) {
    return [
      problem(
        'tls/expired',
        `the certificate expired on ${timeOf(validTo)}, ${countedWord(Math.floor((now - validTo) / dayMs), 'day')} ago`,
        `The operator of the gateway has to renew it. ${clock}`,
      ),
    ];
  }
  if (now < validFrom) {
    return [problem('tls/not-yet-valid', `the certificate is not valid before ${timeOf(validFrom)}`, clock)];
  }
  return [];
}

function name({ otherName }: CertificateFacts, host: string): DoctorFinding[] {
  if (otherName === undefined) return [];
  return [
    problem(
      'tls/name',
      `the certificate is not for ${host}, but for ${otherName}`,
      'Use the name that the certificate is for in target, or have a certificate made for this one.',
    ),
  ];
}

/** Expiry and name have findings of their own; what is left concerns the chain. */
function chain(
  { distrust, issuer, validFrom, validTo }: CertificateFacts,
  hasCa: boolean,
  now: number,
): DoctorFinding[] {
  if (distrust === undefined || distrust === 'ERR_TLS_CERT_ALTNAME_INVALID') return [];
  if (distrust === 'CERT_HAS_EXPIRED' || distrust === 'CERT_NOT_YET_VALID') {
    const leaf = now > validTo || now < validFrom;
    return leaf
      ? []
      : [
          problem(
            'tls/chain',
            `a certificate above that of the gateway, issued by ${issuer}, has expired or is not yet valid`,
            'The operator of the gateway has to renew its chain; a file of your own under ca may also be out of date.',
          ),
        ];
  }
  const hint = hasCa
    ? 'The file under ca holds another authority: ask for the certificate of the one that issued this.'
    : 'If it is an authority of your own, put its certificate into a PEM file and name it under ca; a public one is missing from the chain that the gateway sends.';
  if (distrust === 'DEPTH_ZERO_SELF_SIGNED_CERT') {
    return [
      problem(
        'tls/self-signed',
        `the certificate is signed by itself (${issuer})`,
        hasCa
          ? hint
          : 'Put this certificate into a PEM file and name it under ca, once you have confirmed by another way that it is the right one.',
      ),
    ];
  }
  return [
    problem(
      'tls/authority',
      `the certificate comes from an authority that is not trusted here: ${issuer} (${distrust})`,
      hint,
    ),
  ];
}

function handshakeFailed(place: string, { code, reason }: Failed): DoctorFinding {
  const why = code === 'TIMEOUT' ? 'no answer' : reason === undefined ? code : `${reason}, ${code}`;
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD/.test(code)) {
    return problem(
      'tls/none',
      `${place} does not speak TLS (${why})`,
      'Check the port; if the gateway really speaks plain HTTP there, write http:// in target.',
    );
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/.test(code)) {
    return problem(
      'tls/handshake',
      `${place} breaks off the TLS handshake (${why})`,
      'It may want a client certificate, which this suite does not send, or other versions of TLS.',
    );
  }
  const hint = 'Check that the port is the one of HTTPS and that no proxy in between replaces the certificate.';
  return problem('tls/handshake', `the TLS handshake with ${place} failed (${why})`, hint);
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export interface HostAndPort {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a handshake showed, whether or not the certificate is to be trusted. */
interface CertificateFacts {
  /** OpenSSL's word against the chain or the name, as node names it; undefined where there is none. */
  readonly distrust?: string;
  /** Whom the certificate is for, where that is not this host. */
  readonly otherName?: string;
  /** Milliseconds since the Unix epoch. */
  readonly validFrom: number;
  readonly validTo: number;
  readonly subject: string;
  readonly issuer: string;
  /** `TLSv1.3`, for example. */
  readonly protocol: string;
}

/** A failed attempt: the code that node or OpenSSL gave, or `TIMEOUT`. */
export interface Failed {
  readonly code: string;
  /** OpenSSL's words for it. */
  readonly reason?: string | undefined;
}

/** Opens a TCP connection and closes it again. */
export async function tryTcp({ host, port }: HostAndPort, deadlineMs: number): Promise<{ address: string } | Failed> {
  return settled(connectTcp({ host, port }), 'connect', deadlineMs, (socket) => ({
    address: socket.remoteAddress ?? host,
  }));
}

/** Makes a TLS handshake that trusts everything, notes what it would not have trusted, and sends nothing. */
export async function tryTls(
  { host, port }: HostAndPort,
  ca: string | undefined,
  deadlineMs: number,
): Promise<CertificateFacts | Failed> {
  const socket = connectTls({
    host,
    port,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ca,
  });
  return settled(socket, 'secureConnect', deadlineMs, (connected) => factsOf(connected, host));
}

function factsOf(socket: TLSSocket, host: string): CertificateFacts {
  const certificate = socket.getPeerCertificate();
  const distrust = socket.authorizationError as unknown as string | (Error & { code?: string }) | null;
  const code = typeof distrust === 'object' ? distrust?.code : distrust;
  const isOther = checkServerIdentity(host, certificate) !== undefined;
  return {
    ...(code ? { distrust: code } : {}),
    ...(isOther ? { otherName: namesIn(certificate) } : {}),
    validFrom: Date.parse(certificate.valid_from),
    validTo: Date.parse(certificate.valid_to),
    subject: nameIn(certificate.subject),
    issuer: nameIn(certificate.issuer),
    protocol: socket.getProtocol() ?? 'unknown',
  };
}

/** `a.example, 10.0.0.1`: what RFC 2818 section 3.1 compares with the host, in place of the words of Node, which end in a list. */
function namesIn({ subject, subjectaltname }: PeerCertificate): string {
  return subjectaltname?.replace(/(?<=^|, )(?:DNS|IP Address):/g, '') ?? nameIn(subject);
}

function nameIn(name: PeerCertificate['subject'] | undefined): string {
  const found = name?.CN ?? name?.O ?? 'without a name';
  return Array.isArray(found) ? found.join(', ') : found;
}

async function settled<S extends Socket, T extends object>(
  socket: S,
  event: 'connect' | 'secureConnect',
  deadlineMs: number,
  read: (socket: S) => T,
): Promise<T | Failed> {
  try {
    return await new Promise<T | Failed>((resolve) => {
      const timer = setTimeout(() => resolve({ code: 'TIMEOUT' }), deadlineMs);
      timer.unref();
      socket.once(event, () => resolve(read(socket)));
      // More than one error may come; only the first one is listened to, and none may end the process.
      socket.on('error', (error: NodeJS.ErrnoException) => resolve({ code: codeOf(error), reason: tlsReason(error) }));
      socket.once('close', () => resolve({ code: 'ECONNRESET' }));
    });
  } finally {
    socket.destroy();
  }
}

/** With several addresses node collects one error for each. */
function codeOf(error: NodeJS.ErrnoException): string {
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  return error.code ?? first?.code ?? error.message;
}
