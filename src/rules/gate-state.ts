/** Judges of what a close-day answer says of a gate whose state is known: closing, locked or free (sections 2.2, 3 and 4.1). */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Case } from '../record/case.ts';
import type { Exchange } from '../record/exchange.ts';
import { blameForUnclear, classify, describeAnswer } from './answers/acceptance.ts';
import { errorCodeOf, gatesOf, responseObject, statusOf } from './answers/close-day-body.ts';
import { refusedTwin, unclearAnswer } from './because.ts';
import { ofAllGates, ofCloseDay } from './close-day-response.ts';
import { type Finding, fail, inconclusive, pass } from './finding.ts';
import type { Judge } from './judge.ts';

const closingMessage = 'gate is closing already';

const ofClosingGate = ofKnownGate('closing', (exchange) => {
  const code = errorCodeOf(exchange);
  return statusOf(exchange) === 'error' && (code === '99' || code === undefined)
    ? pass()
    : fail('error with errorCode 99', describeAnswer(exchange));
});

/** Of other gates the message alone says that they are closing: with another code it breaks the row, with 99 it shows nothing of them. */
const ofOtherGates = ofCloseDay((exchange, { label }) => {
  if (label.facts?.gate === 'closing' && label.intent === 'valid') return null;
  const code = errorCodeOf(exchange);
  if (statusOf(exchange) !== 'error' || code === undefined || code === '99') return null;
  if (responseObject(exchange)?.errorMessage !== closingMessage) return null;
  return fail(`errorCode 99 with the message '${closingMessage}'`, describeAnswer(exchange));
});

export const closingGateError: Judge = (evidence) => [...ofClosingGate(evidence), ...ofOtherGates(evidence)];

export const closingGateMessage = ofCloseDay((exchange) => {
  if (statusOf(exchange) !== 'error' || errorCodeOf(exchange) !== '99') return null;
  const message = responseObject(exchange)?.errorMessage;
  if (typeof message !== 'string') return null;
  return message === closingMessage ? pass() : fail(closingMessage, message);
});

/** A gate that stays locked says so where the answer is finished; whether it is, or an error, is open (A28). */
export const lockedGateReported = ofKnownGate('locked', (exchange) =>
  statusOf(exchange) === 'finished' ? judgeLock(exchange, true) : null,
);

export const openGateReported = ofCloseDay((exchange, { label }) =>
  label.facts?.gate === 'open' && statusOf(exchange) === 'finished' ? judgeLock(exchange, false) : null,
);

/** After its lock was removed a gate is free. */
export const lockRemoval = ofCloseDay((exchange, { label }) =>
  label.about === 'close-day/lock-removal' && statusOf(exchange) === 'finished' ? judgeLock(exchange, false) : null,
);

/** After the day was closed by hand the gate is closing no more; another error than 99 has another cause. */
export const manualClose = ofCloseDay((exchange, { label }) => {
  if (label.about !== 'close-day/manual-close') return null;
  // A code beside another status than error is not an error: the document does not speak of it (A6).
  if (statusOf(exchange) === 'finished') return pass();
  if (statusOf(exchange) !== 'error' || errorCodeOf(exchange) !== '99') return null;
  return fail('an answer that is not error 99', describeAnswer(exchange));
});

/**
 * A judge of right requests to a gate in a known state. A refusal is due to that state only if the same request was
 * accepted where the gate is free.
 */
function ofKnownGate(gate: 'closing' | 'locked', look: (exchange: Exchange) => Finding | null): Judge {
  return ({ cases, twinOf }) =>
    cases
      .filter(({ label }) => label.facts?.gate === gate && label.intent === 'valid')
      .flatMap((examined) => {
        const twin = twinOf(examined);
        if (statusOf(examined.exchange) === undefined) {
          const { exchange } = examined;
          const blame = blameForUnclear(exchange);
          return [{ examined, finding: inconclusive(describeAnswer(exchange), blame, unclearAnswer(examined)) }];
        }
        if (
          gate === 'closing' &&
          classify(examined) === 'refused' &&
          (twin === undefined || classify(twin) !== 'accepted')
        ) {
          return [{ examined, finding: refusedByState(twin) }];
        }
        const finding = look(examined.exchange);
        return finding === null ? [] : [{ examined, finding }];
      });
}

function judgeLock(exchange: Exchange, locked: boolean): Finding | null {
  const { member } = gateResultFields['is-day-closing'];
  const marks = (gatesOf(exchange) ?? []).flatMap((gate) => {
    const mark = isJsonObject(gate) ? gate[member] : undefined;
    return typeof mark === 'boolean' ? [mark] : [];
  });
  if (marks.length === 0) return null;
  if (marks.some((mark) => mark !== locked)) return fail(`isDayClosing ${locked}`, `isDayClosing ${!locked}`);
  return ofAllGates(exchange, pass());
}

/** What a refusal shows where the same request for a free gate was not accepted. */
function refusedByState(twin: Case | undefined): Finding {
  const same = 'the same request for a free gate';
  if (twin === undefined) return inconclusive(`refused, and ${same} was not sent`, 'configuration');
  if (classify(twin) === 'refused') return inconclusive(`refused, and so was ${same}`, 'subject', refusedTwin(twin));
  const came = `neither accepted nor refused: ${describeAnswer(twin.exchange)}`;
  return inconclusive(`refused, and ${same} was ${came}`, blameForUnclear(twin.exchange), unclearAnswer(twin));
}
