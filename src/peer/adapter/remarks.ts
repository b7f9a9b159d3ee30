/** What is noted of a message for people to read, whatever else it brings about. */

import { inGuillemets, printable } from './in-guillemets.ts';
import { isKnown, type Message } from './messages.ts';

export interface Remark {
  /** In the plural, for the count. */
  readonly kind: string;
  readonly sentence: string;
  /** The first of the kind says all. */
  readonly once?: true;
}

/**
 * One sentence each, most often none.
 *
 * @param bytes the line of the message, for quotation
 * @param greeted whether hello had been sent before it came
 */
export function remarksOn(message: Message, bytes: Uint8Array, greeted: boolean): readonly Remark[] {
  const name = `"${printable(message.t).slice(0, 40)}"`;
  const early = {
    kind: 'messages before hello',
    sentence: `The adapter sent ${name} before it was greeted with hello.`,
  };
  const unknown = {
    kind: 'messages of unknown kinds',
    sentence: `The adapter sent a message ${name}, which is ignored.`,
  };
  return [
    ...(greeted ? [] : [early]),
    ...(isKnown(message.t) ? [] : [unknown]),
    ...(message.t === 'log' ? [logged(message.text, bytes)] : []),
  ];
}

function logged(text: unknown, bytes: Uint8Array): Remark {
  if (typeof text === 'string') {
    return { kind: 'log messages', sentence: `The adapter says: ${printable(text).slice(0, 300)}` };
  }
  const why = text === undefined ? 'it has no text' : 'its text is not of the JSON type string';
  const sentence = `A log message does not fit and is ignored, since ${why}: ${inGuillemets(bytes)}`;
  return { kind: 'log messages that do not fit', sentence, once: true };
}
