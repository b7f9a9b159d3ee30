/** A refusal of `certificate` and `verify`, as people and programs read it. */
import { CertificateError } from '../../extras/certificate/certificate-error.ts';
import { printedJson, visible } from '../../report/visible.ts';
import type { CommandSurroundings } from '../surroundings.ts';

/**
 * What `act` returns; a refusal is said in one sentence, with `json` on standard output as an object too, and has exit code 2 for
 * what is no certificate at all, or evidence that may not be read, and 1 otherwise.
 */
export async function orRefused<T>(
  { out, err }: Pick<CommandSurroundings, 'out' | 'err'>,
  json: boolean | undefined,
  act: () => Promise<T>,
): Promise<T | 1 | 2> {
  try {
    return await act();
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    const { code, message, hint } = cause;
    if (json) out(printedJson({ refused: code, because: message, hint }));
    err(`countersign: refused: ${visible(message)}. ${hint}\n`);
    return code === 'not-a-certificate' || code === 'unreadable-evidence' ? 2 : 1;
  }
}
