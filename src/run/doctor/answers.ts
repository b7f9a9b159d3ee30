/**
 * What answers to unsigned requests show: whether the base URL leads to the operations, how far the clocks are apart,
 * what is in between. Pure.
 */

import type { Operation } from '../../../contracts/operations.ts';
import { contentEncoding, type Exchange, headerValues } from '../../record/exchange.ts';
import { classify, describeAnswer } from '../../rules/answers/acceptance.ts';
import type { Acceptance } from '../../rules/answers/answer-reading.ts';
import { recurringBody } from '../../rules/answers/recurring-body.ts';
import type { Environment } from '../target/credentials.ts';
import { type DoctorFinding, ok, problem, remark, unchecked } from '../target/examination.ts';

/** A request without a signature that is accepted, or refused by a redirect to another page where the other operation answers. */
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

export function notThere(
  { operation, exchange }: AskedUnsigned,
  otherCause = 'for an unknown endpoint looks the same: check the endpoint id too.',
): DoctorFinding {
  return problem('path/prefix')`
    ${operation} is not under this base URL: ${exchange.request.target} was answered with HTTP ${exchange.response?.status}
    Check the prefix in target: it is the part between the host and /api/, such as /paynet. A gateway that answers this way ${otherCause}`;
}

export function isNotThere({ response }: Exchange): boolean {
  return response !== undefined && [404, 405, 410].includes(response.status);
}

export function isRedirect({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400;
}

export function isAccepted(asked: AskedUnsigned): boolean {
  return answerTo(asked, 'fault') === 'accepted';
}

export function answerTo({ operation, exchange }: AskedUnsigned, intent: 'valid' | 'fault'): Acceptance {
  return classify({ scenario: 'doctor', number: 1, label: { operation, intent }, exchanges: [exchange] });
}

/** Of a right request: undefined where the redirect leads to another page, such as one that says what became of the request. */
export function whereItMoved(asked: AskedUnsigned): DoctorFinding | undefined {
  const to = locationOf(asked.exchange);
  if (to === undefined || leadsAway(asked.exchange, to)) return undefined;
  return problem('path/redirect')`${redirectInWords(asked)}
    ${finalUrl} The request may have had its effect all the same: check at the gateway before you try again.`;
}

function locationOf({ response }: Exchange): string | undefined {
  return headerValues(response?.headers ?? [], 'location')[0];
}

function redirectInWords({ operation, exchange }: AskedUnsigned): string {
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
      ? problem('path/redirect-in-refusal')`${redirectInWords(asked)}
          Refuse a request as sections 4.1 and 4.2 say, without a redirect.`
      : problem('path/redirect')`${redirectInWords(asked)}
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
  // JSON that cannot be read, and a body of 2.4 without a known type, are a gateway's answer: a run has rows about it.
  if (response.status === 200 && !startsLikeJson(response.body) && !hasDocumentedNames(asked)) {
    return problem('path/other')`something else than a gateway answers ${operation} (${came})
      Check host and prefix in target; a proxy page or a maintenance page looks like this.`;
  }
  return unchecked('path')`${operation} says neither yes nor no (${came})
    Try again once the gateway works; see also the findings on rate limits and proxies.`;
}

/** Whether the body has names of 2.2 or 2.4, whatever is wrong with its form. */
function hasDocumentedNames({ operation, exchange }: AskedUnsigned): boolean {
  const begin = Buffer.from(exchange.response?.body.subarray(0, 10_000) ?? []).toString('latin1');
  // A link in a page may have a parameter type as well.
  if (/^\s*</.test(begin)) return false;
  return operation === 'process-recurring-payments'
    ? recurringBody(exchange)?.kind === 'parameters'
    : begin.includes('theRequestSerialNumber');
}

/** Whether it leads to another page of the same server, such as one for errors: a base URL that has moved keeps the path of the operation. */
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

/** Whether the clocks are so many seconds apart that a run is in danger: gateways take timestamps within some minutes. */
export function isOff(seconds: number | undefined): boolean {
  return seconds !== undefined && Math.abs(seconds) > 60;
}

/** Whole seconds by which the target's clock is ahead; undefined where no answer tells. The quickest answer leaves the least doubt. */
export function clockOffset(exchanges: readonly Exchange[]): number | undefined {
  const [best] = exchanges
    .flatMap(({ response, startedAt, durationMs }) => {
      const { headers = [] } = response ?? {};
      const date = Date.parse(headerValues(headers, 'date')[0] ?? '');
      if (Number.isNaN(date) || headerValues(headers, 'age').some((age) => age !== '0')) return [];
      // The header is cut to whole seconds: on average half of one is missing.
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
    // A fault that answers in the place of the gateway is worth waiting for.
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
