/** What the client understood of an answer, in the words of the adapter protocol (sections 2.2, 2.4, 4.1 and 4.2). */
import type { Operation } from '../../contracts/requirements/requirement.ts';
import type { Decoded, DecodedGate } from '../exchange/client-case.ts';
import type { ReceivedResponse } from '../exchange/exchange.ts';
import {
  type CloseDayAnswer,
  decodeCloseDayResponse,
  decodeRecurringResponse,
  type Gate,
  ProtocolError,
  type RecurringAnswer,
} from '../protocol/index.ts';

/** An answer that is none that the interface document knows is `undecodable`. */
export function readAnswer(operation: Operation, response: ReceivedResponse): Decoded {
  try {
    if (operation === 'close-day') return closeDay(decodeCloseDayResponse(response));
    return batch(decodeRecurringResponse(response));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { kind: 'undecodable', reason: error.message };
  }
}

function closeDay(answer: CloseDayAnswer): Decoded {
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

function batch(answer: RecurringAnswer): Decoded {
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
