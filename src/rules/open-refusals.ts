/** Valid requests that are refused for an open reason: a batch for its CSV form (A12), a close-day with an undocumented code (A6). */
import type { Operation } from '../../contracts/operations.ts';
import { requirementById } from '../../contracts/requirements/index.ts';
import { decodeCsv } from '../protocol/csv.ts';
import { decodeForm } from '../protocol/form.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Case } from '../record/case.ts';
import { groupBy } from '../record/group-by.ts';
import { classify, describeAnswer, isPlainFault } from './answers/acceptance.ts';
import { errorCodeOf } from './answers/close-day-body.ts';
import { type Blocker, fail, type GatewayInput, inconclusive, type Judge, type Verdict } from './judge.ts';

/** Returns the open point that may explain the refusal of a valid request. `says` is added to the text of the finding. */
export type Open = (refused: Case) => { readonly because: Blocker; readonly says: string } | undefined;

export function openIn(input: GatewayInput): Open {
  const form = once(() => formAccepted(input));
  const ownCode = once(() => ownCodes(input.cases));
  return (refused) => {
    if (hasPaymentTwice(refused)) {
      return { because: repeatedPayment, says: '; whether a batch may have a recurring payment twice is open (A7)' };
    }
    if (refused.label.operation === 'process-recurring-payments') {
      const accepted = form();
      if (accepted === undefined) return undefined;
      const says = `; the same batch with ${accepted} was accepted, and the document leaves this form open (A12)`;
      const text = `correct batches were refused, and the same batches with ${accepted} were accepted: the document leaves this form open`;
      return { because: { text, openPoint: 'A12' }, says };
    }
    const code = ownCode()(refused);
    return code === undefined ? undefined : { because: openCode(code), says: '' };
  };
}

/** True if a batch has a payment twice, as in live runs whose configuration has only one payment. */
export function hasPaymentTwice({ label, exchanges: [{ request }] }: Case): boolean {
  if (label.operation !== 'process-recurring-payments' || label.intent !== 'valid') return false;
  const payload = decodeForm(request.body).find(([name]) => name === 'payload')?.[1] ?? '';
  const ids = paymentIdsIn(Buffer.from(payload, 'base64').toString('utf8'));
  return new Set(ids).size < ids.length;
}

/** The recurring-payment-ids in a CSV. Empty if the text is not CSV. */
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

/** The form of the CSV (A12) that the target requires: it was accepted at least twice, while the plain form was always refused. */
function formAccepted({ cases, twinOf }: GatewayInput): string | undefined {
  // All valid batches have the plain form.
  const isPlain = ({ label: { intent, operation } }: Case) =>
    intent === 'valid' && operation === 'process-recurring-payments';
  if (cases.some((one) => isPlain(one) && classify(one) === 'accepted')) return undefined;
  const inForm = cases.filter((one) => {
    const twin = one.label.openPoint === 'A12' ? twinOf(one) : undefined;
    return twin !== undefined && classify(twin) === 'refused';
  });
  const byForm = [...groupBy(inForm, ({ label }) => label.differsIn)];
  return byForm.find(([, all]) => all.length >= 2 && all.every((one) => classify(one) === 'accepted'))?.[0];
}

/** A refusal with a gateway-specific code becomes inconclusive: the gate may be busy, or its day already closed. */
export function ignoringGatewaySpecificCodes(judge: Judge): Judge {
  return (input) => {
    const ownCode = once(() => ownCodes(input.cases));
    return judge(input).map(({ testCase, finding }) => {
      const code = finding.outcome === 'fail' ? ownCode()(testCase) : undefined;
      if (code === undefined) return { testCase, finding };
      return { testCase, finding: inconclusive(`not accepted: ${finding.actual}`, 'unspecified', openCode(code)) };
    });
  };
}

/** Finds codes that no faulty request got. Finds none if no valid request passed authentication. */
function ownCodes(cases: readonly Case[]): (refused: Case) => string | undefined {
  const ofCloseDay = cases.filter(({ label }) => label.operation === 'close-day');
  const isLetThrough = (one: Case) => ['accepted', 'past-authentication'].includes(classify(one));
  if (!ofCloseDay.some((one) => one.label.intent === 'valid' && isLetThrough(one))) return () => undefined;
  const wrong = ofCloseDay.filter((one) => one.label.intent === 'fault' && classify(one) === 'refused');
  const ofWrong = new Set(wrong.map(({ exchanges: [exchange] }) => errorCodeOf(exchange)));
  return ({ exchanges: [exchange] }) => {
    const code = errorCodeOf(exchange);
    return ofWrong.has(code) ? undefined : code;
  };
}

/** Statuses that a proxy or a busy gateway sends. They count only if no failure has the documented form. */
const transient = [408, 425, 429, 502, 503, 504];

/** Fails refusals in an undocumented form (4.1, 4.2, 7). A single unclear answer does not count: it may be a transport error. */
export function failuresInAnotherForm(
  { cases, twinOf }: GatewayInput,
  operation: Operation,
  isDocumented: (testCase: Case) => boolean,
  expected: string,
): readonly Verdict[] {
  const failing = cases.filter((testCase) => {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    if (label.operation !== operation || !isPlainFault(label) || exchange.response === undefined) return false;
    const answer = classify(testCase);
    const kind = requirementById(label.about ?? '')?.kind;
    const counts = answer === 'refused' || kind === 'required' || (kind === 'expected' && isClientError(testCase));
    if (!counts || answer === 'accepted' || answer === 'past-authentication') return false;
    const twin = twinOf(testCase);
    return twin !== undefined && classify(twin) === 'accepted';
  });
  const odd = failing.filter((testCase) => !isDocumented(testCase) && statusOf(testCase) !== 200);
  const isHabit = odd.length === failing.length;
  const counted = odd.filter((testCase) => isHabit || !transient.includes(statusOf(testCase)));
  const unclear = counted.filter((testCase) => classify(testCase) === 'unclear');
  const sure = unclear.length < 2 ? counted.filter((testCase) => !unclear.includes(testCase)) : counted;
  return sure.map((testCase) => ({ testCase, finding: fail(expected, describeAnswer(testCase.exchanges[0])) }));
}

function isClientError(testCase: Case): boolean {
  return statusOf(testCase) >= 400 && statusOf(testCase) < 500;
}

function statusOf({ exchanges: [exchange] }: Case): number {
  return exchange.response!.status;
}

function openCode(code: string): Blocker {
  return {
    text: `correct requests were refused with errorCode ${code}, which no faulty request got: the meaning of this code is open`,
    openPoint: 'A6',
  };
}

const repeatedPayment: Blocker = {
  text: 'batches that have one recurring payment twice were refused, which is open: list two payments in the configuration',
  openPoint: 'A7',
};
