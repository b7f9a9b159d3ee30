/** Takes the secrets of an engagement out of what is shown of its traffic: a client may have sent them by mistake. */
import type { Exchange, Header } from '../../record/exchange.ts';
import type { Engagement } from './engagement.ts';

const mark = '[secret]';

export interface Redaction {
  /** The text without secrets: as they are, as hexadecimal digits, and inside base64 text. */
  text(shown: string): string;
  /** Any value that is JSON. */
  json<T>(value: T): T;
  /** The exchange with marks in place of secrets; the same object where it holds none. */
  exchange(exchange: Exchange): Exchange;
}

/** Secrets of an engagement have no character that any encoding of HTTP, JSON or HTML changes. */
export function redactionFor({ consumerSecret, privateKeyPem }: Engagement): Redaction {
  const forms = [consumerSecret, ...linesOf(privateKeyPem)].flatMap(formsOf);
  const text = (shown: string): string => forms.reduce((rest, form) => rest.replaceAll(form, mark), shown);
  const bytes = (body: Uint8Array): Uint8Array => {
    const whole = Buffer.from(body).toString('latin1');
    const redacted = text(whole);
    return redacted === whole ? body : Buffer.from(redacted, 'latin1');
  };
  const headers = (lines: readonly Header[]): Header[] => lines.map(([name, value]) => [text(name), text(value)]);
  return {
    text,
    json: <T>(value: T): T => JSON.parse(text(JSON.stringify(value))),
    exchange: (exchange) => {
      const { request, response } = exchange;
      return {
        ...exchange,
        request: {
          ...request,
          target: text(request.target),
          host: text(request.host),
          headers: headers(request.headers),
          body: bytes(request.body),
        },
        response,
      };
    },
  };
}

/** The lines of base64 in a PEM text; its first and last lines are not secret, and a short line could occur anywhere. */
function linesOf(pem = ''): string[] {
  return pem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
}

/** Base64 of a text depends on how many bytes are before it: three forms, each without the characters that its neighbours share. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const cut = [0, 2, 3][before]!;
    return whole.slice(cut, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const escaped = encodeURIComponent(secret);
  return [...new Set([secret, escaped, bytes.toString('hex'), ...inBase64])];
}
