/** Certificates of the local gateway's servers: the right one, and one for each fault that a client has to notice. */
import type { ServerKind } from '../../exchange/client-case.ts';
import { type Authority, newAuthority, type ServerCertificate } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';

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

const hourMs = 60 * 60 * 1000;

/**
 * Issues on first use. All servers have the published test key: making one for each would take longer than most runs
 * wait for a client, and what a client checks is the chain, the name and the validity.
 * @param names host names and addresses that the right certificate is for
 * @param now milliseconds since the Unix epoch
 */
export function serverCertificates(
  authority: Authority,
  names: readonly string[],
  now: number,
): (kind: CertificateKind) => ServerCertificate {
  const key = publishedIdentity.privateKeyPem;
  const issued = new Map<CertificateKind, ServerCertificate>();
  const issue: Record<CertificateKind, () => ServerCertificate> = {
    right: () => authority.issue({ names, key }),
    'other-authority': () => newAuthority(now).issue({ names, key }),
    'wrong-name': () => authority.issue({ names: ['other-gateway.invalid'], key }),
    // Within the validity of the authority, so that the end of its own validity is the only fault.
    expired: () => authority.issue({ names, key, notBefore: now - 20 * hourMs, notAfter: now - hourMs }),
  };
  return (kind) => {
    const certificate = issued.get(kind) ?? issue[kind]();
    issued.set(kind, certificate);
    return certificate;
  };
}
