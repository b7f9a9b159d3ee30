/** The servers of the local gateway, started at first use, and their valid and invalid certificates. */
import { randomInt } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { newAuthority, type ServerCertificate } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { type Junk, type Listener, openListener } from '../../mock/listener.ts';
import { MockError } from '../../mock/mock-error.ts';
import type { ServerKind } from '../../record/case.ts';

/** The reason, in one sentence, why a kind of server cannot be started here. */
export interface Unavailable {
  readonly unavailable: string;
}

const faults = {
  'other-authority': 'the certificate is signed by an authority that is not trusted',
  'wrong-name': 'the certificate is for another host',
  expired: 'the certificate has expired',
} as const satisfies Partial<Record<ServerKind, string>>;

export type CertificateKind = keyof typeof faults | 'right';

/** Why a client must refuse the certificate of this server; undefined if it is valid. */
export function certificateFault(kind: ServerKind): string | undefined {
  return (faults as Partial<Record<ServerKind, string>>)[kind];
}

/** The certificates of one run, shared by all its processes. Their only key is the published test key. */
export interface Certificates {
  /** The authority that a client must trust, PEM. */
  readonly authority: string;
  /** Addresses to try for the default port. */
  readonly hosts: readonly string[];
  /** The certificate of each kind of server, PEM. */
  readonly shown: Readonly<Record<CertificateKind, string>>;
}

const hourMs = 60 * 60 * 1000;

/**
 * All servers share the published test key: generating keys is slow, and clients check only chain, name and validity.
 * @param now milliseconds since the Unix epoch
 */
export function issueCertificates(now: number): Certificates {
  const key = publishedIdentity.privateKeyPem;
  const hosts = defaultPortHosts();
  // Some TLS libraries compare names case-sensitively.
  const names = ['localhost', 'LocalHost', '::1', ...hosts];
  const authority = newAuthority(now);
  const shown = {
    right: authority.issue({ names, key }),
    'other-authority': newAuthority(now, key).issue({ names, key }),
    'wrong-name': authority.issue({ names: ['other-gateway.invalid'], key }),
    // Within the validity of the authority, so that expiry is the only fault.
    expired: authority.issue({ names, key, notBefore: now - 20 * hourMs, notAfter: now - hourMs }),
  } satisfies Record<CertificateKind, ServerCertificate>;
  const pems = Object.entries(shown).map(([kind, { cert }]) => [kind, cert] as const);
  return { authority: authority.certificatePem, hosts, shown: Object.fromEntries(pems) as Certificates['shown'] };
}

/** Addresses to try for the default port. Linux has all of 127.0.0.0/8, so that parallel runs do not collide. */
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
 * @param admits called for each connection: may it stay?
 * @param onJunk called for each unreadable request
 * @param certificate returns the certificate of a kind; absent for plain http
 * @param ordinaryHost host in base URLs
 * @param hosts addresses to try for the default port
 */
export function newServers(
  handler: RequestListener,
  ordinaryHost: string,
  hosts: readonly string[],
  certificate: ((kind: CertificateKind) => ServerCertificate) | undefined,
  admits: () => boolean = () => true,
  onJunk?: (junk: Junk) => void,
): Servers {
  const listeners: Promise<Listener>[] = [];
  const started = new Map<string, Promise<Origin>>();
  const scheme = certificate === undefined ? 'http' : 'https';

  const listen = (host: string, port: number, kind: CertificateKind): Promise<Listener> => {
    // A client that never closes connections may open a thousand in a minute.
    const limits = { maxHeaderBytes: 64 * 1024, maxConnections: 1000, admits, onJunk, takesNoHost: true };
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

  /** Prefers ports that begin with the digits of the default port: a client may compare only those. */
  const onOtherPort = (kind: CertificateKind): Promise<Origin> =>
    once(kind, async () => {
      const similarPort = () => defaultPort * 100 + randomInt(100);
      for (const port of [similarPort(), similarPort(), similarPort()]) {
        const listener = await listen(ordinaryHost, port, kind).catch(ignoreTakenPort);
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

function ignoreTakenPort(error: unknown): undefined {
  if (!(error instanceof MockError)) throw error;
}

/** The ordinary server as LocalHost, which may resolve to ::1 first. Without IPv6 that address is skipped. */
async function mixedCase(
  ordinary: Origin,
  listen: (host: string, port: number, kind: CertificateKind) => Promise<Listener>,
): Promise<Origin> {
  if ('unavailable' in ordinary) return ordinary;
  const { protocol, port } = new URL(ordinary.origin);
  await listen('::1', Number(port), 'right').catch(() => undefined);
  return { origin: `${protocol}//LocalHost:${port}` };
}
