/** From a request on a socket to its record: nothing is read into it, nothing is lost. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readBody, refuseUnread } from '../../mock/wire.ts';
import { type Header, headerValues, mostBodyBytes, type SentRequest } from '../../record/exchange.ts';
import type { Places } from './places.ts';
import { writeAnswer } from './write-answer.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Handles the requests of one server; connections are numbered across all servers that share `numberOf`. */
export function receiver(places: Places, scheme: 'http' | 'https', numberOf: (socket: Socket) => string): Handler {
  return async (request, response) => {
    const connection = numberOf(request.socket);
    const place = places.find(request.url ?? '');
    if (place?.isFull()) return void request.socket.destroy();
    if (request.headers.host === undefined && request.httpVersion !== '1.0') {
      place?.leaveOut('a request that is not HTTP/1.1: it has no Host');
      // As a server has to (RFC 9112 section 3.2).
      response.writeHead(400, ['Content-Length', '0', 'Connection', 'close']).end();
      return;
    }
    const body = await readBody(request, mostBodyBytes, ({ length }) => {
      const isWanted = place?.takes(length) ?? true;
      if (!isWanted) request.socket.destroy();
      return isWanted;
    });
    if (body === 'gone') {
      place?.leaveOut('a request whose body was cut off');
    } else if (body === 'too-large') {
      place?.fill(`a request whose body exceeds ${mostBodyBytes} bytes`);
      refuseUnread(request, response);
    } else {
      writeAnswer(places.record(sentRequest(request, scheme, body), place, connection), request, response);
    }
  };
}

function sentRequest(request: IncomingMessage, scheme: 'http' | 'https', body: Uint8Array): SentRequest {
  const raw = request.rawHeaders;
  const headers = Array.from({ length: raw.length / 2 }, (_, i): Header => [raw[2 * i]!, raw[2 * i + 1]!]);
  const host = headerValues(headers, 'host')[0] ?? '';
  return { method: request.method ?? '', scheme, host, target: request.url ?? '', headers, body };
}
