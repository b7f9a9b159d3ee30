/** How many payments a recurring request asks for: at most, and as the interface document reads it. */

import { decodeCsv } from '../../protocol/csv.ts';
import { decodeForm, type Pair } from '../../protocol/form.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { madeOnce } from '../../record/made-once.ts';

/**
 * Lines of the payload that may be payments, in the body's form pairs or as sent. Read leniently and counted upwards: a
 * gateway may take a CSV or a base64 text that the document does not have, and charge for it.
 */
export function mostPayments(body: readonly Pair[] | Uint8Array): number {
  const rows = payloadsIn(body).map((payloads) =>
    payloads
      .map((payload) => Buffer.from(payload, 'base64').toString('utf8'))
      .map((csv) => csv.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length - 1)
      .reduce((total, lines) => total + Math.max(lines, 0), 0),
  );
  return Math.max(...rows);
}

/** Rows of the payload as sections 2.3 and 4.2 read it; 0 where they give no reading. */
export const writtenPayments = madeOnce(countWritten);

function countWritten(body: Uint8Array): number {
  const [payload, ...more] = decodeForm(body).filter(([name]) => name === 'payload');
  if (payload === undefined || more.length > 0) return 0;
  try {
    return decodeCsv(Buffer.from(payload[1], 'base64').toString('utf8')).rows.length;
  } catch (cause) {
    if (cause instanceof ProtocolError) return 0;
    throw cause;
  }
}

/**
 * Values that may be taken for payloads, under names in any case and with an index behind them: one list for each way in which
 * parameters may be parted, by `&` alone and by `;` too. Throws where the body is not a form.
 */
export function payloadsIn(body: readonly Pair[] | Uint8Array): readonly (readonly string[])[] {
  const isPayload = (name: string) => /^payloads?(?:\W.*)?$/is.test(name.trim());
  const pairs = body instanceof Uint8Array ? decodeForm(body) : body;
  const whole = pairs.filter(([name]) => isPayload(name)).map(([, value]) => value);
  const parted = whole.flatMap((value) => {
    const [first = '', ...more] = value.split(';');
    const others = more.map((part) => part.split(/=(.*)/s)).filter(([name = '']) => isPayload(name));
    return others.length === 0 ? [value] : [first, ...others.map(([, rest = '']) => rest)];
  });
  return parted.length === whole.length ? [whole] : [whole, parted];
}
