/** The evidence of a run against a gateway. */
import { type Operation, operationNames, operations } from '../../contracts/operations.ts';
import { type RequirementId, requirementById, requirements } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { formParameters, ProtocolError, parseAuthorization, unsignedSteps } from '../protocol/index.ts';
import { type Case, inOrder, measuringId, numberOf } from '../record/case.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import { groupBy } from '../record/group-by.ts';
import type { Blame, Result, ResultRow } from '../record/result/result.ts';
import { casesOf, type NotSent, type RecordedRun } from '../record/run.ts';
import {
  answerReadings,
  blameForUnclear,
  classify,
  describeAnswer,
  isUnreached,
  unclearBlocker,
} from '../rules/answers/acceptance.ts';
import { judgeCases } from '../rules/index.ts';
import { type Finding, inconclusive, type Verdict } from '../rules/judge.ts';
import { observe } from '../rules/observe.ts';
import { disagreementsOnAnswers } from '../rules/schema-crosscheck.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import type { Evidence, NoVerdict, NumberedFinding } from './evidence.ts';
import { knownMistakes } from './forecast/defect-table.ts';
import { measuredIn } from './measurements.ts';

type Records = readonly (Pick<ScenarioRecord, 'cases'> & Partial<ScenarioRecord>)[];

/** `misconfigured`: why valid requests were refused, if credentials or address are the cause. Pure. */
export function gatewayEvidence(records: Records, run: Pick<RecordedRun, 'misconfigured' | 'aborted'> = {}): Evidence {
  const cases = inOrder(casesOf({ records }));
  const notSent = records.flatMap((record) => record.notSent ?? []);
  const notMeasured = records.flatMap((one) => (one.scenario === measuringId ? (one.notSent ?? []) : []));
  const circumstances = circumstancesOf(records, cases, run);
  const { crash } = circumstances;
  const numbers = new Map<Case, number>(cases.map((testCase, index) => [testCase, index + 1]));
  const numbersOf = (some: readonly Case[]) => some.map((testCase) => numbers.get(testCase)!);
  const numbered = ({ finding, testCase }: Verdict) => ({ finding, exchanges: numbersOf([testCase]) });
  return {
    judge: (id) => {
      const verdicts = judgeCases(id, cases);
      const found = [
        // Put the request that crashed the target first, because it explains the other findings.
        ...(crash?.id === id ? [numbered({ finding: crashFinding(crash), testCase: crash.testCase })] : []),
        ...verdicts.map(({ finding, testCase }) =>
          numbered({ finding: applyCircumstances(finding, testCase, circumstances), testCase }),
        ),
        ...disagreementsOnAnswers(id, cases, verdicts).map(numbered),
      ];
      const unsentFindings = findingsOnNotSent(requirementById(id)!, notSent, found, circumstances);
      return [...found, ...unsentFindings.map((finding) => ({ finding, exchanges: [] }))];
    },
    noVerdictOn: (row, aborted) => {
      if (row.condition !== undefined) return undefined;
      const unreadable = noVerdictInUnreadable(row, cases);
      // In an aborted run, the abort already explains unsent requests. Only an unreadable answer is a further reason.
      if (unreadable !== undefined || aborted !== undefined) return unreadable;
      return noVerdictInNotSent(row, records, circumstances) ?? noVerdictInAnswers(row, cases);
    },
    explain: (row, exchanges, outcome) => (outcome === 'fail' ? explainRefusal(row, exchanges, cases) : {}),
    mistakes: (failing) => knownMistakes(failing, cases),
    observations: () =>
      observe(cases).map(({ openPoint, value, shownBy }) => ({ openPoint, value, exchanges: numbersOf(shownBy) })),
    measured: () => measuredIn(cases, notMeasured, (testCase) => numbers.get(testCase)!),
    edges: () => edgesIn(cases),
    latency: () => latencyOf(cases),
    cases,
  };
}

function isAbout({ operation }: Pick<Requirement, 'operation'>, { label }: Case): boolean {
  return operation === 'both' || operation === label.operation;
}

