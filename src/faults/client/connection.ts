/** Clients that treat the connection wrongly (section 4). */
import type { ReceivedResponse } from '../../record/exchange.ts';
import { type ClientDefect, transport } from './defect.ts';

export const connectionDefects: readonly ClientDefect[] = [
  transport('any-certificate', 'Every certificate is accepted, whoever signed it', 'https', {
    connection: (connection) => ({ ...connection, acceptAnyCertificate: true }),
  }),
  transport('certificate-given-up', 'What fails for a certificate is sent again without looking at it', 'https', {
    send: (send) => async (request, connection) => {
      const first = await send(request, connection);
      return first.failure?.kind === 'tls' ? send(request, { ...connection, acceptAnyCertificate: true }) : first;
    },
  }),
  transport(
    'cut-connection-taken-for-success',
    'A connection that ends without an answer is taken for the answer of success',
    ['close-day/broken-body-not-success', 'recurring/broken-body-not-success'],
    {
      send: (send) => async (request, connection) => {
        const sent = await send(request, connection);
        return sent.failure?.kind === 'reset' ? { response: successOf(request.target) } : sent;
      },
    },
  ),
  transport(
    'answer-without-end-taken-for-success',
    'An answer that has not ended within the time limit is taken for the answer of success',
    'close-day/broken-body-not-success',
    {
      send: (send) => async (request, connection) => {
        const sent = await send(request, connection);
        return sent.failure?.kind === 'timeout' ? { response: successOf(request.target) } : sent;
      },
    },
  ),
];

function successOf(target: string): ReceivedResponse {
  const body = target.includes('/close-day/')
    ? '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"1"}'
    : '';
  return { status: 200, reason: 'OK', headers: [['Content-Type', 'text/html;charset=utf-8']], body: Buffer.from(body) };
}
