/** Judges of the form body and the base64 text of a batch: section 4.2, RFC 4648 section 4. */
import { fail, pass } from '../finding.ts';
import type { ClientJudges } from '../judge.ts';
import { payloadPair } from './reading.ts';
import { bodyJudge } from './wire-judge.ts';

export const payloadJudges = {
  'recurring/payload-only': bodyJudge('process-recurring-payments', ({ reading: { form } }) => {
    const expected = 'a form with payload alone';
    if (form.kind === 'empty') return fail(expected, 'an empty body');
    if (form.kind === 'other') return fail(expected, form.looksLike!);
    if (form.faults[0] !== undefined) return fail(expected, form.faults[0]);
    // Another requirement judges OAuth parameters outside the header.
    const names = form.pairs.map(({ name }) => name).filter((name) => !name.startsWith('oauth_'));
    if (names.length === 1 && names[0] === 'payload') return pass();
    return fail(expected, names.length > 8 ? `${names.length} parameters` : names.map(cut).join(', '));
  }),
  /** Only a payload that contains a + is evidence. */
  'recurring/payload-escaped': bodyJudge('process-recurring-payments', ({ reading: { form, payload } }) => {
    if (payload === undefined) return null;
    const [fault] = payload.escapeFaults;
    if (fault !== undefined) return fail('+ sent as %2B', fault);
    return payload.sent.includes('+') && /%2B/i.test(payloadPair(form)!.raw) ? pass() : null;
  }),
  'recurring/payload-base64': bodyJudge('process-recurring-payments', ({ reading: { payload } }) => {
    if (payload === undefined) return null;
    const [fault] = payload.base64Faults;
    return fault === undefined ? pass() : fail('standard base64, padded, in one line, encoded once', fault);
  }),
} satisfies ClientJudges;

function cut(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}
