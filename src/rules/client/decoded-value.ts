/** Compares a value that a client read with the expected value: text, number or date. */
import type { GateReading } from '../../../contracts/requirements/close-day-response.ts';
import type { DecodedValue } from '../../record/case.ts';
import { type Finding, fail, pass } from '../judge.ts';
import { isSameNumber } from '../numbers.ts';

export type CompareValue = (member: string, expected: string | boolean, read: DecodedValue) => Finding;

function sameText(type: 'long' | 'bool' | 'text'): CompareValue {
  return (member, expected, read) => {
    if (textOf(read) !== String(expected)) return mismatch(member, expected, read);
    return type in read ? pass() : pass(`${member} is exposed as ${type === 'text' ? 'a number' : 'text'}`);
  };
}

const sameQuantity: CompareValue = (member, expected, read) => {
  const text = textOf(read);
  if (text === expected) return pass();
  if (!isSameNumber(text, String(expected))) return mismatch(member, expected, read);
  return pass(`${member} is ${text} instead of ${expected}, which is the same number`);
};

/** An equal text passes. A client may also parse the date, so an equal instant passes with a remark. */
const sameDate: CompareValue = (member, expected, read) => {
  const text = textOf(read);
  if (text === expected) return pass();
  const instants = parseInstants(text);
  if (instants.length === 0) return mismatch(member, expected, read);
  const sent = instantOf(String(expected));
  if (sent === undefined) {
    return { outcome: 'not-applicable', remark: `${member} is exposed as an instant, and its zone is ambiguous` };
  }
  return instants.includes(sent) ? pass(`${member} is exposed as an instant`) : mismatch(member, expected, read);
};

/** The comparison for each kind of gate field. */
export const compareAs: Readonly<Record<GateReading, CompareValue>> = {
  id: sameText('long'),
  truth: sameText('bool'),
  text: sameText('text'),
  date: sameDate,
  count: sameQuantity,
  amount: sameQuantity,
};

function mismatch(member: string, expected: string | boolean, read: DecodedValue): Finding {
  return fail(`${member} ${expected}`, `${member} ${textOf(read)}`);
}

function textOf(value: DecodedValue): string {
  if ('long' in value) return value.long;
  return 'text' in value ? value.text : String(value.bool);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Offsets from UTC in minutes, for abbreviations that name only one time zone. */
const zones: ReadonlyMap<string, number> = new Map(Object.entries({ UTC: 0, GMT: 0, MSK: 180 }));

function instantOf(date: string): number | undefined {
  const [, month = '', day, clock, zone = '', year] = date.split(' ');
  const offset = zones.get(zone) ?? offsetOf(zone.replace(/^(?:GMT|UTC)/, ''));
  const [hours, minutes, seconds] = (clock ?? '').split(':').map(Number);
  if (!months.includes(month) || offset === undefined || seconds === undefined) return undefined;
  return Date.UTC(Number(year), months.indexOf(month), Number(day), hours, minutes! - offset, seconds);
}

function parseInstants(text: string): number[] {
  if (/^-?\d{1,14}$/.test(text)) return [Number(text), Number(text) * 1000];
  // Java appends the name of the zone in brackets, so remove the brackets.
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text.replace(/\[.*\]$/, ''));
  const instant = iso === null ? Number.NaN : Date.parse(iso[0].replace(' ', 'T'));
  return Number.isNaN(instant) ? [] : [instant];
}

function offsetOf(text: string): number | undefined {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return parts[1] === '-' ? -minutes : minutes;
}
