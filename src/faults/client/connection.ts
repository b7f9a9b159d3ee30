/** Clients that treat the connection wrongly (section 4). */
import type { ReceivedResponse } from '../../record/exchange.ts';
import type { ClientDefect } from './defect.ts';

const both = { side: 'client', operation: 'both' } as const;

export const connectionDefects: readonly ClientDefect[] = [
  {
    ...both,
    id: 'transport/any-certificate',
    summary: 'Every certificate is accepted, whoever signed it',
    breaks: ['transport/https'],
    alteration: { connection: (connection) => ({ ...connection, acceptAnyCertificate: true }) },
  },
  {
    ...both,
    id: 'transport/certificate-given-up',
    summary: 'What fails for a certificate is sent again without looking at it',
    breaks: ['transport/https'],
    alteration: {
      send: (send) => async (request, connection) => {
        const first = await send(request, connection);
        return first.failure?.kind === 'tls' ? send(request, { ...connection, acceptAnyCertificate: true }) : first;
      },
    },
  },
  {
    ...both,
    id: 'transport/cut-connection-taken-for-success',
    summary: 'A connection that ends without an answer is taken for the answer of success',
    breaks: ['close-day/broken-body-not-success', 'recurring/broken-body-not-success'],
    alteration: {
      send: (send) => async (request, connection) => {
        const sent = await send(request, connection);
        return sent.failure?.kind === 'reset' ? { response: successOf(request.target) } : sent;
      },
    },
  },
  {
    ...both,
    id: 'transport/answer-without-end-taken-for-success',
    summary: 'An answer that has not ended within the time limit is taken for the answer of success',
    breaks: ['close-day/broken-body-not-success'],
    alteration: {
      send: (send) => async (request, connection) => {
        const sent = await send(request, connection);
        return sent.failure?.kind === 'timeout' ? { response: successOf(request.target) } : sent;
      },
    },
  },
];

function successOf(target: string): ReceivedResponse {
  const body = target.includes('/close-day/')
    ? '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"1"}'
    : '';
  return { status: 200, reason: 'OK', headers: [['Content-Type', 'text/html;charset=utf-8']], body: Buffer.from(body) };
}
