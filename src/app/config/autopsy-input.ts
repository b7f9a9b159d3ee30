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
import type { WireRequest } from '../../protocol/index.ts';
import { countedWord } from '../../record/counted-word.ts';
import { readRegularFile } from '../../record/disk/files.ts';
import { fromHar, HarError } from '../../record/har.ts';
import { losses, lossOfSigned } from '../../record/har-losses.ts';
import { UsageError } from '../usage-error.ts';
import { shellWord } from './run-flags.ts';

/** Bytes of a file, which may be a HAR file. */
const largest = 256 * 1024 * 1024;
const longestWaitMs = 60_000;

/** Signed entries of a HAR file of which none was chosen. */
export interface SignedEntries {
  readonly entries: readonly { readonly number: number; readonly request: WireRequest }[];
  /** What each of the others lacks of what is signed. */
  readonly lacking: readonly string[];
  readonly remarks: readonly string[];
}

/** Throws UsageError where there is no request to examine. */
export async function requestToExamine(
  file: string,
  options: { readonly entry?: number; readonly baseUrl?: string },
): Promise<RequestText | SignedEntries> {
  const bytes = await (file === '-' ? readStandardInput() : readWholeFile(file));
  const seen = options.baseUrl === undefined ? undefined : seenUrl(options.baseUrl);
  try {
    const prefixed = <T extends { readonly request: WireRequest }>(read: T): T => ({
      ...read,
      request: withPrefix(read.request, seen?.prefix ?? ''),
    });
    if (!startsAsJson(bytes)) return prefixed(readText(bytes, options.entry, seen));
    const read = readEntry(bytes, options.entry, seen);
    return 'entries' in read ? { ...read, entries: read.entries.map(prefixed) } : prefixed(read);
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

function readEntry(
  bytes: Uint8Array,
  entry: number | undefined,
  seen: SeenUrl | undefined,
): RequestText | SignedEntries {
  const entries = fromHar(bytes);
  const asSeen = (request: WireRequest): WireRequest =>
    seen === undefined ? request : { ...request, scheme: seen.scheme, host: seen.host ?? request.host };
  const numbered = entries.map(({ exchange: { request } }, index) => ({ number: index + 1, request: asSeen(request) }));
  const lossOf = ({ number }: { readonly number: number }) => lossOfSigned(entries[number - 1]!);
  const isSigned = (request: WireRequest) => credentialOf(request, 'oauth_signature') !== undefined;
  const signed = numbered.filter((one) => isSigned(one.request) || lossOf(one)?.includes(losses.authorization));
  if (entry === undefined && signed.length > 1) {
    const lacking = signed.flatMap((one) => lossOf(one) ?? []);
    const count = lacking.length + entries.filter(({ unreadable }) => unreadable).length;
    const remark = `The HAR file has ${countedWord(count, 'record')} that lack a part; they were left out.`;
    const whole = signed.filter((one) => lossOf(one) === undefined);
    return { entries: whole, lacking, remarks: count === 0 ? [] : [remark] };
  }
  const number = entry ?? (entries.length === 1 ? 1 : signed[0]?.number);
  if (number === undefined) {
    throw new UsageError('unreadable-file', 'no entry of the HAR file holds OAuth credentials', {
      hint:
        entries.length === 0
          ? 'It has no entries at all: record the request once more.'
          : `It has ${entries.length} entries; --entry N examines one of them nevertheless.`,
    });
  }
  const found = entries[number - 1];
  if (found === undefined) {
    throw new UsageError('bad-value', `the HAR file has no entry ${entry}`, {
      hint: entries.length === 0 ? 'It has none.' : `It has ${entries.length}; the first one is 1.`,
    });
  }
  if (found.unreadable !== undefined) throw found.unreadable;
  const lacking = lossOfSigned(found);
  return {
    request: asSeen(found.exchange.request),
    ...(lacking === undefined ? {} : { lacking }),
    remarks: found.incomplete === undefined ? [] : [`The record lacks ${found.incomplete}.`],
  };
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
    ? `Give the HAR file in it: countersign autopsy ${shellWord(har)}.`
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
