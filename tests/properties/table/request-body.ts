/** Operators on the bodies of requests: fields, the base64 text and the cells of the CSV, in requests of which it is not known what was asked for (sections 2.1, 2.3, 4 and 8). */
import { again, inGroup, listed, type Rows, type TableOperator } from './operator.ts';
import { base64, isCloseDay, type TabledRequest } from './requests.ts';

const body = inGroup<TabledRequest>('request body');
const csv = inGroup<TabledRequest>('request CSV');

const form = (request: TabledRequest): Rows => [
  isCloseDay(request) ? 'close-day/body-is-form' : 'recurring/payload-only',
];
const id = 'day_close_request_id';
/** What follows the body belongs to the value of payload. */
const notBase64: Rows = ['recurring/payload-base64'];

export const requestBodyOperators: readonly TableOperator<TabledRequest>[] = [
  ...ids('1234567¦1', ['close-day/request-id-length']),
  ...ids(`${'a'.repeat(33)}¦${'1'.repeat(400)}`, ['close-day/request-id-length']),
  ...ids(`12345678¦${'a'.repeat(32)}¦ABCDEFGHé`, []),
  ...ids(
    '902B4FF5-a1b2¦902B4FF5_a1b2¦902B4FF5 ¦ 902B4FF5¦902B4FF5\n¦902B4FF5\ufeff¦902B4FF5.¦902B4FF5\0¦902B4FF5\u200b¦902B4FF5+',
    ['close-day/request-id-alphabet'],
  ),
  body(
    'the id is left out',
    ['close-day/request-id-present'],
    onCloseDay(({ parts }) => parts.form.shift()),
  ),
  body(
    'the id is empty',
    ['close-day/request-id-present'],
    onCloseDay(({ parts }) => {
      parts.form[0]!.value = '';
    }),
  ),
  body(
    'the id comes twice',
    ['close-day/body-is-form'],
    onCloseDay(({ parts }) => again(parts.form, parts.form[0])),
  ),
  ...listed('x¦endpoint_id¦payload¦SALE_APPROVED_SUM¦sale-approved-sum¦saleApprovedSum¦sale_approved_sum ').map(
    (name) =>
      body(
        `close-day with the field ${JSON.stringify(name)}`,
        ['close-day/body-is-form'],
        onCloseDay(({ parts }) => parts.form.push({ name, value: '1' })),
      ),
  ),
  ...listed('x¦format¦Payload¦day_close_request_id').map((name) =>
    body(
      `a batch with the field ${name}`,
      ['recurring/payload-only'],
      onBatch(({ parts }) => parts.form.push({ name, value: '1' })),
    ),
  ),
  body(
    'payload comes twice',
    ['recurring/payload-only'],
    onBatch(({ parts }) => again(parts.form, parts.form[0])),
  ),
  ...listed('oauth_nonce¦oauth_token¦oauth_x').map((name) =>
    body(
      `${name} in the body`,
      ['authentication/parameters-only-in-header'],
      unasked(({ parts }) => parts.form.push({ name, value: 'x' })),
    ),
  ),
  ...listed('{}¦{"payload":"x"}¦[]¦<x/>¦--part\r\n¦x¦1').map((text) =>
    body(
      `a body ${JSON.stringify(text)}`,
      form,
      unasked(({ parts }) => {
        parts.body = () => text;
      }),
    ),
  ),
  ...listed('\n¦\r\n¦%¦%4¦%zz¦é').map((text) =>
    body(
      `${JSON.stringify(text)} after the body`,
      (request) => [...form(request), ...(/\S/.test(text) && !isCloseDay(request) ? notBase64 : [])],
      unasked(({ parts }) => {
        parts.body = (whole) => whole + text;
      }),
    ),
  ),
  ...encoded('as plain text', ['recurring/payload-base64'], []),
  ...encoded('encoded twice', ['recurring/payload-base64'], [base64, base64]),
  ...encoded('in hexadecimal', ['recurring/payload-base64'], [(text) => Buffer.from(text).toString('hex')]),
  ...encoded('in base64url', ['recurring/payload-base64'], [(text) => Buffer.from(text).toString('base64url')]),
  ...encoded('in lines of 76', ['recurring/payload-base64'], [base64, (text) => text.replace(/.{76}/g, '$&\r\n')]),
  ...encoded('with a line feed behind it', ['recurring/payload-base64'], [base64, (text) => `${text}\n`]),
  ...encoded('as a data URI', ['recurring/payload-base64'], [base64, (text) => `data:text/csv;base64,${text}`]),
  ...encoded('escaped twice', ['recurring/payload-escaped'], [base64, encodeURIComponent]),
  ...encoded('in UTF-16', ['recurring/csv-utf-8'], [(text) => Buffer.from(text, 'utf16le').toString('base64')]),
  ...encoded('in ISO 8859-1', ['recurring/csv-utf-8'], [(text) => Buffer.from(text, 'latin1').toString('base64')]),
];

