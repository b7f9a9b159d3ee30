/** Sends requests of the mock's tests and hands back raw answers; every wait has a limit. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Received } from '../../../src/mock/received.ts';
import type { Header } from '../../../src/record/exchange.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Header[];
  readonly body: string;
}

const limitMs = 10_000;

/** Sends a request to 127.0.0.1 at that port, whatever its Host header says. */
export function send(port: number, { method, target, headers, body }: Received, agent?: http.Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const lines = [...headers.flat(), 'Content-Length', String(body.length)];
    const { request } = agent instanceof https.Agent ? https : http;
    const sent = request(
      { host: '127.0.0.1', port, method, path: target, headers: lines, agent, timeout: limitMs },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const raw = response.rawHeaders;
          const found = raw.filter((_, i) => i % 2 === 0).map((name, i): Header => [name, raw[2 * i + 1]!]);
          resolve({ status: response.statusCode!, headers: found, body: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer within the limit')));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Writes bytes to the port and hands back all that comes before the connection ends. */
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
