/** The evidence of a run with a client. */
import { operations } from '../../../contracts/operations.ts';
import { prerequisitesOf, type RequirementId } from '../../../contracts/requirements/index.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import {
  decodeBase64,
  decodeCsv,
  decodeForm,
  encodeBase64,
  type Pair,
  sign,
  type VerifyingKey,
  verifyRequest,
} from '../../protocol/index.ts';
import { type CallInput, type ClientCase, inOrder, type RecurringInput, splitByExchange } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { RecordedRun } from '../../record/run.ts';
import { differingPart } from '../../report/pages/exchange-view.ts';
import { splitBaseUrl } from '../../rules/client/inputs.ts';
import { isJudgeable } from '../../rules/client/wire-judge.ts';
import { clientJudges } from '../../rules/index.ts';
import { type ClientJudge, type Finding, inconclusive, noReply, type Verdict } from '../../rules/judge.ts';
import { observeClient } from '../../rules/observe.ts';
import { disagreementsOnRequests } from '../../rules/schema-crosscheck.ts';
import type { Evidence, NoVerdict } from '../evidence.ts';
import { explainSignatures, undoDeviations, verifyId } from '../wrong-signatures.ts';
import { hazardsIn } from './hazards.ts';

/** Finds the first wrong signing step (RFC 5849 section 3.4) that the client reports, from the CSV to the signature. */
function firstDifferingStage({ call: { reply, asked }, exchanges: [sent] }: ClientCase, keysOf: KnownKeys['keysOf']) {
  if (reply?.stages === undefined || sent === undefined) return undefined;
  const { csv_b64: csv, payload, body_b64: body, parameters, normalized, base_string: base, signature } = reply.stages;
  const verification = verifyRequest(sent.request, (consumerKey) => keysOf(consumerKey)?.slice());
  const correct = 'steps' in verification ? verification.steps : undefined;
  const parameterMap = new Map(correct?.parameters);
  const isHmac = parameterMap.get('oauth_signature_method') === 'HMAC-SHA1';
  const key = keysOf(parameterMap.get('oauth_consumer_key') ?? '')?.find(({ method }) => method === 'HMAC-SHA1');
  const fields = payload === undefined ? fieldsOf(asked?.input) : ([['payload', payload]] as const);
  const inputTable = asked && 'rows' in asked.input ? tableText(asked.input) : undefined;
  const signatureOfBase = isHmac && base !== undefined && key?.method === 'HMAC-SHA1' ? sign(base, key) : undefined;
  const readCsv = (base64: string) => tableText(decodeCsv(Buffer.from(base64, 'base64').toString('utf8')));
  const readForm = (base64: string) => sortedPairs(decodeForm(decodeBase64(base64)));
  const encoded = parameters === undefined ? undefined : encodeBase64(Buffer.from(parameters));
  const steps: readonly (readonly [stage: string, expected: string | undefined, actual: string | undefined])[] = [
    ['csv', inputTable, tryRead(readCsv, csv, 'utf8')],
    ['payload', csv, payload],
    ['body', fields && sortedPairs(fields), tryRead(readForm, body, 'latin1')],
    ['parameters', correct && sortedPairs(correct.parameters), tryRead(readForm, encoded, 'latin1')],
    ['normalized', correct?.normalized, normalized],
    ['base_string', correct?.baseString, base],
    ['signature', signatureOfBase, signature],
  ];
  for (const [stage, expected, actual] of steps) {
    if (expected === undefined || actual === undefined || expected === actual) continue;
    return { stage, expected, actual, offset: differingPart(expected, actual).start };
  }
  return undefined;
}

function fieldsOf(input: CallInput | undefined): readonly Pair[] | undefined {
  if (input === undefined || 'rows' in input) return undefined;
  return Object.entries(input).filter((pair): pair is [string, string] => pair[1] !== undefined);
}

function tableText({ columns, rows }: RecurringInput): string {
  return JSON.stringify([columns, ...rows.map((row) => row.map((cell) => cell ?? ''))]);
}

function tryRead(read: (base64: string) => string, base64: string | undefined, encoding: 'utf8' | 'latin1') {
  if (base64 === undefined) return undefined;
  try {
    return read(base64);
  } catch {
    return Buffer.from(base64, 'base64').toString(encoding);
  }
}

function sortedPairs(pairs: readonly Pair[]): string {
  return JSON.stringify([...pairs].sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1)));
}

export interface KnownKeys {
  readonly hasKeys: boolean;
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
}

type ClientFacts = Partial<Pick<RecordedRun, 'skipped' | 'offered' | 'language'>>;

