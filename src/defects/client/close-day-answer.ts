/** Clients that misread the answer to close-day (sections 2.2 and 4.1). */
import type { Alteration } from '../../client/index.ts';
import type { Decoded, DecodedGate } from '../../exchange/client-case.ts';
import type { ClientDefect } from './defect.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

export const closeDayAnswerDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/longs-through-a-double',
    summary: 'Gate and endpoint ids pass through a double and lose their last digits',
    breaks: ['close-day/decodes-gate-id', 'close-day/decodes-gate-epnt-id'],
    alteration: readsGates((gate) => ({ ...gate, gateId: rounded(gate.gateId), epntId: rounded(gate.epntId) })),
  },
  {
    ...closeDay,
    id: 'close-day/error-taken-for-success',
    summary: 'HTTP 200 with status error is taken for success',
    breaks: ['close-day/decodes-error', 'close-day/decodes-error-99'],
    alteration: {
      decoded: (decoded) =>
        decoded.kind === 'error' ? { kind: 'finished', serial: decoded.serial, gates: [] } : decoded,
    },
  },
];

/** Reads every gate of a finished close-day in another way. */
function readsGates(read: (gate: DecodedGate) => DecodedGate): Alteration {
  return {
    decoded: (decoded: Decoded) =>
      decoded.kind === 'finished' && decoded.gates !== undefined
        ? { ...decoded, gates: decoded.gates.map(read) }
        : decoded,
  };
}

function rounded(value: DecodedGate[string] | undefined): DecodedGate[string] {
  const digits = value !== undefined && 'long' in value ? value.long : '';
  return { long: BigInt(Number(digits)).toString() };
}
