/** The form body of a recurring request (section 4.2): one parameter, payload, that holds the CSV in base64. */
import * as fc from 'fast-check';
import { validAmountRow } from './csv-row.ts';
import { type CsvText, csvOf, csvTextEdges, faultyCsvText } from './csv-text.ts';
import { drawn, fault, type Labelled, open, relabel, valid } from './labelled.ts';

export interface RecurringBody {
  /** Names and values before form encoding. */
  readonly form: readonly (readonly [name: string, value: string])[];
  readonly csv: CsvText;
}

/**
 * Right bodies whose base64 is telling: it holds a `+` and a `/`, and 0, 1 and 2 signs of padding are equally likely.
 */
export const validPayload: fc.Arbitrary<Labelled<RecurringBody>> = fc
  .tuple(fc.array(validAmountRow, { minLength: 1, maxLength: 4 }), fc.nat({ max: 2 }))
  .map(([rows, padding]) =>
    valid(
      bodyOf(
        telling(
          rows.map(({ value }) => value),
          padding,
        ),
      ),
    ),
  );

/** Every named edge once: of the base64 and of the form, then of the CSV. */
export const payloadEdges: readonly Labelled<RecurringBody>[] = [
  valid(bodyOf(telling([], 0)), 'padding-0-with-plus-and-slash'),
  valid(bodyOf(telling([], 1)), 'padding-1-with-plus-and-slash'),
  valid(bodyOf(telling([], 2)), 'padding-2-with-plus-and-slash'),
  valid(bodyOf(withoutPlusAndSlash()), 'without-plus-and-slash'),
  open('A16', 'url-safe-alphabet', changed(telling([], 0), urlSafe)),
  open(
    'A16',
    'without-padding',
    changed(telling([], 2), (text) => text.replace(/=+$/, '')),
  ),
  open(
    'A16',
    'wrapped-at-76-with-line-feeds',
    changed(telling([], 1), (text) => wrapped(text, 76, '\n')),
  ),
  open(
    'A16',
    'wrapped-at-64-with-line-ends',
    changed(telling([], 1), (text) => wrapped(text, 64, '\r\n')),
  ),
  open(
    'A16',
    'line-feed-at-the-end',
    changed(telling([], 1), (text) => `${text}\n`),
  ),
  ...csvTextEdges.map((edge) => ({ ...relabel(edge, bodyOf), edge: `csv:${edge.edge}` })),
];

export const edgePayload: fc.Arbitrary<Labelled<RecurringBody>> = drawn(payloadEdges);

const spoilers: readonly ((csv: CsvText) => Labelled<RecurringBody>)[] = [
  (csv) =>
    fault(
      'recurring/payload-base64',
      'plain-csv',
      changed(csv, () => csv.text),
    ),
  (csv) =>
    fault(
      'recurring/payload-base64',
      'hexadecimal',
      changed(csv, () => Buffer.from(csv.bytes).toString('hex')),
    ),
  (csv) =>
    fault(
      'recurring/payload-base64',
      'encoded-twice',
      changed(csv, (text) => Buffer.from(text).toString('base64')),
    ),
  (csv) =>
    fault(
      'recurring/payload-base64',
      'data-uri',
      changed(csv, (text) => `data:text/csv;base64,${text}`),
    ),
  (csv) => fault('recurring/payload-base64', 'percent-encoded', changed(csv, encodeURIComponent)),
  (csv) =>
    fault(
      'recurring/payload-base64',
      'empty',
      changed(csv, () => ''),
    ),
  (csv) =>
    fault(
      'recurring/payload-escaped',
      'plus-became-a-space',
      changed(csv, (text) => text.replaceAll('+', ' ')),
    ),
  (csv) => fault('recurring/payload-only', 'no-payload', { csv, form: [] }),
  (csv) => fault('recurring/payload-only', 'other-name', { csv, form: [['Payload', base64(csv)]] }),
  (csv) =>
    fault('recurring/payload-only', 'extra-parameter', {
      csv,
      form: [
        ['payload', base64(csv)],
        ['format', 'csv'],
      ],
    }),
  (csv) =>
    fault('recurring/payload-only', 'payload-twice', {
      csv,
      form: [
        ['payload', base64(csv)],
        ['payload', base64(csv)],
      ],
    }),
];

/** A right body spoilt in one way: in its encoding, in the form, or in the CSV. */
export const faultyPayload: fc.Arbitrary<Labelled<RecurringBody>> = fc
  .tuple(fc.nat({ max: spoilers.length + 7 }), validAmountRow, faultyCsvText)
  .map(([draw, row, faultyCsv]) =>
    draw < spoilers.length
      ? spoilers[draw]!(telling([row.value], draw % 3))
      : { ...relabel(faultyCsv, bodyOf), edge: `csv:${faultyCsv.edge}` },
  );

function bodyOf(csv: CsvText): RecurringBody {
  return { form: [['payload', base64(csv)]], csv };
}

function changed(csv: CsvText, change: (base64: string) => string): RecurringBody {
  return { form: [['payload', change(base64(csv))]], csv };
}

function base64(csv: CsvText): string {
  return Buffer.from(csv.bytes).toString('base64');
}

/**
 * The rows and before them one whose order id brings `+` and `/` into the base64 and fits the padding: three `>` in a
 * row put one at the last of three bytes, where its six low bits are a group of their own (62, `+`); `?` gives 63, `/`.
 */
function telling(rows: readonly Readonly<Record<string, string>>[], padding: number): CsvText {
  const first = (fill: number) => ({
    'client-orderid': `>>>???${'x'.repeat(fill)}`,
    'recurring-payment-id': '1234567890',
    amount: '1.00',
  });
  // Bytes left over after whole groups of three: none for no padding, two for one sign, one for two.
  const wanted = (3 - padding) % 3;
  const bare = csvOf([first(0), ...rows]).bytes.length % 3;
  return csvOf([first((wanted - bare + 3) % 3), ...rows]);
}

function withoutPlusAndSlash(): CsvText {
  return csvOf([{ 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890', amount: '1.00' }]);
}

function urlSafe(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function wrapped(text: string, columns: number, lineEnd: string): string {
  return text.match(new RegExp(`.{1,${columns}}`, 'g'))!.join(lineEnd);
}
