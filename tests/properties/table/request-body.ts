/** Operators on the bodies of requests: fields, the base64 text and the cells of the CSV, in requests of which it is not known what was asked for (sections 2.1, 2.3, 4 and 8). */
import { again, inGroup, listed, type Rows, type TableOperator } from './operator.ts';
import { base64, isCloseDay, type RequestParts, type TabledRequest } from './requests.ts';

type Change = Partial<RequestParts> | ((parts: RequestParts) => unknown);

const closeDay = operatorOn('request body', isCloseDay);
const batch = operatorOn('request body', (request) => !isCloseDay(request));
const csv = operatorOn('request CSV', (request) => !isCloseDay(request));
const both = operatorOn('request body', () => true);

const form = (request: TabledRequest): Rows => [
  isCloseDay(request) ? 'close-day/body-is-form' : 'recurring/payload-only',
];
const bodyIsForm: Rows = ['close-day/body-is-form'];
const payloadOnly: Rows = ['recurring/payload-only'];
/** What follows the body belongs to the value of payload. */
const notBase64: Rows = ['recurring/payload-base64'];
const header: Rows = ['recurring/csv-header-quoted'];
const rows: Rows = ['recurring/csv-rows'];
const id = 'day_close_request_id';

export const requestBodyOperators: readonly TableOperator<TabledRequest>[] = [
  ...ids('1234567¦1', ['close-day/request-id-length']),
  ...ids(`${'a'.repeat(33)}¦${'1'.repeat(400)}`, ['close-day/request-id-length']),
  ...ids(`12345678¦${'a'.repeat(32)}¦ABCDEFGHé`, []),
  ...ids(
    '902B4FF5-a1b2¦902B4FF5_a1b2¦902B4FF5 ¦ 902B4FF5¦902B4FF5\n¦902B4FF5\ufeff¦902B4FF5.¦902B4FF5\0¦902B4FF5\u200b¦902B4FF5+',
    ['close-day/request-id-alphabet'],
  ),
  closeDay('the id is left out', ['close-day/request-id-present'], (parts) => parts.form.shift()),
  closeDay('the id is empty', ['close-day/request-id-present'], ({ form }) => Object.assign(form[0]!, { value: '' })),
  closeDay('the id comes twice', bodyIsForm, ({ form }) => again(form, form[0])),
  ...listed('x¦endpoint_id¦payload¦SALE_APPROVED_SUM¦sale-approved-sum¦saleApprovedSum¦sale_approved_sum ').map(
    (name) => closeDay(`close-day with the field ${JSON.stringify(name)}`, bodyIsForm, adding(name, '1')),
  ),
  ...listed('x¦format¦Payload¦day_close_request_id').map((name) =>
    batch(`a batch with the field ${name}`, payloadOnly, adding(name, '1')),
  ),
  batch('payload comes twice', payloadOnly, ({ form }) => again(form, form[0])),
  ...listed('oauth_nonce¦oauth_token¦oauth_x').map((name) =>
    both(`${name} in the body`, ['authentication/parameters-only-in-header'], adding(name, 'x')),
  ),
  ...listed('{}¦{"payload":"x"}¦[]¦<x/>¦--part\r\n¦x¦1').map((text) =>
    both(`a body ${JSON.stringify(text)}`, form, { body: () => text }),
  ),
  ...listed('\n¦\r\n¦%¦%4¦%zz¦é').map((text) =>
    both(
      `${JSON.stringify(text)} after the body`,
      (request) => [...form(request), ...(/\S/.test(text) && !isCloseDay(request) ? notBase64 : [])],
      { body: (whole) => whole + text },
    ),
  ),
  batch('the CSV as plain text', notBase64, { encodings: [] }),
  batch('the CSV encoded twice', notBase64, { encodings: [base64, base64] }),
  batch('the CSV in hexadecimal', notBase64, { encodings: [(text) => Buffer.from(text).toString('hex')] }),
  batch('the CSV in base64url', notBase64, { encodings: [(text) => Buffer.from(text).toString('base64url')] }),
  batch('the CSV in lines of 76', notBase64, { encodings: [base64, (text) => text.replace(/.{76}/g, '$&\r\n')] }),
  batch('the CSV with a line feed behind it', notBase64, { encodings: [base64, (text) => `${text}\n`] }),
  batch('the CSV as a data URI', notBase64, { encodings: [base64, (text) => `data:text/csv;base64,${text}`] }),
  batch('the CSV escaped twice', ['recurring/payload-escaped'], { encodings: [base64, encodeURIComponent] }),
  batch('the CSV in UTF-16', ['recurring/csv-utf-8'], { encodings: [inBase64('utf16le')] }),
  batch('the CSV in ISO 8859-1', ['recurring/csv-utf-8'], { encodings: [inBase64('latin1')] }),
];

