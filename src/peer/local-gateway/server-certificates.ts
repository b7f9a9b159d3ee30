/** Certificates of the local gateway's servers: the right one, and one for each fault that a client has to notice. */
import { createPrivateKey, type KeyObject, randomInt, X509Certificate } from 'node:crypto';
import { newAuthority, type ServerCertificate } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import type { ServerKind } from '../../record/client-case.ts';

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

/** Which certificate cannot be used, of some that anybody may have written; undefined where all of them can. */
export function unusableCertificate({ authority, shown }: Certificates): string | undefined {
  const key = createPrivateKey(publishedIdentity.privateKeyPem);
  if (!isCertificate(authority)) return 'client.certificates.authority is no certificate in PEM';
  const [name] = Object.entries(shown).find(([, pem]) => !isCertificate(pem, key)) ?? [];
  return name && `client.certificates.shown.${name} is no certificate in PEM of the published test key`;
}

/** Whether the text is one in PEM, and of that key. */
export function isCertificate(pem: string, key?: KeyObject): boolean {
  try {
    const certificate = new X509Certificate(pem);
    return key === undefined || certificate.checkPrivateKey(key);
  } catch {
    return false;
  }
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
