/** Operators on the request line and the headers of requests (sections 4.1, 4.2 and 5). */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { again, inGroup, listed, type Rows, type TableOperator } from './operator.ts';
import { isCloseDay, requestTime, type TabledRequest } from './requests.ts';

const line = inGroup<TabledRequest>('request line');
const make = inGroup<TabledRequest>('request authorization');

const six = listed('consumer_key¦signature_method¦timestamp¦nonce¦version¦signature').map((name) => `oauth_${name}`);
const list: Rows = ['authentication/header-parameters'];
const encoding: Rows = ['authentication/header-values-encoded'];
const scheme: Rows = ['authentication/header-scheme'];
const time: Rows = ['authentication/timestamp-seconds'];

/** The row of the same name of either operation. */
const own =
  (what: 'path' | 'method' | 'content-type-sent' | 'authorization-sent') =>
  (request: TabledRequest): Rows => [isCloseDay(request) ? `close-day/${what}` : `recurring/${what}`];
const method = (request: TabledRequest): Rows => [
  isCloseDay(request) ? 'authentication/close-day-method' : 'authentication/recurring-method',
];

export const requestLineOperators: readonly TableOperator<TabledRequest>[] = [
  ...listed('GET¦PUT¦PATCH¦DELETE¦post¦Post').map((name) =>
    line(`the method ${name}`, own('method'), (request) => {
      request.method = name;
    }),
  ),
  line('over plain http', ['transport/https'], (request) => {
    request.scheme = 'http';
  }),
  ...(
    [
      ['another version', /v\d/, 'v3'],
      ['a version in capitals', /v(\d)/, 'V$1'],
      ['no version', /v\d\//, ''],
      ['no endpoint', /\/1111$/, ''],
      ['an empty endpoint', /1111$/, ''],
      ['a slash at the end', /$/, '/'],
      ['a segment more', /$/, '/x'],
      ['another operation', /[a-z-]+\/1111/, 'sale/1111'],
      ['underscores', /-/g, '_'],
      ['capitals', /[a-z-]+(?=\/1111)/, 'CLOSE-DAY'],
      ['no api', /\/api/, ''],
      ['a slash too many', /\/1111/, '//1111'],
      ['a query', /$/, '?x=1'],
      ['an encoded slash', /\/1111/, '%2F1111'],
    ] as const
  ).map(([what, from, to]) =>
    line(`a path with ${what}`, own('path'), (request) => {
      request.target = request.target.replace(from, to);
    }),
  ),
  ...(
    [
      ['another endpoint', /1111/, '1112'],
      ['another prefix', /^/, '/paynet'],
    ] as const
  ).map(([what, from, to]) =>
    line(`a path with ${what}`, own('path'), (request) => {
      if (!request.asked) return false;
      request.target = request.target.replace(from, to);
      return true;
    }),
  ),
  ...listed('oauth_nonce=x¦oauth_token=¦oauth%5Fnonce=x').map((query) =>
    line(`a query ${query}`, ['authentication/parameters-only-in-header'], (request) => {
      request.target += `?${query}`;
    }),
  ),
  ...listed('sale_approved_sum=10.42¦day_close_request_id=902B4FF5a1b2c3d4¦payload=x').map((query) =>
    line(`a query ${query} beside the body`, own('path'), (request) => {
      request.target += `?${query}`;
    }),
  ),
  ...(
    [
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
    ] as const
  ).map((values) =>
    line(
      `Content-Type: ${values.map((one) => JSON.stringify(one)).join(' and ') || 'not there'}`,
      own('content-type-sent'),
      (request) => {
        request.headers = values.map((value) => ['Content-Type', value]);
      },
    ),
  ),
  ...listed(
    'APPLICATION/X-WWW-FORM-URLENCODED¦application/x-www-form-urlencoded;charset=UTF-8¦ application/x-www-form-urlencoded ¦application/x-www-form-urlencoded ; a="b"',
  ).map((value) =>
    line(`Content-Type: ${JSON.stringify(value)}`, [], (request) => {
      request.headers = [['content-type', value]];
    }),
  ),
];

const timestamps = {
  right: [`0${requestTime}`, String(requestTime + 300), String(requestTime - 300)],
  wrong: [
    ...listed(
      '-1¦+1¦0¦00¦1.0¦1e9¦1700000000.0¦1700000000,0¦ 1700000000¦1700000000 ¦1700000000\n¦0x6553f100¦1700000000000¦1700000000000000',
    ),
    ...listed('2023-11-14T22:13:20Z¦١٧٠٠٠٠٠٠٠٠¦1_700_000_000¦1700000000s¦now¦null'),
  ],
};

export const authorizationOperators: readonly TableOperator<TabledRequest>[] = [
  ...six.flatMap(operatorsOn),
  ...timestamps.right.map((value) => setting('oauth_timestamp', value, [])),
  ...timestamps.wrong.map((value) => setting('oauth_timestamp', value, time)),
  ...['-301', '301', '3600'].map((off) =>
    setting('oauth_timestamp', String(requestTime + Number(off)), ({ asked }) => (asked ? time : [])),
  ),
  ...listed('1¦1.00¦01.0¦1.0a¦1.1¦2.0¦ 1.0¦1.0 ¦1,0¦v1.0¦١.٠').map((value) =>
    setting('oauth_version', value, ['authentication/version']),
  ),
  ...listed(
    'hmac-sha1¦rsa-sha256¦HMAC-SHA256¦HMAC-SHA-1¦HMAC_SHA1¦HMACSHA1¦HMAC-SHA1 ¦ RSA-SHA256¦RSA-SHA1¦RSA-SHA512¦PLAINTEXT¦HМAC-SHA1¦null',
  ).map((value) => setting('oauth_signature_method', value, method)),
  setting(
    'oauth_signature_method',
    'RSA-SHA256',
    (request) => (isCloseDay(request) ? method(request) : []),
    isCloseDay,
  ),
  setting('oauth_signature_method', 'HMAC-SHA1', method, (request) => !isCloseDay(request)),
  ...listed('Shop¦shop ¦ shop¦sho¦shopp¦shор').map((value) =>
    setting('oauth_consumer_key', value, ({ asked }) => (asked ? ['authentication/consumer-key'] : [])),
  ),
  ...listed(
    'A¦AA¦AAA¦A===¦=¦====¦AA==A¦AAAA=¦AAB=¦AB==¦AA-_¦!!!!¦AAAA\n¦AAAA\t¦ AAAA¦AA AA¦AA\r\nAA¦\u00a0AAAA¦ÿAAA¦AAАA',
  ).map((value) => setting('oauth_signature', value, ['authentication/signature-base64'])),
  ...['aB'.repeat(20), 'F'.repeat(64), '0'.repeat(128), '0a'.repeat(256)].map((value) =>
    setting('oauth_signature', value, ['authentication/signature-base64']),
  ),
  ...altered('without its padding', ['authentication/signature-base64'], (text) => text.replace(/=+$/, '')),
  ...altered('in base64url', ['authentication/signature-base64'], (text) =>
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  ...altered('with blanks for +', ['authentication/signature-base64'], (text) => text.replaceAll('+', ' ')),
  ...altered('in lines', ['authentication/signature-base64'], (text) => text.replace(/.{20}/g, '$&\n')),
  ...altered('in base64 again', ['authentication/signature-base64'], (text) => Buffer.from(text).toString('base64')),
  ...altered('in hexadecimal', ['authentication/signature-base64'], (text) =>
    Buffer.from(text, 'base64').toString('hex'),
  ),
  ...altered('escaped twice', encoding, (text) => encodeURIComponent(text)),
  ...listed(
    'oauth_token=x¦oauth_body_hash=x¦oauth_callback=oob¦oauth_verifier=x¦x=1¦OAuth_Nonce=x¦payload=x¦oauth_nonce%20=x',
  ).map((text) => adding(text, list)),
  ...listed('realm=¦Realm=x¦REALM=a b¦oauth_token=').map((text) => adding(text, [])),
  ...listed('realm=¦oauth_token=').map((text) => adding(`${text}¦${text}`, list)),
  ...listed(
    'Basic ¦Bearer ¦OAuth2 ¦OAuth1 ¦OAut ¦OAuthh ¦OAuth: ¦OAuth, ¦OAuth; ¦OAuth!¦OAuth\0¦OAuth\u00a0¦¦"OAuth" ',
  ).map((text) =>
    make(`the scheme ${JSON.stringify(text)}`, scheme, (request) => {
      request.parts.scheme = text;
    }),
  ),
  ...listed('oauth ¦OAUTH ¦OAuth  ¦OAuth\t¦ OAuth ').map((text) =>
    make(`the scheme ${JSON.stringify(text)}`, [], (request) => {
      request.parts.scheme = text;
    }),
  ),
  ...listed(';¦; ¦&¦ ¦,,¦, , ¦').map((text) =>
    make(`${JSON.stringify(text)} between parameters`, scheme, (request) => {
      request.parts.comma = text;
    }),
  ),
  ...listed(',¦,\t¦ , ¦,  ').map((text) =>
    make(`${JSON.stringify(text)} between parameters`, [], (request) => {
      request.parts.comma = text;
    }),
  ),
  ...listed(',¦, ¦;¦ x¦ oauth_nonce').map((text) =>
    make(
      `${JSON.stringify(text)} after the last parameter`,
      scheme,
      written((parts) => parts.map((part, at) => (at === 5 ? part + text : part))),
    ),
  ),
  make('the parameters in the reverse order', [], (request) => {
    request.parts.header.reverse();
  }),
  make('no Authorization', own('authorization-sent'), (request) => {
    request.parts.lines = 0;
  }),
  make('an empty Authorization', own('authorization-sent'), (request) => {
    request.parts.scheme = '';
    request.parts.header = [];
  }),
  make('the scheme alone', list, (request) => {
    request.parts.header = [];
  }),
  make('two Authorization lines', scheme, (request) => {
    request.parts.lines = 2;
  }),
];

function operatorsOn(name: string): TableOperator<TabledRequest>[] {
  const part = (what: string, breaks: Rows, change: (text: string) => string) =>
    make(
      `${name} ${what}`,
      breaks,
      written((parts) => parts.map((one) => (one.startsWith(`${name}=`) ? change(one) : one))),
    );
  return [
    make(`${name} is left out`, list, ({ parts }) => {
      parts.header = parts.header.filter((one) => one.name !== name);
    }),
    setting(name, '', list),
    ...['', 'x'].map((value) =>
      make(`${name} comes twice, the second one ${JSON.stringify(value)}`, list, ({ parts }) => {
        parts.header.push({ name, value });
      }),
    ),
    make(`${name} comes twice`, list, ({ parts }) =>
      again(
        parts.header,
        parts.header.find((one) => one.name === name),
      ),
    ),
    ...[
      name.toUpperCase(),
      name.replace('oauth_', ''),
      name.replaceAll('_', '-'),
      `x${name}`,
      `${name}s`,
      name.replace('o', 'о'),
    ].map((other) =>
      make(`${name} is called ${other}`, list, ({ parts }) => {
        parts.header.find((one) => one.name === name)!.name = other;
      }),
    ),
    part('without quotes', encoding, (text) => text.replaceAll('"', '')),
    part('in apostrophes', encoding, (text) => text.replaceAll('"', "'")),
    ...[' =', '= '].map((equals) => part(`with ${equals}`, encoding, (text) => text.replace('=', equals))),
    ...(name === 'oauth_nonce' ? [part('with %FF', encoding, (text) => text.replace(/"$/, '%FF"'))] : []),
    part('with escapes for all letters', [], (text) =>
      text.replace(
        /"(.*)"/,
        (_, value: string) =>
          `"${value.replace(/%..|./g, (one) => (one.length > 1 ? one : `%${one.charCodeAt(0).toString(16)}`))}"`,
      ),
    ),
    ...(name === 'oauth_signature'
      ? [part('with escapes in small letters', [], (text) => text.replace(/%../g, (one) => one.toLowerCase()))]
      : []),
  ];
}

/** Only where it changes something; the parameters as they are written, each `name="value"`. */
function written(change: (parts: string[]) => string[]) {
  return ({ parts }: TabledRequest) => {
    const before = parts.header.map(({ name, value }) => `${name}="${encodeURIComponent(value)}"`);
    const after = change(before).join(', ');
    parts.scheme += after;
    parts.header = [];
    return after !== before.join(', ');
  };
}

function setting(
  name: string,
  value: string,
  breaks: Rows | ((request: TabledRequest) => Rows),
  fits: (request: TabledRequest) => boolean = () => true,
): TableOperator<TabledRequest> {
  return make(`${name} is ${JSON.stringify(value)}`, breaks, (request) => {
    request.parts.header.find((one) => one.name === name)!.value = value;
    return fits(request);
  });
}

function altered(what: string, breaks: Rows, change: (text: string) => string): TableOperator<TabledRequest>[] {
  return [
    make(`oauth_signature ${what}`, breaks, ({ parts }) => {
      const signature = parts.header.find((one) => one.name === 'oauth_signature')!;
      const before = signature.value;
      signature.value = change(before);
      return signature.value !== before;
    }),
  ];
}

function adding(pairs: string, breaks: readonly RequirementId[]): TableOperator<TabledRequest> {
  return make(`${pairs.replace('¦', ' and ')} besides`, breaks, ({ parts }) => {
    for (const pair of listed(pairs)) {
      const [name = '', value = ''] = pair.split('=');
      parts.header.push({ name, value });
    }
  });
}
