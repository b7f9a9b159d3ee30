/** Judges of the fields of a close-day request: sections 2.1, 4.1 and 8. */
import { type CloseDayFields, closeDayFieldNames } from '../../protocol/index.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { type ClientJudges, type Finding, fail, pass } from '../judge.ts';
import { plainName } from './csv-reading.ts';
import { closeDayInput, isSameTotal, unknownInput } from './inputs.ts';
import { type FormReading, oddValue } from './reading.ts';
import { bodyJudge } from './wire-judge.ts';

type FieldName = keyof CloseDayFields;

export const closeDayFieldJudges = {
  'close-day/body-is-form': bodyJudge('close-day', ({ testCase, reading: { form } }) => {
    if (form.kind === 'empty' && !isLost(form, closeDayInput(testCase))) return null;
    return judgeForm(form, 'a form of the documented fields, each at most once', (names) => {
      const foreign = names.find((name) => !closeDayFieldNames.includes(name as FieldName));
      if (foreign !== undefined) return `the parameter ${foreign}`;
      const repeated = names.find((name, index) => names.indexOf(name) !== index);
      return repeated === undefined ? undefined : `${repeated} more than once`;
    });
  }),
  'close-day/request-id-present': ofRequestId((sent) => {
    if (sent === undefined) return fail('day_close_request_id', 'a body without this field');
    return sent === '' ? fail('day_close_request_id', 'an empty field') : pass();
  }),
  'close-day/request-id-alphabet': ofRequestId((sent, given) => {
    if (!sent) return null;
    const relettered = given !== undefined && sent !== given && sent.length === given.length;
    if (relettered) return fail(given, sent);
    const odd = given === undefined ? oddValue(sent) : undefined;
    if (/^[A-Za-z0-9]+$/.test(sent)) return pass(odd && `${sent} is ${odd.what}`);
    // Accept letters of any script, and combining accents after a letter: it is open whether they count as letters.
    if (/[^\p{L}\p{M}\p{Nd}]|(?:^|\p{Nd})\p{M}/u.test(sent)) return fail('letters and digits', sent);
    return pass('letters or digits beyond ASCII');
  }),
  'close-day/request-id-length': ofRequestId((sent, given) => {
    if (!sent) return null;
    if (given !== undefined && sent.length !== given.length) return fail(given, sent);
    const findings = [atLeast(8, sent), atMost(32, sent)];
    return findings.find(({ outcome }) => outcome === 'fail') ?? findings.find(({ remark }) => remark) ?? pass();
  }),
  'close-day/sale-approved-count': totalOf('sale_approved_count'),
  'close-day/sale-approved-sum': totalOf('sale_approved_sum'),
  'close-day/reversal-approved-count': totalOf('reversal_approved_count'),
  'close-day/reversal-approved-sum': totalOf('reversal_approved_sum'),
} satisfies ClientJudges;

/** OAuth parameters are removed before `faultOf` is called, because `parameters-only-in-header` judges them. */
export function judgeForm(
  form: FormReading,
  expected: string,
  faultOf: (names: readonly string[]) => string | undefined,
): Finding {
  if (form.kind === 'empty') return fail(expected, 'an empty body');
  const names = form.pairs.map(({ name }) => name).filter((name) => !name.startsWith('oauth_'));
  const fault = form.looksLike ?? form.faults[0] ?? faultOf(names);
  return fault === undefined ? pass() : fail(expected, fault);
}

/** A total must be sent as in the input. Another notation of the number, or an empty field for no total, is only a remark. */
function totalOf(name: FieldName) {
  return bodyJudge('close-day', ({ testCase, reading: { form } }) => {
    const input = closeDayInput(testCase);
    if (isLost(form, input) || isMisnamed(form, name)) return null;
    if (input === undefined) return unknownInput();
    const given = input[name];
    const sent = fieldValue(form, name);
    if (sent === given) return pass();
    if (!isSameTotal(given, sent)) return fail(given === undefined ? `no ${name}` : shown(given), shown(sent));
    if (given && sent) return pass(`${given} is sent as ${sent}`);
    return pass(`${name} is ${sent === undefined ? 'left out if it is empty' : 'sent empty'}`);
  });
}

function ofRequestId(look: (sent: string | undefined, given: string | undefined) => Finding | null) {
  const name = 'day_close_request_id';
  return bodyJudge('close-day', ({ testCase, reading: { form } }) => {
    const input = closeDayInput(testCase);
    return isLost(form, input) || isMisnamed(form, name) ? null : look(fieldValue(form, name), input?.[name]);
  });
}

/** True if the body lost its fields. Then the body is at fault, so judges of single fields give no finding. */
function isLost(form: FormReading, input: CloseDayFields | undefined): boolean {
  if (form.kind === 'form') return false;
  return form.kind === 'other' || input === undefined || Object.keys(input).length > 1;
}

function fieldValue({ pairs }: FormReading, name: FieldName): string | undefined {
  return pairs.find((pair) => pair.name === name)?.value;
}

/** True if the field has a similar name. Then the name is at fault, so judges of the value give no finding. */
function isMisnamed(form: FormReading, name: FieldName): boolean {
  if (fieldValue(form, name) !== undefined) return false;
  return plainNames(form).has(plainName(name));
}

/** Memoized, because the judge of each field needs these names, and a form may have a million of them. */
const plainNames = memoize(({ pairs }: FormReading) => new Set(pairs.map((pair) => plainName(pair.name))));

function shown(value: string | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The document does not define its "characters". So this fails only if bytes, code points and letters all exceed the limit. */
export function atMost(limit: number, text: string): Finding {
  if (Buffer.byteLength(text) <= limit) return pass();
  if (letters(text, limit) > limit) return fail(`at most ${limit} characters`, codePoints(text));
  return pass(
    `more than ${limit} bytes or Unicode characters, but at most ${limit} letters with their accents: the limit can mean either`,
  );
}

/** Fails only if bytes, code points and letters are all below the limit. */
function atLeast(limit: number, text: string): Finding {
  if (Buffer.byteLength(text) < limit) return fail(`at least ${limit} characters`, codePoints(text));
  if (letters(text, limit) >= limit) return pass();
  return pass(`fewer than ${limit} letters with their accents, but ${limit} bytes or more: the limit can mean either`);
}

/** Counts letters, each with its accents. Stops counting above the limit. */
function letters(text: string, limit: number): number {
  // Segmenting a long text takes seconds. So count ASCII directly, and try the beginning of the text first.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const start = 64 * limit;
  if (text.length > start && letters(text.slice(0, start), limit) > limit) return limit + 1;
  let count = 0;
  for (const _ of new Intl.Segmenter('en').segment(text)) {
    count += 1;
    if (count > limit) break;
  }
  return count;
}

function codePoints(text: string): string {
  return pluralize(Array.from(text).length, 'character');
}
