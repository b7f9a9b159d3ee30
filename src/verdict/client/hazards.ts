/** Dangers to money: repeated requests, and unanswered requests that the client reports as refused. Pure. */
import { type HazardId, hazardById } from '../../../contracts/hazards.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { ClientCase, Decoded } from '../../record/case.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { lacks } from '../../record/losses.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Hazard } from '../../record/result/result.ts';
import { named } from '../../report/document.ts';
import { answerReadings } from '../../rules/answers/acceptance.ts';
import { batchOf } from '../../rules/client/batch.ts';
import { recurringInput } from '../../rules/client/inputs.ts';
import { readRequest } from '../../rules/client/reading.ts';
import { centsOf, inDecimals } from '../../run/target/site.ts';

type SentCall = NonNullable<ReturnType<typeof sentCall>>;
type Sent = SentCall['sent'][number];

/** A payment of a batch, or the day that a close-day request closes. */
interface Effect {
  readonly id: string;
  readonly cents: number;
  /** True if an earlier row of the batch has the same payment. */
  readonly isTwice?: boolean;
}

interface Answer {
  /** Answers of the same kind give one hazard. `refused`: a refusal that the interface document describes. */
  readonly kind: string;
  /** True if the answer is missing, cut off or unreadable. */
  readonly isMissing?: boolean;
  /** The text for the report. `answersOf` adds `status` and `retryAfter` to it. */
  readonly words: string;
  readonly status?: number;
  readonly retryAfter?: string;
}

function sentCall(testCase: ClientCase, numbers: ReadonlyMap<Exchange, number>) {
  const { exchanges } = testCase;
  const { label, reply, adapterFault, repeated } = testCase.call;
  // A recording does not show what the client reported. So two recorded calls may be one call and its retry.
  const isRecord = reply === undefined && adapterFault === undefined;
  const isReportedRefused = reply?.outcome === 'refused_locally' || isRefusal(reply?.decoded);
  // If `repeated` is set, the suite repeated the call after the adapter ended. This is not a retry of the client.
  const isAgain = exchanges.length > 1 && repeated === undefined;
  if (exchanges.length === 0 || !(isRecord || isReportedRefused || isAgain)) return undefined;
  return {
    operation: label.operation,
    isRecord,
    isObserved: label.input === 'observed',
    asked: recurringInput(testCase)?.rows.length,
    isReportedRefused,
    sent: (isAgain ? exchanges : exchanges.slice(-1)).map((exchange) => ({
      number: numbers.get(exchange)!,
      endpoint: `${exchange.request.host}${readRequest(exchange).path}`,
      startedAt: exchange.startedAt,
      effects: exchange.request.method === 'POST' ? effectsOf(testCase, exchange) : [],
      answer: answerTo(testCase, exchange, isRecord),
    })),
  };
}

function isRefusal(decoded: Decoded | undefined): boolean {
  if (decoded?.kind !== 'parameters') return decoded?.kind === 'refused' || decoded?.kind === 'error';
  return decoded.params.some(([name, value]) => name === 'type' && value.includes('error'));
}

function effectsOf(call: ClientCase, exchange: Exchange): Effect[] {
  if (call.label.operation === 'close-day') {
    const id = readRequest(exchange).form.pairs.find(({ name }) => name === 'day_close_request_id');
    return id === undefined ? [] : [{ id: id.value, cents: 0 }];
  }
  const batch = batchOf(call, exchange);
  const [order, profile, amount] = ['client-orderid', 'recurring-payment-id', 'amount'].map((name) =>
    batch?.columns.indexOf(name),
  );
  const known = new Set<string>();
  return (batch?.rows ?? []).flatMap((cells) => {
    if (cells === undefined) return [];
    const id = cells[order!] ?? JSON.stringify(cells);
    const payment = JSON.stringify([id, cells[profile!]]);
    const isTwice = known.has(payment);
    known.add(payment);
    return [{ id, cents: centsOf(cells[amount!] ?? '') ?? 0, isTwice }];
  });
}

