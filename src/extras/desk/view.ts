/** The view of an engagement for page, API and terminal. Secrets appear only among the credentials. */
import { verifyRequest } from '../../protocol/index.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import type { Cause, Result, ResultRow } from '../../record/result/result.ts';
import { causeGroups } from '../../report/cause-groups.ts';
import { shortened, visible } from '../../report/visible.ts';
import { type DeskService, keysFor } from './desk-service.ts';
import { countingExchanges, type Engagement, type EngagementRecord, type KeptExchange } from './engagement.ts';
import { progressOf, type StepProgress } from './script.ts';

/** Only the latest exchanges are shown; exchanges.har has all that count. */
export const maxShown = 50;

export type EngagementView = ReturnType<typeof viewOf>;
export type StepView = ReturnType<typeof stepView>;
export type RowView = EngagementView['rows'][number];
export type ExchangeView = EngagementView['exchanges'][number];

/** A mistake of the client, for the person who fixes it. Replaces a list of failed requirements. */
export interface Mistake {
  readonly id: string;
  /** The deviation if the autopsy names one, or else the requirement and what was received. */
  readonly sentence: string;
  readonly fix?: string;
}

export function viewOf(record: EngagementRecord, desk: DeskService) {
  const { engagement, version } = record;
  const { id, name, operations, createdAt, privateKeyPem } = engagement;
  const { endpointId, consumerKey, consumerSecret, publicKeyPem } = engagement;
  const { result, cases } = desk.judge(record);
  const { conclusion, dimensions, results, hazards = [] } = result;
  const redaction = redactionFor(engagement);
  const deskNumber = (number: number) => cases[number - 1]!.number;
  const failing = redaction.json(failingRows(result, cases));
  const following = new Set(causeGroups(result, 'fail').flatMap(({ followers = [] }) => followers.map(({ id }) => id)));
  const counting = new Set(countingExchanges(record).map(({ number }) => number));
  const unverified = failing.find((row) => row.id === 'authentication/signature-verifies');
  const exchangeView = (kept: KeptExchange) => {
    const { number, step, exchange } = kept;
    const counts = counting.has(number);
    const at = iso(exchange.startedAt);
    const ids = failing.filter(({ exchanges }) => counts && exchanges.includes(number)).map((row) => row.id);
    const signature = redaction.json(signatureNote(kept, engagement, counts ? unverified : 'replaced'));
    return { number, step, counts, at, failing: ids, signature, exchange: redaction.exchange(exchange) };
  };
  const privateKey: 'ready' | 'given' | 'kept-by-its-owner' =
    privateKeyPem === undefined ? 'kept-by-its-owner' : record.privateKeyGiven ? 'given' : 'ready';
  return {
    id,
    name,
    createdAt: iso(createdAt),
    operations,
    version,
    baseUrl: desk.baseUrlOf(record),
    credentials: { endpointId, consumerKey, consumerSecret, publicKeyPem, privateKey },
    conclusion,
    /** Risks to money that no requirement forbids. */
    hazards: redaction.json(hazards.map((one) => ({ ...one, exchanges: one.exchanges.map(deskNumber) }))),
    dimensions,
    plan: progressOf(record).map((progress) => stepView(progress, failing)),
    rows: redaction.json(results.map(({ provenBy: _, ...row }) => renumbered(row, deskNumber))),
    exchangeCount: record.exchanges.length,
    countingCount: counting.size,
    /** The latest ones, newest first. */
    exchanges: record.exchanges.slice(-maxShown).reverse().map(exchangeView),
    causes: failing.flatMap((row) => (following.has(row.id) ? [] : causesAt([row], row.exchanges))),
    /** Lost connections of any client, latest first. */
    lost: desk.lost,
    unread: record.unread.map(({ at, reason }) => ({ at: iso(at), reason })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

export function stepView({ step, number, state, exchanges, reported }: StepProgress, failing: readonly ResultRow[]) {
  const { answer: _, about: __, kind: ___, ownRequestId = false, ...shown } = step;
  const numbers = exchanges.map((kept) => kept.number);
  const causes = causesAt(failing, numbers);
  return {
    ...shown,
    number,
    ownRequestId,
    state,
    exchanges: numbers,
    failing: [...new Set(causes.map((cause) => cause.id))],
    causes,
    /** What the person said; not a verdict of the suite. */
    reportedByPerson: reported,
  };
}

/** @param rows failing requirements, with the same numbering as `numbers` */
export function causesAt(rows: readonly ResultRow[], numbers: readonly number[]): Mistake[] {
  return rows
    .filter(({ exchanges }) => exchanges.some((number) => numbers.includes(number)))
    .flatMap((row) => {
      const named = (row.explanations ?? []).find(({ exchange }) => numbers.includes(exchange))?.deviations ?? [];
      if (named.length > 0) return named.map(({ summary, fix }) => ({ id: row.id, sentence: summary, fix }));
      const statement = `Broken: ${row.statement ?? row.id}`;
      // `actual` describes only the first exchange of a row.
      const isShown = row.actual !== undefined && numbers.includes(row.exchanges[0]!);
      return [{ id: row.id, sentence: isShown ? `${statement} Received: ${row.actual}.` : statement, fix: row.hint }];
    });
}

/** Translates the exchange numbers of a result to those of the desk. */
function renumbered<Row extends Pick<ResultRow, 'exchanges' | 'explanations'>>(
  row: Row,
  deskNumber: (number: number) => number,
): Row {
  return {
    ...row,
    exchanges: row.exchanges.map(deskNumber),
    explanations: row.explanations?.map((one) => ({ ...one, exchange: deskNumber(one.exchange) })),
  };
}

export function failingRows(
  { results, causes = [] }: Pick<Result, 'results' | 'causes'>,
  cases: readonly { readonly number: number }[],
): ResultRow[] {
  return results
    .filter(({ outcome }) => outcome === 'fail')
    .map((row) => renumbered(explainedEverywhere(row, causes), (number) => cases[number - 1]!.number));
}

/** A row explains each mistake once. Here every request with the same mistake gets the explanation. */
function explainedEverywhere(row: ResultRow, causes: readonly Cause[]): ResultRow {
  const { explanations = [] } = row;
  const further = explanations.flatMap((one) => {
    const cause = causes.find(
      ({ deviations = [], requirements, exchanges }) =>
        one.deviations.length > 0 &&
        deviations.length > 0 &&
        requirements.includes(row.id) &&
        exchanges.includes(one.exchange),
    );
    const others = (cause?.exchanges ?? []).filter((at) => at !== one.exchange && row.exchanges.includes(at));
    return others.map((exchange) => ({ ...one, exchange, facts: [], triedCount: 0 }));
  });
  return further.length === 0 ? row : { ...row, explanations: [...explanations, ...further] };
}

/** Judging a longer engagement at every request would slow its client down. */
const maxJudged = 200;

/** A terminal line for a change: a request with its mistakes, or a lost connection. Undefined if no line is needed. */
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
  const { result, cases } = desk.judge(record);
  const causes = causesAt(failingRows(result, cases), [number]).map(({ sentence }) => sentence);
  const mistakes = visible(redactionFor(record.engagement).text(causes.join(' ')));
  return causes.length === 0 ? `${line}: ✓ right` : `${line}: ✗ ${mistakes}`;
}

interface SignatureNote {
  readonly verified: boolean;
  /** What fails, in one sentence; absent if the signature verifies. */
  readonly problem?: string;
  readonly rightOnceRepaired?: true;
  readonly explanation?: string;
  /** The base string that the desk computed, if it got that far; a long one is shortened in the middle. */
  readonly baseString?: string;
}

/** Maximum characters of a base string: nobody reads megabytes, and fifty of them would exhaust memory. */
const maxBaseString = 20_000;

/** @param verdict the failing signature row in desk numbers, if the exchange counts; `replaced` if it does not */
function signatureNote(
  { number, exchange }: Pick<KeptExchange, 'number' | 'exchange'>,
  engagement: Engagement,
  verdict: ResultRow | 'replaced' | undefined,
): SignatureNote {
  const verification = verificationOf(exchange)(engagement);
  if (verification.ok) return { verified: true };
  const { failure, detail: problem, steps } = verification;
  const row = verdict === 'replaced' ? undefined : verdict;
  // The judges repair other faults first, so they may accept a signature that does not verify as received.
  if (failure === 'bad-signature' && verdict !== 'replaced' && row?.exchanges.includes(number) !== true) {
    return { verified: false, problem, rightOnceRepaired: true };
  }
  const sentences = (row?.explanations ?? []).flatMap(({ exchange: of, deviations, alternatives = [], facts }) => {
    if (of !== number) return [];
    if (deviations.length === 0) return facts;
    const same = alternatives.map((ids) => ids.join(' + ')).join('; ');
    const named = deviations.map(({ id, summary, fix }) => `${summary} (${id}) ${fix}`);
    return same === '' ? named : [...named, `These give the same bytes: ${same}.`];
  });
  const explanation = sentences.length === 0 ? {} : { explanation: sentences.join(' ') };
  return { verified: false, problem, ...explanation, baseString: steps && shortened(steps.baseString, maxBaseString) };
}

/** Memoized, because a page is rendered often. */
const verificationOf = memoize(({ request }: Exchange) =>
  memoize((engagement: Engagement) =>
    verifyRequest(request, (consumerKey) => keysFor(engagement).keysOf(consumerKey)?.slice()),
  ),
);

const mark = '[secret]';

/**
 * Removes secrets in plain text, in hexadecimal and within base64. They have no character that an encoding of HTTP, JSON or HTML
 * changes.
 */
export function redactionFor({ consumerSecret, privateKeyPem = '' }: Engagement) {
  // The first and last lines of PEM are not secret, and a short line could occur anywhere.
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

/** The base64 of a text depends on its offset modulo 3. Each form omits the characters shared with its neighbours. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice([0, 2, 3][before]!, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...inBase64])];
}
