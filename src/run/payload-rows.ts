/** How many payments a recurring request asks for. */
import { decodeBase64 } from '../protocol/base64.ts';
import { decodeCsv } from '../protocol/csv.ts';
import { decodeForm, type Pair } from '../protocol/form.ts';

/** Number of data rows in the payload of a body, as form pairs or as sent; 0 where no payload can be read. */
export function decodedRows(body: readonly Pair[] | Uint8Array): number {
  try {
    const pairs = body instanceof Uint8Array ? decodeForm(body) : body;
    const payload = pairs.find(([name]) => name === 'payload')?.[1];
    if (payload === undefined) return 0;
    return decodeCsv(Buffer.from(decodeBase64(payload)).toString('utf8')).rows.length;
  } catch {
    return 0;
  }
}