function answerTo({ label, call: { incomplete } }: ClientCase, exchange: Exchange, isRecord: boolean): Answer {
  const { response, failure } = exchange;
  const missing = (words: string): Answer => ({ kind: words, words, isMissing: true });
  if (response === undefined) {
    if (failure?.kind === 'timeout') return missing('no answer in time');
    return missing(isRecord ? 'no answer' : 'a reset connection');
  }
  const { status, headers, body } = response;
  const [length] = headerValues(headers, 'content-length');
  if (!isRecord && Number(length) > body.length) return missing('an answer that is cut off');
  const { acceptance, isDocumentedRefusal, hasDocumentedBody } = answerReadings[label.operation];
  if (acceptance(exchange) === 'refused' && isDocumentedRefusal(exchange)) return { kind: 'refused', words: '' };
  // Decode as Latin-1: a client can recognize an error answer even if a byte is not UTF-8.
  const isError = /"status"\s*:\s*"error"/.test(Buffer.from(body).toString('latin1'));
  const isRead = isError || hasDocumentedBody(exchange) || lacks({ incomplete }, 'responseBody');
  if (status === 200 && !isRead) return missing('an answer that cannot be read');
  const [retryAfter] = headerValues(headers, 'retry-after');
  const isRedirect = status >= 300 && status < 400 && headerValues(headers, 'location').length > 0;
  const kind = isRedirect ? 'a redirect by status' : 'status';
  return { kind: `${kind} ${Math.floor(status / 100)}`, words: kind, status, retryAfter };
}

interface Found {
  readonly id: HazardId;
  readonly operation: Operation;
  readonly how: keyof typeof sentences;
  readonly after: Answer;
  readonly effects: readonly Effect[];
  readonly exchanges: readonly number[];
  readonly times?: number;
  readonly laterMs?: number;
}

/** Merges hazards with the same id, operation, `how` and kind of answer. `all`: calls in order of exchange numbers. */
export function hazardsIn(all: readonly ClientCase[], numbers: ReadonlyMap<Exchange, number>): Hazard[] {
  const calls = all.flatMap((call) => sentCall(call, numbers) ?? []);
  const live = calls.filter(({ isRecord }) => !isRecord);
  const found = [
    ...live.flatMap(repeatsIn),
    ...repeatsAcross(calls.filter(({ isRecord }) => isRecord)),
    ...live.flatMap(reportedRefused),
  ];
  const isOfDays = ({ operation }: Found) => Number(operation === 'close-day');
  const batchesFirst = found.sort((a, b) => isOfDays(a) - isOfDays(b));
  const keyOf = ({ id, operation, how, after }: Found) => JSON.stringify([id, operation, how, after.kind]);
  return [...groupBy(batchesFirst, keyOf).values()].map((group): Hazard => {
    const { id, operation, how, after } = group[0];
    const effects = group.flatMap((one) => one.effects);
    const isBatch = operation === 'process-recurring-payments';
    const total = inDecimals(effects.reduce((sum, { cents }) => sum + cents, 0));
    const ofTotal = effects.length === 1 ? ` of ${total}` : `, ${total} in total,`;
    const sum = total === '0.00' ? '' : ofTotal;
    const risk = isBatch
      ? `${pluralize(effects.length, 'payment')}${sum} may be charged again`
      : `${pluralize(effects.length, 'day')} may be closed again`;
    return {
      id,
      operation,
      how: `${how} after ${after.kind.replace(/\d$/, '$&xx')}`,
      sentence: `${sentences[how](group, isBatch ? 'The batch' : 'The close-day request')}: ${risk}.`,
      atRisk: {
        'closes-day': isBatch ? 0 : effects.length,
        'starts-payments': { count: isBatch ? effects.length : 0, total },
      },
      exchanges: [...new Set(group.flatMap(({ exchanges }) => exchanges))].sort((a, b) => a - b),
      hint: hazardById(id)!.hint,
    };
  });
}

const sentences = {
  'in one call': (group: readonly Found[], what: string) => {
    const maximum = Math.max(...group.map(({ times }) => times!));
    return group.length === 1
      ? `${what} was sent ${maximum} times in one call, after ${answersOf(group)}`
      : `${what} was sent again in ${group.length} calls, up to ${maximum} times in one call, after ${answersOf(group)}`;
  },
  'in a record': (group: readonly Found[], what: string) => {
    const same = what === 'The batch' ? 'A client-orderid' : what;
    const seconds = Math.round(group[0]!.laterMs! / 1000);
    return `${same} was sent again in ${pluralize(group.length, 'request')}, after ${answersOf(group)} (${seconds} s later)`;
  },
  'in one batch': (group: readonly Found[]) =>
    `In ${pluralize(group.length, 'request')} a client-orderid occurs more than once with the same recurring-payment-id`,
  'told as refused': (group: readonly Found[]) =>
    `The client reports ${pluralize(group.length, 'call')} as refused after ${answersOf(group)}`,
};

const maxStatuses = 6;