export const csvOperators: readonly TableOperator<TabledRequest>[] = [
  ...cells(0, `¦""`, ['recurring/client-orderid-present']),
  ...cells(0, `${'x'.repeat(129)}¦${'é'.repeat(129)}`, ['recurring/client-orderid-length']),
  ...cells(0, `${'x'.repeat(128)}¦"a""b"¦"a;b"¦"a\nb"¦ `, []),
  ...cells(0, 'a"b¦"a"b"¦"a', rows),
  ...cells(1, `¦""`, ['recurring/recurring-payment-id-present']),
  ...cells(1, '00000000421¦abcdefghijk', ['recurring/recurring-payment-id-length']),
  ...cells(1, '42¦abcdefghij', []),
  ...cells(2, `¦""`, ['recurring/amount-conditional']),
  ...cells(2, "1,50¦1 000¦1'000¦1.0.0¦NaN¦0x10¦1EUR¦€1¦ 1¦1 ¦−1¦abc¦null¦.¦1e", ['recurring/amount-numeric']),
  ...cells(2, '12345678901¦123456789.01¦00000000001', ['recurring/amount-length']),
  ...cells(2, '0¦1¦1.5¦1234567890¦12345678.90¦1e3¦-1¦+1¦.5¦5.', []),
  ...listed(',¦\t¦|¦:').map((delimiter) =>
    csv(`${JSON.stringify(delimiter)} between cells`, ['recurring/csv-delimiter'], (parts) =>
      Object.assign(parts, { csv: parts.csv.slice(0, 2), delimiter }),
    ),
  ),
  csv('CRLF after each row', [], { lineEnd: '\r\n' }),
  csv('a carriage return after each row', rows, { lineEnd: '\r' }),
  csv('a byte-order mark', ['recurring/csv-utf-8'], { mark: '\ufeff' }),
  csv('names without quotes', header, ({ csv }) => csv.splice(0, 1, csv[0]!.map(unquoted))),
  csv('no row of names', header, ({ csv }) => csv.shift()),
  ...[0, 1, 2, 3, 4, 5].flatMap((at) => [
    csv(`name ${at} without quotes`, header, ({ csv: [names] }) => names!.splice(at, 1, unquoted(names![at]!))),
    csv(`name ${at} in capitals`, header, ({ csv: [names] }) => names!.splice(at, 1, names![at]!.toUpperCase())),
  ]),
  csv('a row with a cell less', rows, ({ csv }) => csv[2]!.pop()),
  csv('a row with a cell more', rows, ({ csv }) => csv[2]!.push('x')),
  csv('a blank row', rows, ({ csv }) => csv.splice(2, 0, [''])),
];

function operatorOn(group: string, isMeant: (request: TabledRequest) => boolean) {
  return (what: string, breaks: TableOperator<TabledRequest>['breaks'], change: Change) =>
    inGroup<TabledRequest>(group)(what, breaks, (request) => {
      if (request.asked || !isMeant(request)) return false;
      return typeof change === 'function' ? change(request.parts) : Object.assign(request.parts, change);
    });
}

function adding(name: string, value: string): Change {
  return ({ form }) => form.push({ name, value });
}

function ids(values: string, breaks: Rows): TableOperator<TabledRequest>[] {
  return listed(values).map((value) =>
    closeDay(`${id} is ${JSON.stringify(value)}`, breaks, ({ form }) => Object.assign(form[0]!, { value })),
  );
}

/** A cell of the first payment. */
function cells(at: number, values: string, breaks: Rows): TableOperator<TabledRequest>[] {
  return listed(values).map((value) =>
    csv(`cell ${at} is ${JSON.stringify(value)}`, breaks, ({ csv }) => Object.assign(csv[1]!, { [at]: value })),
  );
}

function unquoted(name: string): string {
  return name.replaceAll('"', '');
}

function inBase64(charset: BufferEncoding): (text: string) => string {
  return (text) => Buffer.from(text, charset).toString('base64');
}
