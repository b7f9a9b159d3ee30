/** Forms in which people paste requests: output of tools, logs and commands. Each is read byte for byte, or refused by name. */
import { percentEncode } from '../protocol/index.ts';

type ReadPaste = { readonly http: Buffer } | { readonly refused: string; readonly hint: string };

interface PastedForm {
  readonly name: string;
  readonly is: RegExp;
  readonly read?: (text: string) => string | undefined;
  readonly hint: string;
}

const whole = 'Give the request with its body: as HTTP text, as a HAR file, or as a curl command.';
const requestLine = /[A-Z]+ \S+ HTTP\/\d(?:\.\d)?/.source;

/** The first match counts. A text that starts with a request line matches none. */
const forms: readonly PastedForm[] = [
  {
    name: 'a wire log',
    is: new RegExp(`>> ?"${requestLine}\\[\\\\r\\]`),
    read: (text) => [...text.matchAll(/>> ?"(.*)"[ \t]*$/gm)].map(([, line]) => unmarked(line!)).join(''),
    hint: whole,
  },
  {
    name: 'the debug output of http.client in Python',
    is: new RegExp(`^send: b?["']${requestLine}`, 'm'),
    read: (text) =>
      [...text.matchAll(/^(?:send: b?(["'])(.*)\1|reply:.*)[ \t]*$/gm)].reduce<{ all: string; ended?: true }>(
        ({ all, ended }, [, , sent]) =>
          ended || sent === undefined ? { all, ended: true } : { all: all + unescaped(sent) },
        { all: '' },
      ).all,
    hint: 'The send: lines must also hold the body. If not, give the request as HTTP text.',
  },
  {
    name: 'a bytes literal of Python',
    is: new RegExp(`^\\s*b?(["'])${requestLine}\\\\r\\\\n`),
    read: (text) => unescaped(/^\s*b?(["'])([\s\S]*)\1\s*$/.exec(text)?.[2] ?? ''),
    hint: whole,
  },
  {
    name: 'a log of OkHttp',
    is: /--> [A-Z]+ https?:\/\/\S+[\s\S]*--> END [A-Z]+/,
    read: ofOkHttp,
    hint: 'Log at the level BODY, and give the lines from --> to --> END.',
  },
  {
    // Requests have > in curl, and < in the toolbelt of requests for Python.
    name: 'the output of curl -v, or of a tool that writes like it',
    is: new RegExp(`^[<>|] ?${requestLine}\\s*$`, 'm'),
    read: ofVerbose,
    hint: 'It shows no body. Remove the > from each line, add an empty line and the body that was sent; or give the curl command.',
  },
  {
    name: 'a command line of curl',
    is: /^\s*(?:[$#>%] ?)?curl(?:\.exe)?\s/,
    read: ofCurl,
    hint: 'Copy it as cURL (bash), without variables, files (@), -F and -G; or give the request as HTTP text.',
  },
  {
    name: 'a list of HTTP/2 headers',
    is: /^:(?:authority|method|path|scheme):?\s/m,
    read: ofPseudoHeaders,
    hint: 'It needs :method, :path and :authority, an empty line, and the body.',
  },
  {
    name: 'a command of PowerShell, fetch, wget or HTTPie',
    is: /Invoke-(?:WebRequest|RestMethod)|\biwr\b|^\s*(?:await )?fetch\(|^\s*(?:\$ )?(?:wget|https?) /i,
    hint: 'Copy it as cURL (bash) or as a HAR file and give that.',
  },
  {
    name: 'what a program prints of a request object',
    is: /<(?:Prepared)?Request \[|<Response \[|^Method: [A-Z]+, RequestUri: /m,
    hint: 'Print its method, URL, headers and body as HTTP text: request line, headers, an empty line, body.',
  },
  {
    name: 'a log of headers',
    is: new RegExp(
      `^=> Send header|>> ${requestLine}|^\\s*\\{\\s*["'](?:content-type|authorization|host|accept)`,
      'im',
    ),
    hint: `It holds no body. ${whole}`,
  },
  {
    name: 'a text with words before the request',
    is: new RegExp(`^${requestLine}\\s*$`, 'm'),
    read: (text) => text.slice(text.search(new RegExp(`^${requestLine}\\s*$`, 'm'))),
    hint: whole,
  },
  { name: 'an HTTP answer', is: /^\s*HTTP\/\d(?:\.\d)? \d{3}\b/, hint: 'Give the request that it answers.' },
  {
    name: 'a mail',
    is: /^(?:From|Subject|To|Received|Return-Path): /m,
    hint: 'Give only the request that the mail quotes.',
  },
];

export function readPaste(bytes: Uint8Array): ReadPaste | undefined {
  // One character for each byte, so that logged bytes stay the same.
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '');
  if (new RegExp(`^\\s*(?:${requestLine}|[A-Z]+ https?://)`).test(text)) return undefined;
  const form = forms.find(({ is }) => is.test(text));
  if (form === undefined) return undefined;
  const http = form.read?.(text.replaceAll('\r\n', '\n'));
  if (http !== undefined && hasBody(http)) return { http: Buffer.from(http, 'latin1') };
  return { refused: `the text is ${form.name}, but it holds no whole request`, hint: form.hint };
}

/** False if the headers announce a body that is missing. */
function hasBody(http: string): boolean {
  const end = /\r?\n\r?\n/.exec(http);
  const head = end === null ? http : http.slice(0, end.index);
  const body = end === null ? '' : http.slice(end.index + end[0].length);
  return body !== '' || !/^(?:content-length: *0*[1-9]|content-type:|transfer-encoding:)/im.test(head);
}

/** `[\r]`, `[\n]` and `[0xe4]` of Apache HttpClient. */
function unmarked(line: string): string {
  return line
    .replaceAll('[\\r]', '\r')
    .replaceAll('[\\n]', '\n')
    .replace(/\[0x([0-9a-f]{1,2})\]/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function unescaped(literal: string): string {
  const plain: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return literal.replace(/\\(?:x([0-9a-f]{2})|([\s\S]))/gi, (_, hex, one) =>
    hex === undefined ? (plain[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function ofVerbose(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^[<>|] ?${requestLine}\\s*$`).test(line));
  const mark = lines[start]![0]!;
  const answer = mark === '>' ? '<' : '>';
  const rest = lines.slice(start);
  const end = rest.findIndex((line) => line.startsWith(answer));
  const head: string[] = [];
  const body: string[] = [];
  let isHead = true;
  for (const line of rest.slice(0, end === -1 ? undefined : end)) {
    const own = line.startsWith(mark) ? line.slice(1).replace(/^ /, '') : undefined;
    const isBlank = (own ?? line).trim() === '';
    if (isHead && (isBlank || /^\| /.test(line))) isHead = false;
    if (isHead && (own !== undefined || /^[ \t]/.test(line))) head.push(own ?? line);
    // Insomnia writes | before a body, the toolbelt < before its first line. A body that is added by hand has no mark.
    else if (!isHead && !isBlank && !/^[*{}]/.test(line)) body.push(own ?? line.replace(/^\| /, ''));
  }
  return `${head.join('\n')}\n\n${body.join('\n')}`;
}

function ofOkHttp(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /--> [A-Z]+ http/.test(line));
  const before = lines[start]!.indexOf('-->');
  const end = lines.findIndex((line, at) => at > start && /--> END/.test(line));
  const [first = '', ...own] = lines.slice(start, end).map((line) => line.slice(before));
  return [first.replace(/^--> ([A-Z]+ \S+).*/, '$1 HTTP/1.1'), ...own].join('\n');
}

function ofPseudoHeaders(text: string): string | undefined {
  const value = (name: string) => new RegExp(`^:${name}:?[ \\t\\n]+(\\S+)`, 'm').exec(text)?.[1];
  const [method, path, authority, scheme = 'https'] = ['method', 'path', 'authority', 'scheme'].map(value);
  if (method === undefined || path === undefined || authority === undefined) return undefined;
  const rest = text.replace(/^:[a-z]+:?[ \t\n]+\S+[ \t]*\n/gm, '').replace(/^\n+/, '');
  return `${method} ${scheme}://${authority}${path} HTTP/1.1\nHost: ${authority}\n${rest}`;
}

/** Words of a POSIX shell; undefined if the shell would replace a part. */
function shellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  const piece =
    /\s+|\\\n|'([^']*)'|\$'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|([^\s'"\\$`;|&<>^]+)/y;
  const line = text.trim().replace(/^[$#>%] /, '');
  while (piece.lastIndex < line.length) {
    const found = piece.exec(line);
    if (found === null) return undefined;
    const [all, single, escaped, double, one, bare] = found;
    if (all === '\\\n') continue;
    if (double !== undefined && /(?<!\\)[$`]/.test(double)) return undefined;
    const part = single ?? (escaped && unescaped(escaped)) ?? double?.replace(/\\(["\\$`\n])/g, '$1') ?? one ?? bare;
    if (part !== undefined || escaped === '') word = (word ?? '') + (part ?? '');
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

const valued =
  /^(?:-[oAbemxuEwcr]|--(?:output|user-agent|cookie|referer|max-time|proxy|cert|key|cacert|write-out|connect-timeout|retry|resolve|cookie-jar|tlsv\S*|connect-to))$/;
const plain =
  /^(?:-[ksSviLfgN#46]+|--(?:insecure|silent|show-error|verbose|include|location|compressed|fail|globoff|http[12][\d.]*|http2-prior-knowledge|path-as-is|no-\S+|tlsv1\S*|ssl\S*|ipv[46]))$/;

function ofCurl(text: string): string | undefined {
  const words = shellWords(text)?.slice(1);
  if (words === undefined) return undefined;
  const headers: string[] = [];
  const data: string[] = [];
  let [url, method]: (string | undefined)[] = [];
  for (let at = 0; at < words.length; at += 1) {
    // -XPOST and --data=x are one word.
    const [, option = words[at]!, joined] =
      /^(-[XHd])(.+)$/s.exec(words[at]!) ?? /^(--[a-z-]+)=(.*)$/s.exec(words[at]!) ?? [];
    const next = () => joined ?? words[++at] ?? '';
    if (/^(?:-X|--request)$/.test(option)) method = next();
    else if (/^(?:-H|--header)$/.test(option)) headers.push(next());
    else if (/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/.test(option)) {
      const value = next();
      if (value.startsWith('@') && option !== '--data-raw') return undefined;
      data.push(value);
    } else if (option === '--data-urlencode') {
      const [, name = '', value] = /^([^=@]*=)?([\s\S]*)$/.exec(next())!;
      if (value!.startsWith('@')) return undefined;
      data.push(`${name === '=' ? '' : name}${percentEncode(Buffer.from(value!, 'latin1').toString())}`);
    } else if (option === '--url') url = next();
    else if (valued.test(option)) next();
    else if (option.startsWith('-') ? !plain.test(option) : url !== undefined) return undefined;
    else if (!option.startsWith('-')) url = option;
  }
  const found = /^(?:(https?):\/\/)?([^/?#]+)([^#]*)/i.exec(url ?? '');
  if (found === null) return undefined;
  const [, scheme = 'http', host = '', target = ''] = found;
  const named = (name: string) => headers.some((header) => header.toLowerCase().startsWith(`${name}:`));
  const form = data.length > 0 && !named('content-type') ? ['Content-Type: application/x-www-form-urlencoded'] : [];
  const path = target.startsWith('/') ? target : `/${target}`;
  const first = `${method ?? (data.length > 0 ? 'POST' : 'GET')} ${scheme}://${host}${path} HTTP/1.1`;
  const body = data.join('&');
  const length = named('content-length') || body === '' ? [] : [`Content-Length: ${body.length}`];
  return [first, ...(named('host') ? [] : [`Host: ${host}`]), ...headers, ...form, ...length, '', body].join('\n');
}
