/** What page, API and terminal show about an engagement. Only `credentials` contains secrets. */
import type { Exchange } from '../../record/exchange.ts';
import type { Result } from '../../record/result/result.ts';
import { causeGroups } from '../../report/cause-groups.ts';
import { shortened, visible } from '../../report/visible.ts';
import { baseStringOf } from '../../verdict/gateway-evidence.ts';
import type { DeskService } from './desk-service.ts';
import { progressOf, type StepProgress } from './script.ts';
import { countingExchanges, type Engagement, type EngagementRecord, type KeptExchange } from './state.ts';

/** Maximum of exchanges on the page. The file exchanges.har has all exchanges that count. */
export const maxShown = 50;

export type EngagementView = ReturnType<typeof viewOf>;
export type StepView = ReturnType<typeof stepView>;
export type ExchangeView = EngagementView['exchanges'][number];

/** A mistake of the client, for the person who fixes the client. `id` is the id of the failed requirement. */
export interface Mistake {
  readonly id: string;
  /** The deviation that the autopsy found, or else the requirement and what was received. */
  readonly sentence: string;
  readonly fix?: string | undefined;
}

export function viewOf(record: EngagementRecord, desk: DeskService) {
  const { engagement, version } = record;
  const { id, name, operations, privateKeyPem } = engagement;
  const { endpointId, consumerKey, consumerSecret, publicKeyPem } = engagement;
  const result = shownResult(record, desk);
  const { conclusion, dimensions, results, hazards = [] } = result;
  const redaction = redactionFor(engagement);
  const followers = causeGroups(result, 'fail').flatMap((group) => (group.followers ?? []).map((row) => row.id));
  const counting = new Set(countingExchanges(record).map(({ number }) => number));
  const exchangeView = ({ number, step, exchange }: KeptExchange) => {
    const counts = counting.has(number);
    const causes = counts ? mistakesAt([number], result) : [];
    const failing = idsOf(causes);
    const text = failing.some((one) => one.startsWith('authentication/')) ? baseStringOf(exchange.request) : undefined;
    // Show the text that the client should have signed.
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
    /** Mistakes that no other mistake causes. */
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

/** The verdicts so far, without secrets. Exchanges have the numbers that the desk gave them. */
function shownResult(record: EngagementRecord, desk: DeskService): Result {
  const { result, cases } = desk.judge(record);
  const numberOf = (number: number) => cases[number - 1]!.number;
  return JSON.parse(redactionFor(record.engagement).text(JSON.stringify(result)), (name, value) => {
    if (name === 'exchange') return numberOf(value);
    return name === 'exchanges' && Array.isArray(value) ? value.map(numberOf) : value;
  });
}

/** The different mistakes in these exchanges. A row explains only its first failing exchange, but a cause lists all its exchanges. */
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
      ({ exchange: one }) => isWanted(one) || concerned.some((some) => some.includes(one)),
    );
    const named = here.flatMap(({ deviations }) => deviations);
    if (named.length > 0) {
      const sentences = new Map(named.map((one) => [`${one.summary.replace(/\.$/, '')} (${one.id}).`, one.fix]));
      return [...sentences].map(([sentence, fix]) => ({ id, sentence, fix }));
    }
    // `actual` describes only the first exchange of a row.
    const received = actual !== undefined && isWanted(exchanges[0]!) ? [`Received: ${actual}.`] : [];
    const facts = here.flatMap((one) => one.facts);
    return [{ id, sentence: [`Broken: ${statement}`, ...received, ...facts].join(' '), fix: hint }];
  });
}

/** Above this number of exchanges, judging after every request would slow the client down. */
const maxJudged = 200;

/** The terminal's line about a new request or a lost connection. Undefined for other changes. */
export function lineOf(desk: DeskService, changed: string | undefined, exchange?: number): string | undefined {
  const clock = (at: number) => iso(at).slice(11, 19);
  if (changed === undefined) {
    const [latest] = desk.lost;
    return latest && `${clock(latest.at)}  ! ${visible(latest.why)}`;
  }
  const record = desk.find(changed);
  const kept = record.exchanges.find(({ number }) => number === exchange);
  if (kept === undefined) return undefined;
  const { step = 'outside the plan', number, exchange: seen } = kept;
  const line = `${clock(seen.startedAt)}  ${visible(record.engagement.name)}, request ${number}, ${step}, answered ${seen.response?.status}`;
  if (record.exchanges.length > maxJudged) return `${line}: see the page for its verdict`;
  const causes = mistakesAt([number], shownResult(record, desk)).map(({ sentence }) => sentence);
  return causes.length === 0 ? `${line}: ✓ right` : `${line}: ✗ ${visible(causes.join(' '))}`;
}

/** Limit in characters: a page with fifty base strings of megabytes would exhaust memory. */
const maxBaseString = 20_000;

const mark = '[secret]';

/** Removes secrets in plain text, percent-encoding, hexadecimal and base64. */
export function redactionFor({ consumerSecret, privateKeyPem = '' }: Engagement) {
  // Skip the first and the last line of PEM, which are public, and short lines, which could occur by chance.
  const keyLines = privateKeyPem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
  const forms = [consumerSecret, ...keyLines].flatMap(formsOf);
  const text = (shown: string): string => forms.reduce((rest, form) => rest.replaceAll(form, mark), shown);
  return {
    text,
    json: <T>(value: T): T => JSON.parse(text(JSON.stringify(value))),
    exchange: ({ request, ...exchange }: Exchange): Exchange => ({
      ...exchange,
      request: {
        ...request,
        target: text(request.target),
        host: text(request.host),
        headers: request.headers.map(([name, value]) => [text(name), text(value)]),
        body: Buffer.from(text(Buffer.from(request.body).toString('latin1')), 'latin1'),
      },
    }),
  };
}

/** The written forms of a secret. Three are base64, for its three alignments, without the characters that other bytes also change. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = padded.toString('base64').replace(/=+$/, '');
    return text.slice([0, 2, 3][before]!, padded.length % 3 === 0 ? undefined : -1);
  });
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...inBase64])];
}
