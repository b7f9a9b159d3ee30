/** Sends stored requests of clients to NEW through the effect guard, and reports whose requests are refused. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { type ClientCase, inOrder } from '../../record/case.ts';
import { temporaryFolder } from '../../record/disk/files.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { isUnsent, perScenario, type Unsent } from '../../record/run.ts';
import { answerReadings, describeAnswer } from '../../rules/answers/acceptance.ts';
import { newGuard, newPace } from '../../run/allowance/guard.ts';
import { openLedger } from '../../run/allowance/ledger.ts';
import { worstCaseOf } from '../../run/allowance/worst-case.ts';
import { buildRequest, type Fresh } from '../../run/gateway/build-request.ts';
import { freshNow } from '../../run/gateway/perform-case.ts';
import { beginLive } from '../../run/live/session.ts';
import { selectedIds } from '../../run/options/selection.ts';
import { redactorFor } from '../../run/secrets/scan.ts';
import { secretsIn } from '../../run/secrets/secret.ts';
import type { Environment, LiveConfig } from '../../run/target/live-config.ts';
import { publishedProfile } from '../../run/target/published.ts';
import { type Site, siteOf } from '../../run/target/site.ts';
import { liveTarget, mockTarget } from '../../run/target/target.ts';
import { openTransport, type Transport } from '../../run/transport/transport.ts';
import { evidenceOf } from '../../verdict/conclude.ts';
import type { TakenRequests } from '../../verdict/diff/difference.ts';
import { type ReplayPlace, sendAgain } from '../rekey/send-again.ts';

export interface ReplayTarget extends ReplayPlace {
  readonly site: Site;
  readonly runId: string;
  fresh(): Fresh;
  send(request: SentRequest, what: string): Promise<Exchange | Unsent>;
}

export interface ReplayedClient {
  readonly name: string;
  readonly calls?: readonly ClientCase[];
}

/** Maximum requests of one operation that are sent again for a client. */
const most = 20;

/** One reading for each operation. Clients take turns, cheapest requests first: a small allowance covers them all. */
export async function replayRequests(
  clients: readonly ReplayedClient[],
  target: ReplayTarget,
  signal?: AbortSignal,
): Promise<readonly (readonly TakenRequests[])[]> {
  const asked = clients.map(({ name, calls }) => {
    const right = calls && rightRequests(calls);
    const sent = operationNames.filter((operation) => right === undefined || right.has(operation));
    return sent.map((operation) => ({ name, operation, stored: right?.get(operation), heard: [] as Heard[] }));
  });
  const tellers = asked.flat().map((one) => ({ ...one, queue: queueOf(one.stored ?? [], one.operation, target) }));
  for (let turn = 0; turn < most; turn += 1) {
    for (const { name, operation, queue, heard } of tellers) {
      signal?.throwIfAborted();
      const next = queue[turn];
      if (next !== undefined) heard.push(await hear(next, operation, target, name));
    }
  }
  return asked.map((operations) => operations.map(readingOf));
}

interface StoredRequest {
  readonly number: number;
  readonly request: SentRequest;
  readonly scenario: string;
}

/** Requests that every gateway must accept: planned, sent once, and without a fault that a judge found. */
function rightRequests(unordered: readonly ClientCase[]): ReadonlyMap<Operation, readonly StoredRequest[]> {
  const calls = inOrder(unordered);
  const numberOf = new Map(calls.flatMap(({ exchanges }) => exchanges).map((exchange, at) => [exchange, at + 1]));
  const evidence = evidenceOf({ side: 'client', records: perScenario(calls) });
  const ids = selectedIds('client', []) as RequirementId[];
  const wrong = new Set(
    ids.flatMap((id) =>
      evidence.judge(id).flatMap(({ finding, exchanges }) => (finding.outcome === 'fail' ? exchanges : [])),
    ),
  );
  const found = new Map<Operation, StoredRequest[]>();
  for (const { scenario, exchanges, call } of calls) {
    const { label, incomplete } = call;
    const { operation, input, decoding, server = 'ordinary' } = label;
    const [exchange, ...repeated] = exchanges;
    const known = found.get(operation) ?? [];
    if (exchange !== undefined) found.set(operation, known);
    if (exchange === undefined || repeated.length > 0 || incomplete !== undefined) continue;
    const number = numberOf.get(exchange)!;
    if (input !== 'mandatory' || decoding !== undefined || server !== 'ordinary' || wrong.has(number)) continue;
    known.push({ number, request: exchange.request, scenario });
  }
  return found;
}

/** Takes one request of each scenario in turn. */
function queueOf(
  stored: readonly StoredRequest[],
  operation: Operation,
  { site, ...place }: ReplayTarget,
): StoredRequest[] {
  const cost = ({ request }: StoredRequest) => {
    const again = sendAgain(request, operation, place, { timestamp: '0' }, '');
    const worst = 'request' in again ? worstCaseOf(again.request, site) : undefined;
    return worst === undefined || isUnsent(worst) ? 1_000_000 : 'count' in worst ? worst.count : 1;
  };
  const priced = stored.map((one) => ({ one, cost: cost(one) })).sort((a, b) => a.cost - b.cost);
  const places = new Map<string, number>();
  return priced
    .map(({ one }) => {
      const at = places.get(one.scenario) ?? 0;
      places.set(one.scenario, at + 1);
      return { one, at };
    })
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ one }) => one);
}

type Heard =
  | { readonly is: 'accepted' }
  | { readonly is: 'unverified'; readonly reason: string; readonly isLeftOut: boolean }
  | { readonly is: 'breaks'; readonly exchange: number; readonly answered: string };

