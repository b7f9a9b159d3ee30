/**
 * Right requests that are refused for what the document leaves open: a batch for the form of its CSV (A12), a close-day for
 * something else than the request, as its code shows. The document does not list these codes (A6), and has one for a gate that
 * is closing already (section 7). It foresees none for the state of a recurring
 * payment: its profile is looked for when the batch was accepted (section 1), so that a right batch has nothing to be refused for.
 */

import { decodeCsv } from '../protocol/csv.ts';
import { decodeForm } from '../protocol/form.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Case } from '../record/case.ts';
import { classify } from './answers/acceptance.ts';
import { errorCodeOf } from './answers/close-day-body.ts';
import { openCode, openForm, repeatedPayment } from './because.ts';
import { type Because, inconclusive } from './finding.ts';
import type { Judge, RowQuestion } from './judge.ts';

/** What is open where a right request was refused; undefined where nothing is. */
export type Open = (refused: Case) => { readonly because: Because; readonly says: string } | undefined;

/** `says` is the end of a sentence. Looked for where a right request was refused only. */
export function openIn(question: RowQuestion): Open {
  const otherwise = openElsewhere(question);
  return (refused) => {
    if (!hasPaymentTwice(refused)) return otherwise(refused);
    return { because: repeatedPayment, says: '; it has a recurring payment twice, which is open (A7)' };
  };
}

function openElsewhere(question: RowQuestion): Open {
  const form = once(() => takenInstead(question));
  const ownCode = once(() => ownCodes(question.cases));
  return (refused) => {
    if (refused.label.operation === 'process-recurring-payments') {
      const taken = form();
      if (taken === undefined) return undefined;
      const says = `; the same batch with ${taken} was accepted, and which form it has is open (A12)`;
      return { because: openForm(taken), says };
    }
    const code = ownCode()(refused);
    return code === undefined ? undefined : { because: openCode(code), says: '' };
  };
}

/** A live target is charged for the recurring payments that its configuration lists, and for one of them twice where it lists no other. */
export function hasPaymentTwice({ label, exchange: { request } }: Case): boolean {
  if (label.operation !== 'process-recurring-payments' || label.intent !== 'valid') return false;
  const payload = decodeForm(request.body).find(([name]) => name === 'payload')?.[1] ?? '';
  const ids = paymentIdsIn(Buffer.from(payload, 'base64').toString('utf8'));
  return new Set(ids).size < ids.length;
}

/** None of what is no CSV, and none that are missing. */
function paymentIdsIn(csv: string): string[] {
  try {
    const { columns, rows } = decodeCsv(csv);
    const at = columns.indexOf('recurring-payment-id');
    return rows.flatMap((cells) => cells[at] || []);
  } catch (cause) {
    if (cause instanceof ProtocolError) return [];
    throw cause;
  }
}

function once<T>(look: () => T): () => T {
  let known: { readonly found: T } | undefined;
  return () => {
    known ??= { found: look() };
    return known.found;
  };
}

/**
 * A gateway that refuses a right batch and takes the same one in another form of the CSV, such as with CRLF, decides what the
 * document leaves open (A12): then nothing is known of the rest, and the cause is named. One acceptance may be chance: a
 * gateway that misreads some signatures takes a few of any form. Where it has taken a right batch as we write them, the form is
 * no reason: a request that stands in for a twin may come later, when the gateway refuses all of them.
 */
function takenInstead({ cases, twinOf }: RowQuestion): string | undefined {
  if (cases.some(isTakenAsWritten)) return undefined;
  const asked = cases.filter((one) => {
    const twin = one.label.openPoint === 'A12' ? twinOf(one) : undefined;
    return twin !== undefined && classify(twin) === 'refused';
  });
  const forms = new Set(asked.map(({ label }) => label.differsIn));
  for (const form of forms) {
    const alike = asked.filter(({ label }) => label.differsIn === form);
    if (alike.length < 2 || !alike.every((one) => classify(one) === 'accepted')) continue;
    return form;
  }
  return undefined;
}

/** All right batches have the plain form. */
function isTakenAsWritten(one: Case): boolean {
  const { intent, operation } = one.label;
  return intent === 'valid' && operation === 'process-recurring-payments' && classify(one) === 'accepted';
}

/**
 * The same judge, which leaves open why a right request was refused with a code of its own. A day that cannot be closed twice
 * is refused so, or a gate that is busy.
 */
export function exceptOwnCodes(judge: Judge): Judge {
  return (question) => {
    const ownCode = once(() => ownCodes(question.cases));
    return judge(question).map(({ examined, finding }) => {
      const code = finding.outcome === 'fail' ? ownCode()(examined) : undefined;
      if (code === undefined) return { examined, finding };
      return { examined, finding: inconclusive(`not accepted: ${finding.actual}`, 'unspecified', openCode(code)) };
    });
  };
}

/** The code of a refused close-day, where no wrong request got it, and another right one was let through. */
function ownCodes(cases: readonly Case[]): (refused: Case) => string | undefined {
  const ofCloseDay = cases.filter(({ label }) => label.operation === 'close-day');
  const isLetThrough = (one: Case) => ['accepted', 'past-authentication'].includes(classify(one));
  if (!ofCloseDay.some((one) => one.label.intent === 'valid' && isLetThrough(one))) return () => undefined;
  const wrong = ofCloseDay.filter((one) => one.label.intent === 'fault' && classify(one) === 'refused');
  const ofWrong = new Set(wrong.map(({ exchange }) => errorCodeOf(exchange)));
  return ({ exchange }) => {
    const code = errorCodeOf(exchange);
    return ofWrong.has(code) ? undefined : code;
  };
}
