/** Whether a client read one answer rightly, by the judges of decoding and by what became of the call. Pure. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientCase } from '../../record/client-case.ts';
import { readingOf } from '../../rules/client/decoding/success.ts';
import { clientJudges } from '../../rules/client/index.ts';

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

/** A client that ends, hangs or throws over an answer has not read it: only where no request arrived is the answer not at fault. */
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
