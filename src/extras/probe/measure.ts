/** The last scenario of a run with --measure: finds limits of the gateway, and signing deviations that it accepts. */
import { type Signer, signerOf } from '../../deviations/candidates.ts';
import { canCombine, type Deviation } from '../../deviations/deviation.ts';
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
import { type MockSetup, newMeasurer, onMock, performerOf, type RunContext } from '../../run/gateway/perform-case.ts';
import { drawOf } from '../../run/gateway/planned-cases.ts';
import { performerIn } from '../../run/live/perform-step.ts';
import type { LiveSession } from '../../run/live/session.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';
import type { Target } from '../../run/target/target.ts';

type Situation = 'closing' | 'open';
type Measurer = ReturnType<typeof newMeasurer>;

/** The gateway follows one of these deviations. Their signatures were equal so far, so it is unknown which one. */
type Group = readonly Deviation[];

interface SignedProbe {
  readonly probe: SigningProbe;
  readonly signer: Signer;
}

/** Finds the deviations that the gateway follows instead of RFC 5849, then other deviations that it accepts. */
async function measureDialect(measurer: Measurer, target: Target, situation: Situation): Promise<readonly Deviation[]> {
  const signed = probes.map((probe): SignedProbe => ({ probe, signer: signerAt(probe.request, target, situation) }));
  const plain = signed[0]!;
  let follows: readonly Group[] = [];
  const acceptedProbes: SignedProbe[] = [];
  for (const one of signed) {
    // The gateway accepted the `acceptedProbes`, so it follows no deviation that would change one of their signatures.
    const isNew = (deviation: Deviation) =>
      !acceptedProbes.some(({ signer }) => changesSignature(signer, firstOfEach(follows), deviation));
    const found = await findFollowed(one, follows, isNew, measurer);
    if (found === undefined && one === plain) return [];
    if (found !== undefined) acceptedProbes.push(one);
    follows = found ?? follows;
  }
  await tryAccepted(acceptedProbes, follows, measurer);
  await tryOnce(plain, follows, [], measurer);
  return firstOfEach(follows);
}

function withDeviations(set: readonly Deviation[], request: RequestPlan): RequestPlan {
  if (set.length === 0) return request;
  const signWrongly: RequestPlan['signWrongly'] = (correct, keys) => {
    const signer = signerOf(correct, keys);
    return request.operation === 'close-day' ? signer.sign(set) : signer.signRsa(set, keys.privateKey);
  };
  return { ...request, signWrongly };
}

/** Sends the probe with different signatures. Returns the deviations of the first accepted one, or undefined. */
async function findFollowed(
  signed: SignedProbe,
  follows: readonly Group[],
  isNew: (deviation: Deviation) => boolean,
  measurer: Measurer,
): Promise<readonly Group[] | undefined> {
  const { signer } = signed;
  const accepted = await tryOnce(signed, follows, [], measurer);
  if (accepted === true) return follows.map((group, at) => narrowGroup(group, at, follows, signer));
  if (accepted === undefined) return undefined;
  const alternatives = follows.flatMap((group, at) =>
    group.slice(1).map((first) => follows.with(at, [first, ...group.filter((one) => one !== first)])),
  );
  for (const alternative of alternatives) {
    if (signer.sign(firstOfEach(alternative)) === signer.sign(firstOfEach(follows))) continue;
    if ((await tryOnce(signed, alternative, [], measurer)) === true) {
      return alternative.map((group, at) => narrowGroup(group, at, alternative, signer));
    }
  }
  for (const group of groupsFor(signer, firstOfEach(follows), searchedDeviations.filter(isNew))) {
    if ((await tryOnce(signed, follows, group, measurer)) === true) return [...follows, group];
  }
  // Try only combinations of deviations that known libraries have: all pairs would need thousands of requests.
  for (const { deviations } of follows.length === 0 ? dialects : []) {
    const combination = deviations.map((deviation) => [deviation]);
    if (signer.sign(deviations) === signer.sign([])) continue;
    if ((await tryOnce(signed, combination, [], measurer)) === true) return combination;
  }
  return undefined;
}

async function tryAccepted(acceptedProbes: readonly SignedProbe[], follows: readonly Group[], measurer: Measurer) {
  const refused = new Set<Deviation>();
  for (const one of acceptedProbes) {
    await tryOnce(one, follows, [], measurer);
    for (const group of groupsFor(one.signer, firstOfEach(follows))) {
      const remaining = group.filter((deviation) => !refused.has(deviation));
      if (remaining.length === 0) continue;
      const isAccepted = await tryOnce(one, follows, remaining, measurer);
      if (isAccepted === false) for (const deviation of remaining) refused.add(deviation);
    }
  }
}

