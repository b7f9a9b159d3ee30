/** Gives stored clients the answers of NEW, and says who breaks on which change. */

import type { Operation } from '../../contracts/operations.ts';
import { AdapterError } from '../adapter/adapter-error.ts';
import { describeAnswer } from '../answers/acceptance.ts';
import type { ClientRecord } from '../client-run/client-record.ts';
import { greetClient } from '../client-run/greet-client.ts';
import { type OpenedClient, openClient } from '../client-run/open-client.ts';
import { performClientScenario } from '../client-run/perform-client.ts';
import type { AskedClient, ClientReading, ComparedRun, Impact } from '../diff/difference.ts';
import type { DiffPolicy } from '../diff/policy.ts';
import type { ClientOptions } from '../options/run-options.ts';
import type { ClientPlan } from '../scenarios/client/client-scenario.ts';
import { planWith } from './answer-again.ts';
import { type AnswerColumn, type AnswerPair, answerColumns, type NumberedExchange } from './answer-columns.ts';
import { type ReadingVerdict, readingOfCall } from './reading-of-call.ts';

/** A client as it was kept: how its adapter is started, or why it cannot be. */
export type StoredClient = { readonly name: string } & (
  | { readonly options: ClientOptions }
  | { readonly unverified: string }
);

/** The clients one after another; both runs are of gateways, with exchanges. Nothing is sent but to loopback. */
export async function askClients(
  clients: readonly StoredClient[],
  runs: { readonly old: ComparedRun; readonly fresh: ComparedRun; readonly policy: DiffPolicy },
  signal?: AbortSignal,
): Promise<Impact> {
  const { columns, leftOut } = answerColumns(runs.old, runs.fresh, runs.policy);
  const asked: AskedClient[] = [];
  for (const client of clients) {
    signal?.throwIfAborted();
    asked.push({ name: client.name, readings: await readingsOf(client, columns, signal) });
  }
  return {
    answers: columns.map(({ operation, changes, class: worst, times, samples }) => ({
      operation,
      changes,
      class: worst,
      seen: { times, exchanges: samples.map(({ fresh }) => fresh.number) },
    })),
    answersLeftOut: leftOut,
    clients: asked,
    requests: { is: 'unverified', reason: 'countersign diff sends nothing to a gateway' },
  };
}

async function readingsOf(
  client: StoredClient,
  columns: readonly AnswerColumn[],
  signal: AbortSignal | undefined,
): Promise<readonly ClientReading[]> {
  const none = (reason: string) => columns.map((): ClientReading => ({ is: 'unverified', reason }));
  if ('unverified' in client) return none(client.unverified);
  const greeted = await greetClient({ client: client.options, seed }, signal);
  if ('fault' in greeted) return none(`${greeted.fault}. ${greeted.hint}`);
  let opened: OpenedClient | undefined;
  try {
    opened = await openClient({ ...client.options, ...greeted }, seed);
    const { session } = opened;
    signal?.addEventListener('abort', () => void session.close());
    return await readAll(columns, { ...opened, strays: greeted.strays === true });
  } catch (cause) {
    if (!(cause instanceof AdapterError)) throw cause;
    return none(`${cause.message} ${cause.hint}`);
  } finally {
    await opened?.close();
  }
}

/** The order of calls and what an adapter may draw. */
const seed = 'clients';

type Asking = OpenedClient & { readonly strays: boolean };

/**
 * The answers of NEW first. What was misread is given once more, beside what OLD answered to the same case and to others: a
 * client breaks that misreads twice what it misreads nowhere in OLD.
 */
async function readAll(columns: readonly AnswerColumn[], client: Asking): Promise<readonly ClientReading[]> {
  const pairs = columns.flatMap(({ operation, samples }) => samples.map((pair) => ({ operation, ...pair })));
  const first = await verdictsOn(
    pairs.map(({ operation, fresh }) => ({ operation, ...fresh })),
    client,
  );
  const misread = pairs.filter((_, at) => first[at]!.is === 'wrong');
  const again = await verdictsOn(
    misread.map(({ operation, fresh }) => ({ operation, ...fresh })),
    client,
  );
  const olds = misread.flatMap(({ operation, old, others }) => [old, ...others].map((one) => ({ operation, ...one })));
  const before = await verdictsOnce(olds, client);
  const readings = pairs.map((pair, at): ClientReading => {
    const position = misread.indexOf(pair);
    return position === -1 ? plainReading(first[at]!) : comparedReading(pair, again[position]!, before);
  });
  let from = 0;
  return columns.map(({ samples }) => {
    from += samples.length;
    return worstReading(readings.slice(from - samples.length, from));
  });
}

