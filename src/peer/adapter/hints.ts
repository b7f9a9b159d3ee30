/** What to do about an adapter's fault, in the words of the language that it is written in. */

export type AdapterLanguage =
  | 'node'
  | 'python'
  | 'ruby'
  | 'perl'
  | 'php'
  | 'java'
  | 'go'
  | 'shell'
  | 'lua'
  | 'dotnet'
  | 'c'
  | 'rust'
  | 'unknown';

/** Names of languages, of their programs, and endings of their files. */
const names: Readonly<Record<Exclude<AdapterLanguage, 'unknown'>, string>> = {
  node: 'node nodejs javascript typescript deno bun tsx mjs cjs js ts',
  python: 'python python2 python3 pypy py',
  ruby: 'ruby jruby bundle rb',
  perl: 'perl pl',
  php: 'php',
  java: 'java kotlin scala groovy gradle mvn jar',
  go: 'go golang',
  shell: 'sh bash dash zsh ksh shell',
  lua: 'lua',
  dotnet: 'dotnet c# csharp pwsh',
  c: 'c c++',
  rust: 'rust cargo',
};

const aliases = new Map(
  Object.entries(names).flatMap(([language, words]) =>
    words.split(' ').map((word) => [word, language as AdapterLanguage]),
  ),
);

/** The language that an adapter named, or the one that its command looks like. */
export function languageOf(named: string | undefined, command: readonly string[] = []): AdapterLanguage {
  const byName = aliases.get((named ?? '').toLowerCase().split(/[\s/]/)[0]!);
  if (byName !== undefined) return byName;
  for (const word of command) {
    const file = word
      .split(/[\\/]/)
      .at(-1)!
      .toLowerCase()
      .replace(/\.exe$/, '');
    const found = aliases.get(file.replace(/[\d.]+$/, '')) ?? aliases.get(file) ?? aliases.get(file.split('.').at(-1)!);
    if (found !== undefined) return found;
  }
  return 'unknown';
}

const flush: Readonly<Record<AdapterLanguage, string>> = {
  node: 'write with process.stdout.write and let the event loop run',
  python: 'start it with python -u, or print(..., flush=True)',
  ruby: 'set $stdout.sync = true at the top',
  perl: 'set $| = 1 at the top',
  php: 'call fflush(STDOUT) after each line, and end output buffering with ob_end_flush()',
  java: 'call System.out.flush() after each line',
  go: 'call Flush() on the bufio.Writer after each line, or write to os.Stdout directly',
  shell: 'awk needs fflush(), sed -u, grep --line-buffered; or wrap the command in stdbuf -oL',
  lua: "call io.stdout:setvbuf('line') at the top",
  dotnet: 'set AutoFlush = true on the StreamWriter of the standard output',
  c: 'call setvbuf(stdout, NULL, _IOLBF, 0), or fflush(stdout) after each line',
  rust: 'call flush() on stdout after each line',
  unknown: 'flush standard output after each line',
};

/** A pipe is buffered in blocks by most runtimes, so that an answer stays in the adapter. */
export function flushHint(language: AdapterLanguage): string {
  return `If the answer was written, it may sit in a buffer: ${flush[language]}.`;
}

const exit: Partial<Readonly<Record<AdapterLanguage, string>>> = {
  node: 'process.exit() drops what a pipe has not taken yet; let the program end by itself',
  python: 'os._exit() drops what is buffered; return from main',
  ruby: 'exit! drops what is buffered; use exit',
  java: 'Runtime.halt() drops what is buffered; flush before it',
  go: 'os.Exit and log.Fatal run no deferred Flush',
};

export function halfLineHint(language: AdapterLanguage): string {
  return `End each line with a line feed and flush it before the program ends${exit[language] === undefined ? '' : `: ${exit[language]}`}.`;
}

const divert: Partial<Readonly<Record<AdapterLanguage, string>>> = {
  node: 'console.error instead of console.log',
  python: 'print(..., file=sys.stderr)',
  ruby: 'warn instead of puts',
  perl: 'print STDERR',
  php: "fwrite(STDERR, ...), and ini_set('display_errors', 'stderr')",
  java: 'System.err.println',
  go: 'fmt.Fprintln(os.Stderr, ...)',
  shell: 'echo ... >&2',
};

export function strayHint(language: AdapterLanguage): string {
  const how = divert[language];
  return `Standard output belongs to the protocol: write everything else to standard error${how === undefined ? '' : ` (${how})`}, or the protocol to file descriptor 3.`;
}

const utf8: Partial<Readonly<Record<AdapterLanguage, string>>> = {
  python: "sys.stdout.reconfigure(encoding='utf-8')",
  ruby: "$stdout.set_encoding('UTF-8') and Encoding.default_external = 'UTF-8'",
  perl: "JSON::PP->new->utf8 on a raw handle, or binmode(STDOUT, ':encoding(UTF-8)') but not both",
  php: 'json_encode with JSON_INVALID_UTF8_SUBSTITUTE for text of unknown encoding',
  java: 'new PrintStream(System.out, true, "UTF-8")',
  dotnet: 'Console.OutputEncoding = new UTF8Encoding(false)',
};

export function utf8Hint(language: AdapterLanguage): string {
  return `The protocol is UTF-8 whatever the locale${utf8[language] === undefined ? '' : `: ${utf8[language]}`}. Bytes of unknown encoding go into base64 members.`;
}

const withoutMark: Partial<Readonly<Record<AdapterLanguage, string>>> = {
  python: "the encoding 'utf-8', not 'utf-8-sig'",
  dotnet: 'new UTF8Encoding(false), in one writer that is kept open',
};

export function byteOrderMarkHint(language: AdapterLanguage): string {
  return `Write UTF-8 without a byte-order mark${withoutMark[language] === undefined ? '' : `: ${withoutMark[language]}`}. One is dropped at the start of the output, and nowhere else.`;
}

const json: Partial<Readonly<Record<AdapterLanguage, string>>> = {
  python: 'json.dumps(..., allow_nan=False)',
  php: 'json_encode returns false on invalid UTF-8; use JSON_THROW_ON_ERROR',
  shell: 'build the line with jq -c, never with echo',
};

export function jsonHint(language: AdapterLanguage): string {
  return `Each line is one JSON object (RFC 8259) written by a JSON library${json[language] === undefined ? '' : `: ${json[language]}`}.`;
}

/** What the end of the process is explained by: its last words, and where lines end if a string in them was cut. */
export function crashHint(lastWords: string): string {
  if (lastWords === '') {
    return 'It wrote nothing to standard error. Run the command by hand and type the lines {"t":"hello"} and {"t":"bye"} to see what it does.';
  }
  const isCut = /Unterminated string/i.test(lastWords);
  return `${isCut ? cutLines : ''}The end of its standard error: ${lastWords}`;
}

const cutLines =
  'Cut lines at 0x0A only: splitlines() of Python cuts them at U+2028 too, and so does readline of Node from 24 on. ';
