/** Clients that treat the connection wrongly (section 4). */
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
];
