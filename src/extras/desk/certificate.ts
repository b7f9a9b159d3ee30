/** The certificate of the desk's server: kept over restarts as long as it is valid, with an authority that signs nothing else. */
import { newAuthority } from '../../mock/certificates.ts';
import type { KeptCertificate } from './events.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are valid for 30 days; a client is not to find one that ends in the middle of its work. */
const keptMs = 28 * dayMs;

/** Whether the certificate of an earlier start still serves at `now`, in milliseconds since the Unix epoch. */
export function stillServes(kept: KeptCertificate | undefined, now: number): kept is KeptCertificate {
  return kept !== undefined && now - kept.issuedAt < keptMs && now >= kept.issuedAt - dayMs;
}

/** A new certificate for 127.0.0.1 and localhost. The key of the authority is forgotten at once. */
export function issueCertificate(now: number): KeptCertificate {
  const authority = newAuthority(now);
  const { cert, key } = authority.issue({ names: ['127.0.0.1', 'localhost', '::1'] });
  return { authority: authority.certificatePem, cert, key, issuedAt: now };
}
