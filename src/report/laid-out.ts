/** JSON laid out with two spaces in parts, for results that are too long for one text. */

import { visibleJson } from './visible.ts';

/** The text of a file: laid out, safe to show, with a line end at its end. */
export function* visibleParts(document: object): Generator<string> {
  for (const part of laidOut(document)) yield visibleJson(part);
  yield '\n';
}

/** The text of JSON.stringify(value, undefined, 2), cut between values, with each list of numbers on one line. */
function* laidOut(value: unknown, indent = '\n', depth = 0): Generator<string> {
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')) {
    yield JSON.stringify(value).replaceAll(',', ', ');
    return;
  }
  // What is further down is short, but for lists of numbers.
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

/** report.json has its requirements there, and ctrf.json what belongs to one. */
const deepest = 4;
