/** What the page and the API show of an engagement: one reading of it, with secrets only among the credentials. */
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { CloseDayInput, RecurringInput } from '../../record/client-case.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { Hazard, Result, ResultRow } from '../../record/result/result.ts';
import type { Lost } from './callers.ts';
import { causesAt, failingRows, type Mistake, renumbered } from './causes.ts';
import type { DeskService } from './desk-service.ts';
import { countingExchanges, type EngagementRecord, type KeptExchange } from './engagement.ts';
import { type Redaction, redactionFor } from './redact.ts';
import { progressOf, type StepProgress } from './script.ts';
import { keysFor, type Looking, type SignatureNote, searchesOfOneView, signatureNote } from './signature-note.ts';
import { operationOfStep } from './step.ts';

/** Exchanges that are shown, the latest ones; exchanges.har has all that count. */
export const mostShown = 50;

export interface EngagementView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly operations: readonly string[];
  readonly version: number;
  readonly baseUrl: string;
  readonly credentials: CredentialsView;
  readonly conclusion: Result['conclusion'];
  /** What endangers money although no requirement forbids it; `exchanges` are numbers at the desk. */
  readonly hazards: readonly Hazard[];
  readonly dimensions: Result['dimensions'];
  readonly plan: readonly StepView[];
  readonly rows: readonly RowView[];
  /** All that ever came, replaced ones included. */
  readonly exchangeCount: number;
  /** Those that the verdicts rest on. */
  readonly countingCount: number;
  /** The latest ones, the newest first. */
  readonly exchanges: readonly ExchangeView[];
  readonly unread: readonly { readonly at: string; readonly reason: string }[];
  /** What is wrong with what counts, each mistake once. */
  readonly causes: readonly Mistake[];
  /** Connections of any client that came to nothing, the latest first. */
  readonly lost: readonly Lost[];
}

export interface CredentialsView {
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly publicKeyPem: string;
  /** `ready`: made by the desk and not given yet. */
  readonly privateKey: 'ready' | 'given' | 'kept-by-its-owner';
}

export interface StepView {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly operation: string;
  readonly instruction?: string;
  readonly input: CloseDayInput | RecurringInput;
  readonly answers: string;
  readonly expect: string;
  readonly ownRequestId: boolean;
  readonly state: StepProgress['state'];
  /** Numbers of its exchanges that count. */
  readonly exchanges: readonly number[];
  /** Requirements that one of its exchanges fails, and why. */
  readonly failing: readonly string[];
  readonly causes: readonly Mistake[];
  /** What the person said; no verdict of the suite. */
  readonly reportedByPerson?: 'showed' | 'did-not-show';
}

/** A row of the result; `exchanges` are numbers at the desk. */
export type RowView = Omit<ResultRow, 'provenBy' | 'repeat'> & { readonly statement: string };

export interface ExchangeView {
  readonly number: number;
  readonly step?: string;
  /** Whether it counts for the verdicts, or was replaced. */
  readonly counts: boolean;
  readonly at: string;
  readonly failing: readonly string[];
  readonly signature: SignatureNote;
  readonly exchange: Exchange;
}

/** Everything about one engagement. */
export function viewOf(record: EngagementRecord, desk: DeskService): EngagementView {
  const { engagement } = record;
  const { result, cases } = desk.judge(record);
  const redaction = redactionFor(engagement);
  const rows = result.results.map((row) => rowView(row, (number) => cases[number - 1]!.number));
  const failing = redaction.json(failingRows(result, cases));
  const causesOf = (numbers: readonly number[]) => causesAt(failing, numbers);
  const failingAt = (number: number) => failing.filter((row) => row.exchanges.includes(number)).map(({ id }) => id);
  const counting = new Set(countingExchanges(record).map(({ number }) => number));
  const { explainSignature: explain } = desk.surroundings;
  const looking = { explain, seen: desk.signatures, left: searchesOfOneView() };
  const exchanges = record.exchanges
    .slice(-mostShown)
    .reverse()
    .map((kept) => exchangeView(kept, counting.has(kept.number), failingAt, redaction, record, looking));
  return {
    id: engagement.id,
    name: engagement.name,
    createdAt: new Date(engagement.createdAt).toISOString(),
    operations: engagement.operations,
    version: record.version,
    baseUrl: desk.baseUrlOf(record),
    credentials: credentialsOf(record),
    conclusion: result.conclusion,
    hazards: redaction.json(
      (result.hazards ?? []).map((one) => ({ ...one, exchanges: one.exchanges.map((n) => cases[n - 1]!.number) })),
    ),
    dimensions: result.dimensions,
    plan: progressOf(record).map((progress) => stepView(progress, causesOf)),
    rows: redaction.json(rows),
    exchangeCount: record.exchanges.length,
    countingCount: counting.size,
    exchanges,
    causes: failing.flatMap((row) => causesAt([row], row.exchanges)),
    lost: desk.callers.lost,
    unread: record.unread.map(({ at, reason }) => ({ at: new Date(at).toISOString(), reason })),
  };
}

/** A step by itself, as it is asked for with `next`. */
export function stepView(
  progress: StepProgress,
  causesOf: (numbers: readonly number[]) => readonly Mistake[],
): StepView {
  const { step, number, state, exchanges, reported } = progress;
  const numbers = exchanges.map((kept) => kept.number);
  const causes = causesOf(numbers);
  return {
    id: step.id,
    number,
    title: step.title,
    operation: operationOfStep(step),
    instruction: step.instruction,
    input: step.plan.input,
    answers: step.answers,
    expect: step.expect,
    ownRequestId: step.ownRequestId === true,
    state,
    exchanges: numbers,
    failing: [...new Set(causes.map(({ id }) => id))],
    causes,
    reportedByPerson: reported,
  };
}

function rowView({ provenBy: _, repeat: __, ...row }: ResultRow, deskNumber: (number: number) => number): RowView {
  return {
    ...renumbered({ ...row, provenBy: [] }, deskNumber),
    statement: requirementById(row.id)?.statement ?? '',
  };
}

function exchangeView(
  kept: KeptExchange,
  isCounting: boolean,
  failingAt: (number: number) => readonly string[],
  redaction: Redaction,
  { engagement }: EngagementRecord,
  looking: Looking,
): ExchangeView {
  const { number, step, exchange } = kept;
  const failing = isCounting ? failingAt(number) : [];
  // Of a replaced exchange there is no verdict: then the request alone decides.
  const judgedWrong = !isCounting || failing.includes('authentication/signature-verifies');
  const note = signatureNote(exchange, keysFor(engagement), judgedWrong, looking);
  return {
    number,
    step,
    counts: isCounting,
    at: new Date(exchange.startedAt).toISOString(),
    failing,
    signature: redaction.json(note),
    exchange: redaction.exchange(exchange),
  };
}

function credentialsOf({ engagement, privateKeyGiven }: EngagementRecord): CredentialsView {
  const { endpointId, consumerKey, consumerSecret, publicKeyPem, privateKeyPem } = engagement;
  const privateKey = privateKeyPem === undefined ? 'kept-by-its-owner' : privateKeyGiven ? 'given' : 'ready';
  return { endpointId, consumerKey, consumerSecret, publicKeyPem, privateKey };
}
