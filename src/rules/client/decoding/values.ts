/** Compares one value that a client read with what was sent: unchanged is right, equal in value a remark (section 2.2). */
import type { DecodedValue } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import { sameNumber } from '../asked.ts';
import { instantOf, instantsRead } from './date.ts';

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
