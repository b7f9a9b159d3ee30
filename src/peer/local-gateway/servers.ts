/** The servers of the local gateway, each started when a place first needs it. */
import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerCertificate } from '../../mock/certificates.ts';
import { type Listener, openListener } from '../../mock/listener.ts';
import { MockError } from '../../mock/mock-error.ts';
import type { ServerKind } from '../../record/client-case.ts';
import type { Unavailable } from './local-gateway.ts';
import type { CertificateKind } from './server-certificates.ts';

export interface Servers {
  /** Scheme, host and port of a server of that kind, or why there is none. */
  origin(kind: ServerKind): Promise<Origin>;
  close(): Promise<void>;
}

export type Origin = { readonly origin: string } | Unavailable;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const maxHeaderBytes = 64 * 1024;

/** A client that never closes one may open so many in a minute. */
const mostConnections = 1000;

/**
 * @param admits asked at each connection whether it may stay
 * @param onJunk told of what is no request, and why it is none
 * @param certificate what the server of a kind shows; absent for plain http
 * @param ordinaryHost name of this machine in base URLs
 * @param hosts addresses on which the default port may be tried
 */
export function newServers(
  handler: Handler,
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
    const limits = { maxHeaderBytes, mostConnections, admits, onJunk, takesNoHost: true };
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
