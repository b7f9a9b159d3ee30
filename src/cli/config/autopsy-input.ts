/** The request of an autopsy from a file or standard input: HTTP text, or an entry of a HAR file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  credentialOf,
  type RequestText,
  RequestTextError,
  readRequestText,
  readSeenUrl,
  type SeenUrl,
  withPrefix,
} from '../../autopsy/index.ts';
import { readRegularFile } from '../../disk/regular-file.ts';
import { fromHar, HarError } from '../../exchange/har.ts';
import type { WireRequest } from '../../protocol/index.ts';
import { UsageError } from '../usage-error.ts';
import { shellWord } from './run-flags.ts';

/** Bytes of a file, which may be a HAR file. */
const largest = 256 * 1024 * 1024;
const longestWaitMs = 60_000;

/** Throws UsageError where there is no request to examine. */
export async function requestToExamine(
  file: string,
  options: { readonly entry?: number; readonly baseUrl?: string },
): Promise<RequestText> {
  const bytes = await (file === '-' ? readStandardInput() : readWholeFile(file));
  const seen = options.baseUrl === undefined ? undefined : seenUrl(options.baseUrl);
  try {
    const read = startsAsJson(bytes)
      ? readEntry(bytes, file, options.entry, seen)
      : readText(bytes, options.entry, seen);
    return { ...read, request: withPrefix(read.request, seen?.prefix ?? '') };
  } catch (cause) {
    if (!(cause instanceof RequestTextError) && !(cause instanceof HarError)) throw cause;
    throw new UsageError('unreadable-file', `${named(file)}: ${cause.message}`, { hint: cause.hint, cause });
  }
}

function readText(bytes: Uint8Array, entry: number | undefined, seen: SeenUrl | undefined): RequestText {
  if (entry !== undefined) {
    throw new UsageError('bad-arguments', '--entry was given, but this is not a HAR file', {
      hint: 'Leave --entry out.',
    });
  }
  return readRequestText(bytes, seen);
}

function readEntry(bytes: Uint8Array, file: string, entry: number | undefined, seen: SeenUrl | undefined): RequestText {
  const entries = fromHar(bytes);
  const index =
    entry === undefined
      ? onlyOne(
          entries.map(({ exchange }) => exchange.request),
          file,
        )
      : entry - 1;
  const found = entries[index];
  if (found === undefined) {
    throw new UsageError('bad-value', `the HAR file has no entry ${entry}`, {
      hint: entries.length === 0 ? 'It has none.' : `It has ${entries.length}; the first one is 1.`,
    });
  }
  if (found.unreadable !== undefined) throw found.unreadable;
  const { request } = found.exchange;
  return {
    request: seen === undefined ? request : { ...request, scheme: seen.scheme, host: seen.host ?? request.host },
    remarks: found.incomplete === undefined ? [] : [`The record lacks ${found.incomplete}.`],
  };
}

function onlyOne(requests: readonly WireRequest[], file: string): number {
  const signed = requests.flatMap((request, index) =>
    credentialOf(request, 'oauth_signature') === undefined ? [] : [index],
  );
  if (signed.length === 1) return signed[0]!;
  if (requests.length === 1) return 0;
  if (signed.length === 0) {
    throw new UsageError('unreadable-file', 'no entry of the HAR file holds OAuth credentials', {
      hint:
        requests.length === 0
          ? 'It has no entries at all: record the request once more.'
          : `It has ${requests.length} entries; --entry N examines one of them nevertheless.`,
    });
  }
  const numbers = signed.slice(0, 10).map((index) => index + 1);
  throw new UsageError('bad-arguments', `${signed.length} entries of the HAR file hold OAuth credentials`, {
    hint:
      `Choose one with --entry: ${numbers.join(', ')}${signed.length > numbers.length ? ', …' : ''}. ` +
      `countersign autopsy ${shellWord(file)} --entry ${numbers[0]} examines the first.`,
  });
}

function startsAsJson(bytes: Uint8Array): boolean {
  return /^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'));
}

function seenUrl(text: string): NonNullable<ReturnType<typeof readSeenUrl>> {
  const seen = readSeenUrl(text);
  if (seen !== undefined) return seen;
  throw new UsageError('bad-url', `${text} is not a base URL`, {
    hint: 'Give --base-url a scheme and a host, such as https://gateway.example:8443.',
  });
}

async function readWholeFile(file: string): Promise<Uint8Array> {
  const found = await readRegularFile(file, largest);
  if ('bytes' in found) return found.bytes;
  const har = join(file, 'exchanges.har');
  const hint = existsSync(har)
    ? `Give the HAR file in it: countersign autopsy ${shellWord(har)} --entry 1.`
    : 'Give a file, or - for standard input.';
  throw new UsageError('unreadable-file', `${named(file)} ${found.unreadable}`, { hint, cause: found.cause });
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  const waited = AbortSignal.timeout(longestWaitMs);
  const stop = (): unknown => process.stdin.destroy(new Error('nothing more arrived within a minute'));
  waited.addEventListener('abort', stop);
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > largest) throw new Error('the input is longer than 256 MB');
    }
  } catch (cause) {
    throw new UsageError('unreadable-file', `standard input cannot be read (${(cause as Error).message})`, { cause });
  } finally {
    waited.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks);
}

function named(file: string): string {
  return file === '-' ? 'standard input' : `the file ${file}`;
}
