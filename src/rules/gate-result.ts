/** Judges of the ten gate fields (section 2.2), made from the table of fields: presence, type and, where stated, form. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import { gatesOf, typeOf, valueInWords } from './answers/close-day-body.ts';
import { ofAllGates, ofCloseDay } from './close-day-response.ts';
import { type Finding, fail, pass } from './finding.ts';
import type { Judge } from './judge.ts';

type Slug = keyof typeof gateResultFields;
type FieldId = `close-day/gate-${Slug}-present` | `close-day/gate-${Slug}-type`;

const fieldJudges = Object.fromEntries(
  (Object.keys(gateResultFields) as Slug[]).flatMap((slug) => {
    const { member, type } = gateResultFields[slug];
    return [
      [`close-day/gate-${slug}-present`, eachGate(member, (value) => judgePresence(member, value))],
      [`close-day/gate-${slug}-type`, eachGate(member, (value) => judgeType(type, value))],
    ];
  }),
) as Record<FieldId, Judge>;

export const gateResultJudges = {
  ...fieldJudges,
  'close-day/gate-close-date-shape': eachGate('gateCloseDate', (value) =>
    judgeForm(value, isCloseDate, 'weekday month day time zone year'),
  ),
  'close-day/gate-sale-amount-form': eachGate('saleAmount', judgeAmount),
  'close-day/gate-reversal-amount-form': eachGate('reversalAmount', judgeAmount),
};

/** One finding for all gates of an answer: the first that is not a pass decides. What is not an object has no member. */
function eachGate(member: string, look: (value: JsonValue | undefined) => Finding | null): Judge {
  return ofCloseDay((exchange) => {
    let first: Finding | null = null;
    for (const gate of gatesOf(exchange) ?? []) {
      const finding = look(isJsonObject(gate) ? gate[member] : undefined);
      if (finding?.outcome === 'fail') return finding;
      first ??= finding;
    }
    return ofAllGates(exchange, first);
  });
}

function judgePresence(member: string, value: JsonValue | undefined): Finding {
  return value !== undefined ? pass() : fail(`the member ${member}`, 'a gate that lacks a documented member');
}

function judgeType(type: 'long' | 'boolean' | 'string', value: JsonValue | undefined): Finding | null {
  if (value === undefined) return null;
  const words = { long: 'a whole number', boolean: 'true or false', string: 'a string' }[type];
  return typeOf(value) === type ? pass() : fail(words, `${typeOf(value)} ${valueInWords(value)}`);
}

function judgeAmount(value: JsonValue | undefined): Finding | null {
  return judgeForm(value, (text) => /^-?\d+\.\d{2}$/.test(text), 'a decimal with two fractional digits');
}

/** Months by their English names, short or whole, in any case: names in another language are not known here. */
const february = /^feb(?:ruary)?$/i;
const monthOf30Days = /^(?:apr(?:il)?|june?|sep(?:t(?:ember)?)?|nov(?:ember)?)$/i;

const englishMonth =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
const englishWeekday = /^(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$/i;

/** Of which kind the two names are, in words. */
export function namesInDate(text: string): string {
  const [weekday = '', month = ''] = text.split(' ');
  if (!englishWeekday.test(weekday) || !englishMonth.test(month)) return 'names that are not English';
  return weekday.length === 3 && month.length === 3
    ? 'English names of three letters'
    : 'English names of other lengths';
}

/** Two names, a day, a time, a zone and a year that can be a date: in which language the names are is open (A11), unless they are English and exchanged. */
function isCloseDate(text: string): boolean {
  const [weekday = '', month = '', day = '', time = '', zone = '', year = '', ...more] = text.split(' ');
  const isName = (name: string) => /^\S*\p{L}\S*$/u.test(name);
  if (englishMonth.test(weekday) && englishWeekday.test(month)) return false;
  if (more.length > 0 || !isName(weekday) || !isName(month) || !/^[\p{L}\p{Nd}+-]\S*$/u.test(zone)) return false;
  if (!/^\d{1,2}$/.test(day) || !/^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)$/.test(time)) return false;
  if (!/^\d{4}$/.test(year) || year === '0000') return false;
  const isLeapYear = new Date(Date.UTC(Number(year), 1, 29)).getUTCDate() === 29;
  const longest = february.test(month) ? (isLeapYear ? 29 : 28) : monthOf30Days.test(month) ? 30 : 31;
  return Number(day) >= 1 && Number(day) <= longest;
}

function judgeForm(value: JsonValue | undefined, fits: (text: string) => boolean, words: string): Finding | null {
  if (typeof value !== 'string') return null;
  return fits(value) ? pass() : fail(words, value);
}
