/** A stored answer as the local gateway gives it again. Pure. */

import type { Operation } from '../../../contracts/operations.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { ClientPlan, LocalAnswer } from '../../plan/scenario.ts';
import type { Exchange, Header } from '../../record/exchange.ts';
import { expectedOf } from '../../rules/answers/expected-reading.ts';

/** The call that gets the answer, or why it cannot be asked for. */
export function planWith(
  operation: Operation,
  exchange: Exchange,
): { readonly plan: ClientPlan } | { readonly unverified: string } {
  const answer = answerOf(exchange);
  if (answer === undefined) return { unverified: 'the stored answer cannot be sent again as it is' };
  const asked = expectedOf(operation, exchange);
  if (asked === undefined)
    return { unverified: 'the answer says neither yes nor no, so that no reading of it is wrong' };
  const decoding = { question: 'a stored answer', form: 'only', ...asked } as const;
  const { input } = ordinaryCalls[operation];
  return { plan: { label: { operation, input: 'mandatory', decoding }, input, answer } };
}

const token = /^[!#$%&'*+.^_`|~\w-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Header lines in their own order and spelling. One frames the body, and fits it; a trailer was not recorded and does not come
 * again. Undefined for what HTTP/1.1 has no form for.
 */
function answerOf({ response }: Exchange): LocalAnswer | undefined {
  if (response === undefined || response.status < 200 || response.status > 599) return undefined;
  const { status, body } = response;
  const isHttp = response.headers.every(([name, value]) => token.test(name) && fieldValue.test(value));
  if (!isHttp) return undefined;
  const framing = response.headers.find(([name]) => /^transfer-encoding$/i.test(name)) ?? lengthOf(response.headers);
  const headers = response.headers.flatMap((header): Header[] => {
    const [name, value] = header;
    if (header === framing) return [[name, /^content-length$/i.test(name) ? String(body.length) : 'chunked']];
    return /^(?:transfer-encoding|content-length|trailer)$/i.test(name) ? [] : [[name, value]];
  });
  return { kind: 'reply', status, headers, body };
}

function lengthOf(headers: readonly Header[]): Header | undefined {
  return headers.find(([name]) => /^content-length$/i.test(name));
}
