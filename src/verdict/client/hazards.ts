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
import { centsOf, formatCents } from '../../run/target/site.ts';

type SentCall = NonNullable<ReturnType<typeof sentCall>>;
type Sent = SentCall['sent'][number];

/** A payment of a batch, or the day that a close-day request closes. */
interface Effect {
  readonly id: string;
  readonly cents: number;
  /** True if an earlier row of the batch has the same payment. */
  readonly isDuplicate?: boolean;
}

interface Answer {
  /** Answers of the same kind give one hazard. `refused`: a refusal that the interface document describes. */
  readonly kind: string;
  /** True if the answer is missing, cut off or unreadable. */
  readonly isMissing?: boolean;
  /** The text for the report. `answersOf` adds `status` and `retryAfter` to it. */
  readonly text: string;
  readonly status?: number;
  readonly retryAfter?: string;
}

function sentCall(testCase: ClientCase, numbers: ReadonlyMap<Exchange, number>) {
  const { exchanges } = testCase;
  const { label, reply, adapterFault, repeated } = testCase.call;
  // A recording does not show what the client reported. So two recorded calls may be one call and its retry.
  const isRecorded = reply === undefined && adapterFault === undefined;
  const isReportedRefused = reply?.outcome === 'refused_locally' || isRefusal(reply?.decoded);
  // If `repeated` is set, the suite repeated the call after the adapter ended. This is not a retry of the client.
  const isRepeated = exchanges.length > 1 && repeated === undefined;
  if (exchanges.length === 0 || !(isRecorded || isReportedRefused || isRepeated)) return undefined;
  return {
    operation: label.operation,
    isRecorded,
    isObserved: label.input === 'observed',
    rowCount: recurringInput(testCase)?.rows.length,
    isReportedRefused,
    sent: (isRepeated ? exchanges : exchanges.slice(-1)).map((exchange) => ({
      number: numbers.get(exchange)!,
      endpoint: `${exchange.request.host}${readRequest(exchange).path}`,
      startedAt: exchange.startedAt,
      effects: exchange.request.method === 'POST' ? effectsOf(testCase, exchange) : [],
      answer: answerTo(testCase, exchange, isRecorded),
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
  const seen = new Set<string>();
  return (batch?.rows ?? []).flatMap((cells): Effect[] => {
    if (cells === undefined) return [];
    const id = cells[order!] ?? JSON.stringify(cells);
    const payment = JSON.stringify([id, cells[profile!]]);
    const isDuplicate = seen.has(payment);
    seen.add(payment);
    return [{ id, cents: centsOf(cells[amount!] ?? '') ?? 0, isDuplicate }];
  });
}

function answerTo({ label, call: { incomplete } }: ClientCase, exchange: Exchange, isRecorded: boolean): Answer {
  const { response, failure } = exchange;
  const missingAnswer = (text: string): Answer => ({ kind: text, text, isMissing: true });
  if (response === undefined) {
    if (failure?.kind === 'timeout') return missingAnswer('no answer in time');
    return missingAnswer(isRecorded ? 'no answer' : 'a reset connection');
  }
  const { status, headers, body } = response;
  const [length] = headerValues(headers, 'content-length');
  if (!isRecorded && Number(length) > body.length) return missingAnswer('an answer that is cut off');
  const { acceptance, isDocumentedRefusal, hasDocumentedBody } = answerReadings[label.operation];
  if (acceptance(exchange) === 'refused' && isDocumentedRefusal(exchange)) return { kind: 'refused', text: '' };
  // Decode as Latin-1: a client can recognize an error answer even if a byte is not UTF-8.
  const isError = /"status"\s*:\s*"error"/.test(Buffer.from(body).toString('latin1'));
  const isReadable = isError || hasDocumentedBody(exchange) || lacks({ incomplete }, 'responseBody');
  if (status === 200 && !isReadable) return missingAnswer('an answer that cannot be read');
  const [retryAfter] = headerValues(headers, 'retry-after');
  const isRedirect = status >= 300 && status < 400 && headerValues(headers, 'location').length > 0;
  const kind = isRedirect ? 'a redirect by status' : 'status';
  return { kind: `${kind} ${Math.floor(status / 100)}`, text: kind, status, retryAfter };
}

interface FoundHazard {
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
  const adapterCalls = calls.filter(({ isRecorded }) => !isRecorded);
  const found = [
    ...adapterCalls.flatMap(repeatsIn),
    ...repeatsAcross(calls.filter(({ isRecorded }) => isRecorded)),
    ...adapterCalls.flatMap(reportedRefused),
  ];
  const isCloseDay = ({ operation }: FoundHazard) => Number(operation === 'close-day');
  const batchesFirst = found.sort((a, b) => isCloseDay(a) - isCloseDay(b));
  const keyOf = ({ id, operation, how, after }: FoundHazard) => JSON.stringify([id, operation, how, after.kind]);
  return [...groupBy(batchesFirst, keyOf).values()].map((group): Hazard => {
    const { id, operation, how, after } = group[0];
    const effects = group.flatMap((one) => one.effects);
    const isBatch = operation === 'process-recurring-payments';
    const total = formatCents(effects.reduce((sum, { cents }) => sum + cents, 0));
    const totalText = effects.length === 1 ? ` of ${total}` : `, ${total} in total,`;
    const sum = total === '0.00' ? '' : totalText;
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
  'in one call': (group: readonly FoundHazard[], what: string) => {
    const maximum = Math.max(...group.map(({ times }) => times!));
    return group.length === 1
      ? `${what} was sent ${maximum} times in one call, after ${answersOf(group)}`
      : `${what} was sent again in ${group.length} calls, up to ${maximum} times in one call, after ${answersOf(group)}`;
  },
  'in a record': (group: readonly FoundHazard[], what: string) => {
    const subject = what === 'The batch' ? 'A client-orderid' : what;
    const seconds = Math.round(group[0]!.laterMs! / 1000);
    return `${subject} was sent again in ${pluralize(group.length, 'request')}, after ${answersOf(group)} (${seconds} s later)`;
  },
  'in one batch': (group: readonly FoundHazard[]) =>
    `In ${pluralize(group.length, 'request')} a client-orderid occurs more than once with the same recurring-payment-id`,
  'told as refused': (group: readonly FoundHazard[]) =>
    `The client reports ${pluralize(group.length, 'call')} as refused after ${answersOf(group)}`,
};

const maxStatuses = 6;

function answersOf(group: readonly FoundHazard[]): string {
  const { text, status } = group[0]!.after;
  if (status === undefined) return text;
  const statuses = [...new Set(group.map(({ after }) => after.status!))].sort((a, b) => a - b).map(String);
  const retryAfter = group.find(({ after }) => after.retryAfter !== undefined)?.after.retryAfter;
  const header = retryAfter === undefined ? '' : ` with Retry-After: ${retryAfter.slice(0, 30)}`;
  return `${text} ${named(statuses, maxStatuses)}${header}`;
}

function idOf(operation: Operation): HazardId {
  return operation === 'close-day' ? 'hazard/close-day-sent-again' : 'hazard/batch-sent-again';
}

/** Finds requests that repeat the effect of an earlier request of the same call. Ignores refused earlier requests. */
function repeatsIn({ operation, sent, rowCount = Number.POSITIVE_INFINITY }: SentCall): FoundHazard[] {
  const ids = new Set<string>();
  const repeats: Sent[] = [];
  let payments = 0;
  let after: Answer | undefined;
  for (const one of sent) {
    // A client may split a batch. A part is repeated if one of its payments, or the whole batch, was sent before.
    const isRepeated = operation === 'close-day' || payments >= rowCount || one.effects.some(({ id }) => ids.has(id));
    if (one.effects.length > 0 && after !== undefined && isRepeated) repeats.push(one);
    if (one.effects.length === 0 || one.answer.kind === 'refused') continue;
    after ??= one.answer;
    payments += one.effects.length;
    for (const { id } of one.effects) ids.add(id);
  }
  if (after === undefined || repeats.length === 0) return [];
  const effects = repeats.flatMap((one) => one.effects);
  const exchanges = sent.map(({ number }) => number);
  return [{ id: idOf(operation), operation, how: 'in one call', after, effects, exchanges, times: repeats.length + 1 }];
}

/** Finds repeated requests in recordings, which do not show which requests belong to one call. */
function repeatsAcross(calls: readonly SentCall[]): FoundHazard[] {
  const sentIds = new Map<string, Sent>();
  const lastClose = new Map<string, Sent>();
  const requests = calls.flatMap(({ sent, ...call }) => sent.map((one) => ({ ...call, one })));
  return requests
    .sort((a, b) => a.one.startedAt - b.one.startedAt)
    .flatMap(({ operation, isObserved, one }) => {
      const { number, endpoint, effects, answer, startedAt } = one;
      const keyOf = (destination: string, id: string) => `${operation} ${destination} ${id}`;
      const found: FoundHazard[] = [];
      const duplicates = effects.filter(({ isDuplicate }) => isDuplicate);
      const common = { id: idOf(operation), operation };
      if (duplicates.length > 0) {
        found.push({ ...common, how: 'in one batch', after: answer, effects: duplicates, exchanges: [number] });
      }
      const findEarlier = ({ id }: Effect) => sentIds.get(keyOf(endpoint, id)) ?? sentIds.get(keyOf('redirected', id));
      const repeated = effects.filter(findEarlier);
      const prior = operation === 'close-day' && isObserved ? lastClose.get(endpoint) : undefined;
      // If a close-day got no answer or HTTP 5xx, an observed close-day within five minutes counts as its repetition.
      const isSoon = prior !== undefined && effects.length > 0 && startedAt - prior.startedAt < 5 * 60 * 1000;
      const unanswered = isSoon ? prior : undefined;
      const previous = repeated[0] === undefined ? unanswered : findEarlier(repeated[0]);
      if (previous !== undefined) {
        const repeats = repeated.length > 0 ? repeated : effects;
        const exchanges = [previous.number, number];
        const laterMs = startedAt - previous.startedAt;
        found.push({ ...common, how: 'in a record', after: previous.answer, effects: repeats, exchanges, laterMs });
      }
      lastClose.delete(endpoint);
      if (effects.length === 0 || answer.kind === 'refused') return found;
      if (isObserved && (answer.isMissing || answer.kind === 'status 5')) lastClose.set(endpoint, one);
      const destination = answer.kind.startsWith('a redirect') ? 'redirected' : endpoint;
      for (const { id } of effects) sentIds.set(keyOf(destination, id), one);
      return found;
    });
}

/** Finds an unanswered request that the client reports as refused. The caller of the client may then send it again. */
function reportedRefused({ operation, isReportedRefused, sent }: SentCall): FoundHazard[] {
  const { answer: after, effects, number } = sent.at(-1)!;
  if (!isReportedRefused || after.isMissing !== true || effects.length === 0) return [];
  const id = 'hazard/unanswered-told-as-refused';
  return [{ id, operation, how: 'told as refused', after, effects, exchanges: [number] }];
}
