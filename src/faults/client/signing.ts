/** Clients with a wrong base string, key, header or signature (section 5; RFC 5849 section 3). */
import { createHash, createHmac, sign } from 'node:crypto';
import { signerOf } from '../../deviations/candidates.ts';
import type { Deviation } from '../../deviations/deviation.ts';
import { type DeviationId, deviationOf, deviations } from '../../deviations/index.ts';
import type { ClientAlteration, Context } from '../../peer/client/client.ts';
import { encodeForm, hmacKeyText, type Pair, percentEncode, printAuthorization } from '../../protocol/index.ts';
import type { Tag } from '../../record/row.ts';
import { auth, type ClientDefect, closeDayAuth, recurringAuth, type StoredRequest } from './defect.ts';

/** Two values of one name. As text, `z` comes before `é`. Encoded, `é` is `%C3%A9` and comes before `z`. */
const repeatedName = closeDayWith(['sale_approved_sum', 'z'], ['sale_approved_sum', '\u00e9']);
const withQuery: StoredRequest = { ...closeDayWith(), target: '/api/v2/close-day/1111?x=1' };

const storedRequests: Partial<Record<DeviationId, StoredRequest>> = {
  'query-left-out': withQuery,
  'query-kept-in-uri': withQuery,
  'duplicates-collapsed-last': repeatedName,
  'duplicates-joined-by-comma': repeatedName,
  'sorted-before-encoding': repeatedName,
  'sorted-by-key-only': repeatedName,
  // Sorted by name, `a` comes before `a-b`. As joined text, `a-b=1` comes before `a=2`, because `-` is before `=`.
  'sorted-as-joined': closeDayWith(['a', '2'], ['a-b', '1']),
  // In byte order, `B` comes before `a`. If letter case is ignored, `a` comes before `B`.
  'sorted-case-insensitively': closeDayWith(['a', '1'], ['B', '2']),
  // In byte order, `10` comes before `9`. In numeric order, `9` comes before `10`.
  'natural-order': closeDayWith(['sale_approved_sum', '9'], ['sale_approved_sum', '10']),
};

const wrongEncoderScope: Partial<Record<DeviationId, DeviationId>> = {
  'lower-case-hex': 'wrong-encoder-in-base-string-only',
  'sub-delims-left-bare': 'wrong-encoder-in-base-string-only',
  'tilde-encoded': 'wrong-encoder-in-base-string-only',
  'space-as-plus': 'wrong-encoder-in-parameters-only',
  'plus-as-space': 'wrong-encoder-in-parameters-only',
};

const ownRequirements = {
  'default-port-kept': 'uri-default-port',
  'port-left-out': 'uri-port',
  'host-case-kept': 'uri-host-case',
} as const;

const deviatingDefects: readonly ClientDefect[] = deviations.flatMap((deviation) => {
  const { stage, client } = deviation;
  if (client === undefined) return [];
  const id = deviation.id as DeviationId;
  const set = [deviation, ...(id in wrongEncoderScope ? [deviationOf(wrongEncoderScope[id]!)] : [])];
  const breaks = ownRequirements[id as keyof typeof ownRequirements] ?? 'signature-verifies';
  const build = stage === 'key' ? closeDayAuth : auth;
  const defect = build(client.defect, breaks, stage === 'key' ? keyWith(set) : baseStringWith(set))`${client.summary}`;
  const stored = storedRequests[id];
  return stored === undefined ? [defect] : [{ ...defect, reach: 'stored', stored: [stored] }];
});

