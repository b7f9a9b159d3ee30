/** Clients that misread the values of a gate (section 2.2). */
import type { DecodedGate } from '../../record/case.ts';
import { breaking } from '../defect.ts';
import { type ClientDefect, closeDay } from './defect.ts';

const gateId = breaking(closeDay, 'decodes-gate-id');
const locked = breaking(closeDay, 'decodes-locked-gate');
const date = breaking(closeDay, 'decodes-gate-close-date');
const reversals = breaking(closeDay, 'decodes-gate-reversal-approved-count');
const saleAmount = breaking(closeDay, 'decodes-gate-sale-amount');
const code39 = breaking(closeDay, 'decodes-gate-code39');
const rrn = breaking(closeDay, 'decodes-gate-rrn');

export const gateValueDefects: readonly ClientDefect[] = [
  closeDay('longs-through-a-double', ['decodes-gate-id', 'decodes-gate-epnt-id'], {
    gateLong: { gateId: throughADouble, epntId: throughADouble },
  })`Gate and endpoint ids pass through a double and lose their last digits`,
  gateId('gate-id-through-a-double', { gateLong: { gateId: throughADouble } })`
    gateId passes through a double and loses its last digit`,
  gateId('gate-id-without-sign', { gateLong: { gateId: (digits) => BigInt(digits.replace('-', '')) } })`
    gateId loses its sign: -42 is read as 42`,
  closeDay('epnt-id-in-32-bits', 'decodes-gate-epnt-id', {
    gateLong: { epntId: (digits) => BigInt.asIntN(32, BigInt(digits)) },
  })`epntId is read as a number of 32 bits`,
  locked('locked-gate-read-as-free', { gate: readAsFree })`
    isDayClosing true is taken for success: the gate is handed on as free`,
  locked('locked-gate-not-told', { gate: (gate) => (isLockedGate(gate) ? lacking(gate, 'isDayClosing') : gate) })`
    isDayClosing is handed over where it is false, and left out where it is true`,
  locked('locked-gate-without-turnover-read-as-free', { gate: (gate) => (isIdleGate(gate) ? readAsFree(gate) : gate) })`
    A gate that has had nothing to close is read as free, locked or not`,
  saleAmount('sales-of-locked-gate-left-out', {
    gate: (gate) => (isLockedGate(gate) ? lacking(gate, 'saleAmount') : gate),
  })`Of a locked gate the amount of sales is not handed over`,
  gateId('large-gate-id-left-out', {
    gate: (gate) => (Number.isSafeInteger(Number(textOf(gate.gateId))) ? gate : lacking(gate, 'gateId')),
  })`gateId is left out where a double cannot hold it`,
  closeDay('free-gate-read-as-locked', 'decodes-gate-is-day-closing', {
    gate: (gate) => ({ ...gate, isDayClosing: { bool: true } }),
  })`isDayClosing is read as a text, and every text is true`,
  date('close-date-without-zone', { gateText: { gateCloseDate: (text) => text.replace(/ \S+ (\d{4})$/, ' UTC $1') } })`
    The zone of gateCloseDate is dropped, and UTC written in its place`,
  date('close-date-of-september-emptied', {
    gateText: { gateCloseDate: (text) => (text.includes(' Sep ') ? '' : text) },
  })`The month of gateCloseDate is looked up in a list that has Sept in place of Sep, and the date is left empty`,
  date('close-date-day-without-zero', { gateText: { gateCloseDate: (text) => text.replace(/ 0(\d) /, ' $1 ') } })`
    The day of gateCloseDate loses its leading zero: Feb 01 is handed on as Feb 1`,
  date('close-date-in-years-of-weeks', {
    gateText: {
      gateCloseDate: (text) =>
        text.replace(/(?<=^(?:Mon|Tue|Wed) Dec (?:29|30|31) .* )\d{4}$/, (year) => `${Number(year) + 1}`),
    },
  })`The year of gateCloseDate is that of its week: 31 December 2024 is of 2025`,
  closeDay('counts-swapped', ['decodes-gate-sale-approved-count', 'decodes-gate-reversal-approved-count'], {
    gate: (gate) => ({
      ...gate,
      saleApprovedCount: gate.reversalApprovedCount!,
      reversalApprovedCount: gate.saleApprovedCount!,
    }),
  })`The counts of sales and of reversals are read in the place of each other`,
  reversals('reversal-count-in-octal', {
    gateText: {
      reversalApprovedCount: (count) => (/^0[0-7]+$/.test(count) ? String(Number.parseInt(count, 8)) : count),
    },
  })`A reversalApprovedCount with a leading zero is read in octal: 010 as 8`,
  reversals('reversal-count-as-flag', {
    gateText: { reversalApprovedCount: (count) => (Number(count) > 0 ? '1' : '0') },
  })`reversalApprovedCount is read as a truth value: any number of reversals is 1`,
  saleAmount('sale-amount-through-a-float', {
    gateText: { saleAmount: (amount) => String(Math.fround(Number(amount))) },
  })`saleAmount passes through a number of 32 bits`,
  closeDay('reversal-amount-by-german-rules', 'decodes-gate-reversal-amount', {
    gateText: { reversalAmount: (amount) => amount.replace('.', '') },
  })`The point of reversalAmount is taken for a mark between thousands: 10.94 is read as 1094`,
  code39('code39-as-number', { gateText: { code39: withoutZeros } })`code39 is read as a number: 00 as 0`,
  rrn('rrn-as-number', { gateText: { RRN: withoutZeros } })`RRN loses its leading zeros`,
  code39('code39-of-two-digits', { gateText: { code39: (code) => withoutZeros(code).padStart(2, '0') } })`
    code39 is read as a number and written with two digits again`,
  rrn('rrn-of-first-gate-read-for-all', {
    gates: (gates) => {
      const first = new Map(gates.toReversed().map(({ epntId, RRN }) => [textOf(epntId), RRN]));
      return gates.map((gate) => ({ ...gate, RRN: first.get(textOf(gate.epntId))! }));
    },
  })`All gates of one endpoint are handed on with the RRN of the first of them`,
  rrn('rrn-of-twelve-digits', { gateText: { RRN: (number) => withoutZeros(number).padStart(12, '0') } })`
    RRN is read as a number and written with twelve digits again`,
];

export function isLockedGate({ isDayClosing }: DecodedGate): boolean {
  return textOf(isDayClosing) === 'true';
}

/** A gate that had neither sales nor reversals. */
export function isIdleGate({ saleApprovedCount, reversalApprovedCount }: DecodedGate): boolean {
  return [saleApprovedCount, reversalApprovedCount].every((count) => textOf(count) === '0');
}

export function readAsFree(gate: DecodedGate): DecodedGate {
  return { ...gate, isDayClosing: { bool: false } };
}

function lacking(gate: DecodedGate, member: string): DecodedGate {
  return Object.fromEntries(Object.entries(gate).filter(([name]) => name !== member));
}

function textOf(value: DecodedGate[string] | undefined): string {
  return String(Object.values(value ?? {})[0]);
}

function throughADouble(digits: string): bigint {
  return BigInt(Number(digits));
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
