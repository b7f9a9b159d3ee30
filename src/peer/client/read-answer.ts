/** What the client understood of an answer, in the words of the adapter protocol (sections 2.2, 2.4, 4.1 and 4.2). */

import { decodeCloseDayResponse, decodeRecurringResponse, type Gate, ProtocolError } from '../../protocol/index.ts';
import type { Decoded, DecodedGate } from '../../record/client-case.ts';
import type { ReceivedResponse } from '../../record/exchange.ts';

/** What `read` makes of an answer; one that is none that the interface document knows is `undecodable`. */
export function readAnswer(read: () => Decoded): Decoded {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { kind: 'undecodable', reason: error.message };
  }
}

/** What an answer to close-day says. Throws ProtocolError. */
export function readCloseDay(response: ReceivedResponse): Decoded {
  const answer = decodeCloseDayResponse(response);
  switch (answer.kind) {
    case 'finished':
      return { kind: 'finished', serial: answer.serial, gates: answer.gates.map(decodedGate) };
    case 'error':
      return {
        kind: 'error',
        errorCode: answer.errorCode,
        errorMessage: answer.errorMessage,
        serial: answer.serial,
      };
    case 'refused':
      return { kind: 'refused', http_status: answer.httpStatus };
  }
}

/** What an answer to a batch says. Throws ProtocolError. */
export function readBatchAnswer(response: ReceivedResponse): Decoded {
  const answer = decodeRecurringResponse(response);
  if (answer.kind === 'refused') return { kind: 'refused', http_status: answer.httpStatus };
  return answer.kind === 'accepted' ? answer : { kind: 'parameters', params: answer.params };
}

function decodedGate(gate: Gate): DecodedGate {
  return {
    gateId: { long: gate.gateId },
    isDayClosing: { bool: gate.isDayClosing },
    gateCloseDate: { text: gate.gateCloseDate },
    epntId: { long: gate.epntId },
    saleApprovedCount: { text: gate.saleApprovedCount },
    saleAmount: { text: gate.saleAmount },
    reversalApprovedCount: { text: gate.reversalApprovedCount },
    reversalAmount: { text: gate.reversalAmount },
    code39: { text: gate.code39 },
    RRN: { text: gate.RRN },
  };
}
