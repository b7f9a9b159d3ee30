/** What is right to read in an answer to close-day, row by row: a fault of one row never fails another (sections 2.2, 4.1, 7). */
import type { Decoded, DecodedGate, DecodedValue, ExpectedReading } from '../../../record/client-case.ts';
import { countedWord } from '../../../record/counted-word.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import {
  type DecodingContext,
  type DecodingReading,
  isSuccess,
  leftOut,
  notExposed,
  readingOf,
  sameLong,
  sameTruth,
  worstOf,
} from './forms.ts';

type Finished = Extract<Decoded, { kind: 'finished' }>;
type ExpectedFinished = Extract<ExpectedReading, { kind: 'finished' }>;

export const readsFinished: DecodingReading = (decoded, { expected }) =>
  decoded.kind === expected.kind ? pass() : fail(expected.kind, readingOf(decoded));

/** Where locked gates are asked about by themselves, one that is lost is the business of that row. */
export const readsGates: DecodingReading = inFinished((gates, expected, { lockedApart }) => {
  if (gates === undefined) return notExposed('gates');
  if (pairGates(gates, expected.gates) !== undefined) return pass();
  const free = expected.gates.filter(({ isDayClosing }) => isDayClosing !== true);
  const lacksLockedAlone = gates.length < expected.gates.length && free.every((gate) => gateById(gates, gate));
  if (lockedApart && lacksLockedAlone) return undefined;
  return fail(`${expected.gates.length} different gates`, gatesOf(gates));
});

/** Whether each locked gate is read as locked; what is read of the free ones is another row. */
export const readsLockedGate: DecodingReading = inFinished((gates, expected, { exposes }) => {
  if (gates === undefined) return notExposed('gates');
  const findings = expected.gates.flatMap((gate, at) => {
    if (gate.isDayClosing !== true) return [];
    const read = gateById(gates, gate) ?? (gates.length === expected.gates.length ? gates[at] : undefined);
    if (read === undefined) return [fail(`gate ${gate.gateId}, which is locked`, gatesOf(gates))];
    const { isDayClosing } = read;
    if (isDayClosing !== undefined) return [sameTruth('isDayClosing', true, isDayClosing)];
    return [leftOut('isDayClosing', exposes, true)];
  });
  return worstOf(findings);
});

/**
 * Compares one member of every gate. Where the gates themselves are wrong and another row says so, this one is silent, and so it
 * is of locked gates where they have been asked about by themselves.
 */
export function readsGateMember(
  member: string,
  same: (member: string, expected: string | boolean, read: DecodedValue) => Finding,
): DecodingReading {
  return inFinished((gates, expected, { othersAnswer, lockedApart, open, exposes }) => {
    if (gates === undefined) return notExposed('gates');
    const pairs = pairGates(gates, expected.gates);
    if (pairs === undefined) {
      if (othersAnswer) return undefined;
      return fail(`${member} of ${gatesInWords(expected.gates)}`, gatesOf(gates));
    }
    const isToldApart = lockedApart && member === 'isDayClosing';
    const asked = isToldApart ? pairs.filter(({ expected: gate }) => gate.isDayClosing !== true) : pairs;
    return worstOf(
      asked.map(({ read, expected: gate }) => {
        const value = read[member];
        // What it cannot make anything of, a client may leave empty.
        const isDeclined = open && (value === undefined || ('text' in value && value.text === ''));
        if (isDeclined) return notExposed(member);
        return value === undefined ? leftOut(member, exposes, gate[member]!) : same(member, gate[member]!, value);
      }),
    );
  });
}

/** Whether undocumented members lead astray: to another kind, number of gates, or gate. */
export const readsExtraMembers: DecodingReading = inFinished((gates, expected) => {
  if (gates === undefined) return pass();
  const pairs = pairGates(gates, expected.gates);
  if (pairs === undefined) return fail(gatesInWords(expected.gates), gatesOf(gates));
  const found = pairs.flatMap(({ read, expected: gate }) =>
    read.gateId === undefined ? [] : [sameLong('gateId', gate.gateId!, read.gateId)],
  );
  return found.find(({ outcome }) => outcome === 'fail') ?? pass();
});

export const readsSerial: DecodingReading = (decoded, { expected }) => {
  if (decoded.kind !== expected.kind || (decoded.kind !== 'finished' && decoded.kind !== 'error')) return undefined;
  if (decoded.serial === undefined) return notExposed('theRequestSerialNumber');
  const serial = 'serial' in expected ? expected.serial : undefined;
  if (serial === undefined) return undefined;
  return decoded.serial === serial ? pass() : fail(serial, decoded.serial);
};

