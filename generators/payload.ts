/** The form body of a batch request (section 4.2): the parameter payload, which holds the CSV in base64. */
import * as fc from 'fast-check';
import { printableClientOrderid } from './client-orderid.ts';
import { type CsvRow, oddCsvRowOf, type PaymentRow, paymentRowOf, paymentRows, plainRow } from './csv-row.ts';
import { asText, type CsvText, csvFormEdges, csvOf, faultyCsvTextOf } from './csv-text.ts';
import { type AtGateway, drawn, fault, type Labelled, open, relabel, valid } from './labelled.ts';

export interface DrawnPayload {
  /** Before form encoding. */
  readonly form: readonly (readonly [name: string, value: string])[];
  readonly csv: CsvText;
}

/** The simplest valid bodies. Their base64 has no `+` or `/`, which need order ids that a gateway may refuse (A37). */
export const payloads: fc.Arbitrary<Labelled<DrawnPayload>> = fc
  .array(paymentRows, { minLength: 1, maxLength: 2 })
  .map((rows) => valid(bodyOf(csvOf(rows.map(({ value }) => value)))));

/** Bodies whose base64 has + and /, and any padding. A client must be able to send such bodies. A gateway may refuse their order ids (A37). */
export const plusAndSlashPayload: fc.Arbitrary<Labelled<DrawnPayload>> = fc
  .tuple(fc.array(paymentRowOf(printableClientOrderid), { minLength: 1, maxLength: 4 }), fc.nat({ max: 2 }))
  .map(([rows, padding]) => {
    const values = rows.map(({ value }) => value);
    return open('A37', 'plus-and-slash', bodyOf(withPlusAndSlash(values, padding)));
  });

/** Three bodies of one valid row. Their base64 ends with 0, 1 and 2 padding characters. */
export function paddingEdges(right: PaymentRow): readonly Labelled<DrawnPayload>[] {
  return [0, 1, 2].map((padding) => valid(bodyOf(padded(right, padding)), `padding-${padding}`));
}

export function payloadFormEdges(right: PaymentRow): readonly Labelled<DrawnPayload>[] {
  const other = (edge: string, csv: CsvText, change: (base64: string) => string) =>
    open('A16', edge, bodyOf(csv, change));
  return [
    ...paddingEdges(right),
    ...[0, 1, 2].map((padding) =>
      open('A37', `padding-${padding}-with-plus-and-slash`, bodyOf(withPlusAndSlash([], padding, right))),
    ),
    other('url-safe-alphabet', withPlusAndSlash([], 0, right), (text) =>
      text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    ),
    other('without-padding', padded(right, 2), (text) => text.replace(/=+$/, '')),
    other('wrapped-at-76-with-line-feeds', padded(right, 1), (text) => wrapped(text, 76, '\n')),
    other('wrapped-at-64-with-line-ends', padded(right, 1), (text) => wrapped(text, 64, '\r\n')),
    other('line-feed-at-the-end', padded(right, 1), (text) => `${text}\n`),
    ...csvFormEdges(right).map(asBody),
  ];
}

/** The valid row in another form, or with one unusual cell. `orderId` maps a drawn order id to the id that is sent. */
export function oddPayloadOf(
  right: PaymentRow,
  orderId: (drawn: string) => string = (drawn) => drawn,
): fc.Arbitrary<Labelled<DrawnPayload>> {
  return fc.oneof(
    { weight: 1, arbitrary: drawn(payloadFormEdges(right)) },
    { weight: 3, arbitrary: oddCsvRowOf(right, orderId).map((row) => asBody(asText(row))) },
  );
}

type Spoiler = (csv: CsvText, row: PaymentRow) => Labelled<DrawnPayload>;

