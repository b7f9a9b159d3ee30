/** What the suite meant by an exchange, in words; of a client what it was asked, and what it says that it read. */
import type { Case, ClientCall } from '../../record/case.ts';
import type { InputKind } from '../../record/client-case.ts';
import { shortened } from '../visible.ts';

const inputs: Readonly<Record<InputKind, string>> = {
  mandatory: 'An input that a client has to manage',
  hardening: 'An unusual input, which a client may decline',
  forbidden: 'An input that the document forbids',
  probe: 'Looked at, never judged',
  observed: 'Recorded: it is not known what the client was asked',
};

const intents = {
  valid: 'A right request',
  fault: 'A request with one fault',
  open: 'A request where the document is silent',
} as const;

/** One sentence. It may quote the subject: not yet safe to show. */
export function saidOfLabel({ call, label }: Case): string {
  if (call !== undefined) {
    const { input, special, decoding } = call.label;
    const facts = [special, decoding && `${decoding.question} (${decoding.form})`];
    return `${[inputs[input], ...facts.filter((part) => part !== undefined)].join(', ')}.`;
  }
  const { intent, about, openPoint, differsIn, facts } = label;
  const parts = [
    intents[intent],
    about && `about ${about}`,
    openPoint && `for open point ${openPoint}`,
    differsIn && `differs from its twin in ${differsIn}`,
    facts?.gate && `gate ${facts.gate}`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

/** A text under each caption, none where no client was asked. The stages of a reply are long, and left out. */
export function saidOfCall(call: ClientCall | undefined, limit: number): (readonly [caption: string, text: string])[] {
  if (call === undefined) return [];
  const { asked, reply, adapterFault } = call;
  const { stages: _, ...reported } = reply ?? {};
  const all: readonly (readonly [string, unknown])[] = [
    ['Asked', asked?.input],
    ['Environment', asked?.environment],
    ['The client reported', reply && reported],
    ['Fault of the adapter', adapterFault?.message],
  ];
  return all.flatMap(([caption, data]) =>
    data === undefined ? [] : [[caption, shortened(JSON.stringify(data, undefined, 1), limit)] as const],
  );
}