function answersOf(group: readonly Found[]): string {
  const { words, status } = group[0]!.after;
  if (status === undefined) return words;
  const statuses = [...new Set(group.map(({ after }) => after.status!))].sort((a, b) => a - b).map(String);
  const retryAfter = group.find(({ after }) => after.retryAfter !== undefined)?.after.retryAfter;
  const header = retryAfter === undefined ? '' : ` with Retry-After: ${retryAfter.slice(0, 30)}`;
  return `${words} ${named(statuses, maxStatuses)}${header}`;
}

function idOf(operation: Operation): HazardId {
  return operation === 'close-day' ? 'hazard/close-day-sent-again' : 'hazard/batch-sent-again';
}

/** Finds requests that repeat the effect of an earlier request of the same call. Ignores refused earlier requests. */
function repeatsIn({ operation, sent, asked = Number.POSITIVE_INFINITY }: SentCall): Found[] {
  const ids = new Set<string>();
  const again: Sent[] = [];
  let payments = 0;
  let after: Answer | undefined;
  for (const one of sent) {
    // A client may split a batch. A part is repeated if one of its payments, or the whole batch, was sent before.
    const isAgain = operation === 'close-day' || payments >= asked || one.effects.some(({ id }) => ids.has(id));
    if (one.effects.length > 0 && after !== undefined && isAgain) again.push(one);
    if (one.effects.length === 0 || one.answer.kind === 'refused') continue;
    after ??= one.answer;
    payments += one.effects.length;
    for (const { id } of one.effects) ids.add(id);
  }
  if (after === undefined || again.length === 0) return [];
  const effects = again.flatMap((one) => one.effects);
  const exchanges = sent.map(({ number }) => number);
  return [{ id: idOf(operation), operation, how: 'in one call', after, effects, exchanges, times: again.length + 1 }];
}

/** Finds repeated requests in recordings, which do not show which requests belong to one call. */
function repeatsAcross(calls: readonly SentCall[]): Found[] {
  const sentTo = new Map<string, Sent>();
  const lastClose = new Map<string, Sent>();
  const requests = calls.flatMap(({ sent, ...call }) => sent.map((one) => ({ ...call, one })));
  return requests
    .sort((a, b) => a.one.startedAt - b.one.startedAt)
    .flatMap(({ operation, isObserved, one }) => {
      const { number, endpoint, effects, answer, startedAt } = one;
      const keyOf = (to: string, id: string) => `${operation} ${to} ${id}`;
      const found: Found[] = [];
      const twice = effects.filter(({ isTwice }) => isTwice);
      const common = { id: idOf(operation), operation };
      if (twice.length > 0) {
        found.push({ ...common, how: 'in one batch', after: answer, effects: twice, exchanges: [number] });
      }
      const earlier = ({ id }: Effect) => sentTo.get(keyOf(endpoint, id)) ?? sentTo.get(keyOf('redirected', id));
      const known = effects.filter(earlier);
      const silent = operation === 'close-day' && isObserved ? lastClose.get(endpoint) : undefined;
      // If a close-day got no answer or HTTP 5xx, an observed close-day within five minutes counts as its repetition.
      const isSoon = silent !== undefined && effects.length > 0 && startedAt - silent.startedAt < 5 * 60 * 1000;
      const unanswered = isSoon ? silent : undefined;
      const before = known[0] === undefined ? unanswered : earlier(known[0]);
      if (before !== undefined) {
        const again = known.length > 0 ? known : effects;
        const exchanges = [before.number, number];
        const laterMs = startedAt - before.startedAt;
        found.push({ ...common, how: 'in a record', after: before.answer, effects: again, exchanges, laterMs });
      }
      lastClose.delete(endpoint);
      if (effects.length === 0 || answer.kind === 'refused') return found;
      if (isObserved && (answer.isMissing || answer.kind === 'status 5')) lastClose.set(endpoint, one);
      const to = answer.kind.startsWith('a redirect') ? 'redirected' : endpoint;
      for (const { id } of effects) sentTo.set(keyOf(to, id), one);
      return found;
    });
}

/** Finds an unanswered request that the client reports as refused. The caller of the client may then send it again. */
function reportedRefused({ operation, isReportedRefused, sent }: SentCall): Found[] {
  const { answer: after, effects, number } = sent.at(-1)!;
  if (!isReportedRefused || after.isMissing !== true || effects.length === 0) return [];
  const id = 'hazard/unanswered-told-as-refused';
  return [{ id, operation, how: 'told as refused', after, effects, exchanges: [number] }];
}