const spoilers: readonly Spoiler[] = [
  (_, row) => {
    const body = bodyOf(withPlusAndSlash([], 1, row), (text) => text.replaceAll('+', ' '));
    return fault('recurring/payload-escaped', 'plus-became-a-space', body);
  },
  inOtherForm('plain-csv', (_, csv) => csv.text),
  inOtherForm('hexadecimal', (_, { bytes }) => Buffer.from(bytes).toString('hex')),
  inOtherForm('encoded-twice', (text) => Buffer.from(text).toString('base64')),
  inOtherForm('data-uri', (text) => `data:text/csv;base64,${text}`),
  inOtherForm('percent-encoded', (text) => encodeURIComponent(text)),
  // An absent or empty payload breaks another gateway requirement, which the next two faults name.
  inOtherForm('empty', () => '', 'recurring/missing-payload-refused'),
  inOtherFields('no-payload', () => [], 'recurring/missing-payload-refused'),
  inOtherFields('other-name', (text) => [['Payload', text]]),
  inOtherFields('extra-parameter', (text) => Object.entries({ payload: text, format: 'csv' })),
  inOtherFields('payload-twice', (text) => ['payload', 'payload'].map((name) => [name, text])),
];

function inOtherForm(edge: string, change: (base64: string, csv: CsvText) => string, atGateway?: AtGateway): Spoiler {
  return (csv) =>
    fault('recurring/payload-base64', edge, { form: [['payload', change(base64(csv), csv)]], csv }, atGateway);
}

function inOtherFields(edge: string, form: (base64: string) => DrawnPayload['form'], atGateway?: AtGateway): Spoiler {
  return (csv) => fault('recurring/payload-only', edge, { form: form(base64(csv)), csv }, atGateway);
}

export function faultyPayloadOf(rows: fc.Arbitrary<PaymentRow>): fc.Arbitrary<Labelled<DrawnPayload>> {
  return fc.oneof(
    // Each base64 text has padding, because the fault `percent-encoded` must change the text.
    fc
      .tuple(fc.constantFrom(...spoilers), rows, fc.integer({ min: 1, max: 2 }))
      .map(([spoil, row, padding]) => spoil(padded(row, padding), row)),
    faultyCsvTextOf(rows).map(asBody),
  );
}

function asBody(csv: Labelled<CsvText>): Labelled<DrawnPayload> {
  return { ...relabel(csv, (text) => bodyOf(text)), edge: `csv:${csv.edge}` };
}

function bodyOf(csv: CsvText, change = (base64: string) => base64): DrawnPayload {
  return { form: [['payload', change(base64(csv))]], csv };
}

function base64(csv: CsvText): string {
  return Buffer.from(csv.bytes).toString('base64');
}

/** Lengthens the order id until the base64 has the given number of padding characters. */
function padded(right: PaymentRow, padding: number): CsvText {
  // Cut the order id to 126 characters, because padding adds up to two and the limit is 128 (section 8).
  const order = right['client-orderid'].slice(0, 126);
  return filled((fill) => [{ ...right, 'client-orderid': order + 'x'.repeat(fill) }], padding);
}

/** Adds > and ? to the first order id. As the third byte of three, > becomes + in base64, and ? becomes /. */
function withPlusAndSlash(rows: readonly CsvRow[], padding: number, right: PaymentRow = plainRow): CsvText {
  const mark = right === plainRow ? '' : right['client-orderid'].slice(0, 64);
  return filled((fill) => [{ ...right, 'client-orderid': `${mark}>>>???${'x'.repeat(fill)}` }, ...rows], padding);
}

function filled(rowsOf: (fill: number) => readonly CsvRow[], padding: number): CsvText {
  // `wanted` is the number of bytes after the last complete group of three.
  const wanted = (3 - padding) % 3;
  const bare = csvOf(rowsOf(0)).bytes.length % 3;
  return csvOf(rowsOf((wanted - bare + 3) % 3));
}

function wrapped(text: string, columns: number, lineEnd: string): string {
  return text.match(new RegExp(`.{1,${columns}}`, 'g'))!.join(lineEnd);
}
