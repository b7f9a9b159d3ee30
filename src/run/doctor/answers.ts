/** What doctor concludes from answers to unsigned requests and to valid requests. */
import { type Effect, type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { operationSteps } from '../../peer/client/client.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { Case } from '../../record/case.ts';
import { contentEncoding, type Exchange, headerValues, type SentRequest } from '../../record/exchange.ts';
import { type Acceptance, classify, describeAnswer } from '../../rules/answers/acceptance.ts';
import { recurringBody } from '../../rules/answers/recurring-body.ts';
import type { WorstCase } from '../allowance/worst-case.ts';
import { buildRequest } from '../gateway/build-request.ts';
import { freshNonce, freshNow } from '../gateway/perform-case.ts';
import { type DoctorFinding, ok, problem, remark, unchecked } from '../target/examination.ts';
import type { ChargeableProfile, Credentials, Environment, LiveConfig } from '../target/live-config.ts';
import { publishedCredentials } from '../target/published.ts';
import { centsOf } from '../target/site.ts';
import { placeOf } from '../target/target.ts';

/** The run judges these itself: an accepted unsigned request, and a refusal by redirect. */
export const judgedByTheRun: ReadonlySet<string> = new Set(['path/accepted', 'path/redirect-in-refusal']);

export interface AskedUnsigned {
  readonly operation: Operation;
  readonly exchange: Exchange;
}

export function pathFinding(asked: readonly AskedUnsigned[]): DoctorFinding {
  const findings = asked.map(findingOf);
  const toPage = findings.find(({ id }) => id === 'path/redirect-in-refusal');
  if (toPage !== undefined && findings.every(({ id, status }) => id === toPage.id || status === 'unchecked')) {
    return problem('path/redirect')`${toPage.what}
      ${finalUrl} A gateway that refuses every request without a signature this way, such as with a log-in, looks the same: ${begins}`;
  }
  const problems = findings.filter(({ status }) => status === 'problem');
  const worst =
    problems.find(({ id }) => !judgedByTheRun.has(id)) ??
    problems.find(({ id }) => id === 'path/accepted') ??
    problems[0] ??
    findings.find(({ status }) => status === 'unchecked');
  return worst ?? ok('path')`both operations answer under this base URL`;
}

const finalUrl =
  'Redirects are not followed, since a signature holds for one URL only: write the final base URL in target.';
const begins = 'without unknown-endpoint-id a run begins all the same.';

function notThere(
  { operation, exchange }: AskedUnsigned,
  otherCause = 'for an unknown endpoint looks the same: check the endpoint id too.',
): DoctorFinding {
  return problem('path/prefix')`
    ${operation} is not under this base URL: ${exchange.request.target} was answered with HTTP ${exchange.response?.status}
    Check the prefix in target: it is the part between the host and /api/, such as /paynet. A gateway that answers this way ${otherCause}`;
}

function isNotThere({ response }: Exchange): boolean {
  return response !== undefined && [404, 405, 410].includes(response.status);
}

export function isRedirect({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400;
}

export function isAccepted(asked: AskedUnsigned): boolean {
  return answerTo(asked, 'fault') === 'accepted';
}

function answerTo({ operation, exchange }: AskedUnsigned, intent: 'valid' | 'fault'): Acceptance {
  return classify({ scenario: 'doctor', number: 1, label: { operation, intent }, exchanges: [exchange] });
}

/** For a valid request. Undefined if the redirect leads to another page, such as one with the result. */
function whereItMoved(asked: AskedUnsigned): DoctorFinding | undefined {
  const to = locationOf(asked.exchange);
  if (to === undefined || leadsAway(asked.exchange, to)) return undefined;
  return problem('path/redirect')`${formatRedirect(asked)}
    ${finalUrl} The request may have had its effect all the same: check at the gateway before you try again.`;
}

function locationOf({ response }: Exchange): string | undefined {
  return headerValues(response?.headers ?? [], 'location')[0];
}

function formatRedirect({ operation, exchange }: AskedUnsigned): string {
  const to = locationOf(exchange)?.slice(0, 200) ?? 'nowhere';
  return `${operation} is redirected (HTTP ${exchange.response!.status}) to ${to}`;
}

function findingOf(asked: AskedUnsigned): DoctorFinding {
  const { operation, exchange } = asked;
  const { response } = exchange;
  if (response === undefined) {
    return unchecked('path')`${operation}: ${exchange.failure?.message ?? 'no answer was received'}`;
  }
  if (isNotThere(exchange)) return notThere(asked, `for an endpoint that does not exist looks the same: ${begins}`);
  if (isRedirect(exchange)) {
    return leadsAway(exchange, locationOf(exchange))
      ? problem('path/redirect-in-refusal')`${formatRedirect(asked)}
          Refuse a request as sections 4.1 and 4.2 say, without a redirect.`
      : problem('path/redirect')`${formatRedirect(asked)}
          ${finalUrl}`;
  }
  const answer = answerTo(asked, 'fault');
  if (answer === 'refused' || answer === 'past-authentication') return ok('path')`${operation} answers`;
  const came = describeAnswer(exchange);
  if (answer === 'accepted') {
    return problem('path/accepted')`
      ${operation} accepts a request without a signature for the endpoint that is named as unknown (${came})
      Check unknown-endpoint-id: if that endpoint exists, what was sent had an effect. If it does not, the gateway looks at no signature.`;
  }
  if (response.status === 200 && contentEncoding(response.headers) !== '') {
    return problem('path/content-encoding')`${operation} answers in a form that is not read: ${came}
      Switch compression off for requests that do not ask for it, at the gateway or at the proxy in front of it.`;
  }
  // Invalid JSON and a body of 2.4 without a known type come from a gateway: the run judges them.
  if (response.status === 200 && !startsLikeJson(response.body) && !hasDocumentedNames(asked)) {
    return problem('path/other')`something else than a gateway answers ${operation} (${came})
      Check host and prefix in target; a proxy page or a maintenance page looks like this.`;
  }
  return unchecked('path')`${operation} says neither yes nor no (${came})
    Try again once the gateway works; see also the findings on rate limits and proxies.`;
}

/** Looks for names of 2.2 or 2.4, even if the body's form is wrong. */
function hasDocumentedNames({ operation, exchange }: AskedUnsigned): boolean {
  const begin = Buffer.from(exchange.response?.body.subarray(0, 10_000) ?? []).toString('latin1');
  // Links in a page may have the same parameter names.
  if (/^\s*</.test(begin)) return false;
  return operation === 'process-recurring-payments'
    ? recurringBody(exchange)?.kind === 'parameters'
    : begin.includes('theRequestSerialNumber');
}

/** True for another page of the same server. A moved base URL would keep the operation's path. */
function leadsAway({ request: { scheme, host, target } }: Exchange, to: string | undefined): boolean {
  const here = `${scheme}://${host}${target}`;
  if (to === undefined || !URL.canParse(to, here)) return false;
  const [from, there] = [new URL(here), new URL(to, here)];
  const operationPath = from.pathname.slice(from.pathname.lastIndexOf('/api/'));
  return there.origin === from.origin && !there.pathname.includes(operationPath);
}

function startsLikeJson(body: Uint8Array): boolean {
  return /^\s*\{/.test(Buffer.from(body.subarray(0, 100)).toString('utf8'));
}

/** Gateways accept timestamps within some minutes. */
function isOff(seconds: number | undefined): boolean {
  return seconds !== undefined && Math.abs(seconds) > 60;
}

/** Seconds by which the target's clock is ahead; undefined if unknown. The fastest answer is the most exact. */
export function clockOffset(exchanges: readonly Exchange[]): number | undefined {
  const [best] = exchanges
    .flatMap(({ response, startedAt, durationMs }) => {
      const { headers = [] } = response ?? {};
      const date = Date.parse(headerValues(headers, 'date')[0] ?? '');
      if (Number.isNaN(date) || headerValues(headers, 'age').some((age) => age !== '0')) return [];
      // The header is truncated to seconds, so add half a second on average.
      return [{ durationMs, offsetMs: date + 500 - (startedAt + durationMs / 2) }];
    })
    .sort((a, b) => a.durationMs - b.durationMs);
  return best && Math.round(best.offsetMs / 1000) + 0;
}

export function clockFinding(offset: number | undefined): DoctorFinding {
  if (offset === undefined) {
    return unchecked('clock')`no answer of the target has a usable Date header: its clock is not known
      Compare the clock of this machine with a time server; signatures carry the time.`;
  }
  const seconds = Math.abs(offset);
  const apart = seconds < 120 ? `${seconds} s` : `${seconds} s (${Math.round(seconds / 60)} minutes)`;
  const [direction, seen] = offset > 0 ? ['ahead of', 'old'] : ['behind', 'from the future'];
  const what = `the target's clock is ${apart} ${direction} this machine's`;
  if (!isOff(offset)) return ok('clock')`${offset === 0 ? 'the clocks agree to the second' : what}`;
  return problem('clock')`${what}, by its Date header
    To the target every oauth_timestamp of this machine is ${apart} ${seen}. Set this machine's clock by a time server; if it is right, let the operator of the gateway know.`;
}

export function betweenFindings(exchanges: readonly Exchange[], env: Environment): DoctorFinding[] {
  const proxies = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'].filter((name) => env[name]);
  const unused = remark('proxy/unused')`${proxies.join(', ')} set here: the suite connects directly all the same
    The target has to be reachable without a proxy.`;
  const faulty = exchanges.find(({ response }) => response !== undefined && response.status >= 500);
  return [
    ...limits(exchanges),
    ...signsOfProxies(exchanges),
    ...(proxies.length === 0 ? [] : [unused]),
    // A server fault may be temporary.
    ...(faulty === undefined
      ? []
      : [
          unchecked('answers')`the target answers ${faulty.request.target} with HTTP ${faulty.response!.status}
            The target, or something in front of it, has a fault: nothing can be judged until it is fixed.`,
        ]),
  ];
}

function limits(exchanges: readonly Exchange[]): DoctorFinding[] {
  const limited = exchanges.find(({ response }) => response?.status === 429);
  if (limited) {
    const [wait] = headerValues(limited.response!.headers, 'retry-after');
    const after = wait === undefined ? '' : `, with Retry-After: ${wait.slice(0, 40)}`;
    return [
      problem('rate-limit')`the target limits requests (HTTP 429${after})
        Lower rate in the configuration, or ask for a higher limit for this address.`,
    ];
  }
  const names = headersLike(/^(?:x-)?ratelimit/, exchanges);
  if (names === '') return [];
  return [
    remark('rate-limit')`the target announces a limit on requests (${names})
      Keep rate in the configuration below it.`,
  ];
}

function signsOfProxies(exchanges: readonly Exchange[]): DoctorFinding[] {
  if (exchanges.some(({ response }) => response?.status === 407)) {
    return [
      problem('proxy')`a proxy wants credentials (HTTP 407)
        Get direct access to the target for this machine: the suite uses no proxy.`,
    ];
  }
  const signs = headersLike(/^(?:via|x-cache|cf-ray|x-served-by|x-amz-cf-id|x-azure-ref)$/, exchanges);
  if (signs === '') return [];
  return [
    remark('proxy')`something is between this machine and the gateway (${signs})
      If signatures are refused, check whether it changes Host, path or body.`,
  ];
}

function headersLike(pattern: RegExp, exchanges: readonly Exchange[]): string {
  const all = exchanges.flatMap(({ response }) => (response?.headers ?? []).map(([name]) => name.toLowerCase()));
  return [...new Set(all)]
    .sort()
    .filter((name) => pattern.test(name))
    .join(', ');
}

/** Never throws for the target. An unsent request is an exchange with the failure `not-sent`. */
export type DoctorSend = (request: SentRequest, effect: WorstCase['effect']) => Promise<Exchange>;

export async function checkSignatures(
  config: LiveConfig,
  credentials: Credentials | undefined,
  clockOffset: number | undefined,
  send: DoctorSend,
): Promise<DoctorFinding[]> {
  const { endpointId } = config;
  const unsent = operationNames.map((operation) => unsentReason(operation, config));
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

/** How to allow an effect, in the configuration or by a flag. */
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

function unsentReason(operation: Operation, config: LiveConfig): DoctorFinding | undefined {
  const needs = (reason: string, hint?: string) => signatureUnchecked(operation, `needs an effect (${reason})`, hint);
  const { environment, path, recurring, allow } = config;
  const effect = operations[operation].effect as Effect;
  if (effect === 'none') return undefined;
  const isPayment = effect === 'starts-payments';
  const { does, flag, ...permission } = permissions[effect];
  const inFile = `${permission.allow}${isPayment && recurring.length === 0 ? ' and a profile under recurring' : ''}`;
  if (environment === 'production') return needs('the environment is production');
  if (environment !== 'integration') {
    return needs(does, `Where that may happen, write environment: integration, ${inFile} in the configuration.`);
  }
  const allowed = isPayment ? allow['starts-payments'].count : allow['closes-day'];
  const where = path === undefined ? `add ${flag}` : `write ${inFile}`;
  if (allowed < 1) return needs(does, `Where that may happen, ${where}.`);
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
  /** Seconds by which the target's clock is ahead; undefined if unknown. */
  readonly clockOffset?: number;
  readonly isTakenElsewhere?: boolean;
}

interface Answered {
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly answer: Acceptance;
  readonly came: string;
}

/** One finding per request, or one for several refusals with a common cause. */
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
  // If the other operation works, a single redirect may be a temporary fault.
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

/** Error 99 to a valid request shows that its signature was accepted. */
export function isTakenElsewhere(testCase: Case): boolean {
  return testCase.label.intent === 'valid' && classify(testCase) === 'past-authentication';
}

export function credentialFailureReason(sent: RightRequests): string | undefined {
  const problems = diagnoseTwins(sent).filter(({ status }) => status === 'problem');
  if (problems.length === 0) return undefined;
  // Show a hint that both problems share only once, after both.
  const said = problems.map(({ what, hint }, at) =>
    hint === undefined || problems[at + 1]?.hint === hint ? what : `${what}. ${hint.replace(/\.$/, '')}`,
  );
  // A wrong address says nothing about signatures.
  const isOfSignature = problems.some(({ id }) => id.startsWith('signature/'));
  return (isOfSignature ? [...said, otherCauses] : said).join('. ');
}
