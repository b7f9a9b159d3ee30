/** Sends over HTTPS (or http) with node's own client: once, within a time limit, certificates verified, redirects not followed. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Connection, Send, Sent } from '../../../src/peer/client/client.ts';
import type { LocalGateway, PlaceOptions } from '../../../src/peer/local-gateway/local-gateway.ts';
import type { Place } from '../../../src/peer/local-gateway/places.ts';
import type { LocalAnswer } from '../../../src/plan/scenario.ts';
import { reasonOf } from '../../../src/record/errors.ts';
import {
  answerTooLarge,
  type FailureKind,
  type Header,
  maxBodyBytes,
  type SentRequest,
} from '../../../src/record/exchange.ts';

interface HttpsSend {
  readonly send: Send;
  /** Ends the connections that were kept for later requests. */
  close(): void;
}

/** @param ca PEM of an authority to trust in place of those of the machine */
export function openHttpsSend(ca?: string): HttpsSend {
  const secure = new https.Agent({ keepAlive: true, ca });
  const plain = new http.Agent({ keepAlive: true });
  return {
    send: (request, connection) => send(request, connection, request.scheme === 'https' ? secure : plain),
    close: () => {
      secure.destroy();
      plain.destroy();
    },
  };
}

function send(request: SentRequest, connection: Connection, agent: http.Agent): Promise<Sent> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ failure: failureOf(error, connection.deadlineMs) });
    try {
      const sent = (request.scheme === 'https' ? https : http).request({
        ...addressOf(request.host),
        agent,
        method: request.method,
        path: request.target,
        // A flat list is written unchanged by node, Host included.
        headers: request.headers.flat() as unknown as http.OutgoingHttpHeaders,
        // Where an adapter answers slowly its deadline grows, and a share of it is no whole number, which node refuses.
        signal: AbortSignal.timeout(Math.ceil(connection.deadlineMs)),
        rejectUnauthorized: !connection.acceptAnyCertificate,
      } as https.RequestOptions);
      sent.on('error', failed);
      sent.on('response', (incoming) => {
        read(incoming).then(resolve, failed);
      });
      sent.end(request.body);
    } catch (error) {
      // A header line or a path that HTTP cannot carry.
      resolve({ failure: { kind: 'not-sent', message: error instanceof Error ? error.message : String(error) } });
    }
  });
}

function addressOf(host: string): { readonly host: string; readonly port?: number } {
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(host);
  const name = parts?.[1] ?? parts?.[2] ?? host;
  return parts?.[3] === undefined ? { host: name } : { host: name, port: Number(parts[3]) };
}

async function read(incoming: IncomingMessage): Promise<Sent> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) return { failure: answerTooLarge };
  }
  const raw = incoming.rawHeaders;
  const headers = Array.from({ length: raw.length / 2 }, (_, i): Header => [raw[2 * i]!, raw[2 * i + 1]!]);
  const status = incoming.statusCode ?? 0;
  return { response: { status, reason: incoming.statusMessage ?? '', headers, body: Buffer.concat(chunks) } };
}

const kinds: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ABORT_ERR: 'timeout',
};

function failureOf(error: Error & { code?: string }, deadlineMs: number): NonNullable<Sent['failure']> {
  const code = error.code ?? '';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return { kind: 'timeout', message: `no whole answer within ${deadlineMs} ms` };
  }
  if (code.startsWith('HPE_')) return { kind: 'malformed', message: `the answer is not HTTP/1.1: ${error.message}` };
  const isTls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
  return { kind: isTls ? 'tls' : (kinds[code] ?? 'reset'), message: reasonOf(error) };
}

/** Answers with 200 and an empty body. */
export const empty: LocalAnswer = { kind: 'reply', status: 200, headers: [], body: new Uint8Array() };

export async function placeAt(gateway: LocalGateway, answer = empty, options?: PlaceOptions): Promise<Place> {
  const place = await gateway.open(answer, options);
  if ('unavailable' in place) throw new Error(place.unavailable);
  return place;
}

export const slow = (afterMs: number, then: LocalAnswer = empty): LocalAnswer => ({ kind: 'slow', afterMs, then });
