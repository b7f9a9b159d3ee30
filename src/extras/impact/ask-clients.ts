/** Gives stored clients the answers of NEW, and says who breaks on which change. */

import type { Operation } from '../../../contracts/operations.ts';
import type { ClientPlan } from '../../plan/scenario.ts';
import { CodedError } from '../../record/errors.ts';
import { describeAnswer } from '../../rules/answers/acceptance.ts';
import type { ClientRecord } from '../../run/client/client-record.ts';
import { greetClient, type OpenedClient, openClient } from '../../run/client/open-client.ts';
import { performClientScenario } from '../../run/client/perform-client.ts';
import type { ClientOptions } from '../../run/options/run-options.ts';
import type { AskedClient, ClientReading, ComparedRun, Impact } from '../../verdict/diff/difference.ts';
import type { DiffPolicy } from '../../verdict/diff/policy.ts';
import { planWith, type ReadingVerdict, readingOfCall } from './answer-again.ts';
import { type AnswerColumn, type AnswerPair, answerColumns, type NumberedExchange } from './answer-columns.ts';

/** A client as it was kept: how its adapter is started, or why it cannot be. `folder` may hold its run. */
export type StoredClient = { readonly name: string; readonly folder?: string } & (
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
    requests: { is: 'unverified', reason: 'no --target or --config names NEW' },
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
  const asking = new Asking({ ...client.options, ...greeted }, signal);
  try {
    const readings: ClientReading[] = [];
    for (const column of columns) readings.push(await readColumn(column, asking));
    return readings;
  } catch (cause) {
    if (!(cause instanceof CodedError)) throw cause;
    return none(`${cause.message} ${cause.hint}`);
  } finally {
    await asking.close();
  }
}

/** The order of calls and what an adapter may draw. */
const seed = 'clients';

/** A client that is started anew where its adapter has failed: what dies over one answer is asked for the others all the same. */
class Asking {
  private readonly options: ClientOptions;
  private readonly signal: AbortSignal | undefined;
  private opened: OpenedClient | undefined;
  /** Of answers of OLD, by their numbers: several answers of NEW are laid beside the same ones. */
  readonly before = new Map<number, ReadingVerdict>();

  constructor(options: ClientOptions, signal: AbortSignal | undefined) {
    this.options = options;
    this.signal = signal;
  }

  async perform(plans: readonly ClientPlan[]): Promise<ClientRecord> {
    this.signal?.throwIfAborted();
    this.opened ??= await openClient(this.options, seed);
    const { session } = this.opened;
    const stop = () => void session.close();
    this.signal?.addEventListener('abort', stop);
    const record = await performClientScenario(
      { id: 'stored-answers', operation: 'both', title: 'Answers of another run', shows: [], plan: () => plans },
      {
        ...this.opened,
        strays: this.options.strays === true,
        seed,
        cases: plans.length,
        inFlight: session.introduction.offers.maxInFlight,
        secondVoice: false,
        now: () => performance.now(),
      },
    );
    this.signal?.removeEventListener('abort', stop);
    if (record.cases.some(({ adapterFault }) => adapterFault !== undefined)) await this.close();
    return record;
  }

  async close(): Promise<void> {
    await this.opened?.close();
    this.opened = undefined;
  }
}

/**
 * The answers of NEW first. What was misread is given once more, beside what OLD answered to the same case and to others: a
 * client breaks that misreads twice what it misreads nowhere in OLD.
 */
async function readColumn({ operation, samples }: AnswerColumn, client: Asking): Promise<ClientReading> {
  const given = (answers: readonly NumberedExchange[]) => verdictsOn(operation, answers, client);
  const first = await given(samples.map(({ fresh }) => fresh));
  const misread = samples.filter((_, at) => first[at]!.is === 'wrong');
  const olds = misread.flatMap(({ old, others }) => [old, ...others]);
  const different = [...new Map(olds.map((one) => [one.number, one])).values()];
  const unread = different.filter(({ number }) => !client.before.has(number));
  for (const [at, verdict] of (await given(unread)).entries()) client.before.set(unread[at]!.number, verdict);
  const again = await given(misread.map(({ fresh }) => fresh));
  return worstReading(
    samples.map((pair, at) => {
      const position = misread.indexOf(pair);
      return position === -1 ? plainReading(first[at]!) : comparedReading(pair, again[position]!, client.before);
    }),
  );
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

/** One verdict for each answer, in their order. */
async function verdictsOn(
  operation: Operation,
  answers: readonly NumberedExchange[],
  client: Asking,
): Promise<readonly ReadingVerdict[]> {
  const planned = answers.map(({ exchange }) => planWith(operation, exchange));
  const plans = planned.flatMap((one): ClientPlan[] => ('plan' in one ? [one.plan] : []));
  if (plans.length === 0) return planned.map(unplanned);
  const record = await client.perform(plans);
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
