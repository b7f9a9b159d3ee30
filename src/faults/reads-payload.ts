/** Alterations of the CSV that a gateway reads in a payload. */
import type { Alteration } from '../mock/alteration.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/form.ts';

/** What is checked and acted on is another CSV than the one received; what was signed is the one received. */
export function readsPayload(change: (csv: string) => string): Alteration {
  const changed = ([name, value]: Pair): Pair => [
    name,
    name === 'payload' ? Buffer.from(change(Buffer.from(value, 'base64').toString())).toString('base64') : value,
  ];
  const csvOf = (pairs: readonly Pair[]) => pairs.map(([, value]) => Buffer.from(value, 'base64').toString()).join();
  return {
    reads: (request) => {
      const form = decodeForm(request.body);
      return change(csvOf(form)) === csvOf(form)
        ? request
        : { ...request, body: Buffer.from(encodeForm(form.map(changed))) };
    },
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  };
}
