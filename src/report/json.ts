/** report.json, and how all JSON of a run is laid out. */
import type { Result } from '../record/result/result.ts';
import { visibleJson } from './visible.ts';

/** Indented by two spaces, members in the order below, with a line end at the end. */
export function jsonReport(result: Result): string {
  return jsonText(Object.fromEntries(members.map((name) => [name, result[name]])));
}

/** Compiles only if all members of a result are listed. What endangers money precedes requirements. */
const members = namesOf(
  'format formatVersion suite subject runId profile seed challenge startedAt durationMs conclusion aborted unsupported',
  'reproduce acceptPartial failOn labels scope require exercised set baseline rejudged hazards dimensions results causes',
  'counterfactuals contracts observations edges notes effects unnoticed measured latency exchangeCount',
);

function namesOf<const Line extends string>(...lines: [keyof Result] extends [Words<Line>] ? Line[] : never[]) {
  return lines.join(' ').split(' ') as (keyof Result)[];
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

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