const baseStringDefects: readonly ClientDefect[] = [
  signing('equal-values-signed-once', {
    parameters: (pairs) => [...new Map(pairs.map((pair) => [pair[1], pair])).values()],
  })`If several parameters have the same value, only the last one is signed`,
  signing('realm-signed', {
    parameters: (pairs) => [...pairs, ['realm', 'Gateway']],
    authorization: (_, { done }) => printAuthorization(done.signed, { realm: 'Gateway' }),
  })`A realm is sent and signed`,
  {
    ...signing('repeated-names-with-brackets', {
      form: (form, { done }) =>
        done.fields
          .filter(([name], at) => done.fields.findIndex(([other]) => other === name) !== at)
          .reduce((text, [name]) => text.replaceAll(`${name}=`, `${name}%5B%5D=`), form),
    })`Repeated names are sent with brackets but signed without them`,
    reach: 'stored',
    stored: [repeatedName],
  },
  leavingBare(',/:;@[]', 'reserved-characters-signed-bare')`
    Characters such as / : , and @ of a value are encoded once instead of twice in the base string`,
  leavingBare('"<>\\^`{|}', 'braces-and-quotes-signed-bare')`
    Characters such as { " < and \` of a value are encoded once instead of twice in the base string`,
  signing('path-signed-with-lower-case-escapes', {
    baseStringUri: (uri) => uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  })`Escapes of the path are signed with lower-case hex digits`,
  signing(
    'parts-joined-unencoded',
    baseStringWith([deviationOf('uri-not-encoded'), deviationOf('joined-string-not-encoded')]),
  )`URI and parameters are joined into the base string without encoding them again`,
  signing('parts-in-another-order', {
    baseString: (right) => {
      const [method, uri, parameters] = right.split('&');
      return [uri, method, parameters].join('&');
    },
  })`The base string has the URI before the method`,
];

function signing(what: string, alteration: ClientAlteration): Tag<ClientDefect> {
  return auth(what, 'signature-verifies', alteration);
}

function leavingBare(reserved: string, what: string): Tag<ClientDefect> {
  const bare = { ...deviationOf('slash-left-bare'), change: { reserved } };
  return signing(what, baseStringWith([bare, deviationOf('wrong-encoder-in-parameters-only')]));
}

/** Collects the deviations of one call, because several defects can be active at the same time. */
const activeDeviations = new WeakMap<Context['done'], readonly Deviation[]>();

function baseStringWith(set: readonly Deviation[]): ClientAlteration {
  const baseString: ClientAlteration['baseString'] = (_, context) => {
    const all = [...(activeDeviations.get(context.done) ?? []), ...set];
    activeDeviations.set(context.done, all);
    return signerFor(context).baseString(all);
  };
  // The client adapter also reports the result of each step, so change the result of this step too.
  const { stage } = set[0]!;
  return {
    ...(stage === 'collect' && { parameters: (_, context) => signerFor(context).parameters(set) }),
    ...((stage === 'encode' || stage === 'sort') && { normalized: (_, context) => signerFor(context).normalized(set) }),
    baseString,
  };
}

function keyWith(set: readonly Deviation[]): ClientAlteration {
  return { signature: (_, context) => hmacWith(signerFor(context).keyText(set), context.done.baseString) };
}

function signerFor({ done }: Context) {
  const { consumerKey, key } = done.credentials;
  const headers = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Authorization', printAuthorization(done.unsigned)],
  ] as const;
  const request = { method: 'POST', ...done.url, headers, body: done.body };
  return signerOf(request, { consumerKey, consumerSecret: key.method === 'HMAC-SHA1' ? key.consumerSecret : '' });
}

function closeDayWith(...further: readonly Pair[]): StoredRequest {
  return { operation: 'close-day', fields: [['day_close_request_id', 'a1b2c3d4e5f6'], ...further] };
}

const otherHash: ClientAlteration = {
  signature: (_, { done: { baseString, credentials } }) => {
    const { key } = credentials;
    if (key.method === 'RSA-SHA256')
      return sign('RSA-SHA1', Buffer.from(baseString), key.privateKey).toString('base64');
    return createHmac('sha256', hmacKeyText(key.consumerSecret, key.tokenSecret)).update(baseString).digest('base64');
  },
};

