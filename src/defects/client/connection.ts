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
];
