/** Requirements on the connection of both operations: introduction of the document and section 4. */
import { type Requirement, rowsOf } from './requirement.ts';

const row = { operation: 'both', dimension: 'transport', kind: 'required' } as const;
const gateway = rowsOf({ ...row, side: 'gateway' });

export const transport = [
  {
    ...rowsOf({ ...row, side: 'client' })('4', '0/text/1'),
    id: 'transport/https',
    statement: 'Requests are sent over HTTPS, to a server whose certificate was verified.',
    hint: 'Use the https base URL and leave certificate verification on.',
  },
  {
    ...gateway('4', '0/text/1'),
    id: 'transport/https-served',
    condition: 'a target with an https base URL',
    arises: 'Run against an https base URL.',
    liveOnly: true,
    statement: 'Both operations are served over HTTPS.',
    hint: 'Serve both operations over TLS with a certificate that the caller can verify.',
  },
  {
    ...gateway('4', '0/text/2'),
    id: 'transport/environments',
    statement: 'Integration and production each have their own base URL.',
    untestable: 'A run speaks to one base URL and never to the other environment.',
  },
] as const satisfies readonly Requirement[];
