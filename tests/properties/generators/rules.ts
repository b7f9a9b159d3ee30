/** The rules of sections 2 to 5 once more, written apart from the generators and the schemas, to hold both against. */
import { parse } from 'csv-parse/sync';
import {
  type CsvRow,
  type CsvText,
  type DrawnGate,
  type DrawnPayload,
  finalParameters,
  type HeaderPlan,
  printHeader,
} from '../../../generators/index.ts';
import type { CloseDayFields } from '../../../src/protocol/close-day.ts';

/** Whether a value keeps the rule of that id. Where another rule's fault leaves nothing to look at, it does. */
export type Rules<T> = Readonly<Record<string, (value: T) => boolean>>;

/** Ids of the rules that a value breaks. */
export function brokenBy<T>(rules: Rules<T>, value: T): string[] {
  return Object.keys(rules).filter((id) => !rules[id]!(value));
}

export const requestIdRules: Rules<string> = {
  'close-day/request-id-length': (id) => lengthOf(id) >= 8 && lengthOf(id) <= 32,
  'close-day/request-id-alphabet': (id) => [...id].every((one) => /[\p{L}\p{M}\p{N}]/u.test(one)),
};

export const closeDayRules: Rules<CloseDayFields> = {
  'close-day/request-id-present': (fields) => fields.day_close_request_id !== undefined,
  ...onPart(requestIdRules, (fields: CloseDayFields) => fields.day_close_request_id),
};

export const clientOrderidRules: Rules<string> = {
  'recurring/client-orderid-present': (id) => id !== '',
  'recurring/client-orderid-length': (id) => lengthOf(id) <= 128,
};

export const recurringPaymentIdRules: Rules<string> = {
  'recurring/recurring-payment-id-present': (id) => id !== '',
  'recurring/recurring-payment-id-length': (id) => lengthOf(id) <= 10,
};

export const amountRules: Rules<string> = {
  'recurring/amount-numeric': (amount) => amount === '' || !Number.isNaN(numberOf(amount)),
  'recurring/amount-length': (amount) => Number.isNaN(numberOf(amount)) || amount.replace(/\D/g, '').length <= 10,
};

export const rowRules: Rules<CsvRow> = {
  'recurring/client-orderid-present': (row) => (row['client-orderid'] ?? '') !== '',
  'recurring/recurring-payment-id-present': (row) => (row['recurring-payment-id'] ?? '') !== '',
  'recurring/client-orderid-length': (row) => lengthOf(row['client-orderid'] ?? '') <= 128,
  'recurring/recurring-payment-id-length': (row) => lengthOf(row['recurring-payment-id'] ?? '') <= 10,
  ...onPart(amountRules, (row: CsvRow) => row.amount),
  'recurring/amount-conditional': (row) =>
    Boolean(row.amount) ||
    Boolean(row['amount-sequence']) ||
    (Boolean(row['amount-from']) && Boolean(row['amount-to'])),
};

const csvOwnRules: Rules<CsvText> = {
  'recurring/csv-delimiter': (csv) => delimiterOf(csv) === ';',
  'recurring/csv-header-quoted': (csv) =>
    headerOf(csv)
      .split(delimiterOf(csv))
      .every((name) => /^"[^"]*"$/.test(name)),
  'recurring/csv-rows': (csv) => {
    const records = recordsOf(csv);
    return records?.every((cells) => cells.length === records[0]!.length) ?? false;
  },
};

/** The cells are read back from the text, the column names are those that were meant. */
export const csvRules: Rules<CsvText> = {
  ...csvOwnRules,
  ...Object.fromEntries(
    Object.entries(rowRules).map(([id, rule]) => [
      id,
      (csv: CsvText) => {
        const cells = (recordsOf(csv) ?? []).slice(1).filter((row) => row.length === csv.columns.length);
        return cells.every((row) => rule(Object.fromEntries(csv.columns.map((name, at) => [name, row[at]!]))));
      },
    ]),
  ),
};

export const payloadRules: Rules<DrawnPayload> = {
  'recurring/payload-only': ({ form }) => form.length === 1 && form[0]![0] === 'payload',
  // Only of a text that is base64 but for its spaces can be said that a plus was lost.
  'recurring/payload-escaped': (body) => !/^[\w+/ ]* [\w+/ ]*={0,2}$/.test(payloadOf(body) ?? ''),
  'recurring/payload-base64': (body) => {
    const payload = payloadOf(body);
    if (payload === undefined) return true;
    const text = payload.replaceAll(' ', '+').replace(/[\r\n]/g, '');
    // Buffer also reads the url-safe alphabet and text without padding: both are open, so neither is a fault.
    return /^[\w+/-]+={0,2}$/.test(text) && Buffer.from(text, 'base64').equals(body.csv.bytes);
  },
  ...onPart(csvRules, (body: DrawnPayload) => body.csv),
};

