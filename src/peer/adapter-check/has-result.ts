/** Whether a case got a result at all: what every check of a case asks first. */

import type { ClientReply } from '../../record/client-case.ts';
import type { CaseAnswer } from '../adapter/open-cases.ts';
import { type Seen, wrong } from './checked-point.ts';

/** The reply, or why there is none. `adapter_error` is a fault of the adapter by its own word. */
export function sound(
  answer: CaseAnswer,
): { readonly reply: ClientReply; readonly fault?: undefined } | { readonly reply?: undefined; readonly fault: Seen } {
  if (answer.kind !== 'reply') return { fault: wrong(answer.error.message, answer.error.hint) };
  const { outcome, reason } = answer.reply;
  if (outcome !== 'adapter_error') return { reply: answer.reply };
  const what = `It reported adapter_error${reason === undefined ? '' : `: ${reason.slice(0, 300)}`}`;
  return {
    fault: wrong(
      what,
      'Catch what the client throws and report it: refused_locally before anything was sent, transport_error without an answer, completed with decoded.kind undecodable after one.',
    ),
  };
}

/** Sound, and nothing more is asked. */
export function soundOr(answer: CaseAnswer, what: (reply: ClientReply) => Seen): Seen {
  const { reply, fault } = sound(answer);
  return fault ?? what(reply);
}
