/** Prints report.json, and defines the layout of all JSON files of a run. */
import type { Result } from '../record/result/result.ts';
import { visibleJson } from './visible.ts';

export function jsonReport(result: Result): string {
  return jsonText(Object.fromEntries(members.map((name) => [name, result[name]])));
}

/** The order of the fields in report.json. If a field is missing here, TypeScript reports it. */
const members = namesOf(
  'format formatVersion suite subject runId profile seed challenge startedAt durationMs conclusion aborted unsupported',
  'reproduce acceptPartial failOn labels scope require exercised set baseline rejudged hazards dimensions results causes',
  'counterfactuals contracts observations edges notes effects unnoticed measured latency exchangeCount',
);

function namesOf<const Line extends string>(...lines: [keyof Result] extends [Words<Line>] ? Line[] : never[]) {
  return lines.join(' ').split(' ') as (keyof Result)[];
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

const numberList = /\[\n +(-?\d[\d.e+-]*(?:,\n +-?\d[\d.e+-]*)*)\n +\]/g;

/** The text of a JSON file: indented by two spaces, safe to show, with a line end at the end. */
export function jsonText(document: object): string {
  const text = JSON.stringify(document, undefined, 2);
  return `${visibleJson(text.replace(numberList, (_, list: string) => `[${list.replace(/,\n +/g, ', ')}]`))}\n`;
}
