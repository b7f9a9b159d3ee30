/** Where a secret or a key is kept, and the bytes that are kept there. */
import { readRegularFile, type Unreadable } from '../../record/disk/regular-file.ts';

/** A file by its absolute path, or an environment variable by its name. Neither is a secret. */
export type SecretSource = { readonly file: string } | { readonly variable: string };

/** What was found at a source; `unreadable` completes a sentence such as "the secret file x does not exist". */
export type SourceContent = { readonly bytes: Uint8Array } | Unreadable;

/** No key or secret is longer; a bigger file was given by mistake. */
const largestBytes = 64 * 1024;

/** Reads a source; never throws. */
export async function readSource(
  source: SecretSource,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SourceContent> {
  if ('variable' in source) {
    const value = env[source.variable];
    return value === undefined
      ? { unreadable: 'is not set', because: 'failed' }
      : { bytes: Buffer.from(value, 'utf8') };
  }
  return readRegularFile(source.file, largestBytes);
}

/** `the file /x/secret.txt` or `the environment variable SECRET`. */
export function nameOf(source: SecretSource): string {
  return 'variable' in source ? `the environment variable ${source.variable}` : `the file ${source.file}`;
}
