/** Why no certificate is issued, or why one is not believed. Each is one sentence that says where. */
import { CodedError, inTwoLines } from '../../record/errors.ts';

export type CertificateErrorCode =
  /** The file holds something else. */
  | 'not-a-certificate'
  | 'other-key'
  | 'changed-certificate'
  /** Its members contradict one another, although the signature is right. */
  | 'contradiction'
  | 'not-valid-now'
  | 'old-suite'
  | 'other-challenge'
  | 'other-artifact'
  | 'changed-evidence'
  /** It is there, and not for this user: nothing is known of it. */
  | 'unreadable-evidence'
  | 'other-outcome'
  /** The run is not one that a certificate can be issued for. */
  | 'not-certifiable';

export class CertificateError extends CodedError<CertificateErrorCode> {}

export function certificateError(code: CertificateErrorCode, cause?: unknown) {
  return inTwoLines((message, hint) => new CertificateError(code, message, hint, cause));
}
