/** Stops a run whose output would hold a secret. */
import type { Secret } from '../../redaction/secret.ts';
import { type ScannedFile, scan } from './scan.ts';

/** Nothing may be written or printed: it would hold a secret. The message names the file and never the secret. */
export class LeakError extends Error {
  override readonly name = 'LeakError';
  readonly code = 'secret-in-output';
  readonly hint =
    'Take the secret out of what the target or the client sends, and replace it: somebody may have seen it.';
  /** Name of the file. */
  readonly file: string;

  constructor(file: string, secret: string) {
    super(`${file} would hold ${secret}, so nothing of the run is kept`);
    this.file = file;
  }
}

/** Throws LeakError for the first file that holds a secret in any encoding. */
export function refuseLeaks(files: readonly ScannedFile[], secrets: readonly Secret[]): void {
  const [leak] = scan(files, secrets);
  if (leak !== undefined) throw new LeakError(leak.file, leak.secret);
}
