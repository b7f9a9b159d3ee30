/** Sends the requests of a stored run to the mock in memory, and compares its answers with those of the gateway. */
import { randomBytes } from 'node:crypto';
import { operationAt } from '../../contracts/operations.ts';
import { requirements } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { credentialOf } from '../autopsy/facts.ts';
import { checkClients, type StoredClient } from '../extras/impact/check-clients.ts';
import { type ReplayedClient, type ReplayTarget, replayRequests, withMockTarget } from '../extras/impact/replay.ts';
import { type Variant, variants } from '../faults/index.ts';
import {
  type Alteration,
  dated,
  defaultWorld,
  joinAlterations,
  newGate,
  publishedIdentity,
  respond,
  settingsWith,
} from '../mock/index.ts';
import { ordinaryCalls } from '../plan/client/cases.ts';
import { gatewayScenarios } from '../plan/index.ts';
import type { Case } from '../record/case.ts';
import { type MeasuredLimit, worse } from '../record/result/result.ts';
import { perScenario } from '../record/run.ts';
import { formOfAnswer } from '../rules/answers/acceptance.ts';
import { observe } from '../rules/observe.ts';
import type { ComparedRun, TakenRequests } from '../verdict/diff/difference.ts';
import { defaultPolicy } from '../verdict/diff/verdict.ts';
import { gatewayEvidence } from '../verdict/gateway-evidence.ts';

/** Returns the answered cases with the published key or no key. Skips scenarios that prepare answers or payments. */
export function replayable(cases: readonly Case[]): readonly Case[] {
  const scripted = new Set(gatewayScenarios.filter((one) => one.needsAnswers || one.needsProfiles).map(({ id }) => id));
  return cases.filter(({ scenario, exchanges: [exchange] }) => {
    const key = credentialOf(exchange.request, 'oauth_consumer_key');
    return (
      exchange.response !== undefined &&
      !scripted.has(scenario) &&
      (key ?? publishedIdentity.consumerKey) === publishedIdentity.consumerKey
    );
  });
}

function asTheMockAnswers(cases: readonly Case[]): readonly Case[] {
  const replayed = replayable(cases);
  const answered = new Map(replay(replayed).map((one, at) => [replayed[at], one]));
  return cases.map((one) => answered.get(one) ?? one);
}

/** Compares mock and gateway: the number of equal answers, and the outcomes of each requirement on both. */
export function fidelityOf(cases: readonly Case[]) {
  const replayed = replay(cases);
  const ofGateway = gatewayEvidence(perScenario(cases));
  const ofMock = gatewayEvidence(perScenario(replayed));
  const outcome = (evidence: typeof ofMock, id: (typeof requirements)[number]['id']) => {
    const found = evidence.judge(id).map(({ finding }) => finding.outcome);
    return found.length === 0 ? undefined : found.reduce(worse);
  };
  return {
    compared: cases.length,
    alike: likeness(cases, replayed),
    requirements: requirements
      .filter((row: Requirement) => row.side === 'gateway' && row.kind !== 'probe' && row.untestable === undefined)
      .flatMap(({ id }) => {
        const gateway = outcome(ofGateway, id);
        const mock = outcome(ofMock, id);
        return gateway === undefined || mock === undefined ? [] : [{ id, gateway, mock }];
      }),
  };
}

/** Chooses variants that make the mock answer more like the gateway. Each step adds the variant that helps most. */
export function likeIn(cases: readonly Case[]) {
  const chosen: Variant[] = [];
  const sample = sampleOf(cases);
  const alikeWith = (some: readonly Variant[]) => sumOfEqualShares(sample, replay(sample, some));
  let best = alikeWith([]);
  let useful = variants.filter(({ meaningless }) => meaningless === undefined);
  while (useful.length > 0) {
    const tried = useful.map((variant) => ({ variant, alike: alikeWith([...chosen, variant]) }));
    // A variant that does not help in this round is not tried again.
    const better = tried.filter(({ alike }) => alike > best);
    const [first] = better.toSorted((one, other) => other.alike - one.alike);
    if (first === undefined) break;
    chosen.push(first.variant);
    best = first.alike;
    useful = better.filter((one) => one !== first).map(({ variant }) => variant);
  }
  const alike = [likeness(cases, replay(cases)), likeness(cases, replay(cases, chosen))] as const;
  return { variants: chosen, alike, compared: cases.length };
}

/** A small number, because every variant is tried with the whole sample. */
const sampleSize = 100;

/** Also samples cases with equal answers, because a variant may make these answers different. */
function sampleOf(cases: readonly Case[]): readonly Case[] {
  const replayed = replay(cases);
  const spread = (all: readonly Case[]) => all.filter((_, at) => at % Math.ceil(all.length / sampleSize) === 0);
  const different = cases.filter((testCase, at) => !isAlike(testCase, replayed[at]!));
  const alike = cases.filter((testCase, at) => isAlike(testCase, replayed[at]!));
  return [...spread(different), ...spread(alike)];
}

