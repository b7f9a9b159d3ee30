/** What page, API and terminal show of an engagement. Only the member `credentials` contains secrets. */
import type { Result } from '../../record/result/result.ts';
import { causeGroups } from '../../report/cause-groups.ts';
import { shortened } from '../../report/visible.ts';
import type { DeskService } from './desk-service.ts';
import { progressOf, type StepProgress } from './script.ts';
import { countingExchanges, type EngagementRecord, type KeptExchange } from './state.ts';

/** Maximum of exchanges on the page. All counting exchanges are in exchanges.har. */
export const maxShown = 50;

export type EngagementView = ReturnType<typeof viewOf>;
export type StepView = ReturnType<typeof stepView>;
export type ExchangeView = EngagementView['exchanges'][number];

/** A mistake, described for the person who fixes the client. */
export interface Mistake {
  /** The id of the failed requirement. */
  readonly id: string;
  /** Describes the deviation of the signature, or else the requirement and the received value. */
  readonly sentence: string;
  readonly fix?: string | undefined;
}

export function viewOf(record: EngagementRecord, desk: DeskService) {
  const { engagement, version } = record;
  const { id, name, operations, privateKeyPem } = engagement;
  const { endpointId, consumerKey, consumerSecret, publicKeyPem } = engagement;
  const result = shownResult(record, desk);
  const { conclusion, dimensions, results, hazards = [] } = result;
  const redaction = desk.redactorOf(engagement);
  const followers = causeGroups(result, 'fail').flatMap((group) => (group.followers ?? []).map((row) => row.id));
  const counting = new Set(countingExchanges(record).map(({ number }) => number));
  const exchangeView = ({ number, step, exchange }: KeptExchange) => {
    const counts = counting.has(number);
    const causes = counts ? mistakesAt([number], result) : [];
    const failing = idsOf(causes);
    const isSignature = failing.some((failed) => failed.startsWith('authentication/'));
    // Show the text that the client should have signed.
    const text = isSignature ? desk.surroundings.baseStringOf(exchange.request) : undefined;
    const baseString = text && redaction.text(shortened(text, maxBaseString));
    const at = iso(exchange.startedAt);
    return { number, step, counts, at, failing, causes, baseString, exchange: redaction.exchange(exchange) };
  };
  const privateKey: 'ready' | 'given' | 'kept-by-its-owner' =
    privateKeyPem === undefined ? 'kept-by-its-owner' : record.privateKeyGiven ? 'given' : 'ready';
  return {
    id,
    name,
    createdAt: iso(engagement.createdAt),
    operations,
    version,
    baseUrl: desk.baseUrlOf(record),
    credentials: { endpointId, consumerKey, consumerSecret, publicKeyPem, privateKey },
    conclusion,
    /** Risks to money that no requirement forbids. */
    hazards,
    dimensions,
    plan: progressOf(record).map((progress) => stepView(progress, result)),
    rows: results.map(({ provenBy: _, ...row }) => row),
    exchangeCount: record.exchanges.length,
    countingCount: counting.size,
    /** The latest exchanges, newest first. */
    exchanges: record.exchanges.slice(-maxShown).reverse().map(exchangeView),
    /** The mistakes without consequences of other mistakes. */
    causes: mistakesAt([...counting], result).filter((cause) => !followers.includes(cause.id)),
    /** Lost requests and connections of all clients, latest first. */
    lost: desk.lost,
    unread: record.unread.map(({ at, reason }) => ({ at: iso(at), reason })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

export function stepView({ step, number, state, exchanges, reported }: StepProgress, result?: Result) {
  const { answer: _, kind: __, keepsId: ___, ...shown } = step;
  const numbers = exchanges.map((kept) => kept.number);
  const causes = result === undefined ? [] : mistakesAt(numbers, result);
  return { ...shown, number, state, exchanges: numbers, failing: idsOf(causes), causes, reportedByPerson: reported };
}

function idsOf(causes: readonly Mistake[]): string[] {
  return [...new Set(causes.map(({ id }) => id))];
}

/** The verdicts so far, without secrets. Uses the numbers that the desk gave to the exchanges. */
export function shownResult(record: EngagementRecord, desk: DeskService): Result {
  const { result, cases } = desk.judge(record);
  const numberOf = (number: number) => cases[number - 1]!.number;
  return JSON.parse(desk.redactorOf(record.engagement).text(JSON.stringify(result)), (name, value) => {
    if (name === 'exchange') return numberOf(value);
    return name === 'exchanges' && Array.isArray(value) ? value.map(numberOf) : value;
  });
}

/**
 * The different mistakes in the exchanges with these numbers. The explanations of a row are only about its first failed
 * exchange. Causes connect an explanation with the other exchanges that failed for the same reason.
 */
export function mistakesAt(
  numbers: readonly number[],
  { results, causes = [] }: Pick<Result, 'results' | 'causes'>,
): Mistake[] {
  const wanted = new Set(numbers);
  const isWanted = (number: number) => wanted.has(number);
  return results.flatMap(({ id, outcome, exchanges, explanations = [], statement = id, actual, hint }): Mistake[] => {
    if (outcome !== 'fail' || !exchanges.some(isWanted)) return [];
    const groups = causes.filter(
      ({ deviations = [], requirements }) => deviations.length > 0 && requirements.includes(id),
    );
    const concerned = groups.map((cause) => cause.exchanges).filter((group) => group.some(isWanted));
    const here = explanations.filter(
      ({ exchange }) => isWanted(exchange) || concerned.some((group) => group.includes(exchange)),
    );
    const named = here.flatMap(({ deviations }) => deviations);
    if (named.length > 0) {
      const sentences = new Map(
        named.map(({ summary, ...one }) => [`${summary.replace(/\.$/, '')} (${one.id}).`, one.fix]),
      );
      return [...sentences].map(([sentence, fix]) => ({ id, sentence, fix }));
    }
    // `actual` describes only the first exchange of a row.
    const received = actual !== undefined && isWanted(exchanges[0]!) ? [`Received: ${actual}.`] : [];
    const facts = here.flatMap((explanation) => explanation.facts);
    return [{ id, sentence: [`Broken: ${statement}`, ...received, ...facts].join(' '), fix: hint }];
  });
}

/** Maximum of characters of a base string, because fifty base strings of megabytes would exhaust the memory. */
const maxBaseString = 20_000;
