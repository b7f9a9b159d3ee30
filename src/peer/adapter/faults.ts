/** Errors of an adapter, with hints for its programming language. */
import { CodedError, errorTag } from '../../record/errors.ts';

export class AdapterError extends CodedError<
  | 'cannot-start'
  /** The program does not exist, or exited with code 127 before `ready`. A shell uses 127 for an unknown command. */
  | 'unsupported'
  | 'no-ready'
  | 'exited'
  /** The adapter ended during a case, and again when the suite repeated only this case. */
  | 'adapter-crash'
  /** The adapter ended in the middle of a line, or did not finish a line before the deadline. */
  | 'half-line'
  /** The adapter closed all its outputs but kept running. */
  | 'output-closed'
  /** The adapter closed its standard input but kept running. */
  | 'input-closed'
  | 'disconnected'
  | 'cannot-listen'
  | 'no-connection'
  | 'timed-out'
  /** The adapter wrote more lines or bytes than the limits allow, but not the answer that the suite waits for. */
  | 'flooded'
  | 'line-too-long'
  | 'not-utf8'
  | 'not-json'
  | 'duplicate-key'
  | 'wrong-version'
  | 'protocol-violation'
  /** The adapter ended or hung too often to be restarted. */
  | 'gave-up'
  | 'session-closed'
> {}

export function adapterError(code: AdapterError['code'], cause?: unknown) {
  return errorTag((message, hint) => new AdapterError(code, message, hint, cause));
}

/** How an adapter ended. */
export interface Ending {
  readonly code: 'exited' | 'output-closed' | 'input-closed' | 'disconnected';
  /** Text that follows the words `The adapter`, such as `exited with code 1`. */
  readonly how: string;
  readonly orderly: boolean;
  /** Set for exit code 127: the adapter cannot run on this machine. */
  readonly isUnsupported?: true;
}

export interface AdapterState {
  readonly language: string;
  /** The bytes that the adapter wrote after its last line feed. */
  readonly unfinished: Uint8Array;
  /** The last lines that the adapter wrote to standard error. */
  readonly lastErrorLines: string;
  /** The first line that is not a message of the protocol. */
  readonly firstStray: string | undefined;
  /** The id of a result that belongs to no case, such as `"case-1"` or `the number 5`. */
  readonly oddId: string | undefined;
  /** What arrived instead of the answer, such as `2 log messages`. So the output is not stuck in a buffer. */
  readonly otherMessages: readonly string[];
  /** The name of the open case; undefined if no case or several cases are open. */
  readonly caseName: string | undefined;
  readonly answered: boolean;
  /** While the suite waits for an answer: the first line that is not a message of the protocol. */
  readonly strayWhileWaiting: string | undefined;
}

export function noReady(state: AdapterState, afterMs: number): AdapterError {
  const { otherMessages, firstStray: stray, language } = state;
  const advice = 'Answer "hello" with "ready" at once. Do not wait for more lines or for the end of the input.';
  const formHint = stray === undefined ? '' : `${oneMessage} `;
  const cause =
    otherMessages.length === 0 ? flushHint(language) : 'The answer is a separate line that begins with {"t":"ready".';
  return unanswered(state, afterMs, { code: 'no-ready', name: 'hello', stray, hint: `${advice} ${formHint}${cause}` });
}

export function timedOut(state: AdapterState, name: string, afterMs: number): AdapterError {
  const { oddId, strayWhileWaiting: stray } = state;
  const hint =
    oddId === undefined
      ? unansweredHint(state)
      : `The adapter answered a case that does not exist, with ${oddId} as its id. ${sameId}`;
  return unanswered(state, afterMs, { code: 'timed-out', name, stray, hint });
}

interface Unanswered {
  readonly code: 'no-ready' | 'timed-out';
  /** What the adapter did not answer: `hello`, or the name of a case. */
  readonly name: string;
  readonly stray: string | undefined;
  readonly hint: string;
}

function unanswered(state: AdapterState, afterMs: number, { code, name, stray, hint }: Unanswered): AdapterError {
  const within = `within ${Math.round(afterMs)} ms`;
  if (state.unfinished.length > 0) return unfinished(state, `${name} was not answered ${within}`);
  const answer = code === 'no-ready' ? 'ready' : 'result';
  const sent = state.otherMessages.length === 0 ? '' : `; it sent ${state.otherMessages.join(', ')} and no ${answer}`;
  const wrote = stray === undefined ? '' : `; it wrote a line that is not a message of the protocol: ${stray}`;
  const message = `The adapter did not answer ${name} ${within}${sent}${wrote}.`;
  return new AdapterError(code, message, `${hint}${standardError(state)}`);
}