const keyDefects: readonly ClientDefect[] = [
  key('secret-encoded-as-form', (secret) => `${percentEncode(secret).replaceAll('%20', '+')}&`)`
    The consumer secret is encoded as a form value: a space becomes a plus`,
  key('secret-sub-delimiters-bare', (secret) => `${encodeURIComponent(secret)}&`)`
    ! * ' ( and ) of the consumer secret are not encoded in the HMAC key`,
  key(
    'secret-with-escape-taken-for-encoded',
    (secret) => `${/%[0-9A-F]{2}/i.test(secret) ? secret : percentEncode(secret)}&`,
  )`A consumer secret that has a percent escape is not encoded`,
  key('hmac-key-cut-to-block', (secret) => `${percentEncode(secret)}&`.slice(0, 64))`
    An HMAC key of more than 64 bytes is cut to 64 instead of hashed`,
  key('secret-cut', (secret) => `${percentEncode(secret.slice(0, 128))}&`)`
    Only the first 128 characters of a consumer secret are used`,
  key('secret-trimmed', (secret) => `${percentEncode(secret.trim())}&`)`
    Spaces at the ends of a consumer secret are removed`,
  key('secret-as-number', (secret) => `${percentEncode(/^\d+$/.test(secret) ? String(BigInt(secret)) : secret)}&`)`
    A numeric consumer secret loses its leading zeros, as in YAML`,
  key('secret-of-hex-digits-decoded', (secret) =>
    /^(?:[\da-f]{2})+$/.test(secret) ? `${Buffer.from(secret, 'hex')}&` : `${percentEncode(secret)}&`,
  )`A consumer secret of hexadecimal digits is decoded to bytes`,
  key(
    'secret-without-dashes',
    (secret) => `${percentEncode(/^[\da-f]{8}-/.test(secret) ? secret.replaceAll('-', '') : secret)}&`,
  )`The dashes are removed from a consumer secret that is a UUID`,
  key('secret-decoded-from-base64', (secret) => `${percentEncode(secret.endsWith('=') ? atob(secret) : secret)}&`)`
    A consumer secret that ends with = is decoded as base64`,

  closeDayAuth('hmac-sha-256-signed-as-sha-1', ['signature-verifies', 'close-day-method'], otherHash)`
    close-day is signed with HMAC-SHA256, but announces HMAC-SHA1`,
  recurringAuth('rsa-sha-1-signed-as-sha-256', ['signature-verifies', 'recurring-method'], otherHash)`
    A batch is signed with RSA-SHA1, but announces RSA-SHA256`,
  closeDayAuth('hmac-sha-256-announced', 'close-day-method', { ...otherHash, ...announces(() => 'HMAC-SHA256') })`
    close-day is signed with HMAC-SHA256, and announces HMAC-SHA256`,
  recurringAuth('rsa-sha-1-announced', 'recurring-method', { ...otherHash, ...announces(() => 'RSA-SHA1') })`
    A batch is signed with RSA-SHA1, and announces RSA-SHA1`,
  auth(
    'method-in-lower-case',
    ['close-day-method', 'recurring-method'],
    announces((right) => right.toLowerCase()),
  )`The signature method is announced in lower case`,
];

function key(what: string, keyText: (secret: string) => string): Tag<ClientDefect> {
  return closeDayAuth(what, 'signature-verifies', {
    signature: (signature, { done }) => {
      const { key } = done.credentials;
      return key.method === 'HMAC-SHA1' ? hmacWith(keyText(key.consumerSecret), done.baseString) : signature;
    },
  });
}

function announces(name: (right: string) => string): ClientAlteration {
  return {
    unsigned: (pairs) =>
      pairs.map((pair): Pair => (pair[0] === 'oauth_signature_method' ? [pair[0], name(pair[1])] : pair)),
  };
}

const authorizationRows = ['close-day/authorization-sent', 'recurring/authorization-sent'] as const;

