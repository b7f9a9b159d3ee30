/** `countersign autopsy`: finds out why the signature of a recorded request is refused. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import {
  type AutopsyKeys,
  autopsyKeys,
  autopsyOfText,
  explainMany,
  minKeyBits,
  type WrongSignature,
} from '../../autopsy/autopsy.ts';
import { autopsiesDocument, autopsyDocument } from '../../autopsy/autopsy-document.ts';
import { addressedOperation, credentialOf, judgeForm, readEvidence } from '../../autopsy/facts.ts';
import {
  type BaseUrl,
  type RequestText,
  RequestTextError,
  readBaseUrl,
  readRequestText,
  withPrefix,
} from '../../autopsy/request-text.ts';
import type { WireRequest } from '../../protocol/index.ts';
import { readRegularFile } from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import { groupBy } from '../../record/group-by.ts';
import { HarError } from '../../record/har.ts';
import { losses, signedLosses } from '../../record/losses.ts';
import type { Conclusion } from '../../report/document.ts';
import { terminalText, textWidth, unlimited } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { flagOf, shellWord } from '../../run/options/options.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';
import { readKeyFiles } from '../config/keys.ts';
import { writePage } from '../print.ts';

export function run(
  file: string | undefined,
  options: Input<'autopsy'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  refuseIf(options.page !== undefined && file !== undefined)`--page reads no request, but a file is named
      Remove the file name.`;
  if (options.page !== undefined) return copyPage(options.page === true ? 'autopsy.html' : options.page, surroundings);
  if (file !== undefined) return examine(file, options, surroundings);
  throw usageError()`the request is missing
    Name its file, or write - to read standard input. With --page, you get a page into which you can paste the request.`;
}

async function copyPage(file: string, surroundings: Surroundings): Promise<0> {
  const page = join(packageRoot, 'docs', 'autopsy.html');
  const text = await readFile(page, 'utf8').catch((cause) => {
    throw usageError(cause)`the page ${page} cannot be read (${reasonOf(cause)})
      In a clone, run \`npm run build\`.`;
  });
  await writePage(file, text);
  surroundings.out(`${visible(file)} is written. Open it in a browser: it examines requests and sends nothing.\n`);
  return 0;
}

async function examine(file: string, options: Input<'autopsy'>, surroundings: Surroundings): Promise<0 | 1> {
  try {
    const read = await requestToExamine(file, options);
    for (const sentence of read.remarks) surroundings.remark(sentence);
    if ('entries' in read) return await examineMany(read, options, surroundings);
    const { language } = options;
    const found = autopsyOfText(read, await keysFor(read.request, options, surroundings), language && { language });
    if (read.isSchemeAssumed && found.deviations.some(({ id }) => id === 'scheme-http')) {
      surroundings.remark('The scheme is assumed to be https.\nIf the client calls http, add --base-url http://HOST.');
    }
    print(found, autopsyDocument(found, language, formatKeys(options)), options, surroundings);
    return found.verified ? 0 : 1;
  } catch (cause) {
    if (!(cause instanceof RequestTextError) && !(cause instanceof HarError)) throw cause;
    throw new UsageError(`${inputName(file)}: ${cause.message}`, cause.hint, cause);
  }
}

async function examineMany(
  { entries, lacking }: SignedEntries,
  options: Input<'autopsy'>,
  surroundings: Surroundings,
): Promise<0 | 1> {
  const requests: WrongSignature[] = [];
  const keysByKind = new Map<string, AutopsyKeys>();
  for (const { number, request } of entries) {
    const kind = ['oauth_consumer_key', 'oauth_signature_method'].map((name) => credentialOf(request, name)).join(' ');
    const keys = keysByKind.get(kind) ?? (await keysFor(request, options, surroundings));
    keysByKind.set(kind, keys);
    requests.push({ number, request, keys });
  }
  const found = explainMany(requests, options.language, Number.POSITIVE_INFINITY);
  const causes = found.explained.map(({ example, exampleNumber, numbers, alternatives }) => {
    // Put the searched entry first. With its number, `--entry` shows the same cause.
    const entries = numbers.toSorted((a, b) => Number(b === exampleNumber) - Number(a === exampleNumber));
    return { deviations: example.deviations, alternatives, entries };
  });
  const undecided = lacking.length === 0 ? undefined : lacking;
  const { unexplained, unsearched } = found;
  const explained = causes.flatMap((cause) => cause.entries);
  const malformed = malformedAmong(requests, explained, unexplained);
  const facts = [...(found.unexplainedExample?.facts ?? [])];
  const text = `Signatures without a search of their own (only the mistakes of other entries were tested): ${unsearched.length}.`;
  if (unsearched.length > 0) facts.push({ id: 'unsearched', text });
  const result = { signatures: entries.length, undecided, causes, unexplained, facts, malformed };
  print(result, autopsiesDocument(result, options.language), options, surroundings);
  const faults = causes.length + unexplained.length + malformed.length;
  return faults === 0 && entries.length > 0 ? 0 : 1;
}

function print(
  found: object,
  document: Conclusion,
  { json }: Input<'autopsy'>,
  { out, colour, width }: Surroundings,
): void {
  out(json ? printedJson(found, 2) : terminalText(document, { colour, width: textWidth(width), ...unlimited }));
}

/** Groups malformed requests by fault. Skips requests whose wrong signature is already explained. */
function malformedAmong(
  requests: readonly WrongSignature[],
  explained: readonly number[],
  unexplained: readonly number[],
) {
  const all = requests.flatMap(({ number, request, keys }) => {
    if (explained.includes(number)) return [];
    const isRight = !unexplained.includes(number);
    const { malformations } = judgeForm(readEvidence(request), isRight, keys.tokenSecret !== undefined);
    return malformations.map((fault) => ({ number, fault }));
  });
  const groups = groupBy(all, ({ fault: { id, actual } }) => `${id} ${actual}`);
  return [...groups.values()].map((group) => ({ ...group[0]!.fault, entries: group.map(({ number }) => number) }));
}

