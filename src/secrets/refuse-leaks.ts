/** Stops a run whose output would hold a secret. */
import { CodedError } from '../exchange/coded-error.ts';

import { type Leak, type ScannedFile, scannerFor } from './scan.ts';
import type { Secret } from './secret.ts';

/** `secret-in-file`: in a file of the run. `secret-on-terminal`: in what would be printed. */
export type LeakErrorCode = 'secret-in-file' | 'secret-on-terminal';

/** Nothing may be written or printed: it would hold a secret. The message names the place and never the secret. */
export class LeakError extends CodedError<LeakErrorCode> {}

/** Name under which the text for the terminal is scanned. */
export const terminalName = 'the report on the terminal';

/** Throws LeakError for a file that would hold a secret in any encoding. Files may come in pieces; the search is prepared once. */
export function leakRefusal(secrets: readonly Secret[]): (file: ScannedFile) => void {
  const leaksIn = scannerFor(secrets);
  return (file) => {
    const [leak] = leaksIn(file);
    if (leak !== undefined) throw leakError(leak);
  };
}

function leakError({ file, secret }: Leak): LeakError {
  return new LeakError(
    file === terminalName ? 'secret-on-terminal' : 'secret-in-file',
    `${file} would hold ${secret}, so nothing of the run is kept`,
    'Take the secret out of what the target or the client sends, and replace it: it may have been seen.',
  );
}
