/** Takes the secrets of an engagement out of what is shown of its traffic: a client may have sent them by mistake. */
import type { Exchange } from '../../record/exchange.ts';
import type { Engagement } from './engagement.ts';

const mark = '[secret]';

interface Redaction {
  /** The text without secrets: as they are, as hexadecimal digits, and inside base64 text. */
  text(shown: string): string;
  json<T>(value: T): T;
  exchange(exchange: Exchange): Exchange;
}

/** Secrets of an engagement have no character that any encoding of HTTP, JSON or HTML changes. */
export function redactionFor({ consumerSecret, privateKeyPem = '' }: Engagement): Redaction {
  // The first and the last line of a PEM text are not secret, and a short line could occur anywhere.
  const keyLines = privateKeyPem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
  const forms = [consumerSecret, ...keyLines].flatMap(formsOf);
  const text = (shown: string): string => forms.reduce((rest, form) => rest.replaceAll(form, mark), shown);
  return {
    text,
    json: <T>(value: T): T => JSON.parse(text(JSON.stringify(value))),
    exchange: ({ request, ...exchange }) => ({
      ...exchange,
      request: {
        ...request,
        target: text(request.target),
        host: text(request.host),
        headers: request.headers.map(([name, value]) => [text(name), text(value)]),
        body: Buffer.from(text(Buffer.from(request.body).toString('latin1')), 'latin1'),
      },
    }),
  };
}

/** Base64 of a text depends on how many bytes are before it: three forms, each without the characters that its neighbours share. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice([0, 2, 3][before]!, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...inBase64])];
}
