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

/** A list of numbers takes one line. Line ends are never inside a string of JSON. */
const numberList = /\[\n +(-?\d[\d.e+-]*(?:,\n +-?\d[\d.e+-]*)*)\n +\]/g;

/** The text of a file: indented, safe to show, with a line end at the end. */
export function jsonText(document: object): string {
  const text = JSON.stringify(document, undefined, 2);
  return `${visibleJson(text.replace(numberList, (_, list: string) => `[${list.replace(/,\n +/g, ', ')}]`))}\n`;
}