function unansweredHint({ language, otherMessages, strayWhileWaiting, answered }: AdapterState): string {
  if (strayWhileWaiting !== undefined) return `${oneMessage} ${strayHint(language)}`;
  if (otherMessages.length > 0) return 'Answer each case with one result that has the id of the case.';
  return answered
    ? 'The adapter answered earlier cases, so look for an endless wait or loop. With --attach, the adapter can run in a debugger.'
    : flushHint(language);
}

const oneMessage = 'Write each message as one complete JSON object with the member "t", alone on its line.';

const sameId = 'Return the id unchanged, as the text that was sent.';

/** The error of a result whose id is not a text. */
export function wrongId(id: unknown, bytes: Uint8Array): AdapterError {
  return adapterError('protocol-violation')`
    A result has ${formatId(id)} as its id, which must be the text that was sent: ${quoteBytes(bytes)}
    Do not convert the id to another type. ${sameId}`;
}

export function formatId(id: unknown): string {
  if (typeof id === 'string') return `"${printable(id).slice(0, 60)}"`;
  if (id === undefined) return 'nothing';
  if (id === null) return 'null';
  if (typeof id === 'object') return Array.isArray(id) ? 'a list' : 'an object';
  return typeof id === 'number' ? `the number ${id}` : `the word ${id}`;
}

function unfinished(state: AdapterState, what: string): AdapterError {
  return adapterError('half-line')`
    The adapter began a line and did not finish it, and ${what}: ${quoteBytes(state.unfinished)}
    ${halfLineHint(state.language)} ${flushHint(state.language)}`;
}

/** The error of an adapter that ended. `beforeReady` is true if it ended before it answered hello. */
export function ended(
  state: AdapterState,
  { code, how, orderly, isUnsupported }: Ending,
  beforeReady: boolean,
): AdapterError {
  const when = beforeReady ? 'before it answered hello' : `during ${state.caseName ?? 'a case'}`;
  if (state.unfinished.length > 0) {
    return adapterError('half-line')`
      The adapter ${how} in the middle of a line: ${quoteBytes(state.unfinished)}
      ${halfLineHint(state.language)} ${crashHint(state.lastErrorLines)}`;
  }
  const stray = beforeReady && state.firstStray !== undefined ? `; its output began with ${state.firstStray}` : '';
  const endsAfterEachCall = code === 'exited' && orderly && state.answered;
  const oneShotHint = endsAfterEachCall ? '; if it ends after each call, use --one-shot' : '';
  const hints: Readonly<Record<Ending['code'], string>> = {
    exited: crashHint(state.lastErrorLines),
    'input-closed': `Keep standard input open until "bye" arrives.${standardError(state)}`,
    'output-closed': `Keep standard output open until "bye" arrives. ${crashHint(state.lastErrorLines)}`,
    disconnected: 'Start the adapter again with the same port, and keep the connection open until "bye" arrives.',
  };
  const message = `The adapter ${how} ${when}${stray}${oneShotHint}.`;
  if (beforeReady) return new AdapterError(isUnsupported ? 'unsupported' : code, message, hints[code]);
  return new AdapterError(code === 'exited' ? 'adapter-crash' : code, message, hints[code]);
}

/** The error of an adapter that writes too much. `firstMessage` is the first message that was not expected. */
export function flooded(
  { firstStray, language }: AdapterState,
  { lines, bytes, firstMessage }: { lines: number; bytes: number; firstMessage?: string },
): AdapterError {
  const example = firstStray ?? firstMessage;
  const size = `${Math.round(bytes / 1024)} KiB`;
  const examples = example === undefined ? 'and all of them are blank' : `such as ${example}`;
  const message =
    lines === 0
      ? `The adapter wrote ${size} without a line end`
      : `The adapter wrote ${lines} lines (${size}) without the answer that the suite waits for, ${examples}`;
  const floodHint = 'Answer each message once, and send fewer log and progress messages.';
  const hasOnlyMessages = firstStray === undefined && firstMessage !== undefined;
  return new AdapterError('flooded', message, hasOnlyMessages ? floodHint : strayHint(language));
}