function tryOnce({ probe }: SignedProbe, follows: readonly Group[], group: readonly Deviation[], { ask }: Measurer) {
  const set = [...firstOfEach(follows), ...group.slice(0, 1)];
  const ids = (deviations: readonly Deviation[]) => deviations.map(({ id }) => id);
  return ask(withDeviations(set, probe.request), {
    signedAs: { probe: probe.name, follows: follows.map(ids), as: ids(group) },
  });
}

/** Returns the deviations that change the signature, in groups. All deviations of a group give the same signature. */
function groupsFor(signer: Signer, followed: readonly Deviation[], all: readonly Deviation[] = searchedDeviations) {
  const groups = new Map<string, Deviation[]>();
  for (const deviation of all) {
    if (!changesSignature(signer, followed, deviation)) continue;
    const signature = signer.sign([...followed, deviation]);
    groups.set(signature, [...(groups.get(signature) ?? []), deviation]);
  }
  return [...groups.values()];
}

function changesSignature(signer: Signer, followed: readonly Deviation[], deviation: Deviation): boolean {
  const set = [...followed, deviation];
  return !followed.includes(deviation) && canCombine(set) && signer.sign(set) !== signer.sign(followed);
}

function narrowGroup(group: Group, at: number, follows: readonly Group[], signer: Signer): Group {
  const signatureWith = (one: Deviation) => signer.sign(firstOfEach(follows.with(at, [one])));
  return group.filter((one) => signatureWith(one) === signatureWith(group[0]!));
}

function firstOfEach(follows: readonly Group[]): Deviation[] {
  return follows.map((group) => group[0]!);
}

function signerAt(plan: RequestPlan, target: Target, situation: Situation): Signer {
  // Any values of letters and digits will do, because every deviation signs these characters unchanged.
  const stamp = { timestamp: '1700000000', nonce: '0123456789abcdef' };
  const { request } = buildRequest(plan, target, situation, stamp);
  return signerOf(request, target.credentials);
}

export function measureMock(options: RunOptions, mock?: MockSetup): Promise<ScenarioRecord> {
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
    const { failure } = await session.probe(transport);
    return failure === undefined ? record : { ...record, unreachable: failure };
  } finally {
    await transport.close();
  }
}

async function measure(
  perform: Parameters<typeof newMeasurer>[0],
  target: Target,
  suiteErrors: readonly string[],
  options: RunOptions,
): Promise<ScenarioRecord> {
  const measurer = newMeasurer(perform, options.measure ?? 0);
  // Prefer a closing gate: it answers a correct request with error 99, and closes no day.
  const situation = target.endpoints.closing === undefined ? 'open' : 'closing';
  const ask: Measurer['ask'] = (request, label) =>
    measurer.ask(request.operation === 'close-day' ? { ...request, situation } : request, label);
  const followed = await measureDialect({ ...measurer, ask }, target, situation);
  const askInDialect: Measurer['ask'] = (request, label) => ask(withDeviations(followed, request), label);
  await measureLimits({ ...measurer, ask: askInDialect }, drawOf(measuring.id, options));
  const { cases, notSent } = measurer;
  return { scenario: measuring.id, cases, notSent, suiteErrors };
}

async function measureLimits(measurer: Measurer, draw: Draw): Promise<void> {
  for (const limit of limitsOfCloseDay) await bisect(limit, measurer, draw);
  await countNonces(measurer);
  for (const limit of limitsOfBatches) await bisect(limit, measurer, draw);
  await bisect(limitAhead, measurer, draw);
}

async function bisect(limit: Limit, { ask }: Measurer, draw: Draw): Promise<void> {
  const { id, valueAt, first, last, tolerance = 0, request } = limit;
  const accepts = (step: number) =>
    ask(request(valueAt(step), draw), { measures: { limit: id, value: valueAt(step) } });
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
const nonceCount = 64;

async function countNonces({ ask, lastNumber }: Measurer): Promise<void> {
  const used: number[] = [];
  for (let value = 1; value <= nonceCount; value += 1) {
    if ((await ask(plainRequest, { measures: { limit: 'nonces-remembered', value } })) !== true) return;
    used.push(lastNumber());
  }
  let low = 0;
  let high = nonceCount + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const measures = { limit: 'nonces-remembered', value: middle, again: true } as const;
    const isAccepted = await ask({ ...plainRequest, nonceOf: used[middle - 1]! }, { measures });
    if (isAccepted === undefined) break;
    if (isAccepted) low = middle;
    else high = middle;
  }
}
