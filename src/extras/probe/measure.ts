/** Measures which signature deviations a gateway accepts and where its limits are. Runs last, with --measure. */
import { type Signer, signerOf } from '../../deviations/candidates.ts';
import { combine, type Deviation } from '../../deviations/deviation.ts';
import { dialects, searchedDeviations } from '../../deviations/index.ts';
import {
  type Limit,
  limitAhead,
  limitsOfBatches,
  limitsOfCloseDay,
  measuring,
  plainRequest,
  probes,
  type SigningProbe,
} from '../../plan/measuring.ts';
import type { Draw, RequestPlan } from '../../plan/scenario.ts';
import { buildRequest } from '../../run/gateway/build-request.ts';
import {
  type Asking,
  asking,
  type OfTheMock,
  onMock,
  type PerformCase,
  performerOf,
  type RunContext,
} from '../../run/gateway/perform-case.ts';
import { drawOf } from '../../run/gateway/planned-cases.ts';
import { performerIn, type StepOptions } from '../../run/live/perform-step.ts';
import type { LiveSession } from '../../run/live/session.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';
import type { Target } from '../../run/target/target.ts';

type Situation = 'closing' | 'open';

/** A deviation of the gateway, and those that no request distinguishes from it yet. The first is tried. */
type Followed = readonly Deviation[];

/** A probe with its signer. Deviations that give the same signature count as one way. */
interface SignedProbe {
  readonly probe: SigningProbe;
  readonly signer: Signer;
}

/** First finds deviations that replace RFC 5849, then those accepted in addition, which depend on the first. */
async function measureDialect(asking: Asking, target: Target, situation: Situation): Promise<readonly Deviation[]> {
  const signed = probes.map((probe): SignedProbe => ({ probe, signer: signerAt(probe.request, target, situation) }));
  const plain = signed[0]!;
  let follows: readonly Followed[] = [];
  const understood: SignedProbe[] = [];
  for (const one of signed) {
    // A request accepted without a deviation shows that the gateway does not follow it.
    const isNew = (deviation: Deviation) =>
      !understood.some(({ signer }) => changesSignature(signer, firsts(follows), deviation));
    const found = await findFollowed(one, follows, isNew, situation, asking);
    if (found === undefined && one === plain) return [];
    if (found !== undefined) understood.push(one);
    follows = found ?? follows;
  }
  await tryAccepted(understood, follows, situation, asking);
  await tryOnce(plain, follows, [], situation, asking);
  return firsts(follows);
}

function signedWith(set: readonly Deviation[], request: RequestPlan): RequestPlan {
  if (set.length === 0) return request;
  const resigned: RequestPlan['resigned'] = (right, keys) => {
    const signer = signerOf(right, keys);
    return request.operation === 'close-day' ? signer.sign(set) : signer.signRsa(set, keys.privateKey);
  };
  return { ...request, resigned };
}

/** The deviations that explain an accepted request; undefined if none do. */
async function findFollowed(
  signed: SignedProbe,
  follows: readonly Followed[],
  isNew: (deviation: Deviation) => boolean,
  situation: Situation,
  asking: Asking,
): Promise<readonly Followed[] | undefined> {
  const { signer } = signed;
  const accepted = await tryOnce(signed, follows, [], situation, asking);
  if (accepted === true) return follows.map((some, at) => sameHere(some, at, follows, signer));
  if (accepted === undefined) return undefined;
  const swapped = follows.flatMap((some, at) => some.slice(1).map((other) => follows.with(at, withFirst(some, other))));
  for (const other of swapped) {
    if (signer.sign(firsts(other)) === signer.sign(firsts(follows))) continue;
    if ((await tryOnce(signed, other, [], situation, asking)) === true) {
      return other.map((some, at) => sameHere(some, at, other, signer));
    }
  }
  for (const way of distinctWays(signer, firsts(follows), searchedDeviations.filter(isNew))) {
    if ((await tryOnce(signed, follows, way, situation, asking)) === true) return [...follows, way];
  }
  // Combinations are tried only if a public library has them: all pairs would need thousands of requests.
  for (const { deviations } of follows.length === 0 ? dialects : []) {
    const together = deviations.map((deviation) => [deviation]);
    if (signer.sign(deviations) === signer.sign([])) continue;
    if ((await tryOnce(signed, together, [], situation, asking)) === true) return together;
  }
  return undefined;
}

/** Tries each remaining way on all requests that show it. One refusal counts, if the request passes without it. */
async function tryAccepted(
  probed: readonly SignedProbe[],
  follows: readonly Followed[],
  situation: Situation,
  asking: Asking,
): Promise<void> {
  const refused = new Set<Deviation>();
  for (const one of probed) {
    await tryOnce(one, follows, [], situation, asking);
    for (const way of distinctWays(one.signer, firsts(follows))) {
      const left = way.filter((deviation) => !refused.has(deviation));
      if (left.length === 0) continue;
      const taken = await tryOnce(one, follows, left, situation, asking);
      if (taken === false) for (const deviation of left) refused.add(deviation);
    }
  }
}

function tryOnce(
  { probe }: SignedProbe,
  follows: readonly Followed[],
  way: readonly Deviation[],
  situation: Situation,
  { ask }: Asking,
): Promise<boolean | undefined> {
  const set = [...firsts(follows), ...way.slice(0, 1)];
  const ids = (some: readonly Deviation[]) => some.map(({ id }) => id);
  return ask(signedWith(set, { ...probe.request, situation }), {
    signedAs: { probe: probe.name, follows: follows.map(ids), as: ids(way) },
  });
}

