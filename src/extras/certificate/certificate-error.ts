/** Errors when a certificate is issued or checked. Each message names the place. */
import { CodedError, inTwoLines } from '../../record/errors.ts';

export type CertificateErrorCode =
  /** The file has other content. */
  | 'not-a-certificate'
  | 'other-key'
  | 'changed-certificate'
  /** The signature is valid, but members contradict each other. */
  | 'contradiction'
  | 'not-valid-now'
  | 'old-suite'
  | 'other-challenge'
  | 'other-artifact'
  | 'changed-evidence'
  /** The file exists, but this user may not read it: it may be unchanged. */
  | 'unreadable-evidence'
  | 'other-outcome'
  /** This kind of run cannot be certified. */
  | 'not-certifiable';

export class CertificateError extends CodedError<CertificateErrorCode> {}

export function certificateError(code: CertificateErrorCode, cause?: unknown) {
  return inTwoLines((message, hint) => new CertificateError(code, message, hint, cause));
}
