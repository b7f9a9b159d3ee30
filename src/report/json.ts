/** report.json: the result with its members in a fixed order. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import type {
  Cause,
  ContractRow,
  Counterfactual,
  EffectCount,
  Explanation,
  Hazard,
  Latency,
  Observation,
  OutcomeCounts,
  Result,
  ResultRow,
  Unnoticed,
} from '../record/result/result.ts';
import { visibleJson } from './visible.ts';

/** Indented by two spaces, members in the order below, with a line end at the end. */
export function jsonReport(result: Result): string {
  return jsonText(ordered(result));
}

/** Orders the members of T by these lines of names. It compiles only if all members of T are listed. */
function inOrder<T extends object>() {
  return <const Line extends string>(...lines: [keyof T] extends [Words<Line>] ? Line[] : never[]) => {
    const names = lines.join(' ').split(' ') as (keyof T)[];
    return (of: T) => Object.fromEntries(names.map((name) => [name, of[name]]));
  };
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

const resultMembers = inOrder<Result>()(
  'format formatVersion suite subject runId profile seed challenge startedAt durationMs conclusion aborted unsupported',
  'reproduce acceptPartial failOn labels scope require exercised set baseline rejudged hazards dimensions results causes',
  'counterfactuals contracts observations edges notes effects unnoticed measured latency exchangeCount',
);
const hazardMembers = inOrder<Hazard>()('id operation how sentence atRisk exchanges hint known');
const countMembers = inOrder<OutcomeCounts>()('pass fail inconclusive not-applicable error');
const rowMembers = inOrder<ResultRow>()(
  'id statement operation dimension kind section outcome basis remark blame expected actual hint reason exchanges',
  'counterexample assumes provenBy explanations firstStage repeat known notScored demanded',
);
const explanationMembers = inOrder<Explanation>()(
  'exchange deviations alternatives dialects facts triedCount baseString baseStrings',
);
const deviationMembers = inOrder<Explanation['deviations'][number]>()('id summary fix snippet');
const causeMembers = inOrder<Cause>()(
  'outcome sentence requirement openPoint fatal deviations alternatives defects hint requirements exchanges',
);
const counterfactualMembers = inOrder<Counterfactual>()(
  'deviations failing wouldPass remain wouldBeOpen signedAgain notSignedAgain',
);
const contractMembers = inOrder<ContractRow>()('pact interaction state outcome blame mismatches known notScored');
const observationMembers = inOrder<Observation>()('openPoint value exchanges confidence unusual');
const effectMembers = inOrder<Result['effects']>()(
  'predicted recorded unclear allowed ledger ifRefusalsAreUntrue notSent',
);
const effectCountMembers = inOrder<EffectCount>()('closes-day starts-payments');
const unnoticedMembers = inOrder<Unnoticed>()('side of count groups notKnown allowances');
const groupMembers = inOrder<Unnoticed['groups'][number]>()('operation dimension defects');
const allowanceMembers = inOrder<Unnoticed['allowances'][number]>()('kind allow set more effects aboutSeconds');
const edgeMembers = inOrder<NonNullable<Result['edges']>[number]>()('generator edge cases');
const latencyMembers = inOrder<Latency>()('operation count p50Ms p95Ms');

function ordered(result: Result): object {
  const { suite, subject, effects, unnoticed } = result;
  return {
    ...resultMembers(result),
    suite: inOrder<Result['suite']>()('name version')(suite),
    subject: inOrder<Result['subject']>()('kind name version language target')(subject),
    hazards: result.hazards?.map(hazardMembers),
    dimensions: Object.fromEntries(dimensions.map((name) => [name, countMembers(result.dimensions[name])])),
    results: result.results.map((row) => ({
      ...rowMembers(row),
      explanations: row.explanations?.map((one) => ({
        ...explanationMembers(one),
        deviations: one.deviations.map(deviationMembers),
      })),
    })),
    causes: result.causes?.map(causeMembers),
    counterfactuals: result.counterfactuals?.map(counterfactualMembers),
    contracts: result.contracts?.map(contractMembers),
    observations: result.observations.map(observationMembers),
    edges: result.edges?.map(edgeMembers),
    effects: {
      ...effectMembers(effects),
      predicted: effectCountMembers(effects.predicted),
      recorded: effectCountMembers(effects.recorded),
      unclear: effects.unclear && effectCountMembers(effects.unclear),
    },
    unnoticed: unnoticed && {
      ...unnoticedMembers(unnoticed),
      groups: unnoticed.groups.map(groupMembers),
      allowances: unnoticed.allowances.map(allowanceMembers),
    },
    latency: result.latency?.map(latencyMembers),
  };
}

/** The text of a file: indented, safe to show, with a line end at the end. */
export function jsonText(document: object): string {
  return `${[...laidOut(document)].map(visibleJson).join('')}\n`;
}

/** Like JSON.stringify(value, undefined, 2), cut between values, with each list of numbers on one line. */
function* laidOut(value: unknown, indent = '\n', depth = 0): Generator<string> {
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')) {
    yield JSON.stringify(value).replaceAll(',', ', ');
    return;
  }
  // Deeper values are short, except lists of numbers.
  if (typeof value !== 'object' || value === null || depth === deepest) {
    yield JSON.stringify(value, undefined, 2).replaceAll('\n', indent);
    return;
  }
  const isList = Array.isArray(value);
  const members = Object.entries(value).filter(([, member]) => isList || member !== undefined);
  if (members.length === 0) {
    yield isList ? '[]' : '{}';
    return;
  }
  yield isList ? '[' : '{';
  const inner = `${indent}  `;
  for (const [index, [name, member]] of members.entries()) {
    yield `${index === 0 ? '' : ','}${inner}${isList ? '' : `${JSON.stringify(name)}: `}`;
    yield* laidOut(member, inner, depth + 1);
  }
  yield `${indent}${isList ? ']' : '}'}`;
}

/** The depth of requirements in report.json, and of their parts in ctrf.json. */
const deepest = 4;
