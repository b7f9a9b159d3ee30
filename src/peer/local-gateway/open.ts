/** Opens the gateway that a client under test talks to: on loopback, with an authority of its own, each server when it is needed. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { truststore } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { connectionNumbers } from '../../mock/wire.ts';
import type { ServerKind } from '../../record/client-case.ts';
import type { SentRequest } from '../../record/exchange.ts';
import type { TrustedAuthority } from '../adapter/messages.ts';
import { asSeen } from './full-answer.ts';
import type { Handled, InProcessConnection, LocalGateway } from './local-gateway.ts';
import { newPlaces, type Places } from './places.ts';
import { receiver } from './receive.ts';
import {
  type CertificateKind,
  type Certificates,
  certificateFault,
  defaultPortHosts,
  issueCertificates,
} from './server-certificates.ts';
import { newServers, type Servers } from './servers.ts';

export interface LocalGatewayOptions {
  /** Folder for the files with the authority's certificate; it has to exist. */
  readonly folder: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** For clients that cannot be configured to trust a certificate authority. */
  readonly plainHttp?: boolean;
  /** For clients that cannot verify the certificate of an IP address; default 127.0.0.1. */
  readonly host?: 'localhost' | undefined;
  /** Default: new ones. */
  readonly certificates?: Certificates;
}

const waitMs = 10_000;

/** Opens a gateway with servers on 127.0.0.1. Rejects where the file cannot be written. */
export async function openLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  const { now, plainHttp = false, host = '127.0.0.1' } = options;
  const places = newPlaces(now);
  const receive = receiver(places, plainHttp ? 'http' : 'https', connectionNumbers());
  const junk = leavingOut(places);
  const serversOn = (hosts: readonly string[], certificate?: Parameters<typeof newServers>[3]) =>
    newServers(receive, host, host === 'localhost' ? [host] : hosts, certificate, places.admits, junk);
  if (plainHttp) return gatewayOf(places, serversOn(defaultPortHosts()));
  const { authority, hosts, shown } = options.certificates ?? issueCertificates(now());
  const ca = await writeAuthority(authority, options.folder);
  const certificate = (kind: CertificateKind) => ({ key: publishedIdentity.privateKeyPem, cert: shown[kind] });
  return { ...gatewayOf(places, serversOn(hosts, certificate)), ca };
}

/** A request that cannot be read says in its first line which call it is of, unless that was read long before. */
function leavingOut(places: Places): (why: string, bytes: Uint8Array) => void {
  return (why, bytes) => {
    const [line = ''] = Buffer.from(bytes.subarray(0, 4096)).toString('latin1').split('\n');
    places.findJunk(line)?.leaveOut(`a request that is not HTTP: ${why}`);
  };
}

async function writeAuthority(pem: string, folder: string): Promise<TrustedAuthority> {
  const file = join(folder, 'countersign-ca.pem');
  const store = { file: join(folder, 'countersign-ca.p12'), password: 'countersign' };
  await writeFile(file, pem);
  await writeFile(store.file, truststore(pem, store.password));
  return { file, pem, truststore: store };
}

/** Opens a gateway that listens nowhere: requests reach it by `handle` alone. Every kind of server can be had. */
export function openInProcessGateway(options: {
  readonly now: () => number;
  /** Names of places, each only once; random by default. */
  readonly segment?: () => string;
}): LocalGateway {
  const servers: Servers = {
    origin: (kind) => Promise.resolve({ origin: inProcessOrigins[kind] }),
    close: () => Promise.resolve(),
  };
  return gatewayOf(newPlaces(options.now), servers, options.segment);
}

const inProcessOrigins: Readonly<Record<ServerKind, string>> = {
  ordinary: 'https://127.0.0.1:44380',
  'mixed-case-host': 'https://LocalHost:44380',
  'explicit-default-port': 'https://127.0.0.1:443',
  'other-authority': 'https://127.0.0.1:8444',
  'wrong-name': 'https://127.0.0.1:8445',
  expired: 'https://127.0.0.1:8446',
};

function gatewayOf(places: Places, servers: Servers, newSegment: () => string = randomSegment): LocalGateway {
  return {
    open: async (answer, { server: kind = 'ordinary', pathSuffix = '', claimStrays: claimsStrays = false } = {}) => {
      const found = await servers.origin(kind);
      if ('unavailable' in found) return found;
      const segment = newSegment();
      return places.open({ segment, baseUrl: `${found.origin}/${segment}${pathSuffix}`, kind, claimsStrays, answer });
    },
    unclaimed: () => places.unclaimed(),
    flood: () => places.flood(),
    handle: (request, connection) => Promise.resolve(handled(places, request, connection)),
    close: async () => {
      places.closeAll();
      await servers.close();
    },
  };
}

function randomSegment(): string {
  return `x${randomBytes(8).toString('hex')}`;
}

function handled(
  places: Places,
  request: SentRequest,
  { acceptAnyCertificate = false, deadlineMs = waitMs }: InProcessConnection = {},
): Handled {
  const place = places.find(request.target);
  const fault = place && certificateFault(place.kind);
  // As with TLS: the request never leaves the client.
  if (fault !== undefined && !acceptAnyCertificate) return { failure: { kind: 'tls', message: fault } };
  const entry = places.record(request, place, undefined);
  const seen = asSeen(entry.answer, deadlineMs);
  entry.end(seen);
  return seen;
}