/** Returns mock settings with the measured limits of the gateway. */
export function settingsLike(limits: readonly MeasuredLimit[]): Alteration {
  const most = (id: string) => limits.find((one) => one.id === id && one.most !== undefined)?.most;
  const wanted = {
    timestampWindowSeconds: most('timestamp-behind'),
    maxNonces: most('nonces-remembered'),
    maxBodyBytes: most('body-bytes'),
  };
  return { settings: Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) };
}

function likeness(cases: readonly Case[], replayed: readonly Case[]): number {
  return cases.filter((testCase, at) => isAlike(testCase, replayed[at]!)).length;
}

function isAlike(one: Case, other: Case): boolean {
  return answerOf(one).join() === answerOf(other).join();
}

function sumOfEqualShares(cases: readonly Case[], replayed: readonly Case[]): number {
  return cases.reduce((total, testCase, at) => {
    const ofGateway = answerOf(testCase);
    const ofMock = answerOf(replayed[at]!);
    const common = ofGateway.filter((part) => ofMock.includes(part)).length;
    return total + common / Math.max(ofGateway.length, ofMock.length);
  }, 0);
}

/** The parts of an answer to compare. Omits the open points A24 and A28, which depend on data of the gateway. */
function answerOf(testCase: Case): string[] {
  const observations = observe([testCase]).filter(({ openPoint }) => openPoint !== 'A24' && openPoint !== 'A28');
  const form = formOfAnswer(testCase.exchanges[0]).replace(/a body of \d+ bytes/, 'a body');
  return [form, ...observations.map(({ openPoint, value }) => `${openPoint} ${value}`)];
}

function replay(cases: readonly Case[], chosen: readonly Variant[] = []): readonly Case[] {
  const alterations = chosen.map(({ alteration }) => alteration);
  const world = defaultWorld({ endpoints: {} });
  const altered = joinAlterations(alterations);
  const settings = settingsWith(alterations);
  const answered = new Map<Case, Case>();
  for (const testCase of cases.toSorted((a, b) => a.exchanges[0].startedAt - b.exchanges[0].startedAt)) {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    const prefix = /^(.*?)\/api\//.exec(exchange.request.target)?.[1] ?? '';
    const place = operationAt(exchange.request.target.slice(prefix.length).split('?')[0]!);
    const { gate = 'open', gates = 1 } = label.facts ?? {};
    if (place !== undefined && gate !== 'unknown') {
      const numeric = /^\d+$/.test(place.endpointId) ? place.endpointId : '0';
      const all = Array.from({ length: gates }, (_, at) => newGate(String(7101 + at), numeric, gate));
      world.endpoints.set(place.endpointId, { gates: all, closings: 0 });
    }
    const reply = respond(exchange.request, world, { ...settings, prefix }, exchange.startedAt, altered);
    const { status, reason, body } = reply;
    const headers = dated(reply.headers, exchange.startedAt);
    answered.set(testCase, { ...testCase, exchanges: [{ ...exchange, response: { status, reason, headers, body } }] });
  }
  return cases.map((testCase) => answered.get(testCase)!);
}

/** `breaks`: the client misreads the gateway but not the mock, or a mock like the gateway refuses the client. */
export async function checkPair(client: StoredClient & ReplayedClient, gateway: ComparedRun, signal: AbortSignal) {
  const { cases = [] } = gateway;
  if (replayable(cases).length === 0) {
    return {
      is: 'unverified' as const,
      reason: 'the run of the gateway has no request signed with the published test identity',
    };
  }
  const old = { ...gateway, cases: asTheMockAnswers(cases) };
  const runs = { old, fresh: gateway, policy: defaultPolicy, calls: ordinaryCalls };
  const impact = await checkClients([client], runs, signal);
  const { variants, alike, compared } = likeIn(replayable(cases));
  const mock = { alike: alike[1], compared };
  const place = { defects: [], variants: variants.map(({ id }) => id) };
  const replayed = (target: ReplayTarget) => replayRequests([client], target, signal);
  const taken = await withMockTarget(place, randomBytes(8).toString('hex'), replayed);
  const requests: readonly TakenRequests[] = 'hindrance' in taken ? [] : taken.flat();
  const readings = [...impact.clients.flatMap((one) => one.readings), ...requests];
  const broken = readings.find((one) => one.is === 'breaks');
  if (broken !== undefined) {
    const { exchange, answered } = broken;
    const reason =
      'read' in broken
        ? `the client reads ${broken.read} instead of ${broken.expected} in exchange ${exchange}: ${answered}`
        : `the request of the client in exchange ${exchange} is refused: ${answered}`;
    return { is: 'breaks' as const, reason, mock };
  }
  const open = readings.find((one) => one.is === 'unverified')?.reason;
  const reason = open ?? ('hindrance' in taken ? taken.hindrance : undefined);
  return reason === undefined ? { is: 'works' as const, mock } : { is: 'unverified' as const, reason, mock };
}