function plainReading(verdict: ReadingVerdict): ClientReading {
  return verdict.is === 'unknown' ? { is: 'unverified', reason: verdict.reason } : { is: 'reads it' };
}

function comparedReading(
  { fresh, old, others }: AnswerPair,
  again: ReadingVerdict,
  before: ReadonlyMap<number, ReadingVerdict>,
): ClientReading {
  const unverified = (reason: string): ClientReading => ({ is: 'unverified', reason });
  if (again.is === 'unknown') return unverified(again.reason);
  if (again.is === 'right') return unverified(`it read exchange ${fresh.number} wrongly once, and rightly once`);
  const same = before.get(old.number)!;
  if (same.is === 'unknown') return unverified(`exchange ${old.number} of OLD shows nothing: ${same.reason}`);
  const known = [old, ...others].flatMap(({ number }) => {
    const verdict = before.get(number)!;
    return verdict.is === 'wrong' ? verdict.faults.map((fault) => ({ ...fault, number })) : [];
  });
  const [fault] = again.faults.filter(({ about }) => !known.some((one) => one.about === about));
  if (fault === undefined) {
    const { number, read, expected } = known.find(({ about }) => about === again.faults[0]!.about)!;
    return unverified(`it misreads OLD too, in exchange ${number}: ${read} in place of ${expected}`);
  }
  const { expected, read } = fault;
  const answered = describeAnswer(fresh.exchange);
  return { is: 'breaks', exchange: fresh.number, oldExchange: old.number, answered, expected, read };
}

/** What is broken is broken whatever else was read; what is not known is never read. */
function worstReading(readings: readonly ClientReading[]): ClientReading {
  const of = (is: ClientReading['is']) => readings.find((one) => one.is === is);
  return of('breaks') ?? of('unverified') ?? { is: 'reads it' };
}

interface GivenAnswer extends NumberedExchange {
  readonly operation: Operation;
}

/** By the number of the exchange: several pairs have the same answer of OLD. */
async function verdictsOnce(
  answers: readonly GivenAnswer[],
  client: Asking,
): Promise<ReadonlyMap<number, ReadingVerdict>> {
  const different = [...new Map(answers.map((one) => [one.number, one])).values()];
  const verdicts = await verdictsOn(different, client);
  return new Map(different.map(({ number }, at) => [number, verdicts[at]!]));
}

/** One verdict for each answer, in their order. */
async function verdictsOn(answers: readonly GivenAnswer[], client: Asking): Promise<readonly ReadingVerdict[]> {
  const planned = answers.map(({ operation, exchange }) => planWith(operation, exchange));
  const plans = planned.flatMap((one): ClientPlan[] => ('plan' in one ? [one.plan] : []));
  if (plans.length === 0) return planned.map(unplanned);
  const record = await performClientScenario(
    { id: 'stored-answers', operation: 'both', title: 'Answers of another run', shows: [], plan: () => plans },
    {
      ...client,
      seed,
      cases: plans.length,
      inFlight: client.session.introduction.offers.maxInFlight,
      secondVoice: false,
    },
  );
  const calls = new Map(record.cases.map((call) => [call.number, call]));
  let number = 0;
  return planned.map((one) => {
    if (!('plan' in one)) return unplanned(one);
    const call = calls.get(number++);
    return call === undefined ? notAsked(one.plan, record) : readingOfCall(call);
  });
}

function unplanned(one: ReturnType<typeof planWith>): ReadingVerdict {
  return { is: 'unknown', reason: 'unverified' in one ? one.unverified : '' };
}

function notAsked({ label }: ClientPlan, { givenUp }: ClientRecord): ReadingVerdict {
  const reason =
    givenUp === undefined
      ? `the adapter does not offer ${label.operation}`
      : `the client was given up after three calls without an answer: ${givenUp}`;
  return { is: 'unknown', reason };
}