function keyFilesOf({ consumerSecretFile, tokenSecretFile, publicKeyFile }: Input<'autopsy'>): string[] {
  return [consumerSecretFile, tokenSecretFile, publicKeyFile].filter((path) => path !== undefined);
}

function formatKeys(options: Input<'autopsy'>): string {
  const files = keyFilesOf(options).map(visible).join(', ');
  return files === ''
    ? 'The published secret and key of the test identity were used. If the client has other credentials, add --consumer-secret-file or --public-key-file.'
    : `These credentials were used: ${files}. Check that the client uses the same credentials.`;
}

async function keysFor(
  request: WireRequest,
  options: Input<'autopsy'>,
  surroundings: Surroundings,
): Promise<AutopsyKeys> {
  const consumerKey = credentialOf(request, 'oauth_consumer_key') ?? '';
  const published = keyFilesOf(options).length > 0 ? undefined : publishedKeys(consumerKey);
  if (published !== undefined) {
    const { consumerKey: _, ...keys } = autopsyKeys(consumerKey, published);
    return keys;
  }
  const method = credentialOf(request, 'oauth_signature_method');
  const keyFlag = method?.startsWith('RSA-') ? 'publicKeyFile' : 'consumerSecretFile';
  refuseIf(method !== undefined && options[keyFlag] === undefined)`the request uses ${method}, and the key is missing
    Add ${flagOf(keyFlag)}.`;
  return readKeyFiles(options, surroundings.remark, { shortest: 1, bits: minKeyBits });
}

const maxBytes = 256 * 1024 * 1024;
const maxWaitMs = 60_000;

type ReadRequest = RequestText & { readonly isSchemeAssumed?: boolean };

interface SignedEntries {
  readonly entries: readonly NumberedEntry[];
  /** For each skipped entry: the signed parts that the recording lacks. */
  readonly lacking: readonly string[];
  readonly remarks: readonly string[];
}

async function requestToExamine(
  file: string,
  { entry, baseUrl }: Input<'autopsy'>,
): Promise<ReadRequest | SignedEntries> {
  const bytes = await (file === '-' ? readStandardInput() : readWholeFile(file));
  const seen = baseUrl === undefined ? undefined : readBaseUrl(baseUrl);
  refuseIf(baseUrl !== undefined && seen === undefined)`${baseUrl} is not a base URL
    Write a scheme and a host, such as --base-url https://gateway.example:8443.`;
  const addPrefix = <T extends { readonly request: WireRequest }>(read: T): T => ({
    ...read,
    request: withPrefix(read.request, seen?.prefix ?? ''),
  });
  if (startsAsJson(bytes)) {
    const read = await readEntry(bytes, entry, seen);
    return 'entries' in read ? { ...read, entries: read.entries.map(addPrefix) } : addPrefix(read);
  }
  refuseIf(entry !== undefined)`--entry needs a HAR file
    Remove --entry.`;
  return addPrefix({ ...readRequestText(bytes, seen), isSchemeAssumed: seen === undefined });
}