export const csvOperators: readonly TableOperator<TabledRequest>[] = [
  ...cells(0, `¦""`, ['recurring/client-orderid-present']),
  ...cells(0, `${'x'.repeat(129)}¦${'é'.repeat(129)}`, ['recurring/client-orderid-length']),
  ...cells(0, `${'x'.repeat(128)}¦"a""b"¦"a;b"¦"a\nb"¦ `, []),
  ...cells(0, 'a"b¦"a"b"¦"a', ['recurring/csv-rows']),
  ...cells(1, `¦""`, ['recurring/recurring-payment-id-present']),
  ...cells(1, '00000000421¦abcdefghijk', ['recurring/recurring-payment-id-length']),
  ...cells(1, '42¦abcdefghij', []),
  ...cells(2, `¦""`, ['recurring/amount-conditional']),
  ...cells(2, "1,50¦1 000¦1'000¦1.0.0¦NaN¦0x10¦1EUR¦€1¦ 1¦1 ¦−1¦abc¦null¦.¦1e", ['recurring/amount-numeric']),
  ...cells(2, '12345678901¦123456789.01¦00000000001', ['recurring/amount-length']),
  ...cells(2, '0¦1¦1.5¦1234567890¦12345678.90¦1e3¦-1¦+1¦.5¦5.', []),
  ...listed(',¦\t¦|¦:').map((text) =>
    csv(
      `${JSON.stringify(text)} between cells`,
      ['recurring/csv-delimiter'],
      onBatch(({ parts }) => {
        parts.csv.pop();
        parts.csv.pop();
        parts.delimiter = text;
      }),
    ),
  ),
  csv(
    'CRLF after each row',
    [],
    onBatch(({ parts }) => {
      parts.lineEnd = '\r\n';
    }),
  ),
  csv(
    'a carriage return after each row',
    ['recurring/csv-rows'],
    onBatch(({ parts }) => {
      parts.lineEnd = '\r';
    }),
  ),
  csv(
    'a byte-order mark',
    ['recurring/csv-utf-8'],
    onBatch(({ parts }) => {
      parts.mark = '\ufeff';
    }),
  ),
  csv(
    'names without quotes',
    ['recurring/csv-header-quoted'],
    onBatch(({ parts }) => {
      parts.csv[0] = parts.csv[0]!.map((name) => name.replaceAll('"', ''));
    }),
  ),
  csv(
    'no row of names',
    ['recurring/csv-header-quoted'],
    onBatch(({ parts }) => parts.csv.shift()),
  ),
  ...[0, 1, 2, 3, 4, 5].flatMap((at) => [
    csv(
      `name ${at} without quotes`,
      ['recurring/csv-header-quoted'],
      onBatch(({ parts }) => {
        parts.csv[0]![at] = parts.csv[0]![at]!.replaceAll('"', '');
      }),
    ),
    csv(
      `name ${at} in capitals`,
      ['recurring/csv-header-quoted'],
      onBatch(({ parts }) => {
        parts.csv[0]![at] = parts.csv[0]![at]!.toUpperCase();
      }),
    ),
  ]),
  csv(
    'a row with a cell less',
    ['recurring/csv-rows'],
    onBatch(({ parts }) => parts.csv[2]!.pop()),
  ),
  csv(
    'a row with a cell more',
    ['recurring/csv-rows'],
    onBatch(({ parts }) => parts.csv[2]!.push('x')),
  ),
  csv(
    'a blank row',
    ['recurring/csv-rows'],
    onBatch(({ parts }) => parts.csv.splice(2, 0, [''])),
  ),
];

function unasked(change: (request: TabledRequest) => unknown) {
  return (request: TabledRequest) => !request.asked && change(request);
}

function onCloseDay(change: (request: TabledRequest) => unknown) {
  return (request: TabledRequest) => isCloseDay(request) && unasked(change)(request);
}

function onBatch(change: (request: TabledRequest) => unknown) {
  return (request: TabledRequest) => !isCloseDay(request) && unasked(change)(request);
}

function ids(values: string, breaks: Rows): TableOperator<TabledRequest>[] {
  return listed(values).map((value) =>
    body(
      `${id} is ${JSON.stringify(value)}`,
      breaks,
      onCloseDay(({ parts }) => {
        parts.form[0]!.value = value;
      }),
    ),
  );
}

function encoded(what: string, breaks: Rows, encodings: ((text: string) => string)[]): TableOperator<TabledRequest>[] {
  return [
    body(
      `the CSV ${what}`,
      breaks,
      onBatch(({ parts }) => {
        parts.encodings = encodings;
      }),
    ),
  ];
}

/** A cell of the first payment. */
function cells(at: number, values: string, breaks: Rows): TableOperator<TabledRequest>[] {
  return listed(values).map((value) =>
    csv(
      `cell ${at} is ${JSON.stringify(value)}`,
      breaks,
      onBatch(({ parts }) => {
        parts.csv[1]![at] = value;
      }),
    ),
  );
}
