/** A request in the parts that mutations change: the header's parameters, the fields, and the CSV of the payload. */
import type { Dice } from '../../dice.ts';

export interface Pair {
  name: string;
  /** Before it is encoded. */
  value: string;
  /** Written in place of the encoded value. */
  raw?: string;
}

export interface MutableRequest {
  readonly operation: 'close-day' | 'process-recurring-payments';
  scheme: string;
  header: Pair[];
  /** Between two parameters. */
  comma: string;
  quote: string;
  lines: number;
  form: Pair[];
  /** The cells of the CSV as they are written; the first row holds the names. */
  csv: string[][];
  delimiter: string;
  lineEnd: string;
  mark: string;
  encodings: ((text: string) => string)[];
  /** What is done to the body at last. */
  body: (text: string) => string | Uint8Array;
}

/** Seconds; the exchanges start at it. */
export const requestTime = 1_700_000_000;

export function rightRequest(dice: Dice): MutableRequest {
  const operation = dice.of(['close-day', 'process-recurring-payments', 'process-recurring-payments'] as const);
  const isCloseDay = operation === 'close-day';
  const bytes = Buffer.from(Array.from({ length: isCloseDay ? 20 : 256 }, () => dice.below(256)));
  return {
    operation,
    scheme: 'OAuth ',
    header: [
      { name: 'oauth_consumer_key', value: 'shop' },
      { name: 'oauth_signature_method', value: isCloseDay ? 'HMAC-SHA1' : 'RSA-SHA256' },
      { name: 'oauth_timestamp', value: String(requestTime) },
      { name: 'oauth_nonce', value: 'y3qlvMPky7g' },
      { name: 'oauth_version', value: '1.0' },
      { name: 'oauth_signature', value: bytes.toString('base64') },
    ],
    comma: ', ',
    quote: '"',
    lines: 1,
    form: isCloseDay ? closeDayFields() : [{ name: 'payload', value: '' }],
    csv: [
      ['"client-orderid"', '"recurring-payment-id"', '"amount"', '"amount-from"', '"amount-to"', '"amount-sequence"'],
      ...Array.from({ length: 1 + dice.below(2) }, (_, at) => [
        `order-${at}`,
        '0000000042',
        ...dice.of([
          ['1234567.89', '', '', ''],
          ['', '1.00', '2', ''],
          ['', '', '', '1,2'],
        ]),
      ]),
    ],
    delimiter: ';',
    lineEnd: '\n',
    mark: '',
    encodings: [base64],
    body: (text) => text,
  };
}

function closeDayFields(): Pair[] {
  return [
    { name: 'day_close_request_id', value: '902B4FF5a1b2c3d4' },
    { name: 'sale_approved_count', value: '2' },
    { name: 'sale_approved_sum', value: '10.42' },
  ];
}

/** Of the text in UTF-8. */
export const base64 = (text: string) => Buffer.from(text).toString('base64');
/** The lines of the Authorization header, and the body. */
export function requestParts(request: MutableRequest): { readonly authorization: string[]; readonly body: Uint8Array } {
  const { scheme, header, comma, quote, lines, form, csv, delimiter, lineEnd, mark, encodings, body } = request;
  const line = scheme + header.map((one) => `${one.name}=${quote}${one.raw ?? escaped(one.value)}${quote}`).join(comma);
  const text = mark + csv.map((row) => row.join(delimiter) + lineEnd).join('');
  const payload = encodings.reduce((encoded, encode) => encode(encoded), text);
  const pairs = form.map((one) => {
    const value = one.name === 'payload' && one.value === '' && one.raw === undefined ? payload : one.value;
    return `${one.name}=${one.raw ?? escaped(value)}`;
  });
  return { authorization: Array<string>(lines).fill(line), body: Buffer.from(body(pairs.join('&')) as string) };
}

/** As RFC 5849 3.6 has it; half of a surrogate pair has no UTF-8 and becomes the replacement character. */
function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
