/** Clients that look right to whom looks at one side alone: they refuse everything, send nothing, or call everything success. */
import type { Operation } from '../../contracts/operations.ts';
import type { ClientAlteration } from '../../src/peer/client/index.ts';
import type { Decoded } from '../../src/record/client-case.ts';

export interface ExtremeClient {
  readonly id: string;
  readonly summary: string;
  /** Whatever fails and whatever stays undecided: the conclusion is not `conformant`. */
  readonly expects: 'never conformant';
  readonly alteration: ClientAlteration;
}

export const extremeClients: readonly ExtremeClient[] = [
  {
    id: 'refuses-everything',
    summary: 'Refuses every input before anything is sent',
    expects: 'never conformant',
    alteration: { refusal: () => ({ stage: 'input', reason: 'nothing is sent' }) },
  },
  {
    id: 'sends-nothing',
    summary: 'Reports success for every call without sending a request',
    expects: 'never conformant',
    alteration: {
      send: () => () =>
        Promise.resolve({ response: { status: 200, reason: 'OK', headers: [], body: new Uint8Array() } }),
      decoded: (_, { operation }) => success[operation],
    },
  },
  {
    id: 'everything-is-success',
    summary: 'Sends rightly, and takes every answer for success',
    expects: 'never conformant',
    alteration: { decoded: (_, { operation }) => success[operation] },
  },
  {
    id: 'nothing-is-success',
    summary: 'Sends rightly, and takes every answer for one that it cannot decode',
    expects: 'never conformant',
    alteration: { decoded: () => ({ kind: 'undecodable', reason: 'nothing is read' }) },
  },
  {
    id: 'reports-transport-errors',
    summary: 'Sends every request, and reports a reset connection in place of the answer',
    expects: 'never conformant',
    alteration: {
      send: (send) => async (request, connection) => {
        await send(request, connection);
        return { failure: { kind: 'reset', message: 'the connection was reset' } };
      },
    },
  },
];

const success: Readonly<Record<Operation, Decoded>> = {
  'close-day': { kind: 'finished', gates: [] },
  'process-recurring-payments': { kind: 'accepted' },
};
