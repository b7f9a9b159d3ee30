/** The servers of the local gateway, each started when a place first needs it, and their certificates, right ones and wrong ones. */
import { randomInt } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { newAuthority, type ServerCertificate } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { type Listener, openListener } from '../../mock/listener.ts';
import { MockError } from '../../mock/mock-error.ts';
import type { ServerKind } from '../../record/case.ts';

/** A kind of server that cannot be had here, and why, in one sentence. */
export interface Unavailable {
  readonly unavailable: string;
}

const faults = {
  'other-authority': 'the certificate is signed by an authority that is not trusted',
  'wrong-name': 'the certificate is for another host',
  expired: 'the certificate has expired',
} as const satisfies Partial<Record<ServerKind, string>>;

export type CertificateKind = keyof typeof faults | 'right';

/** Why a client must refuse the certificate of such a server; undefined where it is right. */
export function certificateFault(kind: ServerKind): string | undefined {
  return (faults as Partial<Record<ServerKind, string>>)[kind];
}

/** The certificates of one run, as data that all of its processes share. No key but the published test key belongs to them. */
export interface Certificates {
  /** The authority that a client has to trust, PEM. */
  readonly authority: string;
  /** Addresses on which the default port may be tried. */
  readonly hosts: readonly string[];
  /** What the server of each kind shows, PEM. */
  readonly shown: Readonly<Record<CertificateKind, string>>;
}

const hourMs = 60 * 60 * 1000;

/**
 * Issues them all; takes half a second. All servers have the published test key: making one for each would take longer
 * than most runs wait for a client, and what a client checks is the chain, the name and the validity.
 * @param now milliseconds since the Unix epoch
 */
export function issueCertificates(now: number): Certificates {
  const key = publishedIdentity.privateKeyPem;
  const hosts = defaultPortHosts();
  // Some TLS libraries compare names letter by letter.
  const names = ['localhost', 'LocalHost', '::1', ...hosts];
  const authority = newAuthority(now);
  const shown = {
    right: authority.issue({ names, key }),
    'other-authority': newAuthority(now, key).issue({ names, key }),
    'wrong-name': authority.issue({ names: ['other-gateway.invalid'], key }),
    // Within the validity of the authority, so that the end of its own validity is the only fault.
    expired: authority.issue({ names, key, notBefore: now - 20 * hourMs, notAfter: now - hourMs }),
  } satisfies Record<CertificateKind, ServerCertificate>;
  const pems = Object.entries(shown).map(([kind, { cert }]) => [kind, cert] as const);
  return { authority: authority.certificatePem, hosts, shown: Object.fromEntries(pems) as Certificates['shown'] };
}

/**
 * Addresses on which the default port may be tried, the common one first. Linux has all of 127.0.0.0/8, so that two
 * runs on one machine do not meet.
 */
export function defaultPortHosts(): readonly string[] {
  if (process.platform !== 'linux') return ['127.0.0.1'];
  const others = Array.from({ length: 3 }, () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`);
  return ['127.0.0.1', ...others];
}

export interface Servers {
  origin(kind: ServerKind): Promise<Origin>;
  close(): Promise<void>;
}

type Origin = { readonly origin: string } | Unavailable;

/**
 * @param admits asked at each connection whether it may stay
 * @param onJunk told of what is no request, and why it is none
 * @param certificate what the server of a kind shows; absent for plain http
 * @param ordinaryHost name of this machine in base URLs
 * @param hosts addresses on which the default port may be tried
 */
export function newServers(
  handler: RequestListener,
  ordinaryHost: string,
  hosts: readonly string[],
  certificate: ((kind: CertificateKind) => ServerCertificate) | undefined,
  admits: () => boolean = () => true,
  onJunk?: (why: string, bytes: Uint8Array) => void,
): Servers {
  const listeners: Promise<Listener>[] = [];
  const started = new Map<string, Promise<Origin>>();
  const scheme = certificate === undefined ? 'http' : 'https';

  const listen = (host: string, port: number, kind: CertificateKind): Promise<Listener> => {
    // A client that never closes a connection may open a thousand in a minute.
    const limits = { maxHeaderBytes: 64 * 1024, mostConnections: 1000, admits, onJunk, takesNoHost: true };
    const listener = openListener({ host, port, ...limits, tls: certificate?.(kind) }, handler);
    listeners.push(listener);
    return listener;
  };

  const once = (name: string, start: () => Promise<Origin>): Promise<Origin> => {
    const origin = started.get(name) ?? start();
    started.set(name, origin);
    return origin;
  };

  const defaultPort = scheme === 'https' ? 443 : 80;

  /** Where one of them is free its digits begin as those of the default port do, and a client may look for no more. */
  const onOtherPort = (kind: CertificateKind): Promise<Origin> =>
    once(kind, async () => {
      const alike = () => defaultPort * 100 + randomInt(100);
      for (const port of [alike(), alike(), alike()]) {
        const listener = await listen(ordinaryHost, port, kind).catch(unlessTaken);
        if (listener !== undefined) return { origin: `${scheme}://${ordinaryHost}:${port}` };
      }
      return { origin: `${scheme}://${ordinaryHost}:${(await listen(ordinaryHost, 0, kind)).port}` };
    });

  const onDefaultPort = async (): Promise<Origin> => {
    let reason = '';
    for (const host of hosts) {
      try {
        await listen(host, defaultPort, 'right');
        return { origin: `${scheme}://${host}:${defaultPort}` };
      } catch (error) {
        if (!(error instanceof MockError)) throw error;
        reason = error.message;
      }
    }
    return { unavailable: `the default port cannot be used: ${reason}` };
  };

  return {
    origin: (kind) => {
      switch (kind) {
        case 'ordinary':
          return onOtherPort('right');
        case 'mixed-case-host':
          return once('mixed-case-host', async () => mixedCase(await onOtherPort('right'), listen));
        case 'explicit-default-port':
          return once('explicit-default-port', onDefaultPort);
        default:
          if (certificate === undefined) return Promise.resolve({ unavailable: 'plain http has no certificate' });
          return onOtherPort(kind);
      }
    },
    close: async () => {
      const opened = await Promise.allSettled(listeners);
      await Promise.all(opened.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
    },
  };
}

function unlessTaken(error: unknown): undefined {
  if (!(error instanceof MockError)) throw error;
}

/** The ordinary server under the name LocalHost, which may mean ::1 first; where that address is missing, it is not used. */
async function mixedCase(
  ordinary: Origin,
  listen: (host: string, port: number, kind: CertificateKind) => Promise<Listener>,
): Promise<Origin> {
  if ('unavailable' in ordinary) return ordinary;
  const { protocol, port } = new URL(ordinary.origin);
  await listen('::1', Number(port), 'right').catch(() => undefined);
  return { origin: `${protocol}//LocalHost:${port}` };
}