export function lineTooLong(start: Uint8Array, maxLineBytes: number): AdapterError {
  return adapterError('line-too-long')`
    The adapter wrote a line of more than ${maxLineBytes} bytes; it starts with «${printable(Buffer.from(start).toString('utf8').slice(0, 80))}…»
    End each line with a line feed (0x0A), after at most limits.max_line_bytes bytes (a member of hello).`;
}

/** The error of a message that cannot be parsed. `where` is the error message of the parser. */
export function brokenLine(
  code: 'not-utf8' | 'not-json' | 'duplicate-key',
  where: string,
  bytes: Uint8Array,
  language: string,
): AdapterError {
  const parserNote = 'Some JSON parsers use the first value, others the last one.';
  const [what, hint] = {
    'not-utf8': ['a line that is not UTF-8', utf8Hint(language)] as const,
    'not-json': [`a line that is not JSON (${where})`, jsonHint(language)] as const,
    'duplicate-key': [`an object in which ${where}`, `${parserNote} ${jsonHint(language)}`] as const,
  }[code];
  return new AdapterError(code, `The adapter wrote ${what}: ${quoteBytes(bytes)}`, hint);
}

export function wrongResult(fault: string, bytes: Uint8Array): AdapterError {
  return adapterError('protocol-violation')`
    A result is invalid: ${fault}, in ${quoteBytes(bytes)}
    Compare the result with schemas/adapter/result.json, then run --check-adapter.`;
}

export function sessionClosed(): AdapterError {
  return new AdapterError('session-closed', 'The session with the adapter was closed.', 'Make no calls after close().');
}

function standardError({ lastErrorLines }: AdapterState): string {
  return lastErrorLines === '' ? '' : ` The end of its standard error: ${lastErrorLines}`;
}

interface LanguageHints {
  readonly names: string;
  readonly flush: string;
  readonly exit?: string;
  readonly divert?: string;
  readonly utf8?: string;
  readonly json?: string;
}

const languages: Readonly<Record<string, LanguageHints>> = {
  node: {
    names: 'node nodejs javascript typescript deno bun tsx mjs cjs js ts',
    flush: 'write with process.stdout.write and let the event loop run',
    exit: 'process.exit() drops output that is not written yet; let the program end by itself',
    divert: 'console.error instead of console.log',
  },
  python: {
    names: 'python python2 python3 pypy py',
    flush: 'start it with python -u, or print(..., flush=True)',
    exit: 'os._exit() drops buffered output; return from main',
    divert: 'print(..., file=sys.stderr)',
    utf8: "sys.stdout.reconfigure(encoding='utf-8')",
    json: 'json.dumps(..., allow_nan=False)',
  },
  ruby: {
    names: 'ruby jruby bundle rb',
    flush: 'set $stdout.sync = true at the top',
    exit: 'exit! drops buffered output; use exit',
    divert: 'warn instead of puts',
    utf8: "$stdout.set_encoding('UTF-8') and Encoding.default_external = 'UTF-8'",
  },
  perl: {
    names: 'perl pl',
    flush: 'set $| = 1 at the top',
    divert: 'print STDERR',
    utf8: "JSON::PP->new->utf8 on a raw handle, or binmode(STDOUT, ':encoding(UTF-8)') but not both",
  },
  php: {
    names: 'php',
    flush: 'call fflush(STDOUT) after each line, and end output buffering with ob_end_flush()',
    divert: "fwrite(STDERR, ...), and ini_set('display_errors', 'stderr')",
    utf8: 'json_encode with JSON_INVALID_UTF8_SUBSTITUTE for text of unknown encoding',
    json: 'json_encode returns false on invalid UTF-8; use JSON_THROW_ON_ERROR',
  },
  java: {
    names: 'java kotlin scala groovy gradle mvn jar',
    flush: 'call System.out.flush() after each line',
    exit: 'Runtime.halt() drops buffered output; flush before it',
    divert: 'System.err.println',
    utf8: 'new PrintStream(System.out, true, "UTF-8")',
  },
  go: {
    names: 'go golang',
    flush: 'call Flush() on the bufio.Writer after each line, or write to os.Stdout directly',
    exit: 'os.Exit and log.Fatal run no deferred Flush',
    divert: 'fmt.Fprintln(os.Stderr, ...)',
  },
  shell: {
    names: 'sh bash dash zsh ksh shell',
    flush: 'use fflush() in awk, sed -u, grep --line-buffered, or run the command with stdbuf -oL',
    divert: 'echo ... >&2',
    json: 'build the line with jq -c, never with echo',
  },
  lua: { names: 'lua', flush: "call io.stdout:setvbuf('line') at the top" },
  dotnet: {
    names: 'dotnet c# csharp pwsh',
    flush: 'set AutoFlush = true on the StreamWriter of the standard output',
    utf8: 'Console.OutputEncoding = new UTF8Encoding(false)',
  },
  c: { names: 'c c++', flush: 'call setvbuf(stdout, NULL, _IOLBF, 0), or fflush(stdout) after each line' },
  rust: { names: 'rust cargo', flush: 'call flush() on stdout after each line' },
  unknown: { names: 'unknown', flush: 'flush standard output after each line' },
};

