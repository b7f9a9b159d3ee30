/** What can be learnt of a target without a word of HTTP: its address, and the certificate that it shows. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { tlsReason } from '../../record/tls-reason.ts';

export interface HostAndPort {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a handshake showed, whether or not the certificate is to be trusted. */
export interface CertificateFacts {
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
