/** The words for what goes wrong in a conversation: one sentence of fact, and a hint in the adapter's language. */
import { AdapterError } from './adapter-error.ts';
import type { Ending } from './channel.ts';
import {
  type AdapterLanguage,
  byteOrderMarkHint,
  crashHint,
  flushHint,
  halfLineHint,
  jsonHint,
  strayHint,
  utf8Hint,
} from './hints.ts';
import { inGuillemets, printable } from './in-guillemets.ts';
import { maxLineBytes, type Read } from './messages.ts';
import type { StrayOutput } from './stray-output.ts';

/** What is known of the adapter when something goes wrong. */
export interface AdapterState {
  readonly language: AdapterLanguage;
  /** An unfinished line. */
  readonly rest: Uint8Array;
  /** End of its standard error. */
  readonly lastWords: string;
  /** The first line that was not of the protocol, quoted. */
  readonly firstStray: string | undefined;
  /** Id of a result that belongs to no case, in words: `"case-1"`, or `the number 5`. */
  readonly oddId: string | undefined;
  /** What was received while the case was open and is not a result, such as `31 progress messages`; empty where nothing was received. */
  readonly instead: readonly string[];
  /** Name of the case that is open; undefined where there is none, or more than one. */
  readonly asked: string | undefined;
  /** Whether it answered any case before. */
  readonly answered: boolean;
  /** The first line that was not of the protocol while the case was open, quoted. */
  readonly strayInstead: string | undefined;
}

export function noReady(about: AdapterState, afterMs: number): AdapterError {
  if (about.rest.length > 0) return unfinished(about, `hello was not answered within ${afterMs} ms`);
  const { instead } = about;
  const sent = instead.length === 0 ? '' : `; it sent ${instead.join(', ')} and no ready`;
  const stray = about.firstStray === undefined ? '' : `; what it wrote is not of the protocol: ${about.firstStray}`;
  // Where something was received, nothing was held back in a buffer.
  const hints = [
    'It has to answer hello with ready before it reads on, without waiting for the end of its input.',
    ...(stray === '' ? [] : [oneMessage]),
    instead.length === 0 ? flushHint(about.language) : 'The answer is a line of its own that begins with {"t":"ready".',
  ];
  return new AdapterError(
    'no-ready',
    `The adapter did not answer hello within ${afterMs} ms${sent}${stray}.`,
    `${hints.join(' ')}${said(about)}`,
  );
}

/** @param name what a person calls the case */
export function timedOut(about: AdapterState, name: string, afterMs: number): AdapterError {
  if (about.rest.length > 0) return unfinished(about, `${name} was not answered within ${Math.round(afterMs)} ms`);
  const { oddId, instead, strayInstead } = about;
  const sent = instead.length === 0 ? '' : `; it sent ${instead.join(', ')} and no result`;
  const stray = strayInstead === undefined ? '' : `; what it wrote is not of the protocol: ${strayInstead}`;
  return new AdapterError(
    'timed-out',
    `The adapter did not answer ${name} within ${Math.round(afterMs)} ms${sent}${stray}.`,
    `${oddId === undefined ? unansweredHint(about) : `It answered for ${oddId}, which is no case: ${sameId}`}${said(about)}`,
  );
}

/** Where something was received, nothing was held back in a buffer. */
function unansweredHint({ language, instead, strayInstead, answered }: AdapterState): string {
  if (strayInstead !== undefined) return `${oneMessage} ${strayHint(language)}`;
  if (instead.length > 0) return 'Each case ends with one result that carries its id.';
  return answered
    ? 'It answered cases before this one: look for a wait without a limit or a loop without an end, in a debugger with --attach.'
    : flushHint(language);
}

/** A message that is spread over lines, or put in a list, looks like none. */
const oneMessage = 'A message is one JSON object with the member t, whole and alone on one line.';

const sameId = 'give back the id unchanged, as the text that was sent.';

/** A result whose id is not a text. */
export function wrongId(id: unknown, bytes: Uint8Array): AdapterError {
  return new AdapterError(
    'protocol-violation',
    `A result has ${idInWords(id)} as its id, which must be the text that was sent: ${inGuillemets(bytes)}`,
    `Where the id was read as something else than text, ${sameId}`,
  );
}

/** An id as a sentence names it, whatever it is. */
export function idInWords(id: unknown): string {
  if (typeof id === 'string') return `"${printable(id).slice(0, 60)}"`;
  if (id === undefined) return 'nothing';
  if (id === null) return 'null';
  if (typeof id === 'object') return Array.isArray(id) ? 'a list' : 'an object';
  return typeof id === 'number' ? `the number ${id}` : `the word ${id}`;
}

