/** What an answer to close-day has to look like (sections 2.2, 4.1 and 7), with one example of each. */
import { MatchersV3, type Rule, type V3Response } from '@pact-foundation/pact';
import type { Interaction } from './contract.ts';

const { eachLike, integer, regex, string } = MatchersV3;

type Answer = Interaction['response'];

/** The serial number of every example. */
export const serial = '00000000-0000-0000-0000-000002d9b22a';

const hex = (digits: number) => `[0-9A-Fa-f]{${digits}}`;
const serialForm = `^${[8, 4, 4, 4, 12].map(hex).join('-')}$`;
/** A media type with a charset, compared as such (RFC 9110 section 8.3): case, white space, quotes and further parameters do not count. */
export const htmlForm = '^\\s*(?i:text/html)\\s*;(.*;)?\\s*(?i:charset)\\s*=\\s*"?(?i:utf-8)"?\\s*(;.*)?$';
const amountForm = '^-?\\d+\\.\\d{2}$';

/** The members of a gate result that are text of a stated form. */
const gateForms = {
  gateCloseDate: '^\\S+ \\S+ \\d{1,2} \\d\\d:\\d\\d:\\d\\d \\S+ \\d{4}$',
  saleAmount: amountForm,
  reversalAmount: amountForm,
};

/** A finished close-day with one result for each gate, at least so many. */
export function finished(endpointId: string, isDayClosing: MatchersV3.Matcher<boolean>, least = 1): Answer {
  const example = gate(endpointId, false);
  const gates = eachLike(
    {
      ...example,
      gateId: integer(Number(example.gateId)),
      isDayClosing,
      epntId: integer(Number(example.epntId)),
      saleApprovedCount: string(example.saleApprovedCount),
      reversalApprovedCount: string(example.reversalApprovedCount),
      code39: string(example.code39),
      RRN: string(example.RRN),
    },
    least,
  );
  const rules = Object.entries(gateForms).map(([member, form]) => textRule(`$.response.gates[*].${member}`, form));
  return answer({ status: 'finished', gates }, rules);
}

/** Status `error` with a code of that form, text or number (A10), and a value or a matcher for its message. */
export function failed(errorCode: { form: string; example: string }, errorMessage: unknown): Answer {
  // An expression alone is content with a number that reads like the text.
  return answer({ status: 'error', errorCode: regex(errorCode.form, errorCode.example), errorMessage }, []);
}

/** The gate result that is the example, as the client decodes it. */
export function gate(endpointId: string, isDayClosing: boolean) {
  return {
    gateId: `7${endpointId.slice(1)}`,
    isDayClosing,
    gateCloseDate: 'Sat Jan 31 23:59:59 UTC 2026',
    epntId: endpointId,
    saleApprovedCount: '2',
    saleAmount: '10.42',
    reversalApprovedCount: '1',
    reversalAmount: '0.94',
    code39: '00',
    RRN: '000000000001',
  };
}

function answer(response: Record<string, unknown>, rules: readonly Rule[]): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': regex(htmlForm, 'text/html;charset=utf-8'),
    },
    // The header says HTML; with a type of its own the body is compared as the JSON that it is.
    contentType: 'application/json',
    body: { response, theRequestSerialNumber: serial } as V3Response['body'],
    rules: { body: [...rules, textRule('$.theRequestSerialNumber', serialForm)] },
  };
}

/** Two rules: an expression alone is content with a number that reads like the text. */
function textRule(path: string, form: string): Rule {
  return { path, rules: [{ 'pact:matcher:type': 'type' }, { 'pact:matcher:type': 'regex', regex: form } as never] };
}
