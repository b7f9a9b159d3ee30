/** Makes right and wrong requests for tests of the mock, and sends them. Every wait has a limit. */
import http from 'node:http';
import net from 'node:net';
import { pathTo } from '../../../contracts/operations.ts';
import type { Received } from '../../../src/mock/decode-request.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { encodeForm, printAuthorization, readPrivateKey, sign } from '../../../src/protocol/index.ts';
import { unsignedSteps } from '../../../src/protocol/oauth/sign-request.ts';
import type { Header } from '../../../src/record/exchange.ts';

type Fields = readonly (readonly [name: string, value: string])[];

export interface Call {
  readonly operation?: 'close-day' | 'process-recurring-payments';
  readonly endpointId?: string;
  readonly method?: string;
  readonly scheme?: 'http' | 'https';
  readonly host?: string;
  readonly prefix?: string;
  readonly query?: string;
  readonly fields?: Fields;
  /** OAuth parameters to set (text) or to omit (undefined) before signing. */
  readonly oauth?: Readonly<Record<string, string | undefined>>;
  readonly signature?: (right: string) => string;
  readonly secret?: string;
}

/** The time of the tests, in milliseconds since the Unix epoch. */
export const noon = Date.UTC(2026, 0, 2, 12, 0, 0);

export const csv =
  '"client-orderid";"recurring-payment-id";"amount"\norder-1;1234567890;10.42\norder-2;1234567891;0.58\n';

export function payload(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

let nonces = 0;
const privateKey = readPrivateKey(publishedIdentity.privateKeyPem);

/** A signed request, right except for what `call` changes. */
export function request(call: Call = {}): Received {
  const { operation = 'close-day', endpointId = '1111', method = 'POST', scheme = 'http', prefix = '' } = call;
  const { host = '127.0.0.1:8080', query, secret = publishedIdentity.consumerSecret } = call;
  const isCloseDay = operation === 'close-day';
  const target = `${prefix}${pathTo(operation)}${endpointId}${query === undefined ? '' : `?${query}`}`;
  const fields = call.fields ?? (isCloseDay ? [['day_close_request_id', '902B4FF5']] : [['payload', payload(csv)]]);
  nonces += 1;
  const { oauth_signature: chosen, ...oauth } = {
    oauth_consumer_key: publishedIdentity.consumerKey,
    oauth_signature_method: isCloseDay ? 'HMAC-SHA1' : 'RSA-SHA256',
    oauth_timestamp: String(noon / 1000),
    oauth_nonce: `Nonce${nonces}`,
    oauth_version: '1.0',
    oauth_signature: '',
    ...call.oauth,
  };
  const authorization = Object.entries(oauth).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const right = sign(
    unsignedSteps({ method, scheme, host, target, body: fields }, authorization).baseString,
    oauth.oauth_signature_method === 'RSA-SHA256'
      ? { method: 'RSA-SHA256', privateKey }
      : { method: 'HMAC-SHA1', consumerSecret: secret },
  );
  const signature = chosen === '' ? (call.signature?.(right) ?? right) : chosen;
  if (signature !== undefined) authorization.push(['oauth_signature', signature]);
  return {
    method,
    scheme,
    host,
    target,
    headers: [
      ['Host', host],
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Authorization', printAuthorization(authorization)],
    ],
    body: Buffer.from(encodeForm(fields)),
  };
}

/** A recurring-payments request with this CSV. */
export function batchRequest(text: string | Uint8Array, call: Call = {}): Received {
  return request({ operation: 'process-recurring-payments', fields: [['payload', payload(text)]], ...call });
}

interface Answer {
  readonly status: number;
  readonly headers: Header[];
  readonly body: string;
}

const limitMs = 10_000;

/** Sends a request to 127.0.0.1 at that port, whatever its Host header says. */
export function send(port: number, { method, target, headers, body }: Received, agent?: http.Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lines = [...headers.flat(), 'Content-Length', String(body.length)];
    const options = { host: '127.0.0.1', port, method, path: target, headers: lines, agent, timeout: limitMs };
    const sent = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const raw = response.rawHeaders;
        const found = raw.filter((_, i) => i % 2 === 0).map((name, i): Header => [name, raw[2 * i + 1]!]);
        resolve({ status: response.statusCode!, headers: found, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer within the limit')));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Writes bytes to the port, and returns all bytes until the connection ends. */
export function sendBytes(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setTimeout(limitMs, () => socket.destroy(new Error('the connection did not end within the limit')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(text) : reject(error)));
    socket.on('close', () => resolve(text));
    socket.on('connect', () => socket.write(bytes));
  });
}