function unfinished(about: AdapterState, what: string): AdapterError {
  return new AdapterError(
    'half-line',
    `The adapter began a line and did not finish it, and ${what}: ${inGuillemets(about.rest)}`,
    `${halfLineHint(about.language)} ${flushHint(about.language)}`,
  );
}

/** @param early before it had answered the greeting */
export function ended(
  about: AdapterState,
  { code, how, orderly, isUnsupported }: Ending,
  early: boolean,
): AdapterError {
  const needed = about.asked === undefined ? 'while it was needed' : `while it was needed for ${about.asked}`;
  const when = early ? 'before it had answered hello' : needed;
  if (about.rest.length > 0) {
    return new AdapterError(
      'half-line',
      `The adapter ${how} in the middle of a line: ${inGuillemets(about.rest)}`,
      `${halfLineHint(about.language)} ${crashHint(about.lastWords)}`,
    );
  }
  const stray = early && about.firstStray !== undefined ? `; its output began with ${about.firstStray}` : '';
  const isSingle = code === 'exited' && orderly && about.answered;
  const single = isSingle ? '; one that does a single call and ends is given with --one-shot' : '';
  return new AdapterError(
    code === 'exited' && !early ? 'adapter-crash' : early && isUnsupported ? 'unsupported' : code,
    `The adapter ${how} ${when}${stray}${single}.`,
    code === 'input-closed'
      ? `It can be asked nothing more: keep standard input open until bye comes.${said(about)}`
      : code === 'output-closed'
        ? `Nothing it writes can be read any more: let nothing close standard output. ${crashHint(about.lastWords)}`
        : code === 'disconnected'
          ? 'Start it again with the same port, and keep the connection open until bye comes.'
          : crashHint(about.lastWords),
  );
}

export function flooded(
  about: AdapterState,
  { lines, bytes, first, firstMessage }: Pick<StrayOutput, 'lines' | 'bytes' | 'first' | 'firstMessage'>,
): AdapterError {
  const shown = first ?? firstMessage;
  const size = `${Math.round(bytes / 1024)} KiB`;
  const such = shown === undefined ? 'all of them blank' : `such as ${shown}`;
  return new AdapterError(
    'flooded',
    lines === 0
      ? `The adapter wrote ${size} without the end of a line`
      : `The adapter wrote ${lines} lines (${size}) without one answer that was waited for among them, ${such}`,
    first === undefined && firstMessage !== undefined
      ? 'Answer each message once; log and progress are for now and then.'
      : strayHint(about.language),
  );
}

export function lineTooLong(start: Uint8Array): AdapterError {
  return new AdapterError(
    'line-too-long',
    `The adapter wrote a line of more than ${maxLineBytes} bytes; it starts with «${printable(Buffer.from(start).toString('utf8').slice(0, 80))}…»`,
    'Lines end with a line feed (0x0A) and have the length that limits.max_line_bytes of hello allows.',
  );
}

export function brokenLine(
  { code, where, shown }: Extract<Read, { kind: 'broken' }>,
  language: AdapterLanguage,
): AdapterError {
  const what = {
    'not-utf8': where.startsWith('UTF-') ? `a line in ${where} in place of UTF-8` : 'a line that is not UTF-8',
    'byte-order-mark': 'a byte-order mark before a message',
    'not-json': `a line that is not JSON (${where})`,
    'duplicate-key': `an object in which ${where}`,
  };
  const hint = {
    'not-utf8': utf8Hint(language),
    'byte-order-mark': byteOrderMarkHint(language),
    'not-json': jsonHint(language),
    'duplicate-key': `Readers differ in which of the two counts. ${jsonHint(language)}`,
  };
  return new AdapterError(code, `The adapter wrote ${what[code]}: ${inGuillemets(shown)}`, hint[code]);
}

export function wrongResult(fault: string, bytes: Uint8Array): AdapterError {
  return new AdapterError(
    'protocol-violation',
    `A result does not fit its schema: ${fault}, in ${inGuillemets(bytes)}`,
    'schemas/adapter/result.json describes the message; --check-adapter lists everything that is wrong with it.',
  );
}

/** @param what what it did too often, such as `was stuck 5 times` */
export function gaveUp(last: AdapterError, what: string): AdapterError {
  return new AdapterError(
    'gave-up',
    `The adapter ${what} and is not started again; the last time: ${last.message}`,
    last.hint,
    last,
  );
}

export function sessionClosed(): AdapterError {
  return new AdapterError('session-closed', 'The session with the adapter was closed.', 'Make no calls after close().');
}

function said({ lastWords }: AdapterState): string {
  return lastWords === '' ? '' : ` The end of its standard error: ${lastWords}`;
}
