/** Turns the answers to doctor's unsigned and valid requests into findings. */
import { type Effect, type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { operationSteps } from '../../peer/client/client.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { Case } from '../../record/case.ts';
import { contentEncoding, type Exchange, headerValues, type SentRequest } from '../../record/exchange.ts';
import { type Acceptance, classify, describeAnswer } from '../../rules/answers/acceptance.ts';
import { buildRequest } from '../gateway/build-request.ts';
import { newStamp } from '../gateway/perform-case.ts';
import type { Credentials, DoctorFinding, LiveConfig, LiveRun } from '../target/live-config.ts';
import { ok, problem, remark, unchecked } from '../target/live-config.ts';
import { publishedCredentials } from '../target/published.ts';
import { centsOf } from '../target/site.ts';
import { placeOf } from '../target/target.ts';

/** Problems that do not stop a run, because the run judges them itself. */
export const idsJudgedByRun: ReadonlySet<string> = new Set(['path/accepted', 'path/redirect-in-refusal']);

export type UnsignedCall = NonNullable<LiveRun['accepted']>[number];

/** Findings on base URL, clock and proxies. `greeting`: the GET of the base URL. `calls`: the unsigned requests. */
export function answerFindings(greeting: Exchange, calls: readonly UnsignedCall[], env: NodeJS.ProcessEnv) {
  const exchanges = [greeting, ...calls.map(({ exchange }) => exchange)];
  const offset = clockOffset(exchanges);
  const path =
    calls.length === 0
      ? unchecked('path')`base URL not checked: the configuration names no unknown endpoint
          Set unknown-endpoint-id: requests to an endpoint that does not exist have no effect.`
      : pathFinding(calls);
  return { findings: [path, clockFinding(offset), ...networkFindings(exchanges, env)], clockOffset: offset };
}

function pathFinding(calls: readonly UnsignedCall[]): DoctorFinding {
  const findings = calls.map(unsignedFinding);
  const redirect = findings.find(({ id }) => id === 'path/redirect-in-refusal');
  if (redirect !== undefined && findings.every(({ id, status }) => id === redirect.id || status === 'unchecked')) {
    return problem('path/redirect')`${redirect.what}
      ${finalUrlHint} A gateway that redirects every unsigned request, for example to a log-in, also gives this answer. ${startAnywayHint}`;
  }
  const problems = findings.filter(({ status }) => status === 'problem');
  const worst =
    problems.find(({ id }) => !idsJudgedByRun.has(id)) ??
    problems.find(({ id }) => id === 'path/accepted') ??
    problems[0] ??
    findings.find(({ status }) => status === 'unchecked');
  return worst ?? ok('path')`both operations answer under this base URL`;
}

const finalUrlHint =
  'The suite follows no redirect, because a signature is valid for only one URL: write the final base URL in "target".';
const startAnywayHint = 'To start a run anyway, remove unknown-endpoint-id.';

function unsignedFinding(call: UnsignedCall): DoctorFinding {
  const { operation, exchange } = call;
  const { response } = exchange;
  if (response === undefined) {
    return unchecked('path')`${operation}: ${exchange.failure?.message ?? 'no answer was received'}`;
  }
  if (isNotFound(exchange)) return notFoundFinding(call, startAnywayHint);
  if (isRedirect(exchange)) {
    return isPageRedirect(exchange)
      ? problem('path/redirect-in-refusal')`${formatRedirect(call)}
          The gateway must refuse a request as sections 4.1 and 4.2 say, without a redirect.`
      : problem('path/redirect')`${formatRedirect(call)}
          ${finalUrlHint}`;
  }
  const answer = acceptanceOf(call, 'fault');
  if (answer === 'refused' || answer === 'past-authentication') return ok('path')`${operation} answers`;
  const description = describeAnswer(exchange);
  if (answer === 'accepted') {
    return problem('path/accepted')`
      ${operation} accepts an unsigned request to the endpoint of unknown-endpoint-id (${description})
      The gateway does not check signatures. If the endpoint exists, the request also had an effect: write another id under unknown-endpoint-id.`;
  }
  if (response.status === 200 && contentEncoding(response.headers) !== '') {
    return problem('path/content-encoding')`
      ${operation} answers in an encoding that the suite does not read: ${description}
      Switch off compression at the gateway or its proxy: the requests of the suite do not ask for compression.`;
  }
  // Report only HTML pages here: the run itself judges other bodies, such as invalid JSON.
  if (response.status === 200 && /^\s*</.test(Buffer.from(response.body.subarray(0, 10_000)).toString('latin1'))) {
    return problem('path/other')`something other than a gateway answers ${operation} (${description})
      Check host and prefix in target. Error pages of proxies and maintenance pages look like this.`;
  }
  return unchecked('path')`the answer of ${operation} is neither an acceptance nor a refusal (${description})
    Try again when the gateway works. See also the findings on rate limits and proxies.`;
}

function notFoundFinding({ operation, exchange }: UnsignedCall, more = 'Check the endpoint id too.'): DoctorFinding {
  return problem('path/prefix')`
    ${operation} is not under this base URL: ${exchange.request.target} was answered with HTTP ${exchange.response?.status}
    Check the prefix in target: the part between the host and /api/, such as /paynet. A gateway may also answer an unknown endpoint this way. ${more}`;
}

function isNotFound({ response }: Exchange): boolean {
  return [404, 405, 410].includes(response?.status ?? 0);
}

export function isRedirect({ response }: Exchange): boolean {
  return Math.floor((response?.status ?? 0) / 100) === 3;
}

export function isAccepted(call: UnsignedCall): boolean {
  return acceptanceOf(call, 'fault') === 'accepted';
}

function acceptanceOf({ operation, exchange }: UnsignedCall, intent: 'valid' | 'fault'): Acceptance {
  return classify({ scenario: 'doctor', number: 1, label: { operation, intent }, exchanges: [exchange] });
}

function locationOf({ response }: Exchange): string | undefined {
  return headerValues(response?.headers ?? [], 'location')[0];
}

function formatRedirect({ operation, exchange }: UnsignedCall): string {
  const location = locationOf(exchange)?.slice(0, 200) ?? 'nowhere';
  return `${operation} is redirected (HTTP ${exchange.response!.status}) to ${location}`;
}

/** True for a redirect to another page of the same server. A moved base URL would keep the path of the operation. */
function isPageRedirect(exchange: Exchange): boolean {
  const { scheme, host, target } = exchange.request;
  const location = locationOf(exchange);
  const requestUrl = `${scheme}://${host}${target}`;
  if (location === undefined || !URL.canParse(location, requestUrl)) return false;
  const source = new URL(requestUrl);
  const destination = new URL(location, requestUrl);
  const operationPath = source.pathname.slice(source.pathname.lastIndexOf('/api/'));
  return destination.origin === source.origin && !destination.pathname.includes(operationPath);
}

/** True if the clocks differ by more than a minute: many gateways accept only timestamps of the last few minutes. */
function isClockOff(seconds: number | undefined): boolean {
  return seconds !== undefined && Math.abs(seconds) > 60;
}

/** Seconds by which the target's clock is ahead. Undefined if unknown. Uses the fastest answer, which is most exact. */
function clockOffset(exchanges: readonly Exchange[]): number | undefined {
  const [fastest] = exchanges
    .flatMap(({ response, startedAt, durationMs }) => {
      const { headers = [] } = response ?? {};
      const date = Date.parse(headerValues(headers, 'date')[0] ?? '');
      if (Number.isNaN(date) || headerValues(headers, 'age').some((age) => age !== '0')) return [];
      // A Date header has only whole seconds. On average the clock is half a second later, so add half a second.
      return [{ durationMs, offsetMs: date + 500 - (startedAt + durationMs / 2) }];
    })
    .sort((a, b) => a.durationMs - b.durationMs);
  return fastest && Math.round(fastest.offsetMs / 1000) + 0;
}

function clockFinding(offset: number | undefined): DoctorFinding {
  if (offset === undefined) {
    return unchecked('clock')`no answer has a usable Date header, so the target's clock is unknown
      Compare the clock of this machine with a time server, because signatures contain the time.`;
  }
  const seconds = Math.abs(offset);
  const minutes = seconds < 120 ? '' : ` (${Math.round(seconds / 60)} minutes)`;
  const difference = `${seconds} s${minutes}`;
  const [direction, time] = offset > 0 ? ['ahead of', 'past'] : ['behind', 'future'];
  const what = `the target's clock is ${difference} ${direction} this machine's`;
  if (!isClockOff(offset)) return ok('clock')`${offset === 0 ? 'the clocks agree to the second' : what}`;
  return problem('clock')`${what}, by its Date header
    By the clock of the target, every oauth_timestamp of this machine is ${difference} in the ${time}. Set this machine's clock by a time server. If this clock is correct, tell the operator of the gateway.`;
}

function networkFindings(exchanges: readonly Exchange[], env: NodeJS.ProcessEnv): DoctorFinding[] {
  const withStatus = (isWanted: (status: number) => boolean) =>
    exchanges.find(({ response }) => response !== undefined && isWanted(response.status));
  const limited = withStatus((status) => status === 429);
  const faulty = withStatus((status) => status >= 500);
  const [retryAfter] = headerValues(limited?.response?.headers ?? [], 'retry-after');
  const retryNote = retryAfter === undefined ? '' : `, with Retry-After: ${retryAfter.slice(0, 40)}`;
  const limitHeaders = headerNames(/^(?:x-)?ratelimit/, exchanges);
  const proxyHeaders = headerNames(/^(?:via|x-cache|cf-ray|x-served-by|x-amz-cf-id|x-azure-ref)$/, exchanges);
  const proxies = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'].filter((name) => env[name]);
  const findings = [
    limited
      ? problem('rate-limit')`the target limits requests (HTTP 429${retryNote})
          Set a lower rate in the configuration, or ask for a higher limit for this address.`
      : limitHeaders !== '' &&
        remark('rate-limit')`the target announces a rate limit (${limitHeaders})
          Keep "rate" in the configuration below this limit.`,
    withStatus((status) => status === 407)
      ? problem('proxy')`a proxy requires credentials (HTTP 407)
          The suite cannot log in to a proxy. Give this machine direct access to the target.`
      : proxyHeaders !== '' &&
        remark(
          'proxy',
        )`something between this machine and the gateway, such as a proxy, handles the traffic (${proxyHeaders})
          If signatures are refused, check whether such a proxy changes Host, path or body.`,
    proxies.length > 0 &&
      remark('proxy/unused')`the suite does not use ${proxies.join(', ')} and connects directly
        The target must be reachable without a proxy.`,
    // Report `unchecked`, not `problem`: a fault of a server may be temporary.
    faulty !== undefined &&
      unchecked('answers')`the target answers ${faulty.request.target} with HTTP ${faulty.response!.status}
        The target, or a proxy in front of it, has a fault. Nothing can be judged until it is fixed.`,
  ];
  return findings.filter((finding) => finding !== false);
}

function headerNames(pattern: RegExp, exchanges: readonly Exchange[]): string {
  const all = exchanges.flatMap(({ response }) => (response?.headers ?? []).map(([name]) => name.toLowerCase()));
  const matching = all.filter((name) => pattern.test(name));
  return [...new Set(matching)].sort().join(', ');
}

export async function checkSignatures(
  config: LiveConfig,
  credentials: Credentials | undefined,
  clockOffset: number | undefined,
  send: (request: SentRequest, effect: Effect) => Promise<Exchange>,
): Promise<DoctorFinding[]> {
  const unsent = operationNames.map((operation) => unsentFinding(operation, config));
  const findings = unsent.filter((finding) => finding !== undefined);
  if (findings.length === unsent.length) return findings;
  if (credentials === undefined) return signaturesUnchecked('no usable credentials are configured');
  if (config.endpointId === undefined) return signaturesUnchecked('no endpoint-id is configured');
  const target = { ...placeOf(config), ...publishedCredentials(), credentials, gates: {} };
  const sent: Partial<Record<Operation, Exchange>> = {};
  for (const [at, operation] of operationNames.entries()) {
    if (unsent[at] !== undefined) continue;
    const input = ordinaryCalls[operation].fresh(newStamp().nonce, cheapest(config));
    const body = operationSteps[operation].fields((_, make) => make(), input);
    const { request } = buildRequest({ operation, body }, target, 'open', newStamp());
    sent[operation] = await send(request, operations[operation].effect);
  }
  return [...findings, ...diagnoseValid({ sent, clockOffset })];
}

export function signaturesUnchecked(reason: string): DoctorFinding[] {
  return operationNames.map((operation) => signatureUnchecked(operation, reason));
}

function signatureUnchecked(operation: Operation, reason: string, hint = ''): DoctorFinding {
  return unchecked(`signature/${operation}`)`${operation}: signature not checked: ${reason}
    ${hint}`;
}

const permissions = {
  'closes-day': { does: 'it closes the day', allow: 'allow: { closes-day: 1 }', flag: '--allow closes-day=1' },
  'starts-payments': {
    does: 'it starts a payment',
    allow: 'allow: { starts-payments: { count: 1, total: "1.00" } }',
    flag: '--allow starts-payments=1/1.00',
  },
};

function unsentFinding(operation: Operation, config: LiveConfig): DoctorFinding | undefined {
  const effectFinding = (reason: string, hint?: string) =>
    signatureUnchecked(operation, `the check would have an effect (${reason})`, hint);
  const { environment, path, recurring, allow } = config;
  const { effect } = operations[operation];
  const isPayment = effect === 'starts-payments';
  const { does, flag, allow: entry } = permissions[effect];
  const configEntries = `${entry}${isPayment && recurring.length === 0 ? ' and a payment under recurring' : ''}`;
  if (environment === 'production') return effectFinding('the environment is production');
  if (environment !== 'integration') {
    return effectFinding(
      does,
      `If you accept this effect, write "environment: integration" and ${configEntries} in the configuration.`,
    );
  }
  const allowed = isPayment ? allow['starts-payments'].count : allow['closes-day'];
  const instruction = path === undefined ? `add ${flag}` : `write ${configEntries}`;
  if (allowed < 1) return effectFinding(does, `If you accept this effect, ${instruction}.`);
  if (!isPayment || cheapest(config) !== undefined) return undefined;
  return effectFinding('no recurring payment has an amount within the total', 'Raise the total, or lower an amount.');
}

function cheapest({ recurring, allow }: LiveConfig): LiveConfig['recurring'][number] | undefined {
  const [first] = [...recurring].sort((a, b) => centsOf(a.amount)! - centsOf(b.amount)!);
  const total = centsOf(allow['starts-payments'].total)!;
  return first !== undefined && centsOf(first.amount)! <= total ? first : undefined;
}

interface ValidRequests {
  readonly sent: Readonly<Partial<Record<Operation, Exchange>>>;
  /** Seconds by which the target's clock is ahead. Undefined if unknown. */
  readonly clockOffset?: number;
  /** True if another endpoint answered a valid request with error 99. This shows that the signatures are accepted. */
  readonly isAcceptedElsewhere?: boolean;
}

type AnsweredCall = UnsignedCall & { readonly answer: Acceptance; readonly description: string };

/** Returns findings on the valid requests. Refusals with a common cause share one finding. */
export function diagnoseValid({ sent, clockOffset, isAcceptedElsewhere = false }: ValidRequests): DoctorFinding[] {
  const all = operationNames.flatMap((operation): AnsweredCall[] => {
    const exchange = sent[operation];
    if (exchange === undefined) return [];
    const answer = acceptanceOf({ operation, exchange }, 'valid');
    return [{ operation, exchange, answer, description: describeAnswer(exchange) }];
  });
  const otherMethodCall = (one: AnsweredCall) => all.find((other) => methodOf(other) !== methodOf(one));
  const refused = all.filter(({ answer }) => answer === 'refused');
  const others = all.filter(({ answer }) => answer !== 'refused');
  const findingsOfEach = (calls: readonly AnsweredCall[]) =>
    calls.flatMap((one) => findingsOf(one, otherMethodCall(one), clockOffset));
  if (isAcceptedElsewhere && refused.some(({ operation }) => operation === 'close-day')) {
    return [endpointRefusal(refused), ...findingsOfEach(others)];
  }
  return others.length === 0 && all.some(otherMethodCall) ? [commonRefusal(all, clockOffset)] : findingsOfEach(all);
}

function methodOf({ operation }: AnsweredCall) {
  return operations[operation].signatureMethod;
}

function findingsOf(call: AnsweredCall, other: AnsweredCall | undefined, clockOffset?: number): DoctorFinding[] {
  const { operation, exchange, answer, description } = call;
  const id = `signature/${operation}`;
  if (answer === 'accepted') return [ok(id)`a signed ${operation} request was accepted`];
  if (answer === 'past-authentication') {
    return [
      ok(id)`the signature of ${operation} was accepted`,
      remark('gate-closing')`the gate is in state closing: it answers error 99 until a person closes the day by hand`,
    ];
  }
  if (answer === 'refused') return [singleRefusal(call, other, clockOffset)];
  if (isNotFound(exchange)) return [notFoundFinding(call)];
  // If both operations were sent, report a redirect only if both are redirected. A single one may be temporary.
  const isMoved = other === undefined || isRedirect(other.exchange);
  if (isMoved && locationOf(exchange) !== undefined && !isPageRedirect(exchange)) {
    return [
      problem('path/redirect')`${formatRedirect(call)}
        ${finalUrlHint} ${effectHint}`,
    ];
  }
  return [
    unchecked(id)`it is unknown if the signature of ${operation} is correct: ${description}
      The answer is neither an acceptance nor a refusal. ${effectHint}`,
  ];
}

const effectHint = 'The request may have had an effect: check at the gateway before you try again.';
const closedDayCause = 'the day may have been closed before, by doctor or an earlier run';
const suspects = { 'HMAC-SHA1': 'the consumer secret', 'RSA-SHA256': 'the private key, the recurring id' } as const;

function singleRefusal(call: AnsweredCall, other: AnsweredCall | undefined, clockOffset?: number): DoctorFinding {
  const { operation, description } = call;
  if (other?.answer !== 'accepted' && other?.answer !== 'past-authentication') {
    const clockHint = isClockOff(clockOffset) ? 'Set the clock first, because the clocks are too far apart. ' : '';
    return problem(`signature/${operation}`)`a signed ${operation} request was refused (${description})
      ${clockHint}Check ${suspects[methodOf(call)]}, the consumer key and the endpoint id. If you allow the other operation too, the two answers show which of these values is wrong.`;
  }
  const correctParts = `Consumer key, endpoint and clock are correct, because ${other.operation} was accepted.`;
  if (methodOf(call) === 'HMAC-SHA1') {
    return problem('signature/secret')`
      only ${operation} is refused (${description}): most likely the consumer secret is wrong
      ${correctParts} Compare the secret with the issued secret: look for blanks, quotes, line ends and a missing end. If the secrets are equal, ${closedDayCause}.`;
  }
  return problem('signature/private-key')`
    only ${operation} is refused (${description}): most likely the private key is wrong
    ${correctParts} Register the public half of this key at the gateway for this consumer key. If this key is registered, the recurring payment may be unknown, stopped or already charged, or the gateway expects another form of CSV (open point A12).`;
}

const blocks = 'the gateway may block a consumer after wrong signatures, and a run sends many: ask for an exception';

function endpointRefusal(refused: readonly AnsweredCall[]): DoctorFinding {
  return problem('endpoint-refused')`
    this endpoint refuses valid requests (${describeAll(refused)}), but another endpoint answered with error 99 (gate is closing)
    So consumer key, secret and clock are correct, unless the gateway checks gates before signatures. Compare endpoint-id with the issued id. If the ids are equal, ${closedDayCause}, or ${blocks}.`;
}

function describeAll(calls: readonly AnsweredCall[]): string {
  return calls.map(({ operation, description }) => `${operation}: ${description}`).join('; ');
}

function commonRefusal(calls: readonly AnsweredCall[], clockOffset: number | undefined): DoctorFinding {
  const what = `both operations are refused (${describeAll(calls)})`;
  if (isClockOff(clockOffset)) {
    return problem('signature/clock')`${what}, and the clocks are ${Math.abs(clockOffset!)} s apart
      Set the clock by a time server and try again. If both operations are still refused, the consumer key or the endpoint id is wrong.`;
  }
  const clock =
    clockOffset === undefined
      ? 'The clock is unknown: compare it with a time server.'
      : 'The Date header agrees with this clock, but the gateway may check timestamps by another clock.';
  return problem('signature/consumer')`${what}: most likely the consumer key or the endpoint id is wrong
    ${clock} Compare key and id with those that were issued for this environment. The secret and the private key are probably correct, because it is unlikely that both are wrong.`;
}

const otherCauses = `If all of these values are correct, ${blocks}. Or the gateway computes another base string: compare it with the base string of the suite under authentication/*-valid-accepted`;

/** True if a valid request got error 99. This answer shows that the gateway accepts the signature. */
export function isPastAuthentication(testCase: Case): boolean {
  return testCase.label.intent === 'valid' && classify(testCase) === 'past-authentication';
}

export function credentialFailureReason(requests: ValidRequests): string | undefined {
  const problems = diagnoseValid(requests).filter(({ status }) => status === 'problem');
  if (problems.length === 0) return undefined;
  // If two problems have the same hint, show the hint once, after the second problem.
  const sentences = problems.map(({ what, hint }, at) =>
    hint === undefined || problems[at + 1]?.hint === hint ? what : `${what}. ${hint.replace(/\.$/, '')}`,
  );
  // Name causes of wrong signatures only for problems with signatures, not for a wrong address.
  const hasSignatureProblem = problems.some(({ id }) => id.startsWith('signature/'));
  return (hasSignatureProblem ? [...sentences, otherCauses] : sentences).join('. ');
}
