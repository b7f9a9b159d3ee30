/** What it means that right requests are refused: the two operations sign differently, so that which of them is refused tells what is wrong. Pure. */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import type { Exchange } from '../../record/exchange.ts';
import { classify, describeAnswer } from '../../rules/answers/acceptance.ts';
import type { Acceptance } from '../../rules/answers/answer-reading.ts';
import { type DoctorFinding, ok, problem, remark, unchecked } from '../target/examination.ts';
import { mostSeconds } from './clock.ts';
import { notThere, whereItMoved } from './path.ts';

export interface RightRequests {
  /** A rightly signed request to each operation; absent where none was sent. */
  readonly sent: Readonly<Partial<Record<Operation, Exchange>>>;
  /** Seconds by which the target's clock is ahead; undefined where not known. */
  readonly clockOffset?: number;
  /** Whether a rightly signed close-day got error 99 at an endpoint that is closing: its signature was taken. */
  readonly isTakenElsewhere?: boolean;
}

interface Answered {
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly answer: Acceptance;
}

/** One finding for each request that was sent; those that were refused say what is to blame, as far as both together show it. */
export function diagnoseTwins({ sent, clockOffset, isTakenElsewhere = false }: RightRequests): DoctorFinding[] {
  const all = operationNames
    .map((operation) => answered(operation, sent[operation]))
    .filter((one) => one !== undefined);
  const signedOtherwise = (one: Answered) => all.find((other) => methodOf(other) !== methodOf(one));
  const refused = all.filter(({ answer }) => answer === 'refused');
  if (isTakenElsewhere && refused.some(({ operation }) => operation === 'close-day')) {
    const others = all.filter(({ answer }) => answer !== 'refused');
    return [refusedHere(refused), ...others.flatMap((one) => findingsOf(one, signedOtherwise(one), clockOffset))];
  }
  if (refused.length === all.length && all.some(signedOtherwise)) {
    return [bothRefused(all, clockOffset)];
  }
  return all.flatMap((one) => findingsOf(one, signedOtherwise(one), clockOffset));
}

function methodOf({ operation }: Answered) {
  return operations[operation].signatureMethod;
}

/** What a wrong signature was made with, by the method. */
const suspects = { 'HMAC-SHA1': 'the consumer secret', 'RSA-SHA256': 'the private key, the recurring id' } as const;

function findingsOf(one: Answered, other: Answered | undefined, clockOffset: number | undefined): DoctorFinding[] {
  const { operation, exchange, answer } = one;
  const id = `signature/${operation}`;
  const came = describeAnswer(exchange);
  const status = exchange.response?.status;
  if (answer === 'accepted') return [ok(id, `a signed ${operation} request was accepted`)];
  if (answer === 'past-authentication') {
    const closing = 'the gate is closing already: close the day by hand, or close-day stays refused';
    return [ok(id, `the signature of ${operation} was accepted`), remark('gate-closing', closing)];
  }
  if (answer === 'refused') return [oneRefused(one, other, clockOffset)];
  if (status === 404 || status === 405 || status === 410) return [notThere({ operation, exchange })];
  // Where the other operation answers, a single redirect may be a fault on the way.
  const moved = other === undefined || isRedirect(other.exchange) ? whereItMoved({ operation, exchange }) : undefined;
  if (moved !== undefined) return [moved];
  return [
    unchecked(
      id,
      `the signature of ${operation} is not known to be right: ${came}`,
      'The answer says neither yes nor no. The request may have had its effect: check at the gateway before you try again.',
    ),
  ];
}

/** Whether the answer leads elsewhere. */
export function isRedirect({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400;
}

function oneRefused(one: Answered, other: Answered | undefined, clockOffset: number | undefined) {
  const { operation, exchange } = one;
  const came = describeAnswer(exchange);
  const otherIsRight = other?.answer === 'accepted' || other?.answer === 'past-authentication';
  if (!otherIsRight) {
    const late = isOff(clockOffset) ? 'The clocks are too far apart: put that right first. ' : '';
    return problem(
      `signature/${operation}`,
      `a signed ${operation} request was refused (${came})`,
      `${late}Check ${suspects[methodOf(one)]}, the consumer key and the endpoint id. Where the other operation is allowed too, the two answers together show which of them is wrong.`,
    );
  }
  if (methodOf(one) === 'HMAC-SHA1') {
    return problem(
      'signature/secret',
      `only ${operation} is refused (${came}): most likely the consumer secret is wrong`,
      'Consumer key, endpoint and clock are right, since the other operation was accepted. Compare the secret with the one that was issued: blanks, quotes, line ends, a cut-off end. If they are equal, the day may have been closed before, by doctor or an earlier run: a gateway may close it only once.',
    );
  }
  return problem(
    'signature/private-key',
    `only ${operation} is refused (${came}): most likely the private key is wrong`,
    `Consumer key, endpoint and clock are right, since ${other.operation} was accepted. The public half of this key has to be registered at the gateway for this consumer key. If it is, the recurring payment may be unknown, stopped or charged already there, or the gateway wants the CSV in another form (A12).`,
  );
}

/** Neither the secret nor the consumer key is to blame: a wrong one would not have been let through elsewhere. */
function refusedHere(refused: readonly Answered[]): DoctorFinding {
  const came = refused.map(({ operation, exchange }) => `${operation}: ${describeAnswer(exchange)}`).join('; ');
  return problem(
    'endpoint-refused',
    `right requests to this endpoint are refused (${came}), although error 99 at another one shows that consumer key, secret and clock are right`,
    'Compare endpointId with the one that was issued. If it is right, its day may have been closed before, by doctor or an earlier run: a gateway may close it only once. Or the gateway refuses a consumer for some time after wrong signatures, of which a run sends many: have that lifted for the run. Of a gateway that looks at its gates before it verifies a signature, error 99 shows nothing of the secret.',
  );
}

function bothRefused(both: readonly Answered[], clockOffset: number | undefined): DoctorFinding {
  const came = both.map(({ operation, exchange }) => `${operation}: ${describeAnswer(exchange)}`).join('; ');
  if (isOff(clockOffset)) {
    const hint =
      'Set the clock by a time server and try again. If both are still refused, the consumer key or the endpoint id is wrong.';
    return problem(
      'signature/clock',
      `both operations are refused (${came}), and the clocks are ${Math.abs(clockOffset!)} s apart`,
      hint,
    );
  }
  const clock =
    clockOffset === undefined
      ? 'The clock is not known: compare it with a time server. '
      : 'The Date header agrees with the clock here; whether the gateway checks timestamps by another clock cannot be seen. ';
  return problem(
    'signature/consumer',
    `both operations are refused (${came}): most likely the consumer key or the endpoint id is wrong`,
    `${clock}A wrong secret and a wrong key at the same time are unlikely, unless all three come from another environment: compare consumerKey and endpointId with what was issued for this one.`,
  );
}

function isOff(clockOffset: number | undefined): boolean {
  return clockOffset !== undefined && Math.abs(clockOffset) > mostSeconds;
}

function answered(operation: Operation, exchange: Exchange | undefined): Answered | undefined {
  if (exchange === undefined) return undefined;
  const answer = classify({ scenario: 'doctor', number: 1, label: { operation, intent: 'valid' }, exchange });
  return { operation, exchange, answer };
}
