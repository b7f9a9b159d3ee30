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
  defaultWorld,
  joinAlterations,
  newGate,
  publishedIdentity,
  respond,
  settingsWith,
  withDate,
} from '../mock/index.ts';
import { ordinaryCalls } from '../plan/client/cases.ts';
import { gatewayScenarios } from '../plan/index.ts';
import type { Case } from '../record/case.ts';
import { type MeasuredLimit, worse } from '../record/result/result.ts';
import { groupByScenario } from '../record/run.ts';
import { answerSummary } from '../rules/answers/acceptance.ts';
import { observe } from '../rules/observe.ts';
import type { ClientRequests, ComparedRun } from '../verdict/diff/difference.ts';
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

function withMockAnswers(cases: readonly Case[]): readonly Case[] {
  const replayed = replayable(cases);
  const mockCases = new Map(replay(replayed).map((one, index) => [replayed[index], one]));
  return cases.map((one) => mockCases.get(one) ?? one);
}

/** Compares mock and gateway: the number of equal answers, and the outcomes of each requirement on both. */
export function fidelityOf(cases: readonly Case[]) {
  const replayed = replay(cases);
  const onGateway = gatewayEvidence(groupByScenario(cases));
  const onMock = gatewayEvidence(groupByScenario(replayed));
  const outcome = (evidence: typeof onMock, id: (typeof requirements)[number]['id']) => {
    const outcomes = evidence.judge(id).map(({ finding }) => finding.outcome);
    return outcomes.length === 0 ? undefined : outcomes.reduce(worse);
  };
  return {
    compared: cases.length,
    alike: countSame(cases, replayed),
    requirements: requirements
      .filter((row: Requirement) => row.side === 'gateway' && row.kind !== 'probe' && row.untestable === undefined)
      .flatMap(({ id }) => {
        const gateway = outcome(onGateway, id);
        const mock = outcome(onMock, id);
        return gateway === undefined || mock === undefined ? [] : [{ id, gateway, mock }];
      }),
  };
}

/** Chooses variants that make the mock answer more like the gateway. Each step adds the variant that helps most. */
export function chooseVariants(cases: readonly Case[]) {
  const chosen: Variant[] = [];
  const sample = sampleOf(cases);
  const scoreWith = (some: readonly Variant[]) => similarity(sample, replay(sample, some));
  let best = scoreWith([]);
  let useful = variants.filter(({ meaningless }) => meaningless === undefined);
  while (useful.length > 0) {
    const tried = useful.map((variant) => ({ variant, score: scoreWith([...chosen, variant]) }));
    // A variant that does not help in this round is not tried again.
    const better = tried.filter(({ score }) => score > best);
    const [first] = better.toSorted((one, other) => other.score - one.score);
    if (first === undefined) break;
    chosen.push(first.variant);
    best = first.score;
    useful = better.filter((one) => one !== first).map(({ variant }) => variant);
  }
  const alike = [countSame(cases, replay(cases)), countSame(cases, replay(cases, chosen))] as const;
  return { variants: chosen, alike, compared: cases.length };
}

/** A small number, because every variant is tried with the whole sample. */
const sampleSize = 100;

/** Also samples cases with equal answers, because a variant may make these answers different. */
function sampleOf(cases: readonly Case[]): readonly Case[] {
  const replayed = replay(cases);
  const thinOut = (all: readonly Case[]) => all.filter((_, at) => at % Math.ceil(all.length / sampleSize) === 0);
  const different = cases.filter((testCase, at) => !isSameAnswer(testCase, replayed[at]!));
  const same = cases.filter((testCase, at) => isSameAnswer(testCase, replayed[at]!));
  return [...thinOut(different), ...thinOut(same)];
}

