/** How many payments a recurring request asks for, at most. */
import { decodeForm, type Pair } from '../protocol/form.ts';

/**
 * Lines of the payload that may be payments, in the body's form pairs or as sent. Read leniently and counted upwards: a
 * gateway may take a CSV or a base64 text that the document does not have, and charge for it.
 */
export function mostPayments(body: readonly Pair[] | Uint8Array): number {
  const pairs = body instanceof Uint8Array ? decodeForm(body) : body;
  return pairs
    .filter(([name]) => name.toLowerCase() === 'payload')
    .map(([, payload]) => Buffer.from(payload, 'base64').toString('utf8'))
    .map((csv) => csv.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length - 1)
    .reduce((total, lines) => total + Math.max(lines, 0), 0);
}
