/** Recurring batch: the CSV in base64 as `payload` (section 4.2), and the response parameters (section 2.4). */
import { encodeBase64 } from './base64.ts';
import type { ResponseBytes } from './close-day.ts';
import { type CsvOptions, type CsvTable, encodeCsv } from './csv.ts';
import { decodeForm, type Pair } from './form.ts';
import { ProtocolError } from './protocol-error.ts';
import { utf8Bytes } from './utf8.ts';

interface RecurringBody {
  readonly csv: string;
  readonly payload: string;
  readonly body: Pair[];
}

type RecurringAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly httpStatus: number }
  | { readonly kind: 'parameters'; readonly type: string; readonly params: Pair[] };

/** Builds a request body. Values are not validated, so that faulty requests can be built. Throws `not-text`. */
export function buildRecurring(table: CsvTable, options?: CsvOptions): RecurringBody {
  const csv = encodeCsv(table, options);
  const payload = encodeBase64(utf8Bytes(csv));
  return { csv, payload, body: [['payload', payload]] };
}

/** If the body has `type`, the status does not matter (A17). Throws `unexpected-status` or `undecodable-response`. */
export function decodeRecurringResponse(response: ResponseBytes): RecurringAnswer {
  const params = responseParameters(response.body);
  const types = params.filter(([name]) => name === 'type').map(([, value]) => value);
  if (types.length > 1) throw new ProtocolError('undecodable-response', 'the parameter "type" occurs twice');
  if (types[0] !== undefined) return { kind: 'parameters', type: types[0], params };
  if (response.status === 401 || response.status === 403) return { kind: 'refused', httpStatus: response.status };
  if (response.status !== 200) {
    throw new ProtocolError('unexpected-status', `the batch was answered with HTTP status ${response.status}`);
  }
  if (response.body.length > 0) {
    throw new ProtocolError('undecodable-response', 'the body is not empty and has no parameter "type"');
  }
  return { kind: 'accepted' };
}

/** Reads the parameters of section 2.4. Removes one line feed, raw or escaped, at the end of each value. */
function responseParameters(body: Uint8Array): Pair[] {
  return decodeForm(body)
    .filter(([name]) => name !== '\n')
    .map(([name, value]): Pair => [name, value.endsWith('\n') ? value.slice(0, -1) : value]);
}