function noVerdictInUnreadable(row: Requirement, cases: readonly Case[]): NoVerdict | undefined {
  const valid = cases.filter((testCase) => testCase.label.intent === 'valid' && isAbout(row, testCase));
  const unreadable = valid.find(
    (testCase) => classify(testCase) === 'unclear' && blameForUnclear(testCase.exchanges[0]) === 'subject',
  );
  if (unreadable === undefined || valid.some((testCase) => classify(testCase) === 'accepted')) return undefined;
  const answer = describeAnswer(unreadable.exchanges[0]);
  const actual = `no answer could test this requirement, because the answer to a correct request is unclear: ${answer}`;
  return { outcome: 'inconclusive', blame: 'subject', actual, because: unclearBlocker(unreadable) };
}

function edgesIn(cases: readonly Case[]): NonNullable<Result['edges']> {
  const edges = cases.flatMap(({ label }) => label.edge ?? []);
  return [...groupBy(edges, ({ generator, name }) => `${generator} ${name}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({ generator: group[0].generator, edge: group[0].name, cases: group.length }));
}

function noVerdictInAnswers(row: Requirement, cases: readonly Case[]): NoVerdict | undefined {
  const answered = cases.filter((one) => one.exchanges[0].response !== undefined && isAbout(row, one));
  if (answered.length === 0) return undefined;
  const valid = answered.filter(({ label }) => label.intent === 'valid' && (label.facts?.gate ?? 'open') === 'open');
  const accepted = valid.filter((testCase) => classify(testCase) === 'accepted');
  const text = 'no answer contains what the requirement is about';
  const relevant = accepted.length > 0 ? accepted : valid;
  const because = relevant.length === 0 ? { text } : { text, cases: relevant, mayBreak: possibleBlockers(row) };
  return { outcome: 'inconclusive', blame: 'subject', actual: text, because };
}

/** Requirements whose failure can prevent a test of `id`. For example, an absent member hides its type. */
function possibleBlockers({ id, operation }: Requirement): RequirementId[] {
  const readIds = operationNames
    .filter((name) => operation === 'both' || operation === name)
    .flatMap((name) => [...answerReadings[name].acceptanceRows, ...answerReadings[name].unclearRows]);
  const member = id.replace(/-(?:type|shape|form)$/, '');
  const memberRows = requirements.filter((one) => [`${member}-present`, `${member}-type`].includes(one.id));
  return [...readIds, 'close-day/finished-has-gates', ...memberRows.map((one) => one.id).filter((one) => one !== id)];
}

function latencyOf(cases: readonly Case[]): NonNullable<Result['latency']> {
  return operationNames.flatMap((operation) => {
    const times = cases
      .filter(({ label, exchanges: [exchange] }) => label.operation === operation && exchange.response !== undefined)
      .map(({ exchanges: [exchange] }) => exchange.durationMs)
      .sort((a, b) => a - b);
    if (times.length === 0) return [];
    return [{ operation, count: times.length, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) }];
  });
}

/** The percentile by nearest rank: always a measured time, rounded to tenths of a millisecond. */
function percentile(sorted: readonly number[], share: number): number {
  const index = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return Math.round(10 * sorted[index]!) / 10;
}

const blames: Readonly<Record<NotSent['why'], Blame>> = {
  allow: 'configuration',
  unreadable: 'subject',
  forbidden: 'configuration',
  stopped: 'subject',
  'given-up': 'environment',
};

type Obstacle = Required<Pick<Finding, 'blame' | 'because'>> & { readonly reason: string };

type Circumstances = ReturnType<typeof circumstancesOf>;

function circumstancesOf(
  records: Records,
  cases: readonly Case[],
  { misconfigured, aborted }: Pick<RecordedRun, 'misconfigured' | 'aborted'>,
) {
  return {
    unreachable: new Map(records.flatMap(({ unreachable, cases: some }) => some.map((one) => [one, unreachable]))),
    misconfigured,
    givenUp: records.find(({ givenUp }) => givenUp !== undefined)?.givenUp ?? aborted,
    obstacles: {
      'close-day': obstacleOf('close-day', records),
      'process-recurring-payments': obstacleOf('process-recurring-payments', records),
      both: obstacleOf('both', records),
    },
    crash: crashIn(records, cases),
  };
}

type Crash = NonNullable<ReturnType<typeof crashIn>>;

/** The request that crashed the target, and the requirement that it tests, by default `…-valid-accepted`. */
function crashIn(records: Records, cases: readonly Case[]) {
  const lastCase = records.find(({ goneAfter }) => goneAfter !== undefined)?.goneAfter;
  const number = lastCase && numberOf(cases, lastCase);
  const testCase = cases[(number ?? 0) - 1];
  if (testCase === undefined) return undefined;
  const { about, differsIn, intent, operation } = testCase.label;
  const what = differsIn ?? (intent === 'valid' ? 'a correct request' : testCase.scenario);
  const id = about ?? `authentication/${operations[operation].area}-valid-accepted`;
  const reason = `gone after exchange ${number}: ${what}`;
  const because = { text: reason, cases: [testCase], fatal: true as const };
  return { testCase, id, reason, blame: 'subject' as const, because };
}

/** Makes a finding inconclusive if an unreachable target, a crash, wrong credentials or unsent requests explain it. */
function applyCircumstances(finding: Finding, testCase: Case, circumstances: Circumstances): Finding {
  const { outcome } = finding;
  if (outcome !== 'fail' && outcome !== 'inconclusive') return finding;
  const { crash, misconfigured, givenUp } = circumstances;
  const isAfterCrash = crash !== undefined && testCase.exchanges[0].startedAt >= crash.testCase.exchanges[0].startedAt;
  if (isAfterCrash && (testCase === crash.testCase || isUnreached(testCase.exchanges[0]))) return crashFinding(crash);
  const unreachable = crash === undefined || isAfterCrash ? circumstances.unreachable.get(testCase) : undefined;
  const receivedText = finding.actual === undefined ? '' : `; received: ${finding.actual}`;
  if (unreachable !== undefined) {
    const text = `the target could not be reached: ${unreachable}`;
    return inconclusive(`${text}${receivedText}`, 'environment', { text });
  }
  if (misconfigured !== undefined && testCase.label.intent === 'valid' && outcome === 'fail') {
    return inconclusive(`${misconfigured}${receivedText}`, 'configuration', { text: misconfigured });
  }
  // The blame `configuration` means that a valid request was not sent. Add the reason.
  if (finding.blame !== 'configuration') return finding;
  const environment = { reason: givenUp, blame: 'environment', because: { text: givenUp! } } as const;
  const isGivenUp = misconfigured === undefined && givenUp !== undefined;
  const obstacle = isGivenUp ? (crash ?? environment) : circumstances.obstacles[testCase.label.operation];
  if (obstacle === undefined) return finding;
  return inconclusive(`${finding.actual}: ${obstacle.reason}`, obstacle.blame, obstacle.because);
}

function crashFinding({ testCase, reason, because }: Crash): Finding {
  const { about } = testCase.label;
  const repeatHint =
    about === undefined ? '' : ` Repeat it with --only '${about}'; to run the rest, add --except '${about}'.`;
  const hint = `This request stopped the gateway, or somebody stopped the gateway at that moment.${repeatHint}`;
  return { ...inconclusive(reason, 'subject', because), hint };
}

function obstacleOf(operation: Operation | 'both', records: Records): Obstacle | undefined {
  const areaRecords = recordsOf(operation, records);
  const unsent = areaRecords.flatMap(({ notSent = [] }) => notSent).find(({ why }) => why === 'stopped');
  if (unsent === undefined) return undefined;
  const faulty = casesOf({ records: areaRecords }).filter(
    (testCase) => testCase.label.intent === 'fault' && classify(testCase) === 'accepted',
  );
  const rows = [...new Set(faulty.flatMap(({ label }) => label.about ?? []))].map((id) => requirementById(id)!);
  const blame = rows.some(({ kind }) => kind === 'required') ? 'subject' : 'configuration';
  const { reason } = unsent;
  const because = { text: `a request was not sent: ${reason}`, cases: faulty, mayBreak: rows.map(({ id }) => id) };
  return { reason, blame, because };
}

function recordsOf(operation: Operation | 'both', records: Records): Records {
  const area = operation === 'both' ? '' : operations[operation].area;
  return records.filter(({ scenario = '' }) => scenario.startsWith(area));
}

function findingsOnNotSent(
  row: Pick<Requirement, 'id' | 'operation'>,
  notSent: readonly NotSent[],
  found: readonly NumberedFinding[],
  circumstances: Circumstances,
): Finding[] {
  const unresolved = notSent.filter((unsent) => {
    if (unsent.about !== row.id) return false;
    // A forbidden case can never be sent to this target. So report it only if no other case tests the requirement.
    if (unsent.why === 'forbidden') return found.length === 0;
    return unsent.why !== 'stopped' || !found.some(({ finding }) => finding.outcome === 'fail');
  });
  const byReason = [...new Map(unresolved.map((unsent) => [unsent.reason, unsent])).values()];
  // The first reason counts. Put `stopped` last: a failure is its cause, and a baseline may accept this failure.
  const ordered = byReason.toSorted((a, b) => Number(a.why === 'stopped') - Number(b.why === 'stopped'));
  return ordered.map((unsent) => notSentFinding(unsent, row, circumstances));
}

function notSentFinding(
  { why, reason }: NotSent,
  { operation }: Pick<Requirement, 'operation'>,
  { crash, obstacles }: Circumstances,
) {
  const fatal = why === 'given-up' ? crash : undefined;
  const obstacle = why === 'stopped' ? obstacles[operation] : fatal;
  const { blame = blames[why], because = { text: `a request was not sent: ${reason}` } } = obstacle ?? {};
  const actual = `not sent: ${fatal?.reason ?? reason}`;
  const hint = why === 'allow' ? allowanceHint(reason) : undefined;
  return { outcome: 'inconclusive' as const, blame, actual, because, hint };
}

function allowanceHint(reason: string): string {
  return reason.includes('(trust-refusals)')
    ? 'Allow more effects, or set trust-refusals if this gateway never performs a refused request. --dry-run shows the gain of each change.'
    : 'Allow more effects: --allow closes-day=N and --allow starts-payments=N/TOTAL, or allow in the configuration. --dry-run shows what a whole run needs.';
}

function noVerdictInNotSent(row: Requirement, records: Records, circumstances: Circumstances): NoVerdict | undefined {
  const areaRecords = recordsOf(row.operation, records);
  const unsent = areaRecords.flatMap(({ notSent = [] }) => notSent);
  const isValidAnswered = casesOf({ records: areaRecords }).some(
    ({ label, exchanges: [exchange] }) => label.intent === 'valid' && exchange.response !== undefined,
  );
  // Prefer other reasons to `forbidden`, which a user cannot change. Use it only if no valid request was answered.
  const decisive = unsent.find(({ why }) => why !== 'forbidden') ?? (isValidAnswered ? undefined : unsent[0]);
  return decisive && notSentFinding(decisive, row, circumstances);
}

/** Explains the refused request with the shortest body, because people must compare base strings by eye. */
function explainRefusal(
  { id }: Pick<Requirement, 'id'>,
  exchanges: readonly number[],
  cases: readonly Case[],
): Pick<ResultRow, 'explanations'> {
  if (!/^authentication\/(close-day|recurring)-valid-accepted$/.test(id)) return {};
  const bodyOf = (number: number) => cases[number - 1]!.exchanges[0].request.body;
  const [exchange] = exchanges
    .filter((number) => classify(cases[number - 1]!) === 'refused')
    .sort((a, b) => bodyOf(a).length - bodyOf(b).length);
  const testCase = cases[(exchange ?? 0) - 1];
  const baseString = testCase && baseStringOf(testCase.exchanges[0].request);
  if (baseString === undefined) return {};
  const facts = [advice(exchange!, testCase!, cases)];
  return { explanations: [{ exchange: exchange!, deviations: [], facts, triedCount: 0, baseString }] };
}

/** The base string (RFC 5849 section 3.4.1); undefined if the Authorization header cannot be read. */
export function baseStringOf(request: SentRequest): string | undefined {
  const [header] = headerValues(request.headers, 'authorization');
  try {
    const { parameters } = parseAuthorization(header ?? '');
    const signedParameters = parameters.filter(([name]) => name !== 'oauth_signature');
    return unsignedSteps({ ...request, body: formParameters(request) }, signedParameters).baseString;
  } catch (cause) {
    if (cause instanceof ProtocolError) return undefined;
    throw cause;
  }
}

function advice(exchange: number, { label: { operation } }: Case, cases: readonly Case[]): string {
  const others = cases.filter(({ label }) => label.operation === operation && label.intent === 'valid');
  const nextStep = others.some((one) => classify(one) === 'accepted')
    ? 'Other correct requests of this operation were accepted, so the key is correct: compare the values of this request with ' +
      'the values of those requests. The gateway may also refuse an id that it does not know, or that was stopped, charged or closed before'
    : 'If credentials, clock and base URL are correct (check with countersign doctor), compare the base string with the base ' +
      'string that the gateway computes. If the base strings are equal, the keys differ';
  return (
    `the suite signed the base string below (RFC 5849 3.4.1). ${nextStep}. ` +
    `countersign autopsy exchanges.har --entry ${exchange} explains this request.`
  );
}