export function clientEvidence(unordered: readonly ClientCase[], keys: KnownKeys, facts: ClientFacts = {}): Evidence {
  const calls = inOrder(unordered);
  const cases = splitByExchange(unordered);
  const numberOf = new Map(cases.map(({ exchanges: [exchange] }, index) => [exchange, index + 1]));
  let perCall: ReturnType<typeof verdictsPerCall> | undefined;
  const verdictsOf = (id: RequirementId): readonly Verdict<ClientCase>[] => {
    if (!judgeOf(id).isPerCase) return judgeOf(id)({ id, cases: calls, ...keys });
    perCall ??= verdictsPerCall(calls, keys);
    return perCall(id);
  };
  const withoutRequest = groupBy(
    calls.flatMap(verdictWithoutRequest),
    ({ testCase: { call } }): RequirementId => call.label.about ?? `${operations[call.label.operation].area}/path`,
  );
  const numbersOf = (exchanges: readonly Exchange[]) => exchanges.map((exchange) => numberOf.get(exchange)!);
  return {
    judge: (id) =>
      [...verdictsOf(id), ...(withoutRequest.get(id) ?? [])].map(({ finding, testCase, exchange }) => ({
        finding,
        exchanges: numbersOf(exchange === undefined ? testCase.exchanges : [exchange]),
      })),
    explain: ({ dimension }, [exchange], outcome) => {
      // The signing steps that a client reports explain only failures of these dimensions.
      if (outcome !== 'fail' || !['signing', 'payload-encoding'].includes(dimension)) return {};
      const testCase = cases[(exchange ?? 0) - 1];
      const call = calls.find((one) => one.scenario === testCase?.scenario && one.number === testCase.number);
      const stage = call && firstDifferingStage(call, keys.keysOf);
      return { firstStage: stage && { exchange: exchange!, ...stage } };
    },
    signatures: (exchanges) => {
      const autopsies = explainSignatures(exchanges, cases, keys.keysOf, facts.language);
      return {
        autopsies,
        undo: (ids) => {
          const { calls: correct, ...rest } = undoDeviations(ids, autopsies, calls, cases, keys.keysOf);
          return { evidence: { ...clientEvidence(correct, keys, facts), explain: undefined }, ...rest };
        },
      };
    },
    noVerdictOn: (row, aborted) => {
      const noVerdict = noVerdictOn(row, calls, facts, aborted);
      const text = noVerdict?.actual;
      if (text !== untested.calls && text !== untested.recordings) return noVerdict;
      const mayBreak = brokenEverywhere(row as { readonly id: RequirementId } & Requirement, calls, verdictsOf);
      return mayBreak.length === 0 ? noVerdict : { ...noVerdict!, because: { text, mayBreak } };
    },
    observations: () =>
      observeClient(calls).map(({ openPoint, value, shownBy }) => ({
        openPoint,
        value,
        exchanges: numbersOf(shownBy),
      })),
    hazards: () => hazardsIn(calls, numberOf),
    cases,
  };
}

type CallVerdicts = Record<'sent' | 'unsent' | 'contradicted', Verdict<ClientCase>[]>;

// Runs all judges with `isPerCase` on one call, then on the next, because only a few parsed requests are cached.
// If a judge throws, the returned function throws the same error for its requirement.
function verdictsPerCall(calls: readonly ClientCase[], keys: KnownKeys) {
  const found = new Map(perCallIds.map((id) => [id, { sent: [], unsent: [], contradicted: [] } as CallVerdicts]));
  const faults = new Map<RequirementId, unknown>();
  const catchFault = (id: RequirementId, judge: () => readonly Verdict<ClientCase>[]) => {
    try {
      return judge();
    } catch (cause) {
      if (!faults.has(id)) faults.set(id, cause);
      return [];
    }
  };
  for (const call of calls) {
    const cases = [call];
    const verdicts = new Map(perCallIds.map((id) => [id, catchFault(id, () => judgeOf(id)({ id, cases, ...keys }))]));
    const verdictsOf = (id: RequirementId) => verdicts.get(id) ?? [];
    for (const [id, { sent, unsent, contradicted }] of found) {
      for (const verdict of verdictsOf(id)) (verdict.exchange === undefined ? unsent : sent).push(verdict);
      contradicted.push(...catchFault(id, () => disagreementsOnRequests(id, cases, verdictsOf)));
    }
  }
  return (id: RequirementId) => {
    if (faults.has(id)) throw faults.get(id);
    return Object.values(found.get(id)!).flat();
  };
}

function judgeOf(id: RequirementId): ClientJudge {
  return clientJudges[id as keyof typeof clientJudges];
}

const perCallIds = (Object.keys(clientJudges) as RequirementId[]).filter((id) => judgeOf(id).isPerCase);

/** Notes on received bytes that are not HTTP. */
export function junkNotes(calls: readonly ClientCase[]): string[] {
  const affected = calls.filter(
    ({ exchanges, call: { incomplete } }) => exchanges.length > 0 && incomplete?.includes('not HTTP'),
  );
  const kinds = groupBy(affected, ({ call: { incomplete } }) => incomplete!);
  return [...kinds].map(
    ([what, [first, ...more]]) =>
      `In ${pluralize(more.length + 1, 'call')} the gateway also received ${what}: see ${first!.scenario} case ${first!.number} (${first!.label.operation}).`,
  );
}

