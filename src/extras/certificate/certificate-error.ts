/** Errors when a certificate is issued or checked. Each message names the place. */
import { CodedError, inTwoLines } from '../../record/errors.ts';

/**
 * `contradiction`: the signature is valid, but members contradict each other. `unreadable-evidence`: this user may not read the
 * file, which may be unchanged. `not-certifiable`: this kind of run gets no certificate.
 */
export class CertificateError extends CodedError<
  | 'not-a-certificate'
  | 'other-key'
  | 'changed-certificate'
  | 'contradiction'
  | 'not-valid-now'
  | 'old-suite'
  | 'other-challenge'
  | 'other-artifact'
  | 'changed-evidence'
  | 'unreadable-evidence'
  | 'other-outcome'
  | 'not-certifiable'
> {}

export function certificateError(code: CertificateError['code'], cause?: unknown) {
  return inTwoLines((message, hint) => new CertificateError(code, message, hint, cause));
}