/** Additional deviations, grouped by signature. Those that change nothing here are left out. */
function distinctWays(
  signer: Signer,
  followed: readonly Deviation[],
  all: readonly Deviation[] = searchedDeviations,
): (readonly Deviation[])[] {
  const ways = new Map<string, Deviation[]>();
  for (const deviation of all) {
    if (!changesSignature(signer, followed, deviation)) continue;
    const signature = signer.sign([...followed, deviation]);
    ways.set(signature, [...(ways.get(signature) ?? []), deviation]);
  }
  return [...ways.values()];
}

/** Whether the deviation changes the signature of this request. */
function changesSignature(signer: Signer, followed: readonly Deviation[], deviation: Deviation): boolean {
  const set = [...followed, deviation];
  return !followed.includes(deviation) && combine(set) && signer.sign(set) !== signer.sign(followed);
}

/** Those with the same signature here as the first. */
function sameHere(some: Followed, at: number, follows: readonly Followed[], signer: Signer): Followed {
  const signatureWith = (one: Deviation) => signer.sign(firsts(follows.with(at, [one])));
  return some.filter((one) => signatureWith(one) === signatureWith(some[0]!));
}

function withFirst(some: Followed, one: Deviation): Followed {
  return [one, ...some.filter((other) => other !== one)];
}

function firsts(follows: readonly Followed[]): Deviation[] {
  return follows.map((some) => some[0]!);
}

function signerAt(plan: RequestPlan, target: Target, situation: Situation): Signer {
  // Random values have only letters and digits, so they do not affect the result.
  const fresh = { timestamp: '1700000000', nonce: '0123456789abcdef' };
  const { request } = buildRequest(plan, target, situation, fresh);
  return signerOf(request, target.credentials);
}

export function measureMock(options: RunOptions, mock?: OfTheMock): Promise<ScenarioRecord> {
  return onMock(measuring.id, options, mock, (context) => measureIn(context, options));
}

/** Measures in an open context, without an allowance. */
export function measureIn(context: RunContext, options: RunOptions): Promise<ScenarioRecord> {
  const { perform, suiteErrors } = performerOf(measuring, context);
  return measure(perform, context.target, suiteErrors, options);
}

/** Measures a live target through the effect guard. What the allowance does not cover stays unknown. */
export async function measureLive(session: LiveSession, options: StepOptions): Promise<ScenarioRecord> {
  const transport = session.openTransport();
  try {
    const step = { scenario: measuring, phase: 'observations', numbers: [] } as const;
    const { perform, suiteErrors } = performerIn(session, step, options, transport);
    const record = await measure(perform, session.target, suiteErrors, options);
    const { failed } = await session.probe(transport);
    return failed === undefined ? record : { ...record, unreachable: failed };
  } finally {
    await transport.close();
  }
}

async function measure(
  perform: PerformCase,
  target: Target,
  suiteErrors: readonly string[],
  options: RunOptions,
): Promise<ScenarioRecord> {
  const budget = asking(perform, options.measure ?? 0);
  // Error 99 of a closing gate shows that the request was accepted, without closing anything.
  const situation = target.endpoints.closing === undefined ? 'open' : 'closing';
  const follows = await measureDialect(budget, target, situation);
  const inDialect = {
    ...budget,
    ask: (...[request, label]: Parameters<typeof budget.ask>) => budget.ask(signedWith(follows, request), label),
  };
  await measureLimits(inDialect, situation, drawOf(measuring.id, options));
  const { cases, notSent } = budget;
  return { scenario: measuring.id, cases, notSent, suiteErrors };
}

async function measureLimits(asking: Asking, situation: 'closing' | 'open', draw: Draw): Promise<void> {
  for (const limit of limitsOfCloseDay) await bisect(limit, asking, { situation }, draw);
  await countNonces(asking, { situation });
  for (const limit of limitsOfBatches) await bisect(limit, asking, {}, draw);
  await bisect(limitAhead, asking, { situation }, draw);
}

async function bisect(limit: Limit, { ask }: Asking, where: Partial<RequestPlan>, draw: Draw): Promise<void> {
  const { id, at, first, last, tolerance = 0, request } = limit;
  const takes = (step: number) =>
    ask({ ...request(at(step), draw), ...where }, { measures: { limit: id, value: at(step) } });
  if ((await takes(0)) !== true) return;
  let good = 0;
  let bad: number | undefined;
  for (let next = first; bad === undefined && good < last; next = Math.min(2 * next, last)) {
    const taken = await takes(next);
    if (taken === undefined) break;
    if (taken) good = next;
    else bad = next;
  }
  while (bad !== undefined && bad - good > Math.max(1, good * tolerance)) {
    const middle: number = Math.floor((good + bad) / 2);
    const taken = await takes(middle);
    if (taken === undefined) break;
    if (taken) good = middle;
    else bad = middle;
  }
  // The first value must still be accepted at the end, or something other than the value caused the refusals.
  await takes(0);
}

/** Number of nonces used before the first is used again. */
const nonces = 64;

async function countNonces({ ask, last }: Asking, where: Partial<RequestPlan>): Promise<void> {
  const used: number[] = [];
  for (let value = 1; value <= nonces; value += 1) {
    if ((await ask({ ...plainRequest, ...where }, { measures: { limit: 'nonces-remembered', value } })) !== true)
      return;
    used.push(last());
  }
  let [low, high] = [0, nonces + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const measures = { limit: 'nonces-remembered', value: middle, again: true } as const;
    const taken = await ask({ ...plainRequest, ...where, nonceOf: used[middle - 1]! }, { measures });
    if (taken === undefined) break;
    if (taken) low = middle;
    else high = middle;
  }
}
