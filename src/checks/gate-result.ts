/** Judges of the ten gate fields (section 2.2), made from the table of fields: presence, type and, where stated, form. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import { gatesOf, textOf, typeOf } from './close-day-body.ts';
import { ofCloseDay } from './close-day-response.ts';
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
    judgeForm(value, /^\S+ \S+ \d{1,2} \d\d:\d\d:\d\d \S+ \d{4}$/, 'weekday month day time zone year'),
  ),
  'close-day/gate-sale-amount-form': eachGate('saleAmount', judgeAmount),
  'close-day/gate-reversal-amount-form': eachGate('reversalAmount', judgeAmount),
};

/** One finding for all gates of an answer: the first that is not a pass decides. */
function eachGate(member: string, look: (value: JsonValue | undefined) => Finding | null): Judge {
  return ofCloseDay((exchange) => {
    const findings = (gatesOf(exchange) ?? []).map((gate) => (isJsonObject(gate) ? look(gate[member]) : null));
    return (
      findings.find((finding) => finding?.outcome === 'fail') ?? findings.find((finding) => finding !== null) ?? null
    );
  });
}

function judgePresence(member: string, value: JsonValue | undefined): Finding {
  return value !== undefined ? pass() : fail(`the member ${member}`, 'a gate without it');
}

function judgeType(type: 'long' | 'boolean' | 'string', value: JsonValue | undefined): Finding | null {
  if (value === undefined) return null;
  const words = { long: 'a whole number', boolean: 'true or false', string: 'a string' }[type];
  return typeOf(value) === type ? pass() : fail(words, `${typeOf(value)} ${textOf(value)}`);
}

function judgeAmount(value: JsonValue | undefined): Finding | null {
  return judgeForm(value, /^-?\d+\.\d{2}$/, 'a decimal with two fractional digits');
}

function judgeForm(value: JsonValue | undefined, form: RegExp, words: string): Finding | null {
  if (typeof value !== 'string') return null;
  return form.test(value) ? pass() : fail(words, value);
}