/** Returns mock settings with the measured limits of the gateway. */
export function measuredSettings(limits: readonly MeasuredLimit[]): Alteration {
  const limitOf = (id: string) => limits.find((one) => one.id === id && one.most !== undefined)?.most;
  const settings = {
    timestampWindowSeconds: limitOf('timestamp-behind'),
    maxNonces: limitOf('nonces-remembered'),
    maxBodyBytes: limitOf('body-bytes'),
  };
  return { settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) };
}

function countSame(cases: readonly Case[], replayed: readonly Case[]): number {
  return cases.filter((testCase, at) => isSameAnswer(testCase, replayed[at]!)).length;
}

function isSameAnswer(one: Case, other: Case): boolean {
  return answerOf(one).join() === answerOf(other).join();
}

function similarity(cases: readonly Case[], replayed: readonly Case[]): number {
  return cases.reduce((total, testCase, at) => {
    const gatewayAnswer = answerOf(testCase);
    const mockAnswer = answerOf(replayed[at]!);
    const common = gatewayAnswer.filter((part) => mockAnswer.includes(part)).length;
    return total + common / Math.max(gatewayAnswer.length, mockAnswer.length);
  }, 0);
}

/** The parts of an answer to compare. Omits the open points A24 and A28, which depend on data of the gateway. */
function answerOf(testCase: Case): string[] {
  const observations = observe([testCase]).filter(({ openPoint }) => openPoint !== 'A24' && openPoint !== 'A28');
  const form = answerSummary(testCase.exchanges[0]).replace(/a body of \d+ bytes/, 'a body');
  return [form, ...observations.map(({ openPoint, value }) => `${openPoint} ${value}`)];
}

function replay(cases: readonly Case[], chosen: readonly Variant[] = []): readonly Case[] {
  const alterations = chosen.map(({ alteration }) => alteration);
  const world = defaultWorld({ endpoints: {} });
  const altered = joinAlterations(alterations);
  const settings = settingsWith(alterations);
  const results = new Map<Case, Case>();
  for (const testCase of cases.toSorted((a, b) => a.exchanges[0].startedAt - b.exchanges[0].startedAt)) {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    const prefix = /^(.*?)\/api\//.exec(exchange.request.target)?.[1] ?? '';
    const route = operationAt(exchange.request.target.slice(prefix.length).split('?')[0]!);
    const { gate = 'open', gates = 1 } = label.facts ?? {};
    if (route !== undefined && gate !== 'unknown') {
      const epntId = /^\d+$/.test(route.endpointId) ? route.endpointId : '0';
      const newGates = Array.from({ length: gates }, (_, at) => newGate(String(7101 + at), epntId, gate));
      world.endpoints.set(route.endpointId, { gates: newGates, closings: 0 });
    }
    const reply = respond(exchange.request, world, { ...settings, prefix }, exchange.startedAt, altered);
    const { status, reason, body } = reply;
    const headers = withDate(reply.headers, exchange.startedAt);
    results.set(testCase, { ...testCase, exchanges: [{ ...exchange, response: { status, reason, headers, body } }] });
  }
  return cases.map((testCase) => results.get(testCase)!);
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
  const old = { ...gateway, cases: withMockAnswers(cases) };
  const runs = { old, fresh: gateway, policy: defaultPolicy, calls: ordinaryCalls };
  const impact = await checkClients([client], runs, signal);
  const { variants, alike, compared } = chooseVariants(replayable(cases));
  const mock = { alike: alike[1], compared };
  const mockOptions = { defects: [], variants: variants.map(({ id }) => id) };
  const replayTo = (target: ReplayTarget) => replayRequests([client], target, signal);
  const requestResults = await withMockTarget(mockOptions, randomBytes(8).toString('hex'), replayTo);
  const requests: readonly ClientRequests[] = 'hindrance' in requestResults ? [] : requestResults.flat();
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
  const unverified = readings.find((one) => one.is === 'unverified')?.reason;
  const reason = unverified ?? ('hindrance' in requestResults ? requestResults.hindrance : undefined);
  return reason === undefined ? { is: 'works' as const, mock } : { is: 'unverified' as const, reason, mock };
}