async function readEntry(
  bytes: Uint8Array,
  entry: number | undefined,
  seen: BaseUrl | undefined,
): Promise<ReadRequest | SignedEntries> {
  // Load the HAR reader only here: it takes 30 ms, and a request as text does not need it.
  const { readHar } = await import('../../record/read-har.ts');
  const entries = readHar(toHar(bytes)).entries.map((one, index) => {
    const { unreadable, incomplete } = one;
    const { request } = one.exchange;
    const seenRequest = seen ? { ...request, scheme: seen.scheme, host: seen.host ?? request.host } : request;
    return { number: index + 1, request: seenRequest, lacking: signedLosses(one), unreadable, incomplete };
  });
  const signed = entries.filter(
    ({ request, lacking }) =>
      credentialOf(request, 'oauth_signature') !== undefined ||
      // Also keep a request that addresses an operation, if the recording lacks its Authorization header.
      (addressedOperation(request.target) !== 'other' && lacking?.includes(losses.authorization)),
  );
  if (entry === undefined && signed.length > 1) {
    const unreadable = entries.filter((one) => one.unreadable !== undefined);
    return signedEntries(signed, unreadable);
  }
  const number = entry ?? (entries.length === 1 ? 1 : signed[0]?.number) ?? 0;
  const found = entries[number - 1];
  if (found === undefined) {
    throw usageError()`the HAR file has no entry ${entry ?? 'with OAuth credentials'}
      It has ${entries.length === 1 ? '1 entry' : `${entries.length} entries`}. Examine one with --entry N.`;
  }
  if (found.unreadable !== undefined) throw found.unreadable;
  const { request, lacking, incomplete } = found;
  const remarks = incomplete === undefined ? [] : [`The recording lacks ${incomplete}.`];
  return { request, ...(lacking === undefined ? {} : { lacking }), remarks };
}

interface NumberedEntry {
  readonly number: number;
  readonly request: WireRequest;
  readonly lacking?: string | undefined;
}

function signedEntries(signed: readonly NumberedEntry[], unreadable: readonly NumberedEntry[]): SignedEntries {
  const lossy = signed.filter(({ lacking }) => lacking !== undefined);
  const remarks = [...groupBy(lossy, ({ lacking }) => lacking)].map(
    ([lacking, group]) => `${formatSkipped(group)}: the recording lacks ${lacking}.`,
  );
  if (unreadable.length > 0) remarks.push(`${formatSkipped(unreadable)}: not readable.`);
  return {
    entries: signed.filter(({ lacking }) => lacking === undefined),
    lacking: lossy.map(({ lacking }) => lacking!),
    remarks,
  };
}

const maxEntryLength = 16 * 1024 * 1024;

/** Makes a HAR file from a single HAR entry or its request, because browsers and logs export them. Keeps other text. */
function toHar(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8', 0, 1024);
  if (bytes.length > maxEntryLength || /^\s*\{\s*"log"/.test(text)) return bytes;
  let value: { readonly url?: unknown; readonly request?: { readonly url?: unknown } | null };
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return bytes;
  }
  const entry = 'request' in value ? value : { request: value };
  if ('log' in value || entry.request?.url === undefined) return bytes;
  const full = { startedDateTime: new Date(0).toISOString(), time: 0, response: null, ...entry };
  return Buffer.from(JSON.stringify({ log: { version: '1.2', creator: { name: '', version: '' }, entries: [full] } }));
}

function formatSkipped(entries: readonly NumberedEntry[]): string {
  const numbers = entries.map(({ number }) => number);
  const list = `${numbers.slice(0, 8).join(', ')}${numbers.length > 8 ? ', …' : ''}`;
  return `Skipped ${numbers.length === 1 ? 'entry' : 'entries'} ${list} of the HAR file`;
}

/** Also true for UTF-16: the HAR reader then prints a helpful error. */
function startsAsJson(bytes: Uint8Array): boolean {
  return /^(?:\u00ff\u00fe|\u00fe\u00ff|(?:\u00ef\u00bb\u00bf)?\s*\{)/.test(
    Buffer.from(bytes.subarray(0, 1024)).toString('latin1'),
  );
}

async function readWholeFile(file: string): Promise<Uint8Array> {
  const found = await readRegularFile(file, maxBytes);
  if ('bytes' in found) return found.bytes;
  const har = join(file, 'exchanges.har');
  const hint = existsSync(har)
    ? `Name the HAR file in this folder: \`countersign autopsy ${shellWord(har)}\`.`
    : 'Name a file, or - for standard input.';
  throw new UsageError(`${inputName(file)} ${found.unreadable}`, hint, found.cause);
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(AbortSignal.timeout(maxWaitMs), process.stdin)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new Error('it is longer than 256 MB');
    }
  } catch (cause) {
    const { name, message } = cause as Error;
    const reason = name === 'AbortError' ? 'it did not end within a minute' : message;
    throw usageError(cause)`standard input cannot be read: ${reason}
      Write the request to a file, and name that file.`;
  }
  return Buffer.concat(chunks);
}

function inputName(file: string): string {
  return file === '-' ? 'standard input' : `the file ${file}`;
}