/** A failure with its code and message; a refusal reports the failure and exposes neither. */
export const readsError: DecodingReading = (decoded, { expected }, { exposes }) => {
  if (expected.kind === 'not-success') return isSuccess(decoded) ? fail('an error', readingOf(decoded)) : pass();
  if (expected.kind !== 'error') return undefined;
  if (decoded.kind === 'refused') return notExposed('errorCode and errorMessage');
  if (decoded.kind !== 'error') return fail(readingOf(expected), readingOf(decoded));
  const { errorCode, errorMessage } = decoded;
  const wrong =
    (errorCode === undefined ? exposes.has('error-code') : errorCode !== expected.errorCode) ||
    (errorMessage === undefined ? exposes.has('error-message') : errorMessage !== expected.errorMessage);
  if (wrong) return fail(readingOf(expected), readingOf(decoded));
  if (errorCode === undefined && errorMessage === undefined) return notExposed('errorCode and errorMessage');
  if (errorCode !== undefined && errorMessage !== undefined) return pass();
  return pass(`${errorCode === undefined ? 'errorCode' : 'errorMessage'} is not exposed`);
};

/**
 * A reading of a finished answer. One that was not read as finished fails the row of that alone, if the question answers
 * it; a question that is about something special fails its own row, unless the client reads no finished answer at all.
 */
function inFinished(
  read: (
    gates: Finished['gates'],
    expected: ExpectedFinished,
    around: Pick<DecodingContext, 'open' | 'exposes'> & {
      readonly othersAnswer: boolean;
      readonly lockedApart: boolean;
    },
  ) => Finding | undefined,
): DecodingReading {
  return (decoded, { expected, answers }, { id, finishedUnread, open, exposes }) => {
    if (expected.kind !== 'finished') return undefined;
    const lockedApart = id !== 'close-day/decodes-locked-gate' && answers.includes('close-day/decodes-locked-gate');
    if (decoded.kind !== 'finished') {
      const othersFail = finishedUnread || lockedApart || answers.includes('close-day/decodes-finished');
      return othersFail ? undefined : fail('finished', readingOf(decoded));
    }
    const othersAnswer =
      lockedApart || (id !== 'close-day/decodes-gates' && answers.includes('close-day/decodes-gates'));
    const gates = decoded.gates ?? (exposes.has('gates') && !open ? [] : undefined);
    return read(gates, expected, { othersAnswer, lockedApart, open, exposes });
  };
}

function gatesInWords({ length }: readonly unknown[]): string {
  return countedWord(length, 'gate');
}

function gatesOf(gates: readonly DecodedGate[]): string {
  const ids = gates.map(({ gateId }) => (gateId === undefined ? '?' : Object.values(gateId)[0]));
  return gates.length === 0 ? 'no gates' : `${gatesInWords(gates)}: ${ids.join(', ')}`;
}

type ExpectedGate = Readonly<Record<string, string | boolean>>;

interface GatePair {
  readonly read: DecodedGate;
  readonly expected: ExpectedGate;
}

/**
 * By gateId where the client has the same ids, else by position, as ids may be what it misread.
 * Undefined where gates are missing, too many, or one is in the place of another.
 */
function pairGates(read: readonly DecodedGate[], expected: readonly ExpectedGate[]): readonly GatePair[] | undefined {
  if (read.length !== expected.length || hasTwins(read)) return undefined;
  const byId = new Map(read.map((gate) => [idOf(gate), gate]));
  const sameIds = expected.every(({ gateId }) => byId.has(String(gateId)));
  return expected.map((gate, at) => ({ read: sameIds ? byId.get(String(gate.gateId))! : read[at]!, expected: gate }));
}

/** The gate that was read under the id of the expected one. */
function gateById(read: readonly DecodedGate[], { gateId }: ExpectedGate): DecodedGate | undefined {
  return read.find((gate) => idOf(gate) === String(gateId));
}

/** Two gates equal in every member, among them an id: one gate that was read twice. */
function hasTwins(gates: readonly DecodedGate[]): boolean {
  const named = gates.filter((gate) => idOf(gate) !== undefined);
  if (new Set(named.map(idOf)).size === named.length) return false;
  const told = named.map((gate) => JSON.stringify(Object.entries(gate).sort()));
  return new Set(told).size < told.length;
}

function idOf({ gateId }: DecodedGate): string | undefined {
  if (gateId === undefined) return undefined;
  return 'long' in gateId ? gateId.long : 'text' in gateId ? gateId.text : undefined;
}
