/** The requests of clients: read whole, recorded, and only then answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asTheClientSaw, type PublicUrl } from '../../mock/received.ts';
import { connectionNumbers, readBody, received, refuseUnread } from '../../mock/wire.ts';
import type { Exchange } from '../../record/exchange.ts';
import { DeskError } from './desk-error.ts';
import type { DeskService } from './desk-service.ts';
import { engagementOf, isCall } from './recognise.ts';

/** A batch of twenty thousand rows fits. */
const maxBodyBytes = 2 * 1024 * 1024;
/** The disk may be slow; a client does not wait for ever. */
const recordMs = 20_000;

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Answers requests of clients; never rejects.
 * @param publicUrl set where a proxy is in front: what clients sign is then not what arrives
 */
export function deskReceiver(desk: DeskService, scheme: 'http' | 'https', publicUrl?: PublicUrl): Handler {
  const numberOf = connectionNumbers();
  return async (request, response) => {
    const startedAt = desk.surroundings.now();
    const connection = numberOf(request.socket);
    const body = await readBody(request, maxBodyBytes);
    const bytes = typeof body === 'string' ? new Uint8Array() : body;
    const arrived = received(request, scheme, bytes);
    const seen = publicUrl === undefined ? arrived : (asTheClientSaw(arrived, '', publicUrl) ?? arrived);
    const record = engagementOf(seen, publicUrl?.prefix ?? '', desk.surroundings.state);
    try {
      if (typeof body === 'string') {
        const what = body === 'gone' ? 'was cut off' : `exceeds ${maxBodyBytes} bytes`;
        if (record) await desk.noteUnread(record, `a request whose body ${what}`);
        if (body === 'too-large') refuseUnread(request, response);
      } else if (record === undefined) {
        desk.addStranger(`${seen.method} ${seen.target.split('?')[0]!.slice(0, 120)}`);
        say(response, 404, 'No engagement has this path. The base URL of each one is on the page of the desk.');
      } else if (!isCall(seen)) {
        const text = `This is the base URL of an engagement of the desk. Clients send POST requests to ${record.engagement.id}/api/...`;
        say(response, 404, text);
      } else {
        await answerInTime(desk.receive(record, seen, { startedAt, connection }), response);
      }
    } catch (cause) {
      const told = cause instanceof DeskError ? `${cause.message}; ${cause.hint}.` : 'The desk itself failed.';
      // Whoever waits for the request sees neither its client nor an exchange of it.
      desk.lose(`A request of a client was not recorded: ${told}`);
      if (response.headersSent || response.destroyed) response.destroy();
      else say(response, cause instanceof DeskError ? 503 : 500, `Nothing was recorded: ${told}`);
    }
  };
}

async function answerInTime(
  recorded: Promise<NonNullable<Exchange['response']>>,
  response: ServerResponse,
): Promise<void> {
  // An answer that is not on the disk must not be given: then the client sees the end of the connection.
  const timer = setTimeout(() => response.destroy(), recordMs);
  const { status, headers, body } = await recorded.finally(() => clearTimeout(timer));
  if (response.destroyed) return;
  response.sendDate = false;
  // Without this node adds Connection and Keep-Alive; the connection is kept all the same (RFC 9112 section 9.3).
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  response.writeHead(status, headers.flat()).end(body);
}

function say(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { 'Content-Type': 'text/plain;charset=utf-8', 'Content-Length': body.length }).end(body);
}