/** For one operation, with the signature that the tests put in. */
export function authorizationRules(
  operation: 'close-day' | 'process-recurring-payments',
  given: { readonly consumerKey: string; readonly timestamp: number; readonly signature: string },
): Rules<HeaderPlan> {
  const closeDay = operation === 'close-day';
  const known = [
    'oauth_consumer_key',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_nonce',
    'oauth_version',
    'oauth_signature',
  ];
  const value = (plan: HeaderPlan, name: string) =>
    finalParameters(plan, given.signature).find(([found]) => found === name)?.[1];
  const keeps = (name: string, test: (text: string) => boolean) => (plan: HeaderPlan) => {
    const text = value(plan, name);
    return text === undefined || test(text);
  };
  return {
    'authentication/header-scheme': (plan) => {
      const [, rest] = /^OAuth +(.*)$/is.exec(printHeader(plan, given.signature)) ?? [];
      return rest?.split(',').every((part) => /^\s*\w+\s*=\s*("[^"]*"|[^\s",;&]*)\s*$/.test(part)) ?? false;
    },
    'authentication/header-parameters': (plan) => {
      const names = plan.parameters.map(([name]) => name).filter((name) => name !== 'realm');
      const token = plan.parameters.filter(([name]) => name === 'oauth_token');
      const tolerated = token.length <= 1 && token.every(([, text]) => text === '');
      return (
        tolerated &&
        value(plan, 'oauth_nonce') !== '' &&
        names
          .filter((name) => name !== 'oauth_token')
          .sort()
          .join() === [...known].sort().join()
      );
    },
    'authentication/header-values-encoded': (plan) =>
      finalParameters(plan, given.signature).every(([name, text]) => {
        const printed = printHeader(plan, given.signature).matchAll(
          new RegExp(`\\b${name}\\s*=\\s*"?([^",;&\\s]*)`, 'g'),
        );
        return [...printed].some(
          ([, value = '']) => /^(?:[\w.~-]|%[0-9a-f]{2})*$/i.test(value) && decodeURIComponent(value) === text,
        );
      }),
    'authentication/consumer-key': keeps('oauth_consumer_key', (text) => text === given.consumerKey),
    [`authentication/${closeDay ? 'close-day' : 'recurring'}-method`]: keeps(
      'oauth_signature_method',
      (text) => text === (closeDay ? 'HMAC-SHA1' : 'RSA-SHA256'),
    ),
    'authentication/timestamp-seconds': keeps(
      'oauth_timestamp',
      (text) => /^\+?\d+$/.test(text) && Math.abs(Number(text) - given.timestamp) <= 31_536_000,
    ),
    'authentication/version': keeps('oauth_version', (text) => text === '1.0'),
    'authentication/signature-base64': keeps(
      'oauth_signature',
      (text) => Buffer.from(text, 'base64').length === (closeDay ? 20 : 256),
    ),
  };
}

const gateMembers = {
  id: ['gateId', Number.isInteger],
  'is-day-closing': ['isDayClosing', isBoolean],
  'close-date': ['gateCloseDate', isText],
  'epnt-id': ['epntId', Number.isInteger],
  'sale-approved-count': ['saleApprovedCount', isText],
  'sale-amount': ['saleAmount', isText],
  'reversal-approved-count': ['reversalApprovedCount', isText],
  'reversal-amount': ['reversalAmount', isText],
  code39: ['code39', isText],
  rrn: ['RRN', isText],
} as const satisfies Record<string, readonly [string, (value: unknown) => boolean]>;

export const gateRules: Rules<DrawnGate> = {
  ...Object.fromEntries(
    Object.entries(gateMembers).flatMap(([slug, [member, hasType]]) => [
      [`close-day/gate-${slug}-present`, ({ text }: DrawnGate) => member in JSON.parse(text)],
      [
        `close-day/gate-${slug}-type`,
        ({ text }: DrawnGate) => {
          const gate = JSON.parse(text);
          return !(member in gate) || hasType(gate[member]);
        },
      ],
    ]),
  ),
  'close-day/gate-sale-amount-form': ({ text }) => isSum(JSON.parse(text).saleAmount),
  'close-day/gate-reversal-amount-form': ({ text }) => isSum(JSON.parse(text).reversalAmount),
  'close-day/gate-close-date-shape': ({ text }) => {
    const date: unknown = JSON.parse(text).gateCloseDate;
    return !isText(date) || /^\S+ \S+ \d{1,2} \d\d:\d\d:\d\d \S+ \d{4}$/.test(date);
  },
};

function onPart<Whole, Part>(rules: Rules<Part>, partOf: (whole: Whole) => Part | undefined): Rules<Whole> {
  return Object.fromEntries(
    Object.entries(rules).map(([id, rule]) => [
      id,
      (whole: Whole) => {
        const part = partOf(whole);
        return part === undefined || rule(part);
      },
    ]),
  );
}

/** Code points: the reading of "characters" in which the fewest texts are too long. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** NaN for what no reading takes for a number; Arabic-Indic digits are digits in some. */
function numberOf(text: string): number {
  const western = text.replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
  return /^[\d.+eE-]+$/.test(western) ? Number(western) : Number.NaN;
}

function headerOf(csv: CsvText): string {
  return csv.text.replace(/^\ufeff/, '').split(/[\r\n]/)[0]!;
}

function delimiterOf(csv: CsvText): string {
  return [';', ',', '\t', '|'].find((one) => headerOf(csv).includes(one)) ?? '';
}

/** The rows, header first; undefined where the quoting is broken. */
function recordsOf(csv: CsvText): string[][] | undefined {
  try {
    return parse(csv.text, {
      delimiter: delimiterOf(csv),
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch {
    return undefined;
  }
}

function payloadOf({ form }: DrawnPayload): string | undefined {
  return form.find(([name]) => name === 'payload')?.[1];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isSum(value: unknown): boolean {
  return !isText(value) || /^-?\d+\.\d\d$/.test(value);
}
