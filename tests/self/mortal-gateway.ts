/** A gateway that one request ends: a relay in front of a mock, which stops when that request arrives. */

import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../listen.ts';

/** `answers`: true if the gateway answers the deadly request before it ends. */
export async function startMortalGateway(
  target: string,
  isDeadly: (arriving: IncomingMessage) => boolean,
  answers: boolean,
) {
  const server = createServer(async (arriving, answer) => {
    const body = await text(arriving).catch(() => '');
    const deadly = isDeadly(arriving);
    const die = () => {
      server.close();
      server.closeAllConnections();
    };
    if (deadly && !answers) return die();
    const { method, headers, url } = arriving;
    const sent = request(new URL(url!, target), { method, headers: { ...headers } }, (received) => {
      answer.writeHead(received.statusCode!, received.headers);
      received.pipe(answer).once('finish', () => deadly && die());
    });
    sent.on('error', () => answer.destroy());
    sent.end(body);
  });
  const { host } = await listen(server);
  return { baseUrl: `http://${host}`, close: () => server.close() };
}
