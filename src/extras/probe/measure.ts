/** The last scenario of a run with --measure: finds limits of the gateway, and signing deviations that it accepts. */
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
import { asking, type OfTheMock, onMock, performerOf, type RunContext } from '../../run/gateway/perform-case.ts';
import { drawOf } from '../../run/gateway/planned-cases.ts';
import { performerIn } from '../../run/live/perform-step.ts';
import type { LiveSession } from '../../run/live/session.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';
import type { Target } from '../../run/target/target.ts';

type Situation = 'closing' | 'open';
type Asking = ReturnType<typeof asking>;

/** The gateway follows one of these deviations. Their signatures were equal so far, so it is unknown which one. */
type Followed = readonly Deviation[];

interface SignedProbe {
  readonly probe: SigningProbe;
  readonly signer: Signer;
}

/** Finds the deviations that the gateway follows instead of RFC 5849, then other deviations that it accepts. */
async function measureDialect(asking: Asking, target: Target, situation: Situation): Promise<readonly Deviation[]> {
  const signed = probes.map((probe): SignedProbe => ({ probe, signer: signerAt(probe.request, target, situation) }));
  const plain = signed[0]!;
  let follows: readonly Followed[] = [];
  const understood: SignedProbe[] = [];
  for (const one of signed) {
    // The gateway accepted the signatures of `understood`, so it follows no deviation that would change one of them.
    const isNew = (deviation: Deviation) =>
      !understood.some(({ signer }) => changesSignature(signer, firsts(follows), deviation));
    const found = await findFollowed(one, follows, isNew, asking);
    if (found === undefined && one === plain) return [];
    if (found !== undefined) understood.push(one);
    follows = found ?? follows;
  }
  await tryAccepted(understood, follows, asking);
  await tryOnce(plain, follows, [], asking);
  return firsts(follows);
}

function signedWith(set: readonly Deviation[], request: RequestPlan): RequestPlan {
  if (set.length === 0) return request;
  const resigned: RequestPlan['resigned'] = (correct, keys) => {
    const signer = signerOf(correct, keys);
    return request.operation === 'close-day' ? signer.sign(set) : signer.signRsa(set, keys.privateKey);
  };
  return { ...request, resigned };
}

/** Sends the probe with different signatures. Returns the deviations of the first accepted one, or undefined. */
async function findFollowed(
  signed: SignedProbe,
  follows: readonly Followed[],
  isNew: (deviation: Deviation) => boolean,
  asking: Asking,
): Promise<readonly Followed[] | undefined> {
  const { signer } = signed;
  const accepted = await tryOnce(signed, follows, [], asking);
  if (accepted === true) return follows.map((some, at) => sameHere(some, at, follows, signer));
  if (accepted === undefined) return undefined;
  const swapped = follows.flatMap((some, at) =>
    some.slice(1).map((first) => follows.with(at, [first, ...some.filter((one) => one !== first)])),
  );
  for (const other of swapped) {
    if (signer.sign(firsts(other)) === signer.sign(firsts(follows))) continue;
    if ((await tryOnce(signed, other, [], asking)) === true) {
      return other.map((some, at) => sameHere(some, at, other, signer));
    }
  }
  for (const way of distinctWays(signer, firsts(follows), searchedDeviations.filter(isNew))) {
    if ((await tryOnce(signed, follows, way, asking)) === true) return [...follows, way];
  }
  // Try only combinations of deviations that known libraries have: all pairs would need thousands of requests.
  for (const { deviations } of follows.length === 0 ? dialects : []) {
    const together = deviations.map((deviation) => [deviation]);
    if (signer.sign(deviations) === signer.sign([])) continue;
    if ((await tryOnce(signed, together, [], asking)) === true) return together;
  }
  return undefined;
}

async function tryAccepted(probed: readonly SignedProbe[], follows: readonly Followed[], asking: Asking) {
  const refused = new Set<Deviation>();
  for (const one of probed) {
    await tryOnce(one, follows, [], asking);
    for (const way of distinctWays(one.signer, firsts(follows))) {
      const left = way.filter((deviation) => !refused.has(deviation));
      if (left.length === 0) continue;
      const isAccepted = await tryOnce(one, follows, left, asking);
      if (isAccepted === false) for (const deviation of left) refused.add(deviation);
    }
  }
}

function tryOnce({ probe }: SignedProbe, follows: readonly Followed[], way: readonly Deviation[], { ask }: Asking) {
  const set = [...firsts(follows), ...way.slice(0, 1)];
  const ids = (some: readonly Deviation[]) => some.map(({ id }) => id);
  return ask(signedWith(set, probe.request), {
    signedAs: { probe: probe.name, follows: follows.map(ids), as: ids(way) },
  });
}