const headerDefects: readonly ClientDefect[] = [
  scheme('comma-after-scheme', (header) => header.replace(/^OAuth /, 'OAuth, '))`A comma follows OAuth`,
  scheme('comma-at-the-end', (header) => `${header},`)`A comma follows the last parameter of the header`,
  scheme('semicolons-in-header', (header) => header.replaceAll('", ', '"; '))`
    Semicolons separate the parameters of the header`,
  scheme('other-scheme', (header) => header.replace(/^OAuth /, 'OAuth1 '))`The header starts with OAuth1`,
  values('header-values-raw', (value) => `"${value}"`)`
    Header values are not percent-encoded, so the signature has + / and =`,
  values('header-values-encoded-twice', (value) => `"${percentEncode(percentEncode(value))}"`)`
    Header values are percent-encoded twice`,
  values('header-values-without-quotes', (value) => percentEncode(value))`Header values are not quoted`,

  auth('version-left-out', 'header-parameters', {
    unsigned: (pairs) => pairs.filter(([name]) => name !== 'oauth_version'),
  })`oauth_version is neither sent nor signed`,
  auth('version-sent-twice', 'header-parameters', {
    authorization: (_, { done }) => printAuthorization([...done.signed, ['oauth_version', '1.0']]),
  })`oauth_version is in the header twice, but is signed only once`,
  auth('body-hash-sent', 'header-parameters', {
    unsigned: (pairs, { done }) => [
      ...pairs,
      ['oauth_body_hash', createHash('sha1').update(done.body).digest('base64')],
    ],
  })`oauth_body_hash is sent and signed although the body is a form`,
  auth('token-null-sent', 'header-parameters', { unsigned: (pairs) => [...pairs, ['oauth_token', 'null']] })`
    oauth_token is sent and signed as the text null`,
  auth('body-copied-into-header', 'header-parameters', {
    authorization: (_, { done }) => printAuthorization([...done.signed, ...done.fields]),
  })`The parameters of the body are also in the header, but are signed only once`,
  auth('version-1-0a', 'version', { unsigned: withValue('oauth_version', () => '1.0a') })`oauth_version is 1.0a`,
  auth('consumer-key-in-capitals', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.toUpperCase()),
  })`oauth_consumer_key is sent in upper case`,
  auth('consumer-key-in-small-letters', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.toLowerCase()),
  })`oauth_consumer_key is sent in lower case`,
  // The requirement `consumer-key` still passes, because its judge ignores keys that are encoded twice.
  auth('consumer-key-encoded-before', 'header-values-encoded', {
    unsigned: withValue('oauth_consumer_key', percentEncode),
  })`A consumer key with reserved characters is encoded twice, in the header and the base string`,
  auth('consumer-key-decoded-before', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.replace(/%[0-7][0-9A-F]/gi, decodeURIComponent)),
  })`Percent escapes in a consumer key are decoded before use, as if the key came from a URL`,
  auth('consumer-key-as-number', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => (/^\d+$/.test(key) ? String(BigInt(key)) : key)),
  })`A numeric consumer key loses its leading zeros`,

  recurringAuth('signature-in-lines', 'signature-base64', { signature: (text) => text.match(/.{1,76}/g)!.join('\n') })`
    The base64 text of an RSA signature has a line feed after every 76 characters`,
  signatureText('signature-with-a-tab', (text) => `${text}\t`)`The base64 text of the signature ends with a tab`,
  signatureText('signature-in-hex', (text) => Buffer.from(text, 'base64').toString('hex'))`
    The signature is written in hexadecimal`,
  signatureText('signature-url-safe', (text) => text.replaceAll('+', '-').replaceAll('/', '_'))`
    The signature is padded base64url`,
  signatureText('signature-without-padding', (text) => text.replace(/=+$/, ''))`
    The signature lacks its = padding`,

  // The requirement `parameters-only-in-header` still passes: its judge ignores requests without the header.
  auth('credentials-in-body', authorizationRows, {
    sent: ({ form, signed }) => ({ header: { Authorization: undefined }, body: `${form}&${encodeForm(signed)}` }),
  })`The oauth_ parameters are in the body, without an Authorization header`,
  auth('credentials-in-query', authorizationRows, {
    sent: ({ url, signed }) => ({
      header: { Authorization: undefined },
      target: `${url.target}?${encodeForm(signed)}`,
    }),
  })`The oauth_ parameters are in the query, without an Authorization header`,
  auth('no-credentials', authorizationRows, { sent: () => ({ header: { Authorization: undefined } }) })`
    The request is sent without any credentials`,
  auth('consumer-key-in-body-too', 'parameters-only-in-header', {
    fields: (fields, { done }) => [...fields, ['oauth_consumer_key', done.credentials.consumerKey] as Pair],
  })`oauth_consumer_key is in the body and in the header, and is signed twice`,
];

function scheme(what: string, edit: (header: string) => string): Tag<ClientDefect> {
  return auth(what, 'header-scheme', { authorization: (header) => edit(header) });
}

function values(what: string, print: (decoded: string) => string): Tag<ClientDefect> {
  return auth(what, 'header-values-encoded', {
    authorization: (_, { done }) => `OAuth ${done.signed.map(([name, text]) => `${name}=${print(text)}`).join(', ')}`,
  });
}

function signatureText(what: string, signature: (base64: string) => string): Tag<ClientDefect> {
  return auth(what, 'signature-base64', { signature });
}

function withValue(name: string, change: (value: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map((pair): Pair => (pair[0] === name ? [name, change(pair[1])] : pair));
}

function hmacWith(keyText: string, base: string): string {
  return createHmac('sha1', keyText).update(base).digest('base64');
}

export const signingDefects: readonly ClientDefect[] = [
  ...deviatingDefects,
  ...baseStringDefects,
  ...keyDefects,
  ...headerDefects,
];
