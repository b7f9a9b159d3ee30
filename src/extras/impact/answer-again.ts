/** A stored answer as the local gateway gives it again, and whether a client read it rightly. Pure. */
import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { ClientPlan, LocalAnswer } from '../../plan/scenario.ts';
import type { ClientCase } from '../../record/client-case.ts';
import type { Exchange, Header } from '../../record/exchange.ts';
import { expectedOf } from '../../rules/answers/expected-reading.ts';
import { readingOf } from '../../rules/client/decoding/forms.ts';
import { clientJudges } from '../../rules/index.ts';

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

export type ReadingVerdict =
  | { readonly is: 'right' }
  | { readonly is: 'wrong'; readonly faults: readonly ReadingFault[] }
  | { readonly is: 'unknown'; readonly reason: string };

/** One thing that the client misread: what there was to read, and what it made of it. */
interface ReadingFault {
  /** The requirement that it breaks; absent where the client did not come to reading. */
  readonly about?: string;
  readonly expected: string;
  readonly read: string;
}

/**
 * By the judges of decoding and by what became of the call. A client that ends, hangs or throws over an answer has not read it:
 * only where no request arrived is the answer not at fault.
 */
export function readingOfCall(call: ClientCase): ReadingVerdict {
  const { reply, adapterFault, wire, label } = call;
  const { expected, answers } = label.decoding!;
  const wrong = (read: string): ReadingVerdict => ({
    is: 'wrong',
    faults: [{ expected: wordsFor[expected.kind], read }],
  });
  if (wire.length === 0) return { is: 'unknown', reason: `the client sent no request: ${whatBecame(call)}` };
  if (adapterFault !== undefined) return wrong(adapterFault.message);
  if (reply === undefined || reply.outcome === 'unsupported' || reply.outcome === 'refused_locally') {
    return { is: 'unknown', reason: whatBecame(call) };
  }
  if (reply.outcome === 'adapter_error') return wrong(whatBecame(call));
  if (reply.outcome === 'transport_error') {
    return expected.kind === 'not-success' ? { is: 'right' } : wrong(whatBecame(call));
  }
  if (reply.decoded === undefined) return { is: 'unknown', reason: 'the adapter does not report what the client read' };
  const read = readingOf(reply.decoded);
  const faults = answers.flatMap((id): ReadingFault[] => {
    const judge = clientJudges[id as TestableId<'client'>];
    return judge({ id, cases: [call], keysOf: () => undefined, hasKeys: false })
      .filter(({ finding }) => finding.outcome === 'fail')
      .map(({ finding }) => ({ about: id, expected: finding.expected ?? '', read: finding.actual ?? read }));
  });
  return faults.length === 0 ? { is: 'right' } : { is: 'wrong', faults };
}

const wordsFor = {
  finished: 'finished',
  error: 'an error',
  accepted: 'accepted',
  refused: 'a refusal',
  parameters: 'parameters',
  'not-success': 'anything but success',
} as const;

function whatBecame({ reply, adapterFault }: ClientCase): string {
  if (adapterFault !== undefined) return adapterFault.message;
  return reply === undefined
    ? 'no reply'
    : `${reply.outcome.replaceAll('_', ' ')}: ${reply.reason ?? 'no reason given'}`;
}
