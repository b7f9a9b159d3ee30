/** Operators on requests: on the request line and the Authorization header, and on the bodies of recorded requests. */
import { again, inGroup, type Rows, split, type TableOperator } from './operator.ts';
import { base64, isCloseDay, type RequestParts, requestTime, type TabledRequest } from './requests.ts';

type Change = Partial<RequestParts> | ((parts: RequestParts) => unknown);

const closeDay = operatorOn('request body', isCloseDay);
const batch = operatorOn('request body', (request) => !isCloseDay(request));
const csv = operatorOn('request CSV', (request) => !isCloseDay(request));
const both = operatorOn('request body', () => true);

const form = (one: TabledRequest): Rows => [isCloseDay(one) ? 'close-day/body-is-form' : 'recurring/payload-only'];
const bodyIsForm: Rows = ['close-day/body-is-form'];
const payloadOnly: Rows = ['recurring/payload-only'];
/** Text after the body belongs to the value of payload. */
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
  ...split('x¦endpoint_id¦payload¦SALE_APPROVED_SUM¦sale-approved-sum¦saleApprovedSum¦sale_approved_sum ').map((name) =>
    closeDay(`close-day with the field ${JSON.stringify(name)}`, bodyIsForm, append(name, '1')),
  ),
  ...split('x¦format¦Payload¦day_close_request_id').map((name) =>
    batch(`a batch with the field ${name}`, payloadOnly, append(name, '1')),
  ),
  batch('payload comes twice', payloadOnly, ({ form }) => again(form, form[0])),
  ...split('oauth_nonce¦oauth_token¦oauth_x').map((name) =>
    both(`${name} in the body`, ['authentication/parameters-only-in-header'], append(name, 'x')),
  ),
  ...split('{}¦{"payload":"x"}¦[]¦<x/>¦--part\r\n¦x¦1').map((text) =>
    both(`a body ${JSON.stringify(text)}`, form, { body: () => text }),
  ),
  ...split('\n¦\r\n¦%¦%4¦%zz¦é').map((text) =>
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
  ...split(',¦\t¦|¦:').map((delimiter) =>
    csv(`${JSON.stringify(delimiter)} between cells`, ['recurring/csv-delimiter'], (parts) =>
      Object.assign(parts, { csv: parts.csv.slice(0, 2), delimiter }),
    ),
  ),
  csv('CRLF after each row', [], { lineEnd: '\r\n' }),
  csv('a carriage return after each row', rows, { lineEnd: '\r' }),
  csv('a byte-order mark', ['recurring/csv-utf-8'], { mark: '\ufeff' }),
  csv('names without quotes', header, ({ csv }) => csv.splice(0, 1, csv[0]!.map(unquoted))),
  csv('no row of column names', header, ({ csv }) => csv.shift()),
  ...[0, 1, 2, 3, 4, 5].flatMap((at) => [
    csv(`name ${at} without quotes`, header, ({ csv: [names] }) => names!.splice(at, 1, unquoted(names![at]!))),
    csv(`name ${at} in capitals`, header, ({ csv: [names] }) => names!.splice(at, 1, names![at]!.toUpperCase())),
  ]),
  csv('a row with a cell less', rows, ({ csv }) => csv[2]!.pop()),
  csv('a row with a cell more', rows, ({ csv }) => csv[2]!.push('x')),
  csv('a blank row', rows, ({ csv }) => csv.splice(2, 0, [''])),
];

function operatorOn(group: string, applies: (request: TabledRequest) => boolean) {
  return (what: string, breaks: TableOperator<TabledRequest>['breaks'], change: Change) =>
    inGroup<TabledRequest>(group)(what, breaks, (request) => {
      if (request.hasInput || !applies(request)) return false;
      return typeof change === 'function' ? change(request.parts) : Object.assign(request.parts, change);
    });
}

function append(name: string, value: string): Change {
  return ({ form }) => form.push({ name, value });
}

function ids(values: string, breaks: Rows): TableOperator<TabledRequest>[] {
  return split(values).map((value) =>
    closeDay(`${id} is ${JSON.stringify(value)}`, breaks, ({ form }) => Object.assign(form[0]!, { value })),
  );
}

/** Changes a cell of the first payment. */
function cells(at: number, values: string, breaks: Rows): TableOperator<TabledRequest>[] {
  return split(values).map((value) =>
    csv(`cell ${at} is ${JSON.stringify(value)}`, breaks, ({ csv }) => Object.assign(csv[1]!, { [at]: value })),
  );
}

function unquoted(name: string): string {
  return name.replaceAll('"', '');
}

