/** What holds for the connection under both operations: the introduction of the document and section 4. */
import type { Requirement } from './requirement.ts';

export const transport = [
  {
    id: 'transport/https',
    operation: 'both',
    section: '4',
    covers: ['0/text/1'],
    side: 'client',
    dimension: 'transport',
    kind: 'required',
    statement: 'Requests are sent over HTTPS, to a server whose certificate was verified.',
    hint: 'Use the https base URL and leave certificate verification on.',
  },
  {
    id: 'transport/https-served',
    operation: 'both',
    section: '4',
    covers: ['0/text/1'],
    side: 'gateway',
    dimension: 'transport',
    kind: 'required',
    condition: 'a target with an https base URL',
    arises: 'Run against an https base URL.',
    liveOnly: true,
    statement: 'Both operations are served over HTTPS.',
    hint: 'Serve both operations over TLS with a certificate that the caller can verify.',
  },
  {
    id: 'transport/environments',
    operation: 'both',
    section: '4',
    covers: ['0/text/2'],
    side: 'gateway',
    dimension: 'transport',
    kind: 'required',
    statement: 'Integration and production each have their own base URL.',
    untestable: 'A run speaks to one base URL and never to the other environment.',
  },
] as const satisfies readonly Requirement[];