/** A note if a Host header differs from the called address. The suite verifies signatures with Host, as gateways do. */
export function hostNotes(calls: readonly ClientCase[]): string[] {
  const differing = calls.flatMap((testCase) => {
    const { asked } = testCase.call;
    const host = testCase.exchanges.find(({ request }) => request.target.startsWith('/'))?.request.host;
    if (asked === undefined || host === undefined) return [];
    const called = authorityOf(asked.baseUrl);
    return authorityOf(asked.baseUrl, host) === called ? [] : [{ testCase, host, called }];
  });
  const [first] = differing;
  if (first === undefined) return [];
  const { testCase, host, called } = first;
  return [
    `In ${pluralize(differing.length, 'call')} the Host header differs from the called address. In ${testCase.scenario} case ${testCase.number} (${testCase.label.operation}) ` +
      `the header is ${host || 'empty'}, and the address is ${called}. A Host header includes the port, except a default port. The suite verifies signatures with the header.`,
  ];
}

function authorityOf(baseUrl: string, host?: string): string {
  const { scheme, authority } = splitBaseUrl(baseUrl);
  return (host ?? authority).toLowerCase().replace(scheme === 'http' ? /:80$/ : /:443$/, '');
}

/** Prevents a pass if the adapter failed in a mandatory call, or if such a call completed without a request. */
function verdictWithoutRequest(testCase: ClientCase): Verdict<ClientCase>[] {
  const { label, adapterFault, reply } = testCase.call;
  const found = (finding: Finding) => [{ finding, testCase }];
  if (label.input !== 'mandatory' || (label.server !== undefined && label.server !== 'ordinary')) return [];
  if (adapterFault !== undefined) return found(noReply(adapterFault));
  if (reply?.outcome === 'adapter_error') {
    const reason = reply.reason ?? 'no reason given';
    return found(inconclusive(`the adapter reported an internal error: ${reason}`, 'subject'));
  }
  if (reply?.outcome !== 'completed' || testCase.exchanges.length > 0) return [];
  return found(inconclusive('the client reported a completed call, but no request arrived', 'subject'));
}

function noVerdictOn(
  row: Requirement,
  calls: readonly ClientCase[],
  { skipped = [], offered }: ClientFacts,
  aborted?: string,
): NoVerdict | undefined {
  const { id, operation } = row;
  const isMissing = operation !== 'both' && offered !== undefined && !offered.includes(operation);
  const reason = isMissing
    ? `the adapter does not offer ${operation}`
    : skipped.find(({ ids }) => ids.some((one) => one === id))?.reason;
  if (reason !== undefined) return { outcome: 'not-applicable', reason };
  // An `expected` requirement with a condition may stay untested, because its condition may never occur.
  if (aborted !== undefined || (row.kind === 'expected' && row.condition !== undefined)) return undefined;
  if (offered === undefined) {
    return { outcome: 'inconclusive', blame: 'configuration', actual: reasonInRecordings(row) };
  }
  if (calls.length > 0) return noVerdictInCalls(row, calls);
  return { outcome: 'inconclusive', blame: 'environment', actual: 'the run ended before this call' };
}

function noVerdictInCalls({ id, operation }: Requirement, calls: readonly ClientCase[]): NoVerdict {
  const own = calls.filter(({ label }) => operation === 'both' || label.operation === operation);
  if (own.length > 0 && own.every(({ call: { reply } }) => reply?.outcome === 'unsupported')) {
    const reason = own[0]!.call.reply?.reason;
    const actual = ['the client does not support the input', reason].filter((text) => text !== undefined).join(': ');
    return { outcome: 'inconclusive', blame: 'configuration', actual };
  }
  const common = { outcome: 'inconclusive', blame: 'subject' } as const;
  const nothingSent = own.every(({ exchanges }) => exchanges.length === 0);
  if (nothingSent || !id.startsWith('authentication/uri-')) return { ...common, actual: untested.calls };
  const text = 'no signature verifies with any form of the URI, so the signatures show nothing about the URI';
  return { ...common, actual: text, because: { text, mayBreak: [verifyId] } };
}

const untested = {
  recordings: 'no recorded request could test this requirement',
  calls: 'no call of the client could test this requirement',
} as const;

/** If every request that could test `id` fails requirements on which `id` depends, returns these requirements. */
function brokenEverywhere(
  { id, operation }: Requirement & { readonly id: RequirementId },
  calls: readonly ClientCase[],
  verdictsOf: (id: RequirementId) => readonly Verdict<ClientCase>[],
): readonly RequirementId[] {
  const failures = prerequisitesOf(id).flatMap((ground) =>
    verdictsOf(ground).flatMap(({ finding, exchange }) => (finding.outcome === 'fail' ? [{ ground, exchange }] : [])),
  );
  const failing = new Set(failures.map(({ exchange }) => exchange));
  const own = calls.filter((call) => isJudgeable(call) && (operation === 'both' || call.label.operation === operation));
  if (!own.every(({ exchanges }) => exchanges.every((exchange) => failing.has(exchange)))) return [];
  return [...new Set(failures.map(({ ground }) => ground))];
}

function reasonInRecordings({ id, dimension }: Requirement): string {
  if (dimension === 'response-decoding') return 'a recording does not show what the client understood';
  if (id.endsWith('/environment-independent')) return 'a recording shows only one environment';
  return untested.recordings;
}