function inBase64(charset: BufferEncoding): (text: string) => string {
  return (text) => Buffer.from(text, charset).toString('base64');
}

const line = inGroup<TabledRequest>('request line');
const onRequest = inGroup<TabledRequest>('request authorization');
const make = (what: string, breaks: Breaks, change: Partial<RequestParts> | ((parts: RequestParts) => unknown)) =>
  onRequest(what, breaks, ({ parts }) => (typeof change === 'function' ? change(parts) : Object.assign(parts, change)));

type Breaks = Rows | ((request: TabledRequest) => Rows);

const params = split('consumer_key¦signature_method¦timestamp¦nonce¦version¦signature').map((name) => `oauth_${name}`);
const list: Rows = ['authentication/header-parameters'];
const encoding: Rows = ['authentication/header-values-encoded'];
const scheme: Rows = ['authentication/header-scheme'];
const time: Rows = ['authentication/timestamp-seconds'];
const signatureBase64: Rows = ['authentication/signature-base64'];

/** The requirement of that name for the operation of the request. */
const rowOf =
  (what: 'path' | 'method' | 'content-type-sent' | 'authorization-sent') =>
  (request: TabledRequest): Rows => [isCloseDay(request) ? `close-day/${what}` : `recurring/${what}`];
const method = (request: TabledRequest): Rows => [
  isCloseDay(request) ? 'authentication/close-day-method' : 'authentication/recurring-method',
];
/** These requirements break only if the input of the client is known. */
const ifInputKnown =
  (rows: Rows) =>
  (request: TabledRequest): Rows =>
    request.hasInput ? rows : [];

