/** Where a secret or a key is kept, and the bytes that are kept there. */
import { readFile, stat } from 'node:fs/promises';

/** A file by its absolute path, or an environment variable by its name. Neither is a secret. */
export type SecretSource = { readonly file: string } | { readonly variable: string };

/** What was found at a source; `unreadable` completes a sentence such as "the secret file x does not exist". */
export type Found = { readonly bytes: Uint8Array } | { readonly unreadable: string };

/** No key or secret is longer; a bigger file was given by mistake. */
const largestBytes = 64 * 1024;

/** Reads a source; never throws. A file that is no regular one is not opened: a pipe could make the process wait for ever. */
export async function readSource(
  source: SecretSource,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Found> {
  if ('variable' in source) {
    const value = env[source.variable];
    return value === undefined ? { unreadable: 'is not set' } : { bytes: Buffer.from(value, 'utf8') };
  }
  try {
    const found = await stat(source.file);
    if (found.isDirectory()) return { unreadable: 'is a folder' };
    if (!found.isFile()) return { unreadable: 'is not a regular file' };
    if (found.size > largestBytes) return { unreadable: 'is too large to be what it is given for' };
    return { bytes: await readFile(source.file, { signal: AbortSignal.timeout(10_000) }) };
  } catch (cause) {
    return { unreadable: whyUnreadable(cause as NodeJS.ErrnoException) };
  }
}

/** `the file /x/secret.txt` or `the environment variable SECRET`. */
export function nameOf(source: SecretSource): string {
  return 'variable' in source ? `the environment variable ${source.variable}` : `the file ${source.file}`;
}

function whyUnreadable(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return 'does not exist';
  if (cause.code === 'EACCES' || cause.code === 'EPERM') return 'may not be read by this user';
  return `cannot be read (${cause.code ?? cause.name})`;
}
