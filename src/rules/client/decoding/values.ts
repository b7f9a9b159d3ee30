/** Compares one value that a client read with what was sent: unchanged is right, equal in value a remark (section 2.2). */
import type { DecodedValue } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import { sameNumber } from '../asked.ts';

type Same = (member: string, expected: string | boolean, read: DecodedValue) => Finding;

/** Every digit. A client of texts may hand them over as text. */
export const sameLong: Same = (member, expected, read) => {
  if (textOf(read) !== expected) return different(member, expected, read);
  return 'long' in read ? pass() : pass(`${member} is exposed as text`);
};

/** A truth value; its name as text will do for a client of texts. */
export const sameTruth: Same = (member, expected, read) => {
  if (textOf(read) !== String(expected)) return different(member, expected, read);
  return 'bool' in read ? pass() : pass(`${member} is exposed as text`);
};

/** The same characters. */
export const sameText: Same = (member, expected, read) => {
  if (textOf(read) !== expected) return different(member, expected, read);
  return 'text' in read ? pass() : pass(`${member} is exposed as a number`);
};

/** The same characters, or a number of the same value: the form of counts and amounts is not part of them. */
export const sameQuantity: Same = (member, expected, read) => {
  const text = textOf(read);
  if (text === expected) return pass();
  if (!sameNumber(text, String(expected))) return different(member, expected, read);
  return pass(`${member} is ${text} for ${expected}, equal in value`);
};

/** The same characters, or the same instant where the client made one of it. */
export const sameDate: Same = (member, expected, read) => {
  const text = textOf(read);
  if (text === expected) return pass();
  const instants = instantsRead(text);
  if (instants.length === 0) return different(member, expected, read);
  const sent = instantOf(String(expected));
  if (sent === undefined) {
    return { outcome: 'not-applicable', remark: `${member} is exposed as an instant, and its zone is ambiguous` };
  }
  return instants.includes(sent) ? pass(`${member} is exposed as an instant`) : different(member, expected, read);
};

/** The client may know the value without its adapter reporting it. */
export function notExposed(what: string): Finding {
  return { outcome: 'not-applicable', remark: `${what}: not exposed` };
}

/** A value that is missing: lost where the client hands such a value over elsewhere. */
export function leftOut(what: string, exposes: ReadonlySet<string>, expected: string | boolean): Finding {
  return exposes.has(what) ? fail(`${what} ${expected}`, `no ${what}, handed over in other answers`) : notExposed(what);
}

/** A failure if there is one; otherwise what was shown goes before what was not exposed. */
export function worstOf(findings: readonly Finding[]): Finding | undefined {
  const failed = findings.find(({ outcome }) => outcome === 'fail');
  const passed = findings.filter(({ outcome }) => outcome === 'pass');
  return failed ?? passed.find(({ remark }) => remark !== undefined) ?? passed[0] ?? findings[0];
}

function different(member: string, expected: string | boolean, read: DecodedValue): Finding {
  return fail(`${member} ${expected}`, `${member} ${textOf(read)}`);
}

function textOf(value: DecodedValue): string {
  if ('long' in value) return value.long;
  return 'text' in value ? value.text : String(value.bool);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Minutes east of Greenwich of the abbreviations that mean one zone only. */
const zones: ReadonlyMap<string, number> = new Map([
  ['UTC', 0],
  ['GMT', 0],
  ['MSK', 180],
]);

/**
 * Milliseconds since the Unix epoch of `<weekday> <month> <day> <HH:MM:SS> <zone> <year>`; undefined where the month is
 * not an English one or the zone is not a plain one.
 */
function instantOf(date: string): number | undefined {
  const [, month = '', day, clock, zone = '', year] = date.split(' ');
  const offset = zones.get(zone) ?? offsetOf(zone.replace(/^(?:GMT|UTC)/, ''));
  const [hours, minutes, seconds] = (clock ?? '').split(':').map(Number);
  if (!months.includes(month) || offset === undefined || seconds === undefined) return undefined;
  return Date.UTC(Number(year), months.indexOf(month), Number(day), hours, minutes! - offset, seconds);
}

/** The instants that a text can stand for: an ISO date with its offset, or a count of seconds or milliseconds. */
function instantsRead(text: string): number[] {
  if (/^-?\d{1,14}$/.test(text)) return [Number(text), Number(text) * 1000];
  // Java writes the zone once more in brackets.
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text.replace(/\[.*\]$/, ''));
  const instant = iso === null ? Number.NaN : Date.parse(iso[0].replace(' ', 'T'));
  return Number.isNaN(instant) ? [] : [instant];
}

/** Minutes of `+03:00`; undefined for anything else. */
function offsetOf(text: string): number | undefined {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return parts[1] === '-' ? -minutes : minutes;
}