export const requestLineOperators: readonly TableOperator<TabledRequest>[] = [
  ...split('GET¦PUT¦PATCH¦DELETE¦post¦Post').map((name) =>
    line(`the method ${name}`, rowOf('method'), { method: name }),
  ),
  line('over plain http', ['transport/https'], { scheme: 'http' }),
  path('another version', /v\d/, 'v3'),
  path('a version in capitals', /v(\d)/, 'V$1'),
  path('no version', /v\d\//, ''),
  path('no endpoint', /\/1111$/, ''),
  path('an empty endpoint', /1111$/, ''),
  path('a slash at the end', /$/, '/'),
  path('a segment more', /$/, '/x'),
  path('another operation', /[a-z-]+\/1111/, 'sale/1111'),
  path('underscores', /-/g, '_'),
  path('capitals', /[a-z-]+(?=\/1111)/, 'CLOSE-DAY'),
  path('no api', /\/api/, ''),
  path('a slash too many', /\/1111/, '//1111'),
  path('a query', /$/, '?x=1'),
  path('an encoded slash', /\/1111/, '%2F1111'),
  path('another endpoint', /1111/, '1112', ({ hasInput }) => hasInput),
  path('another prefix', /^/, '/paynet', ({ hasInput }) => hasInput),
  ...split('oauth_nonce=x¦oauth_token=¦oauth%5Fnonce=x').map((query) =>
    line(`a query ${query}`, ['authentication/parameters-only-in-header'], (request) =>
      Object.assign(request, { target: `${request.target}?${query}` }),
    ),
  ),
  ...split('sale_approved_sum=10.42¦day_close_request_id=902B4FF5a1b2c3d4¦payload=x').map((query) =>
    line(`a query ${query} beside the body`, rowOf('path'), (request) =>
      Object.assign(request, { target: `${request.target}?${query}` }),
    ),
  ),
  ...[
    [],
    [''],
    ['application/json'],
    ['text/plain'],
    ['multipart/form-data'],
    ['application/x-www-form-urlencode'],
    ['application/x-www-form-urlencoded, text/plain'],
    ['application/x-www-form-urlencoded\u00a0'],
    ['form'],
    ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
    ['application/json', 'application/x-www-form-urlencoded'],
  ].map((values) =>
    line(
      `Content-Type: ${values.map((one) => JSON.stringify(one)).join(' and ') || 'not there'}`,
      rowOf('content-type-sent'),
      { headers: values.map((value) => ['Content-Type', value]) },
    ),
  ),
  ...split(
    'APPLICATION/X-WWW-FORM-URLENCODED¦application/x-www-form-urlencoded;charset=UTF-8¦ application/x-www-form-urlencoded ¦application/x-www-form-urlencoded ; a="b"',
  ).map((value) => line(`Content-Type: ${JSON.stringify(value)}`, [], { headers: [['content-type', value]] })),
];

const timestamps = {
  right: [`0${requestTime}`, String(requestTime + 300), String(requestTime - 300)],
  wrong: [
    ...split(
      '-1¦+1¦0¦00¦1.0¦1e9¦1700000000.0¦1700000000,0¦ 1700000000¦1700000000 ¦1700000000\n¦0x6553f100¦1700000000000¦1700000000000000',
    ),
    ...split('2023-11-14T22:13:20Z¦١٧٠٠٠٠٠٠٠٠¦1_700_000_000¦1700000000s¦now¦null'),
  ],
};

export const authorizationOperators: readonly TableOperator<TabledRequest>[] = [
  ...params.flatMap(operatorsOn),
  ...timestamps.right.map((value) => setting('oauth_timestamp', value, [])),
  ...timestamps.wrong.map((value) => setting('oauth_timestamp', value, time)),
  ...[-301, 301, 3600].map((offset) => setting('oauth_timestamp', String(requestTime + offset), ifInputKnown(time))),
  ...split('1¦1.00¦01.0¦1.0a¦1.1¦2.0¦ 1.0¦1.0 ¦1,0¦v1.0¦١.٠').map((value) =>
    setting('oauth_version', value, ['authentication/version']),
  ),
  ...split(
    'hmac-sha1¦rsa-sha256¦HMAC-SHA256¦HMAC-SHA-1¦HMAC_SHA1¦HMACSHA1¦HMAC-SHA1 ¦ RSA-SHA256¦RSA-SHA1¦RSA-SHA512¦PLAINTEXT¦HМAC-SHA1¦null',
  ).map((value) => setting('oauth_signature_method', value, method)),
  setting('oauth_signature_method', 'RSA-SHA256', method, isCloseDay),
  setting('oauth_signature_method', 'HMAC-SHA1', method, (request) => !isCloseDay(request)),
  ...split('Shop¦shop ¦ shop¦sho¦shopp¦shор').map((value) =>
    setting('oauth_consumer_key', value, ifInputKnown(['authentication/consumer-key'])),
  ),
  ...split(
    'A¦AA¦AAA¦A===¦=¦====¦AA==A¦AAAA=¦AAB=¦AB==¦AA-_¦!!!!¦AAAA\n¦AAAA\t¦ AAAA¦AA AA¦AA\r\nAA¦\u00a0AAAA¦ÿAAA¦AAАA',
  ).map((value) => setting('oauth_signature', value, signatureBase64)),
  ...['aB'.repeat(20), 'F'.repeat(64), '0'.repeat(128), '0a'.repeat(256)].map((value) =>
    setting('oauth_signature', value, signatureBase64),
  ),
  signature('without its padding', (text) => text.replace(/=+$/, '')),
  signature('in base64url', (text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  signature('with blanks for +', (text) => text.replaceAll('+', ' ')),
  signature('in lines', (text) => text.replace(/.{20}/g, '$&\n')),
  signature('in base64 again', (text) => Buffer.from(text).toString('base64')),
  signature('in hexadecimal', (text) => Buffer.from(text, 'base64').toString('hex')),
  signature('escaped twice', encodeURIComponent, encoding),
  ...split(
    'oauth_token=x¦oauth_body_hash=x¦oauth_callback=oob¦oauth_verifier=x¦x=1¦OAuth_Nonce=x¦payload=x¦oauth_nonce%20=x',
  ).map((text) => extraPairs(text, list)),
  ...split('realm=¦Realm=x¦REALM=a b¦oauth_token=').map((text) => extraPairs(text, [])),
  ...split('realm=¦oauth_token=').map((text) => extraPairs(`${text}¦${text}`, list)),
  ...split(
    'Basic ¦Bearer ¦OAuth2 ¦OAuth1 ¦OAut ¦OAuthh ¦OAuth: ¦OAuth, ¦OAuth; ¦OAuth!¦OAuth\0¦OAuth\u00a0¦¦"OAuth" ',
  ).map((text) => make(`the scheme ${JSON.stringify(text)}`, scheme, { scheme: text })),
  ...split('oauth ¦OAUTH ¦OAuth  ¦OAuth\t¦ OAuth ').map((text) =>
    make(`the scheme ${JSON.stringify(text)}`, [], { scheme: text }),
  ),
  ...split(';¦; ¦&¦ ¦,,¦, , ¦').map((comma) => make(`${JSON.stringify(comma)} between parameters`, scheme, { comma })),
  ...split(',¦,\t¦ , ¦,  ').map((comma) => make(`${JSON.stringify(comma)} between parameters`, [], { comma })),
  ...split(',¦, ¦;¦ x¦ oauth_nonce').map((text) =>
    written(`${JSON.stringify(text)} after the last parameter`, scheme, (part, at) => (at === 5 ? part + text : part)),
  ),
  make('the parameters in the reverse order', [], ({ header }) => header.reverse()),
  make('no Authorization', rowOf('authorization-sent'), { lineCount: 0 }),
  make('an empty Authorization', rowOf('authorization-sent'), (parts) =>
    Object.assign(parts, { scheme: '', header: [] }),
  ),
  make('the scheme alone', list, (parts) => Object.assign(parts, { header: [] })),
  make('two Authorization lines', scheme, { lineCount: 2 }),
];

function path(what: string, from: RegExp, to: string, fits: (request: TabledRequest) => boolean = () => true) {
  return line(`a path with ${what}`, rowOf('path'), (request) => {
    if (!fits(request)) return false;
    request.target = request.target.replace(from, to);
    return true;
  });
}

function operatorsOn(name: string): TableOperator<TabledRequest>[] {
  const part = (what: string, breaks: Rows, change: (text: string) => string) =>
    written(`${name} ${what}`, breaks, (one) => (one.startsWith(`${name}=`) ? change(one) : one));
  const escaped = (value: string) =>
    value.replace(/%..|./g, (one) => (one.length > 1 ? one : `%${one.charCodeAt(0).toString(16)}`));
  const others = [
    ...[name.toUpperCase(), name.replace('oauth_', ''), name.replaceAll('_', '-'), `x${name}`, `${name}s`],
    name.replace('o', 'о'),
  ];
  return [
    make(`${name} is left out`, list, ({ header }) => header.splice(header.findIndex(isNamed(name)), 1)),
    setting(name, '', list),
    ...['', 'x'].map((value) =>
      make(`${name} comes twice, the second one ${JSON.stringify(value)}`, list, ({ header }) =>
        header.push({ name, value }),
      ),
    ),
    make(`${name} comes twice`, list, ({ header }) => again(header, header.find(isNamed(name)))),
    ...others.map((other) =>
      make(`${name} is called ${other}`, list, ({ header }) =>
        Object.assign(header.find(isNamed(name))!, { name: other }),
      ),
    ),
    part('without quotes', encoding, (text) => text.replaceAll('"', '')),
    part('in apostrophes', encoding, (text) => text.replaceAll('"', "'")),
    ...[' =', '= '].map((equals) => part(`with ${equals}`, encoding, (text) => text.replace('=', equals))),
    ...(name === 'oauth_nonce' ? [part('with %FF', encoding, (text) => text.replace(/"$/, '%FF"'))] : []),
    part('with escapes for all letters', [], (text) =>
      text.replace(/"(.*)"/, (_, value: string) => `"${escaped(value)}"`),
    ),
    ...(name === 'oauth_signature'
      ? [part('with escapes in small letters', [], (text) => text.replace(/%../g, (one) => one.toLowerCase()))]
      : []),
  ];
}

function isNamed(name: string): (one: { readonly name: string }) => boolean {
  return (one) => one.name === name;
}

/** Changes each parameter as it is written, `name="value"`. False if nothing changes. */
function written(what: string, breaks: Rows, change: (part: string, at: number) => string) {
  return make(what, breaks, (parts) => {
    const before = parts.header.map(({ name, value }) => `${name}="${encodeURIComponent(value)}"`);
    const after = before.map(change).join(', ');
    Object.assign(parts, { scheme: parts.scheme + after, header: [] });
    return after !== before.join(', ');
  });
}

function setting(name: string, value: string, breaks: Breaks, fits: (request: TabledRequest) => boolean = () => true) {
  return onRequest(`${name} is ${JSON.stringify(value)}`, breaks, (request) => {
    request.parts.header.find(isNamed(name))!.value = value;
    return fits(request);
  });
}

function signature(
  what: string,
  change: (text: string) => string,
  breaks = signatureBase64,
): TableOperator<TabledRequest> {
  return make(`oauth_signature ${what}`, breaks, ({ header }) => {
    const one = header.find(isNamed('oauth_signature'))!;
    const before = one.value;
    one.value = change(before);
    return one.value !== before;
  });
}

function extraPairs(pairs: string, breaks: Rows): TableOperator<TabledRequest> {
  const added = split(pairs).map((pair) => pair.split('='));
  return make(`${pairs.replace('¦', ' and ')} besides`, breaks, ({ header }) =>
    header.push(...added.map(([name = '', value = '']) => ({ name, value }))),
  );
}
