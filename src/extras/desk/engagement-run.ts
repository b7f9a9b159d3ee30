/** An engagement as judges of clients take it: its exchanges as cases, and words for what a desk cannot see. Pure. */
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { decodeForm } from '../../protocol/index.ts';
import type { Case } from '../../record/case.ts';
import type { ClientCase, ClientRun, CloseDayInput, RecurringInput } from '../../record/client-case.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import { countingExchanges, type Engagement, type EngagementRecord, type KeptExchange } from './engagement.ts';
import { operationOfRequest } from './recognise.ts';
import { type DeskStep, stepById } from './script.ts';
import { type EngagementKeys, keysFor } from './signature-note.ts';

/** Everything that counts of an engagement, for a judge. */
interface EngagementRun {
  readonly header: Pick<
    Result,
    'subject' | 'runId' | 'profile' | 'seed' | 'startedAt' | 'durationMs' | 'reproduce' | 'effects' | 'notes'
  >;
  /** The number of a call is that of its exchange at the desk. */
  readonly client: ClientRun;
  readonly keys: EngagementKeys;
  /** Why nothing was found on a requirement. */
  noVerdictReason(row: Requirement): Pick<ResultRow, 'outcome' | 'blame' | 'reason' | 'actual'> | undefined;
}

/** What the judges make of an engagement. */
export interface Judged {
  readonly result: Result;
  /** In the order of the numbers that the result names; the number of each is that of its exchange at the desk. */
  readonly cases: readonly Case[];
}

/** At best the conclusion is `partial`, since the client's understanding cannot be seen. */
export type JudgeClient = (run: EngagementRun) => Judged;

/** What nothing at the desk can show, and why. */
const unseen: Readonly<Record<string, string>> = {
  'authentication/uri-host-case':
    'the host was never written with capital letters: point the client at LocalHost to show it',
  'authentication/uri-default-port': 'the base URL of an engagement names no default port',
  'close-day/environment-independent': 'the desk cannot start the client in another environment',
  'recurring/environment-independent': 'the desk cannot start the client in another environment',
};

export function engagementRun(record: EngagementRecord): EngagementRun {
  const { engagement, version } = record;
  const { id, name, createdAt, operations } = engagement;
  const client: ClientRun = { calls: clientCases(record), skipped: [] };
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const [first, last] = [client.calls[0], client.calls.at(-1)].map((call) => call?.wire[0]);
  const startedAt = first?.startedAt ?? createdAt;
  return {
    header: {
      subject: { kind: 'client', name, target: 'desk' },
      runId: `${id}-${version}`,
      profile: 'rfc5849',
      seed: 'desk',
      startedAt: new Date(startedAt).toISOString(),
      durationMs: last === undefined ? 0 : Math.max(0, last.startedAt + last.durationMs - startedAt),
      reproduce: 'npx countersign desk',
      effects: { predicted: nothing, recorded: nothing },
      notes: notesOf(record),
    },
    client,
    keys: keysFor(engagement),
    noVerdictReason: (row) => {
      if (row.operation !== 'both' && !operations.includes(row.operation)) {
        return { outcome: 'not-applicable', reason: `the engagement is not about ${row.operation}` };
      }
      const reason = row.dimension === 'response-decoding' ? 'decoding is not observed at the desk' : unseen[row.id];
      if (reason === undefined && row.condition !== undefined) return undefined;
      const actual = reason ?? 'no request has shown it yet';
      return { outcome: 'inconclusive', blame: 'configuration', actual };
    },
  };
}

/** What counts, in the order of its arrival. The input of a request outside of the plan is not known. */
function clientCases(record: EngagementRecord): ClientCase[] {
  return countingExchanges(record).map((kept) => caseOf(kept, record.engagement));
}

function caseOf(kept: KeptExchange, { operations, endpointId, consumerKey }: Engagement): ClientCase {
  const { number, exchange, baseUrl } = kept;
  const common = { scenario: 'desk', number, wire: [exchange] };
  const step = stepById(kept.step);
  if (step === undefined) {
    const operation = operationOfRequest(exchange.request) ?? operations[0] ?? 'close-day';
    return { ...common, label: { operation, input: 'observed' } };
  }
  const { id, operation, kind: input = 'mandatory', about } = step;
  return {
    ...common,
    label: { operation, input, about, special: `step ${id}` },
    asked: { baseUrl, endpointId, consumerKey, input: inputOf(step, kept) },
  };
}

/** Many clients make up the id of a close-day request themselves: then the one received is the one that was meant. */
function inputOf({ input, ownRequestId }: DeskStep, { exchange }: KeptExchange): CloseDayInput | RecurringInput {
  if (ownRequestId !== true) return input;
  const [, sent] = decodeForm(exchange.request.body).find(([name]) => name === 'day_close_request_id') ?? [];
  return sent !== undefined && /^[A-Za-z0-9]{8,32}$/.test(sent) ? { ...input, day_close_request_id: sent } : input;
}

/** What a person reported is kept apart from what was judged. */
function notesOf({ reported, skipped, superseded, unread }: EngagementRecord): readonly string[] {
  const said = (what: string) => [...reported].filter(([, one]) => one === what).map(([step]) => step);
  const [showed, not] = [said('showed'), said('did-not-show')];
  return [
    'What the client understood of the answers was not observed.',
    ...(showed.length === 0 ? [] : [`Reported by the person, not judged: shown at ${showed.join(', ')}.`]),
    ...(not.length === 0 ? [] : [`Reported by the person, not judged: not shown at ${not.join(', ')}.`]),
    ...(skipped.size === 0 ? [] : [`Steps that were skipped: ${[...skipped].join(', ')}.`]),
    ...(superseded.size === 0 ? [] : [`${superseded.size} earlier exchanges were replaced by later ones.`]),
    ...unread.map(({ reason }) => `Not recorded: ${reason}.`),
  ];
}