const aliases = new Map(
  Object.entries(languages).flatMap(([language, { names }]) => names.split(' ').map((word) => [word, language])),
);

/** The programming language of an adapter, as a key of `languages`; `unknown` if nothing names a language. */
export function languageOf(named: string | undefined, command: readonly string[] = []): string {
  const byName = aliases.get((named ?? '').toLowerCase().split(/[\s/]/)[0]!);
  if (byName !== undefined) return byName;
  for (const word of command) {
    const file = /[^\\/]*$/.exec(word.toLowerCase())![0].replace(/\.exe$/, '');
    const found = aliases.get(file.replace(/[\d.]+$/, '')) ?? aliases.get(file) ?? aliases.get(file.split('.').at(-1)!);
    if (found !== undefined) return found;
  }
  return 'unknown';
}

/** A hint to flush the output, because the runtime may keep the answer in a buffer. */
export function flushHint(language: string): string {
  return `The answer may be in a buffer: ${languages[language]!.flush}.`;
}

function halfLineHint(language: string): string {
  return `End each line with a line feed and flush it before the program ends${suffix(languages[language]!.exit)}.`;
}

export function strayHint(language: string): string {
  const { divert } = languages[language]!;
  const how = divert === undefined ? '' : ` (${divert})`;
  return `Standard output is only for messages of the protocol: write everything else to standard error${how}, or write the messages to file descriptor 3.`;
}

export function utf8Hint(language: string): string {
  return `Write UTF-8 in every locale${suffix(languages[language]!.utf8)}. Write bytes of unknown encoding as base64.`;
}

function jsonHint(language: string): string {
  return `Each line is one JSON object (RFC 8259) written by a JSON library${suffix(languages[language]!.json)}.`;
}

function suffix(text: string | undefined): string {
  return text === undefined ? '' : `: ${text}`;
}

function crashHint(lastErrorLines: string): string {
  if (lastErrorLines === '') {
    return 'The adapter wrote nothing to standard error. Start it in a terminal and type {"t":"hello"}: it should answer with a line that begins with {"t":"ready".';
  }
  const splitHint = /Unterminated string/i.test(lastErrorLines)
    ? 'Split the input only at 0x0A. In Python, splitlines() also splits at U+2028; so does readline in Node 24 and later. '
    : '';
  return `${splitHint}The end of its standard error: ${lastErrorLines}`;
}

/** The most useful of the last lines of standard error, joined for a message. */
export function summaryOf(errors: Buffer): string {
  const lines = errors.toString('utf8').split('\n');
  const text = usefulLines(lines.map((line) => printable(line.trim())).filter((line) => line !== '')).join(' / ');
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}

/** Returns the first error in the last twenty lines, the two lines after it, and the source position before it. */
function usefulLines(all: readonly string[]): readonly string[] {
  const tail = all.slice(-20).filter((line) => !/^at .*\bnode:/.test(line));
  const errorIndex = tail.findIndex((line) => /(?:Error|Exception|error|fatal|No such|cannot|can't)\b/.test(line));
  if (errorIndex === -1) return tail.slice(-3);
  const position = tail
    .slice(0, errorIndex)
    .findLast((line) => /^(?:(?!node:)\S+:\d+|File "(?!.*\/lib\/python).*", line \d+.*)$/.test(line));
  return [...(position === undefined ? [] : [position]), ...tail.slice(errorIndex, errorIndex + 3)];
}

/** Quotes at most `limit` characters in «». If the text is longer, adds its number of bytes. */
export function quoteBytes(bytes: Uint8Array, limit = 120): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4 * limit)).toString('utf8');
  const characters = [...start];
  const quoted = printable(characters.slice(0, limit).join(''));
  const isWhole = bytes.length <= 4 * limit && characters.length <= limit;
  return isWhole ? `«${quoted}»` : `«${quoted}…» (${bytes.length} bytes)`;
}

/** Escapes invisible characters, including control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
