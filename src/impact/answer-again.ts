/** A stored answer as the local gateway gives it again. Pure. */
import type { Operation } from '../../contracts/operations.ts';
import type { Exchange, Header } from '../exchange/exchange.ts';
import { bodyLength } from '../exchange/stored-body.ts';
import type { ClientPlan, LocalAnswer } from '../scenarios/client/client-scenario.ts';
import { ordinaryCalls } from '../scenarios/client/wire-plans.ts';
import { expectedOf } from './expected-reading.ts';

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

/** Header lines in their own order and spelling; those that frame the body fit it. Undefined for what HTTP/1.1 has no form for. */
function answerOf({ response }: Exchange): LocalAnswer | undefined {
  if (response === undefined || response.status < 200 || response.status > 599) return undefined;
  const { status, body } = response;
  const isWhole = body.length === bodyLength(response);
  const isHttp = response.headers.every(([name, value]) => token.test(name) && fieldValue.test(value));
  if (!isWhole || !isHttp) return undefined;
  const isChunked = response.headers.some(([name]) => /^transfer-encoding$/i.test(name));
  const headers = response.headers.flatMap(([name, value]): Header[] => {
    if (/^transfer-encoding$/i.test(name)) return [[name, 'chunked']];
    if (!/^content-length$/i.test(name)) return [[name, value]];
    return isChunked ? [] : [[name, String(body.length)]];
  });
  return { kind: 'reply', status, headers, body };
}
