/**
 * Right requests to each operation, and what it means that they are refused: the two operations sign differently, so
 * that which of them is refused tells what is wrong.
 */
import { type Effect, type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { operationSteps } from '../../peer/client/client.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { Case } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { classify, describeAnswer } from '../../rules/answers/acceptance.ts';
import type { Acceptance } from '../../rules/answers/answer-reading.ts';
import { buildRequest } from '../gateway/build-request.ts';
import { freshNonce, freshNow } from '../gateway/perform-case.ts';
import type { Credentials } from '../target/credentials.ts';
import { type DoctorFinding, ok, problem, remark, unchecked } from '../target/examination.ts';
import type { ChargeableProfile, LiveConfig } from '../target/live-config.ts';
import { publishedCredentials } from '../target/published.ts';
import { centsOf } from '../target/site.ts';
import { placeOf } from '../target/target.ts';
import { answerTo, isNotThere, isOff, isRedirect, notThere, whereItMoved } from './answers.ts';
import type { DoctorSend } from './examine-target.ts';

export async function checkSignatures(
  config: LiveConfig,
  credentials: Credentials | undefined,
  clockOffset: number | undefined,
  send: DoctorSend,
): Promise<DoctorFinding[]> {
  const { endpointId } = config;
  const unsent = operationNames.map((operation) => whyUnsent(operation, config));
  const told = unsent.filter((finding) => finding !== undefined);
  if (told.length === unsent.length) return told;
  if (credentials === undefined || endpointId === undefined) {
    return signaturesUnchecked(
      credentials === undefined ? 'no usable credentials are configured' : 'no endpoint-id is configured',
    );
  }
  const target = { ...placeOf(config), ...publishedCredentials(), credentials, gates: {} };
  const sent: Partial<Record<Operation, Exchange>> = {};
  for (const [at, operation] of operationNames.entries()) {
    if (unsent[at] !== undefined) continue;
    const input = ordinaryCalls[operation].fresh(freshNonce(), cheapest(config));
    const body = operationSteps[operation].fields((_, make) => make(), input);
    const { request } = buildRequest({ operation, body }, target, 'open', freshNow());
    sent[operation] = await send(request, operations[operation].effect);
  }
  return [...told, ...diagnoseTwins({ sent, clockOffset })];
}

export function signaturesUnchecked(because: string): DoctorFinding[] {
  return operationNames.map((operation) => signatureUnchecked(operation, because));
}

function signatureUnchecked(operation: Operation, because: string, hint = ''): DoctorFinding {
  return unchecked(`signature/${operation}`)`${operation}: signature not checked: ${because}
    ${hint}`;
}

/** How to allow an effect: in a configuration, and by a flag where there is none. */
const permissions: Readonly<
  Record<Exclude<Effect, 'none'>, { readonly does: string; readonly allow: string; readonly flag: string }>
> = {
  'closes-day': { does: 'it closes the day', allow: 'allow: { closes-day: 1 }', flag: '--allow closes-day=1' },
  'starts-payments': {
    does: 'it starts a payment',
    allow: 'allow: { starts-payments: { count: 1, total: "1.00" } }',
    flag: '--allow starts-payments=1/1.00',
  },
};

function whyUnsent(operation: Operation, config: LiveConfig): DoctorFinding | undefined {
  const needs = (reason: string, hint?: string) => signatureUnchecked(operation, `needs an effect (${reason})`, hint);
  const { environment, path, recurring, allow } = config;
  const effect = operations[operation].effect as Effect;
  if (effect === 'none') return undefined;
  const isPayment = effect === 'starts-payments';
  const { does, flag, ...permission } = permissions[effect];
  const inFile = `${permission.allow}${isPayment && recurring.length === 0 ? ' and a profile under recurring' : ''}`;
  if (environment === 'production') return needs('the environment is production');
  if (environment !== 'integration') {
    const where = path === undefined ? `add ${flag}` : `write environment: integration, ${inFile}`;
    return needs(does, `Where that may happen, ${where}.`);
  }
  const allowed = isPayment ? allow['starts-payments'].count : allow['closes-day'];
  if (allowed < 1) return needs(does, `Where that may happen, write ${inFile}.`);
  if (!isPayment || cheapest(config) !== undefined) return undefined;
  return needs('no recurring profile has an amount within the total', 'Raise the total, or lower an amount.');
}

function cheapest({ recurring, allow }: LiveConfig): ChargeableProfile | undefined {
  const [first] = [...recurring].sort((a, b) => centsOf(a.amount)! - centsOf(b.amount)!);
  const total = centsOf(allow['starts-payments'].total)!;
  return first !== undefined && centsOf(first.amount)! <= total ? first : undefined;
}

interface RightRequests {
  readonly sent: Readonly<Partial<Record<Operation, Exchange>>>;
  /** Seconds by which the target's clock is ahead; undefined where not known. */
  readonly clockOffset?: number;
  readonly isTakenElsewhere?: boolean;
}

interface Answered {
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly answer: Acceptance;
  readonly came: string;
}

/** One finding for each request that was sent; those that were refused say what is to blame, as far as both together show it. */
export function diagnoseTwins({ sent, clockOffset, isTakenElsewhere = false }: RightRequests): DoctorFinding[] {
  const all = operationNames.flatMap((operation): Answered[] => {
    const exchange = sent[operation];
    if (exchange === undefined) return [];
    const answer = answerTo({ operation, exchange }, 'valid');
    return [{ operation, exchange, answer, came: describeAnswer(exchange) }];
  });
  const signedOtherwise = (one: Answered) => all.find((other) => methodOf(other) !== methodOf(one));
  const refused = all.filter(({ answer }) => answer === 'refused');
  if (isTakenElsewhere && refused.some(({ operation }) => operation === 'close-day')) {
    const others = all.filter(({ answer }) => answer !== 'refused');
    return [refusedHere(refused), ...others.flatMap((one) => findingsOf(one, signedOtherwise(one), clockOffset))];
  }
  if (refused.length === all.length && all.some(signedOtherwise)) return [bothRefused(all, clockOffset)];
  return all.flatMap((one) => findingsOf(one, signedOtherwise(one), clockOffset));
}

function methodOf({ operation }: Answered) {
  return operations[operation].signatureMethod;
}

const suspects = { 'HMAC-SHA1': 'the consumer secret', 'RSA-SHA256': 'the private key, the recurring id' } as const;

function findingsOf(one: Answered, other: Answered | undefined, clockOffset: number | undefined): DoctorFinding[] {
  const { operation, exchange, answer, came } = one;
  const id = `signature/${operation}`;
  if (answer === 'accepted') return [ok(id)`a signed ${operation} request was accepted`];
  if (answer === 'past-authentication') {
    const closing = remark('gate-closing');
    return [
      ok(id)`the signature of ${operation} was accepted`,
      closing`the gate is closing already: close the day by hand, or close-day stays refused`,
    ];
  }
  if (answer === 'refused') return [oneRefused(one, other, clockOffset)];
  if (isNotThere(exchange)) return [notThere(one)];
  // Where the other operation answers, a single redirect may be a fault on the way.
  const moved = other === undefined || isRedirect(other.exchange) ? whereItMoved(one) : undefined;
  if (moved !== undefined) return [moved];
  return [
    unchecked(id)`the signature of ${operation} is not known to be right: ${came}
      The answer says neither yes nor no. The request may have had its effect: check at the gateway before you try again.`,
  ];
}

function oneRefused(one: Answered, other: Answered | undefined, clockOffset: number | undefined): DoctorFinding {
  const { operation, came } = one;
  if (other?.answer !== 'accepted' && other?.answer !== 'past-authentication') {
    const late = isOff(clockOffset) ? 'The clocks are too far apart: put that right first. ' : '';
    return problem(`signature/${operation}`)`a signed ${operation} request was refused (${came})
      ${late}Check ${suspects[methodOf(one)]}, the consumer key and the endpoint id. Where the other operation is allowed too, the two answers together show which of them is wrong.`;
  }
  if (methodOf(one) === 'HMAC-SHA1') {
    return problem('signature/secret')`only ${operation} is refused (${came}): most likely the consumer secret is wrong
      Consumer key, endpoint and clock are right, since the other operation was accepted. Compare the secret with the one that was issued: blanks, quotes, line ends, a cut-off end. If they are equal, the day may have been closed before, by doctor or an earlier run: a gateway may close it only once.`;
  }
  return problem('signature/private-key')`only ${operation} is refused (${came}): most likely the private key is wrong
    Consumer key, endpoint and clock are right, since ${other.operation} was accepted. The public half of this key has to be registered at the gateway for this consumer key. If it is, the recurring payment may be unknown, stopped or charged already there, or the gateway wants the CSV in another form (A12).`;
}

function refusedHere(refused: readonly Answered[]): DoctorFinding {
  return problem('endpoint-refused')`
    right requests to this endpoint are refused (${inWords(refused)}), although error 99 at another one shows that consumer key, secret and clock are right
    Compare endpointId with the one that was issued. If it is right, its day may have been closed before, by doctor or an earlier run: a gateway may close it only once. Or the gateway refuses a consumer for some time after wrong signatures, of which a run sends many: have that lifted for the run. Of a gateway that looks at its gates before it verifies a signature, error 99 shows nothing of the secret.`;
}

function bothRefused(both: readonly Answered[], clockOffset: number | undefined): DoctorFinding {
  const what = `both operations are refused (${inWords(both)})`;
  if (isOff(clockOffset)) {
    return problem('signature/clock')`${what}, and the clocks are ${Math.abs(clockOffset!)} s apart
      Set the clock by a time server and try again. If both are still refused, the consumer key or the endpoint id is wrong.`;
  }
  const clock =
    clockOffset === undefined
      ? 'The clock is not known: compare it with a time server.'
      : 'The Date header agrees with the clock here; whether the gateway checks timestamps by another clock cannot be seen.';
  return problem('signature/consumer')`${what}: most likely the consumer key or the endpoint id is wrong
    ${clock} A wrong secret and a wrong key at the same time are unlikely, unless all three come from another environment: compare consumerKey and endpointId with what was issued for this one.`;
}

function inWords(answered: readonly Answered[]): string {
  return answered.map(({ operation, came }) => `${operation}: ${came}`).join('; ');
}

const otherCauses =
  'If all of that is right, the gateway may refuse a consumer after wrong signatures, of which the run has sent many: have that lifted for the run. Or it computes another base string: the requirement authentication/*-valid-accepted shows that of the suite';

/** Whether the answer to a right close-day shows that its signature was taken, whatever the first one to the endpoint gets. */
export function isTakenElsewhere(examined: Case): boolean {
  return examined.label.intent === 'valid' && classify(examined) === 'past-authentication';
}

export function whyCredentialsFail(sent: RightRequests): string | undefined {
  const problems = diagnoseTwins(sent).filter(({ status }) => status === 'problem');
  if (problems.length === 0) return undefined;
  // What both operations have in common is said once, behind them.
  const said = problems.map(({ what, hint }, at) =>
    hint === undefined || problems[at + 1]?.hint === hint ? what : `${what}. ${hint.replace(/\.$/, '')}`,
  );
  // A wrong address says nothing of signatures.
  const isOfSignature = problems.some(({ id }) => id.startsWith('signature/'));
  return (isOfSignature ? [...said, otherCauses] : said).join('. ');
}
