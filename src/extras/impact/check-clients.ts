/** `countersign diff OLD NEW`: sends the answers in the run NEW to clients. Reports which changes break the clients. */
import type { CallInput, ClientCase } from '../../record/case.ts';
import { CodedError } from '../../record/errors.ts';
import type { Exchange, Header } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { describeAnswer } from '../../rules/answers/acceptance.ts';
import { expectedReading, readingOf } from '../../rules/client/decoding.ts';
import { clientJudges } from '../../rules/index.ts';
import { greetClient, type OpenedClient, openClient } from '../../run/client/open-client.ts';
import { performClientScenario } from '../../run/client/perform-client.ts';
import type { ClientOptions } from '../../run/options/run-options.ts';
import type { ClientRecord } from '../../run/scenario-record.ts';
import { behaviourChanges, type ComparedAnswer, commonAnswers } from '../../verdict/diff/behaviour-changes.ts';
import type {
  Change,
  ChangeClass,
  CheckedClient,
  ClientReading,
  ClientRequests,
  ComparedRun,
  Impact,
} from '../../verdict/diff/difference.ts';
import { type DiffPolicy, formatChange, ruleFor } from '../../verdict/diff/verdict.ts';

type Operation = ClientRequests['operation'];

/** Plans a client call that gets the answer in `exchange`. If this is impossible, `unverified` is the reason. */
export function planCall(operation: Operation, exchange: Exchange, input: CallInput) {
  const answer = answerOf(exchange);
  if (answer === undefined) return { unverified: 'the stored answer cannot be sent again unchanged' };
  const expected = expectedReading[operation](exchange);
  if (expected === undefined) {
    return { unverified: 'the answer is neither a success nor a failure, so a client may read it in any way' };
  }
  const decoding = { question: 'a stored answer', form: 'only', ...expected } as const;
  return { plan: { label: { operation, input: 'mandatory', decoding }, input, answer } as const };
}

type AnsweredCall = NonNullable<ReturnType<typeof planCall>['plan']>;