/** A refusal counts if it repeats while the same values in the suite's own form are accepted. */
async function hear(
  { request, number }: StoredRequest,
  operation: Operation,
  target: ReplayTarget,
  name: string,
): Promise<Heard> {
  const unverified = (reason: string, isLeftOut = false): Heard => ({
    is: 'unverified',
    reason: `exchange ${number}: ${reason}`,
    isLeftOut,
  });
  const made = (time: string) =>
    sendAgain(request, operation, target, target.fresh(), `${target.runId} ${name} ${number} ${time}`);
  const send = async (sent: SentRequest, time: string): Promise<Exchange | Heard> => {
    const answer = await target.send(sent, `${name}, exchange ${number}${time}`);
    if (isUnsent(answer)) return unverified(`not sent: ${answer.reason}`, time === '');
    return answer.response === undefined ? unverified(`no answer: ${describeAnswer(answer)}`) : answer;
  };
  const isTaken = (exchange: Exchange) => answerReadings[operation].acceptance(exchange) === 'accepted';
  const [first, second, third] = ['', ' in the form of the suite', ' once more'].map((time) => ({
    time,
    made: made(time),
  }));
  if (!('request' in first!.made)) return unverified(first!.made.unverified, true);
  const answer = await send(first!.made.request, first!.time);
  if ('is' in answer) return answer;
  if (isTaken(answer)) return { is: 'accepted' };
  if (!('request' in second!.made) || !('request' in third!.made)) return unverified('it cannot be sent again');
  const plan = { operation, body: second!.made.plainBody };
  const twin = await send(buildRequest(plan, target.target, 'open', target.fresh()).request, second!.time);
  if ('is' in twin) return twin;
  if (!isTaken(twin)) {
    const both = `${describeAnswer(answer)}; the same values in the suite's form are refused too`;
    return unverified(`${both}: ${describeAnswer(twin)}`);
  }
  const again = await send(third!.made.request, third!.time);
  if ('is' in again) return again;
  if (isTaken(again)) return unverified('it was refused once and accepted once');
  return { is: 'breaks', exchange: number, answered: describeAnswer(again) };
}

/** `breaks` wins, and anything unknown prevents a pass. Some requests may exceed the allowance. */
function readingOf({
  operation,
  stored,
  heard,
}: {
  readonly operation: Operation;
  readonly stored: readonly StoredRequest[] | undefined;
  readonly heard: readonly Heard[];
}): TakenRequests {
  const accepted = heard.filter(({ is }) => is === 'accepted').length;
  const told = { operation, of: stored?.length ?? 0, accepted };
  const broken = heard.find((one) => one.is === 'breaks');
  if (broken !== undefined) return { ...told, ...broken };
  const open = heard.filter((one) => one.is === 'unverified');
  const unclear = open.find(({ isLeftOut }) => accepted === 0 || !isLeftOut);
  if (unclear !== undefined) return { ...told, is: 'unverified', reason: unclear.reason };
  if (accepted > 0) return { ...told, is: 'accepted' };
  const reason = stored === undefined ? 'it has no stored run' : 'its run has no request that a gateway must accept';
  return { ...told, is: 'unverified', reason };
}

/** `hindrance`: why nothing can be sent. Throws LiveError if another run uses the target. */
export async function withLiveTarget<T>(
  config: LiveConfig,
  { runId, env }: { readonly runId: string; readonly env: Environment },
  use: (target: ReplayTarget) => Promise<T>,
): Promise<T | { readonly hindrance: string }> {
  const begun = await beginLive({ runId, config }, env);
  const { rate, deadlineMs, ca } = config;
  let transport: Transport | undefined;
  let done = false;
  try {
    if (begun.hindrance !== undefined) {
      done = true;
      return { hindrance: begun.hindrance.reason };
    }
    const { live } = begun;
    const target = await liveTarget(live.config, env);
    const opened = openTransport({ deadlineMs, ca, redactor: redactorFor(secretsIn(target.credentials)) });
    transport = opened;
    const [site, pace] = [siteOf(config), newPace({ rate, sleep })];
    const guard = newGuard({ site, limits: config, ledger: openLedger(live.ledger, runId), pace });
    const send: ReplayTarget['send'] = async (request, what) => {
      const overloaded = pace.overloaded();
      if (overloaded !== undefined) return { why: 'given-up', reason: overloaded };
      return guard.send(request, { what }, (sent) => opened.send(sent));
    };
    const used = await use({ target, config, site, runId, fresh: freshNow, send });
    done = true;
    return used;
  } finally {
    await transport?.close();
    begun.end(done);
  }
}

const everything: LiveConfig['allow'] = {
  'closes-day': 1_000_000,
  'starts-payments': { count: 1_000_000, total: '1000000000000.00' },
};

/** A temporary mock with the defects and variants of NEW. */
export async function withMockTarget<T>(
  { defects, variants }: { readonly defects: readonly string[]; readonly variants: readonly string[] },
  runId: string,
  use: (target: ReplayTarget) => Promise<T>,
): Promise<T | { readonly hindrance: string }> {
  const mock = await mockTarget(defects, variants);
  const { path: ledger, remove } = temporaryFolder('countersign-');
  try {
    const { scheme, host, prefix } = mock.target;
    const most = '99999999.99';
    const config: LiveConfig = {
      ...publishedProfile,
      target: `${scheme}://${host}${prefix}`,
      recurring: publishedProfile.recurring.map(({ id }) => ({ id, amount: most, savedAmount: most })),
      allow: everything,
      trustRefusals: 1_000_000,
      rate: 10_000,
      ledger,
    };
    return await withLiveTarget(config, { runId, env: {} }, use);
  } finally {
    await mock.close();
    remove();
  }
}