/** Returns the deviations that change the signature, in groups. All deviations of a group give the same signature. */
function distinctWays(signer: Signer, followed: readonly Deviation[], all: readonly Deviation[] = searchedDeviations) {
  const ways = new Map<string, Deviation[]>();
  for (const deviation of all) {
    if (!changesSignature(signer, followed, deviation)) continue;
    const signature = signer.sign([...followed, deviation]);
    ways.set(signature, [...(ways.get(signature) ?? []), deviation]);
  }
  return [...ways.values()];
}

function changesSignature(signer: Signer, followed: readonly Deviation[], deviation: Deviation): boolean {
  const set = [...followed, deviation];
  return !followed.includes(deviation) && combine(set) && signer.sign(set) !== signer.sign(followed);
}

function sameHere(some: Followed, at: number, follows: readonly Followed[], signer: Signer): Followed {
  const signatureWith = (one: Deviation) => signer.sign(firsts(follows.with(at, [one])));
  return some.filter((one) => signatureWith(one) === signatureWith(some[0]!));
}

function firsts(follows: readonly Followed[]): Deviation[] {
  return follows.map((some) => some[0]!);
}

function signerAt(plan: RequestPlan, target: Target, situation: Situation): Signer {
  // Any values of letters and digits will do, because every deviation signs these characters unchanged.
  const fresh = { timestamp: '1700000000', nonce: '0123456789abcdef' };
  const { request } = buildRequest(plan, target, situation, fresh);
  return signerOf(request, target.credentials);
}

export function measureMock(options: RunOptions, mock?: OfTheMock): Promise<ScenarioRecord> {
  return onMock(measuring.id, options, mock, (context) => measureIn(context, options));
}

/** Measures a target that needs no allowance. */
export function measureIn(context: RunContext, options: RunOptions): Promise<ScenarioRecord> {
  const { perform, suiteErrors } = performerOf(measuring, context);
  return measure(perform, context.target, suiteErrors, options);
}

/** Measures a live target. If a request exceeds the allowance, it is not sent and its result is unknown. */
export async function measureLive(
  session: LiveSession,
  options: Parameters<typeof performerIn>[2],
): Promise<ScenarioRecord> {
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
  perform: Parameters<typeof asking>[0],
  target: Target,
  suiteErrors: readonly string[],
  options: RunOptions,
): Promise<ScenarioRecord> {
  const budget = asking(perform, options.measure ?? 0);
  // Prefer a closing gate: it answers a correct request with error 99, and closes no day.
  const situation = target.endpoints.closing === undefined ? 'open' : 'closing';
  const ask: Asking['ask'] = (request, label) =>
    budget.ask(request.operation === 'close-day' ? { ...request, situation } : request, label);
  const follows = await measureDialect({ ...budget, ask }, target, situation);
  const askInDialect: Asking['ask'] = (request, label) => ask(signedWith(follows, request), label);
  await measureLimits({ ...budget, ask: askInDialect }, drawOf(measuring.id, options));
  const { cases, notSent } = budget;
  return { scenario: measuring.id, cases, notSent, suiteErrors };
}

async function measureLimits(asking: Asking, draw: Draw): Promise<void> {
  for (const limit of limitsOfCloseDay) await bisect(limit, asking, draw);
  await countNonces(asking);
  for (const limit of limitsOfBatches) await bisect(limit, asking, draw);
  await bisect(limitAhead, asking, draw);
}

async function bisect(limit: Limit, { ask }: Asking, draw: Draw): Promise<void> {
  const { id, at, first, last, tolerance = 0, request } = limit;
  const accepts = (step: number) => ask(request(at(step), draw), { measures: { limit: id, value: at(step) } });
  if ((await accepts(0)) !== true) return;
  let good = 0;
  let bad: number | undefined;
  for (let next = first; bad === undefined && good < last; next = Math.min(2 * next, last)) {
    const isAccepted = await accepts(next);
    if (isAccepted === undefined) break;
    if (isAccepted) good = next;
    else bad = next;
  }
  while (bad !== undefined && bad - good > Math.max(1, good * tolerance)) {
    const middle: number = Math.floor((good + bad) / 2);
    const isAccepted = await accepts(middle);
    if (isAccepted === undefined) break;
    if (isAccepted) good = middle;
    else bad = middle;
  }
  // Send the first value again. If it is refused now, the refusals above may have another cause than the value.
  await accepts(0);
}

/** Number of requests with new nonces. Some of the nonces are sent again, to find how many the gateway remembers. */
const nonces = 64;

async function countNonces({ ask, last }: Asking): Promise<void> {
  const used: number[] = [];
  for (let value = 1; value <= nonces; value += 1) {
    if ((await ask(plainRequest, { measures: { limit: 'nonces-remembered', value } })) !== true) return;
    used.push(last());
  }
  let low = 0;
  let high = nonces + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const measures = { limit: 'nonces-remembered', value: middle, again: true } as const;
    const isAccepted = await ask({ ...plainRequest, nonceOf: used[middle - 1]! }, { measures });
    if (isAccepted === undefined) break;
    if (isAccepted) low = middle;
    else high = middle;
  }
}