const token = /^[!#$%&'*+.^_`|~\w-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Prepares a stored answer for sending. Undefined if HTTP/1.1 cannot send it, for example with an invalid header. */
function answerOf({ response }: Exchange) {
  if (response === undefined || response.status < 200 || response.status > 599) return undefined;
  const { status, body, headers: stored } = response;
  if (!stored.every(([name, value]) => token.test(name) && fieldValue.test(value))) return undefined;
  const findHeader = (pattern: RegExp) => stored.find(([name]) => pattern.test(name));
  const framing = findHeader(/^transfer-encoding$/i) ?? findHeader(/^content-length$/i);
  const headers = stored.flatMap((header): Header[] => {
    const [name, value] = header;
    if (header === framing) return [[name, /^content-length$/i.test(name) ? String(body.length) : 'chunked']];
    return /^(?:transfer-encoding|content-length|trailer)$/i.test(name) ? [] : [[name, value]];
  });
  return { kind: 'reply', status, headers, body } as const;
}

type ReadingVerdict =
  | { readonly is: 'correct' }
  | { readonly is: 'misread'; readonly faults: readonly ReadingFault[] }
  | { readonly is: 'unknown'; readonly reason: string };

interface ReadingFault {
  readonly id?: string;
  readonly expected: string;
  readonly read: string;
}

/** Judges how the client read the answer. If it ends, hangs or throws after its request, it misread the answer. */
function judgeReading(testCase: ClientCase): ReadingVerdict {
  const { exchanges } = testCase;
  const { reply, adapterFault, label } = testCase.call;
  const { expected, answers } = label.decoding!;
  const misread = (read: string) => ({ is: 'misread', faults: [{ expected: kindText[expected.kind], read }] }) as const;
  if (exchanges.length === 0) return { is: 'unknown', reason: `the client sent no request: ${replyText(testCase)}` };
  if (adapterFault !== undefined) return misread(adapterFault.message);
  if (reply === undefined || reply.outcome === 'unsupported' || reply.outcome === 'refused_locally') {
    return { is: 'unknown', reason: replyText(testCase) };
  }
  if (reply.outcome === 'adapter_error') return misread(replyText(testCase));
  if (reply.outcome === 'transport_error') {
    return expected.kind === 'not-success' ? { is: 'correct' } : misread(replyText(testCase));
  }
  if (reply.decoded === undefined) return { is: 'unknown', reason: 'the adapter does not report what the client read' };
  const read = readingOf(reply.decoded);
  const faults = answers.flatMap((id): ReadingFault[] => {
    const judge = clientJudges[id as keyof typeof clientJudges];
    return judge({ id, cases: [testCase], keysOf: () => undefined, hasKeys: false })
      .filter(({ finding }) => finding.outcome === 'fail')
      .map(({ finding }): ReadingFault => ({ id, expected: finding.expected ?? '', read: finding.actual ?? read }));
  });
  return faults.length === 0 ? { is: 'correct' } : { is: 'misread', faults };
}

const kindText = {
  finished: 'finished',
  error: 'an error',
  accepted: 'accepted',
  refused: 'a refusal',
  parameters: 'parameters',
  'not-success': 'anything but success',
} as const;

function replyText({ call: { reply, adapterFault } }: ClientCase): string {
  if (adapterFault !== undefined) return adapterFault.message;
  return reply === undefined
    ? 'no reply'
    : `${reply.outcome.replaceAll('_', ' ')}: ${reply.reason ?? 'no reason given'}`;
}

interface AnswerColumn {
  readonly operation: Operation;
  readonly changes: readonly string[];
  readonly class: ChangeClass;
  readonly times: number;
  readonly samples: readonly AnswerPair[];
}

interface AnswerPair {
  readonly fresh: NumberedExchange;
  readonly old: NumberedExchange;
  /** Similar answers in the run OLD. If the client misreads one of them in the same way, NEW is not the cause. */
  readonly others: readonly NumberedExchange[];
}

interface NumberedExchange {
  readonly number: number;
  readonly exchange: Exchange;
}

/** Answers with similar changes form a column. A client gets only some of them, so that the check stays short. */
const maxSamples = 4;
const maxColumns = 100;

/** More than one, because a client with a defect may read the random values of one answer correctly by chance. */
const maxOthers = 16;

const order: readonly ChangeClass[] = ['forbidden', 'risky', 'allowed'];

function answerColumns(old: ComparedRun, fresh: ComparedRun, policy: DiffPolicy) {
  const [before, now] = commonAnswers(old.cases!, fresh.cases!, 'gateway');
  const single = behaviourChanges(before, now).flatMap((change) => change.exchanges.map((at) => ({ at, change })));
  const byExchange = groupBy(single, ({ at }) => at);
  const changesOf = ({ exchange }: ComparedAnswer) => (byExchange.get(exchange) ?? []).map(({ change }) => change);
  const counterparts = groupBy(before, ({ key }) => key);
  const numbered = (run: ComparedRun, number: number) => ({ number, exchange: run.cases![number - 1]!.exchanges[0] });
  const others = new Map(
    [...groupBy(before, kindOf)].map(([kind, answers]) => [
      kind,
      samplesOf(answers, old, maxOthers).map(({ exchange }) => numbered(old, exchange)),
    ]),
  );
  const groups = groupBy(now, (one) => JSON.stringify([one.operation, sortUnique(changesOf(one).map(kindOfChange))]));
  const columns = [...groups.values()].map((answers): AnswerColumn => {
    const [{ operation }] = answers as [ComparedAnswer];
    const changes = [...new Set(answers.flatMap(changesOf))];
    const classes = changes.map((change) => ruleFor(change, policy).is);
    return {
      operation,
      changes: sortUnique(changes.map(formatChange)),
      class: classes.sort((a, b) => order.indexOf(a) - order.indexOf(b))[0] ?? 'allowed',
      times: answers.length,
      samples: samplesOf(answers, fresh, maxSamples).map((answer) => {
        const candidates = counterparts.get(answer.key)!;
        const oldAnswer = candidates.find(({ meaning }) => meaning === answer.meaning) ?? candidates[0]!;
        return {
          fresh: numbered(fresh, answer.exchange),
          old: numbered(old, oldAnswer.exchange),
          others: others.get(kindOf(oldAnswer))!,
        };
      }),
    };
  });
  columns.sort((a, b) => rank(a) - rank(b));
  return { columns: columns.slice(0, maxColumns), skipped: Math.max(0, columns.length - maxColumns) };
}

function rank(column: AnswerColumn): number {
  return column.changes.length === 0 ? order.length : order.indexOf(column.class);
}

function sortUnique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

/** Omits header names. With the names, many changed headers would result in too many columns. */
function kindOfChange(one: Change): string {
  return one.change.startsWith('header-') ? one.change : formatChange(one);
}

function kindOf({ operation, meaning, status, features }: ComparedAnswer): string {
  return `${operation} ${meaning} ${status} ${features.body}`;
}

function samplesOf(answers: readonly ComparedAnswer[], { cases }: ComparedRun, limit: number): ComparedAnswer[] {
  const hasDigits = ({ exchange }: ComparedAnswer) => hasLongNumbers(cases![exchange - 1]!.exchanges[0]);
  const firstOfEach = (keyOf: (answer: ComparedAnswer) => string) =>
    [...groupBy(answers, keyOf).values()].map(([first]) => first!);
  const meanings = firstOfEach((one) => `${one.meaning} ${one.status} ${hasDigits(one)}`);
  const forms = firstOfEach(({ meaning, status, features }) => JSON.stringify([meaning, status, features]));
  const step = Math.ceil(answers.length / limit);
  const spread = answers.filter((_, at) => at % step === 0);
  return [...new Set([...meanings, ...forms, ...spread])].slice(0, limit);
}

/** True if the answer has a number of 16 or more digits. Clients that use doubles may misread such numbers. */
function hasLongNumbers({ response }: Exchange): boolean {
  return /[:[,]\s*-?\d{16}/.test(Buffer.from(response!.body.subarray(0, 65_536)).toString('latin1'));
}

/** A client to test: how to start it, or why it cannot be tested. `folder` is the folder of its stored run. */
export type StoredClient = { readonly name: string; readonly folder?: string } & (
  | { readonly options: ClientOptions }
  | { readonly unverified: string }
);

interface ImpactRuns {
  readonly old: ComparedRun;
  readonly fresh: ComparedRun;
  readonly policy: DiffPolicy;
  readonly calls: Readonly<Record<Operation, { readonly input: CallInput }>>;
}

/** Checks one client after the other, on loopback addresses. `old` and `fresh` must be gateway runs with exchanges. */
export async function checkClients(
  clients: readonly StoredClient[],
  runs: ImpactRuns,
  signal?: AbortSignal,
): Promise<Impact> {
  const { columns, skipped } = answerColumns(runs.old, runs.fresh, runs.policy);
  const checked: CheckedClient[] = [];
  for (const client of clients) {
    signal?.throwIfAborted();
    checked.push({ name: client.name, readings: await readingsOf(client, columns, runs.calls, signal) });
  }
  return {
    answers: columns.map(({ operation, changes, class: worst, times, samples }) => ({
      operation,
      changes,
      class: worst,
      seen: { times, exchanges: samples.map(({ fresh }) => fresh.number) },
    })),
    answersLeftOut: skipped,
    clients: checked,
    requests: { is: 'unverified', reason: 'pass --target or --config for the gateway of NEW' },
  };
}

async function readingsOf(
  client: StoredClient,
  columns: readonly AnswerColumn[],
  calls: ImpactRuns['calls'],
  signal: AbortSignal | undefined,
): Promise<readonly ClientReading[]> {
  const unverifiedAll = (reason: string) => columns.map((): ClientReading => ({ is: 'unverified', reason }));
  if ('unverified' in client) return unverifiedAll(client.unverified);
  const greeting = await greetClient({ client: client.options, seed }, signal);
  if ('fault' in greeting) return unverifiedAll(`${greeting.fault}. ${greeting.hint}`);
  const tester = restartingClient({ ...client.options, ...greeting }, calls, signal);
  try {
    const readings: ClientReading[] = [];
    for (const column of columns) readings.push(await readColumn(column, tester));
    return readings;
  } catch (cause) {
    if (!(cause instanceof CodedError)) throw cause;
    return unverifiedAll(`${cause.message} ${cause.hint}`);
  } finally {
    await tester.close();
  }
}

const seed = 'clients';

type RestartingClient = ReturnType<typeof restartingClient>;

/** Starts the adapter again after a failure, so that the client still gets the remaining answers. */
function restartingClient(options: ClientOptions, calls: ImpactRuns['calls'], signal: AbortSignal | undefined) {
  let opened: OpenedClient | undefined;
  const close = async () => {
    await opened?.close();
    opened = undefined;
  };
  const perform = async (plans: readonly AnsweredCall[]): Promise<ClientRecord> => {
    signal?.throwIfAborted();
    opened ??= await openClient(options, seed);
    const { session } = opened;
    const stop = () => void session.close();
    signal?.addEventListener('abort', stop);
    const record = await performClientScenario(
      { id: 'stored-answers', operation: 'both', title: 'Answers of another run', shows: [], plan: () => plans },
      {
        ...opened,
        strays: options.strays === true,
        seed,
        cases: plans.length,
        inFlight: session.introduction.offers.maxInFlight,
        usesOracle: false,
        now: () => performance.now(),
      },
    );
    signal?.removeEventListener('abort', stop);
    if (record.cases.some(({ call: { adapterFault } }) => adapterFault !== undefined)) await close();
    return record;
  };
  return { perform, close, calls, oldVerdicts: new Map<number, ReadingVerdict>() };
}

/** `breaks`: the client misreads an answer of NEW twice, but does not misread similar answers of OLD this way. */
async function readColumn({ operation, samples }: AnswerColumn, client: RestartingClient): Promise<ClientReading> {
  const judge = (answers: readonly NumberedExchange[]) => judgeAnswers(operation, answers, client);
  const first = await judge(samples.map(({ fresh }) => fresh));
  const misread = samples.filter((_, at) => first[at]!.is === 'misread');
  const oldSamples = misread.flatMap(({ old, others }) => [old, ...others]);
  const uniqueSamples = [...new Map(oldSamples.map((one) => [one.number, one])).values()];
  const unjudged = uniqueSamples.filter(({ number }) => !client.oldVerdicts.has(number));
  for (const [at, verdict] of (await judge(unjudged)).entries()) client.oldVerdicts.set(unjudged[at]!.number, verdict);
  const second = await judge(misread.map(({ fresh }) => fresh));
  const readings = samples.map((pair, at): ClientReading => {
    const verdict = first[at]!;
    const position = misread.indexOf(pair);
    if (position !== -1) return comparedReading(pair, second[position]!, client.oldVerdicts);
    return verdict.is === 'unknown' ? { is: 'unverified', reason: verdict.reason } : { is: 'reads it' };
  });
  const findReading = (is: ClientReading['is']) => readings.find((one) => one.is === is);
  return findReading('breaks') ?? findReading('unverified') ?? { is: 'reads it' };
}

function comparedReading(
  { fresh, old, others }: AnswerPair,
  second: ReadingVerdict,
  oldVerdicts: ReadonlyMap<number, ReadingVerdict>,
): ClientReading {
  const unverified = (reason: string): ClientReading => ({ is: 'unverified', reason });
  if (second.is === 'unknown') return unverified(second.reason);
  if (second.is === 'correct')
    return unverified(`the client misread exchange ${fresh.number} once, and then read it correctly`);
  const oldRead = oldVerdicts.get(old.number)!;
  if (oldRead.is === 'unknown') return unverified(`exchange ${old.number} of OLD has no verdict: ${oldRead.reason}`);
  const oldFaults = [old, ...others].flatMap(({ number }) => {
    const verdict = oldVerdicts.get(number)!;
    return verdict.is === 'misread' ? verdict.faults.map((fault) => ({ ...fault, number })) : [];
  });
  const [fault] = second.faults.filter(({ id }) => !oldFaults.some((one) => one.id === id));
  if (fault === undefined) {
    const { number, read, expected } = oldFaults.find(({ id }) => id === second.faults[0]!.id)!;
    return unverified(`the client also misreads exchange ${number} of OLD: ${read} instead of ${expected}`);
  }
  const { expected, read } = fault;
  const answered = describeAnswer(fresh.exchange);
  return { is: 'breaks', exchange: fresh.number, oldExchange: old.number, answered, expected, read };
}

async function judgeAnswers(operation: Operation, answers: readonly NumberedExchange[], client: RestartingClient) {
  const planned = answers.map(({ exchange }) => planCall(operation, exchange, client.calls[operation].input));
  const plans = planned.flatMap(({ plan }) => plan ?? []);
  const record = plans.length === 0 ? undefined : await client.perform(plans);
  const cases = new Map(record?.cases.map((call) => [call.number, call]));
  const noCallReason =
    record?.givenUp === undefined
      ? `the adapter does not offer ${operation}`
      : `the client did not answer three calls, so it got no more calls: ${record.givenUp}`;
  let number = 0;
  return planned.map((one): ReadingVerdict => {
    if (one.plan === undefined) return { is: 'unknown', reason: one.unverified };
    const testCase = cases.get(number++);
    return testCase === undefined ? { is: 'unknown', reason: noCallReason } : judgeReading(testCase);
  });
}
