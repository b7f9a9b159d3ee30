/** Clients that sign wrongly where no deviation says so: base string, key, header and signature (section 5; RFC 5849 section 3). */
import { createHash, createHmac, sign } from 'node:crypto';
import { signerOf } from '../../deviations/candidates.ts';
import type { Deviation } from '../../deviations/deviation.ts';
import { type DeviationId, deviationOf, deviations } from '../../deviations/index.ts';
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import {
  encodeBase64,
  encodeForm,
  hmacKeyText,
  type Pair,
  percentEncode,
  printAuthorization,
  type SigningKey,
} from '../../protocol/index.ts';
import { auth, type ClientDefect, closeDayAuth, recurringAuth, type StoredRequest, signing } from './defect.ts';

/** One name with two values: as sent they are in another order than sorted, and encoded they sort differently than raw. */
const repeatedName = closeDayWith(['sale_approved_sum', 'z'], ['sale_approved_sum', '\u00e9']);
const withQuery: StoredRequest = { ...closeDayWith(), target: '/api/v2/close-day/1111?x=1' };

/** What no call shows. */
const storedFor: Partial<Record<DeviationId, StoredRequest>> = {
  'query-left-out': withQuery,
  'query-kept-in-uri': withQuery,
  'duplicates-collapsed-last': repeatedName,
  'duplicates-joined-by-comma': repeatedName,
  'sorted-before-encoding': repeatedName,
  'sorted-by-key-only': repeatedName,
  // As names a comes first; as joined texts a-b=1 does, since - comes before =.
  'sorted-as-joined': closeDayWith(['a', '2'], ['a-b', '1']),
  // By bytes B comes first.
  'sorted-case-insensitively': closeDayWith(['a', '1'], ['B', '2']),
  // By bytes 10 comes before 9.
  'natural-order': closeDayWith(['sale_approved_sum', '9'], ['sale_approved_sum', '10']),
};

/** Clients that go wrong in the base string alone, or in single names and values alone. */
const alone: Partial<Record<DeviationId, DeviationId>> = {
  'lower-case-hex': 'wrong-encoder-in-base-string-only',
  'sub-delims-left-bare': 'wrong-encoder-in-base-string-only',
  'tilde-encoded': 'wrong-encoder-in-base-string-only',
  'space-as-plus': 'wrong-encoder-in-parameters-only',
  'plus-as-space': 'wrong-encoder-in-parameters-only',
};

const rowsOfTheirOwn = {
  'default-port-kept': 'uri-default-port',
  'port-left-out': 'uri-port',
  'host-case-kept': 'uri-host-case',
} as const;

export const deviatingDefects: readonly ClientDefect[] = deviations.flatMap((deviation) => {
  const { stage, client } = deviation;
  if (client === undefined) return [];
  const id = deviation.id as DeviationId;
  const set = [deviation, ...(id in alone ? [deviationOf(alone[id]!)] : [])];
  const breaks = rowsOfTheirOwn[id as keyof typeof rowsOfTheirOwn] ?? 'signature-verifies';
  const of = stage === 'key' ? closeDayAuth : auth;
  const defect = of(client.defect, client.summary, breaks, stage === 'key' ? keyOf(set) : baseStringOf(set));
  const stored = storedFor[id];
  return stored === undefined ? [defect] : [{ ...defect, reach: 'stored', stored: [stored] }];
});

export const baseStringDefects: readonly ClientDefect[] = [
  signing(
    'equal-values-signed-once',
    'Of parameters with the same value only the last one is signed, whatever their names',
    { parameters: (pairs) => [...new Map(pairs.map((pair) => [pair[1], pair])).values()] },
  ),
  signing('realm-signed', 'A realm is sent, and is in the base string too', {
    parameters: (pairs) => [...pairs, ['realm', 'Gateway']],
    authorization: (_, { done }) => printAuthorization(done.signed, { realm: 'Gateway' }),
  }),
  {
    ...signing(
      'repeated-names-with-brackets',
      'A name that occurs more than once is sent with brackets, and signed without them',
      {
        form: (form, { done }) =>
          done.fields
            .filter(([name], at) => done.fields.findIndex(([other]) => other === name) !== at)
            .reduce((text, [name]) => text.replaceAll(`${name}=`, `${name}%5B%5D=`), form),
      },
    ),
    reach: 'stored',
    stored: [repeatedName],
  },
  leavingBare(
    ',/:;@[]',
    'reserved-characters-signed-bare',
    'Characters such as / : , and @ of a value are encoded once in all, as a path encoder leaves them bare',
  ),
  leavingBare(
    '"<>\\^`{|}',
    'braces-and-quotes-signed-bare',
    'Characters such as { " < and ` of a value are encoded once in all',
  ),
  signing('path-signed-with-lower-case-escapes', 'Escapes of the path are signed with lower-case hex digits', {
    baseStringUri: (uri) => uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  }),
  signing(
    'parts-joined-unencoded',
    'URI and parameters are in the base string without being encoded as a whole',
    baseStringOf([deviationOf('uri-not-encoded'), deviationOf('joined-string-not-encoded')]),
  ),
  signing('parts-in-another-order', 'The URI comes before the method', {
    baseString: (right) => {
      const [method, uri, parameters] = right.split('&');
      return [uri, method, parameters].join('&');
    },
  }),
];

/** These characters of names and values. */
function leavingBare(reserved: string, what: string, summary: string): ClientDefect {
  const bare = { ...deviationOf('slash-left-bare'), change: { reserved } };
  return signing(what, summary, baseStringOf([bare, deviationOf('wrong-encoder-in-parameters-only')]));
}

/** What the client of one call does wrong so far: two defects come together. */
const together = new WeakMap<Context['done'], readonly Deviation[]>();

/** Another base string, signed rightly. */
function baseStringOf(set: readonly Deviation[]): ClientAlteration {
  const baseString: ClientAlteration['baseString'] = (_, context) => {
    const all = [...(together.get(context.done) ?? []), ...set];
    together.set(context.done, all);
    return signerIn(context).baseString(all);
  };
  // The client tells its steps: the first that goes wrong is to show.
  const { stage } = set[0]!;
  return {
    ...(stage === 'collect' && { parameters: (_, context) => signerIn(context).parameters(set) }),
    ...((stage === 'encode' || stage === 'sort') && { normalized: (_, context) => signerIn(context).normalized(set) }),
    baseString,
  };
}

/** Another key of the HMAC. */
function keyOf(set: readonly Deviation[]): ClientAlteration {
  return { signature: (_, context) => hmacWith(signerIn(context).keyText(set), context.done.baseString) };
}

function signerIn({ done }: Context) {
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
  signature: (_, { done }) => signedWithOtherHash(done.baseString, done.credentials.key),
};

export const keyDefects: readonly ClientDefect[] = [
  key(
    'secret-encoded-as-form',
    'The consumer secret is encoded as a form value: a space is a plus',
    (secret) => `${percentEncode(secret).replaceAll('%20', '+')}&`,
  ),
  key(
    'secret-sub-delimiters-bare',
    "! * ' ( and ) of the consumer secret stay bare in the HMAC key",
    (secret) => `${encodeURIComponent(secret)}&`,
  ),
  key(
    'secret-with-escape-taken-for-encoded',
    'A consumer secret that holds an escape is taken for encoded, and used as it is',
    (secret) => `${/%[0-9A-F]{2}/i.test(secret) ? secret : percentEncode(secret)}&`,
  ),
  key('hmac-key-cut-to-block', 'An HMAC key of more than 64 bytes is cut to 64 and not hashed', (secret) =>
    `${percentEncode(secret)}&`.slice(0, 64),
  ),
  key(
    'secret-cut',
    'Of a consumer secret the first 128 characters count',
    (secret) => `${percentEncode(secret.slice(0, 128))}&`,
  ),
  key(
    'secret-trimmed',
    'Spaces at the ends of a consumer secret are cut off before it is used',
    (secret) => `${percentEncode(secret.trim())}&`,
  ),
  key(
    'secret-as-number',
    'A consumer secret of digits is read as a number, as from YAML, and loses the zeros in front',
    (secret) => `${percentEncode(/^\d+$/.test(secret) ? String(BigInt(secret)) : secret)}&`,
  ),
  key('secret-of-hex-digits-decoded', 'A consumer secret of hexadecimal digits is taken for bytes', (secret) =>
    /^(?:[\da-f]{2})+$/.test(secret) ? `${Buffer.from(secret, 'hex')}&` : `${percentEncode(secret)}&`,
  ),
  key(
    'secret-without-dashes',
    'The dashes of a consumer secret that is a UUID are left out',
    (secret) => `${percentEncode(/^[\da-f]{8}-/.test(secret) ? secret.replaceAll('-', '') : secret)}&`,
  ),
  key(
    'secret-decoded-from-base64',
    'A consumer secret that ends as base64 does is decoded before it is used',
    (secret) => `${percentEncode(secret.endsWith('=') ? atob(secret) : secret)}&`,
  ),

  closeDayAuth(
    'hmac-sha-256-signed-as-sha-1',
    'close-day is signed with SHA-256, and says HMAC-SHA1',
    ['signature-verifies', 'close-day-method'],
    otherHash,
  ),
  recurringAuth(
    'rsa-sha-1-signed-as-sha-256',
    'A batch is signed with SHA-1, and says RSA-SHA256',
    ['signature-verifies', 'recurring-method'],
    otherHash,
  ),
  closeDayAuth('hmac-sha-256-announced', 'close-day is signed with HMAC-SHA256, and says so', 'close-day-method', {
    ...otherHash,
    ...announces(() => 'HMAC-SHA256'),
  }),
  recurringAuth('rsa-sha-1-announced', 'A batch is signed with RSA-SHA1, and says so', 'recurring-method', {
    ...otherHash,
    ...announces(() => 'RSA-SHA1'),
  }),
  auth(
    'method-in-lower-case',
    'The signature method is announced in lower case',
    ['close-day-method', 'recurring-method'],
    announces((right) => right.toLowerCase()),
  ),
];

/** Signs close-day with another key text. */
function key(what: string, summary: string, keyText: (secret: string) => string): ClientDefect {
  return closeDayAuth(what, summary, 'signature-verifies', {
    signature: (signature, { done }) => {
      const { key } = done.credentials;
      return key.method === 'HMAC-SHA1' ? hmacWith(keyText(key.consumerSecret), done.baseString) : signature;
    },
  });
}

/** The name is signed as sent. */
function announces(name: (right: string) => string): ClientAlteration {
  return {
    unsigned: (pairs) =>
      pairs.map((pair): Pair => (pair[0] === 'oauth_signature_method' ? [pair[0], name(pair[1])] : pair)),
  };
}

const notSent = ['close-day/authorization-sent', 'recurring/authorization-sent'] as const;

export const headerDefects: readonly ClientDefect[] = [
  scheme('comma-after-scheme', 'A comma follows OAuth', (header) => header.replace(/^OAuth /, 'OAuth, ')),
  scheme('comma-at-the-end', 'A comma follows the last parameter of the header', (header) => `${header},`),
  scheme('semicolons-in-header', 'Semicolons separate the parameters of the header', (header) =>
    header.replaceAll('", ', '"; '),
  ),
  scheme('other-scheme', 'The header starts with OAuth1', (header) => header.replace(/^OAuth /, 'OAuth1 ')),
  values(
    'header-values-raw',
    'Values are in the header without being encoded: + / and = of the signature raw',
    (value) => `"${value}"`,
  ),
  values(
    'header-values-encoded-twice',
    'Values of the header are percent-encoded twice',
    (value) => `"${percentEncode(percentEncode(value))}"`,
  ),
  values('header-values-without-quotes', 'Values of the header are not quoted', (value) => percentEncode(value)),

  auth('version-left-out', 'oauth_version is neither sent nor signed', 'header-parameters', {
    unsigned: (pairs) => pairs.filter(([name]) => name !== 'oauth_version'),
  }),
  auth('version-sent-twice', 'oauth_version is twice in the header, and once in the base string', 'header-parameters', {
    authorization: (_, { done }) => printAuthorization([...done.signed, ['oauth_version', '1.0']]),
  }),
  auth('body-hash-sent', 'oauth_body_hash is sent and signed although the body is a form', 'header-parameters', {
    unsigned: (pairs, { done }) => [...pairs, ['oauth_body_hash', bodyHash(done.body)]],
  }),
  auth('token-null-sent', 'oauth_token is sent and signed as the text null', 'header-parameters', {
    unsigned: (pairs) => [...pairs, ['oauth_token', 'null']],
  }),
  auth(
    'body-copied-into-header',
    'The parameters of the body are in the header too, and once in the base string',
    'header-parameters',
    { authorization: (_, { done }) => printAuthorization([...done.signed, ...done.fields]) },
  ),
  auth('version-1-0a', 'oauth_version is 1.0a', 'version', { unsigned: withValue('oauth_version', () => '1.0a') }),
  auth('consumer-key-in-capitals', 'oauth_consumer_key is sent in capitals', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.toUpperCase()),
  }),
  auth('consumer-key-in-small-letters', 'oauth_consumer_key is sent in small letters', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.toLowerCase()),
  }),
  auth(
    'consumer-key-encoded-before',
    'A consumer key with reserved characters is encoded before it is used, both in the header and in the base string',
    // On the wire it is the right key, encoded once too often.
    'header-values-encoded',
    { unsigned: withValue('oauth_consumer_key', percentEncode) },
  ),
  auth(
    'consumer-key-decoded-before',
    'What looks like an escape in a consumer key is decoded before it is used, as in a key that was read from a URL',
    'consumer-key',
    { unsigned: withValue('oauth_consumer_key', decodedEscapes) },
  ),
  auth(
    'consumer-key-as-number',
    'A consumer key of digits is read as a number, and loses the zeros in front',
    'consumer-key',
    { unsigned: withValue('oauth_consumer_key', (key) => (/^\d+$/.test(key) ? String(BigInt(key)) : key)) },
  ),

  recurringAuth(
    'signature-in-lines',
    'The base64 text of an RSA signature has a line feed after every 76 characters',
    'signature-base64',
    { signature: (text) => text.match(/.{1,76}/g)!.join('\n') },
  ),
  signatureText('signature-with-a-tab', 'The base64 text of the signature ends with a tab', (text) => `${text}\t`),
  signatureText('signature-in-hex', 'The signature is written in hexadecimal', (text) =>
    Buffer.from(text, 'base64').toString('hex'),
  ),
  signatureText('signature-url-safe', 'The signature is written in the alphabet of base64url, padded', (text) =>
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  signatureText('signature-without-padding', 'The signature is written without its = at the end', (text) =>
    text.replace(/=+$/, ''),
  ),

  auth(
    'credentials-in-body',
    'The oauth_ parameters are in the body, without an Authorization header',
    // Where they are instead follows from the header that is missing.
    notSent,
    { sent: ({ form, signed }) => ({ header: { Authorization: undefined }, body: `${form}&${encodeForm(signed)}` }) },
  ),
  auth(
    'credentials-in-query',
    'The oauth_ parameters are in the query, without an Authorization header',
    // Where they are instead follows from the header that is missing.
    notSent,
    {
      sent: ({ url, signed }) => ({
        header: { Authorization: undefined },
        target: `${url.target}?${encodeForm(signed)}`,
      }),
    },
  ),
  auth('no-credentials', 'The request is sent without any credentials', notSent, {
    sent: () => ({ header: { Authorization: undefined } }),
  }),
  auth(
    'consumer-key-in-body-too',
    'oauth_consumer_key is in the body as well as in the header, and is signed twice',
    'parameters-only-in-header',
    { fields: (fields, { done }) => [...fields, ['oauth_consumer_key', done.credentials.consumerKey] as Pair] },
  ),
];

/** The header as a text is changed. */
function scheme(what: string, summary: string, edit: (header: string) => string): ClientDefect {
  return auth(what, summary, 'header-scheme', { authorization: (header) => edit(header) });
}

/** The values of the header are printed in another way. */
function values(what: string, summary: string, print: (decoded: string) => string): ClientDefect {
  return auth(what, summary, 'header-values-encoded', {
    authorization: (_, { done }) => `OAuth ${done.signed.map(([name, text]) => `${name}=${print(text)}`).join(', ')}`,
  });
}

/** The bytes of the signature are right, and their text is not. */
function signatureText(what: string, summary: string, signature: (base64: string) => string): ClientDefect {
  return auth(what, summary, 'signature-base64', { signature });
}

/** The value is signed as sent. */
function withValue(name: string, change: (value: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map((pair): Pair => (pair[0] === name ? [name, change(pair[1])] : pair));
}

function decodedEscapes(text: string): string {
  return text.replace(/%[0-7][0-9A-F]/gi, decodeURIComponent);
}

/** HMAC-SHA1 of a base string with a key text that was put together elsewhere (RFC 5849 section 3.4.2), in base64. */
function hmacWith(keyText: string, base: string): string {
  return encodeBase64(createHmac('sha1', keyText).update(base).digest());
}

/** The signature of the base string with SHA-256 where the method asks for SHA-1, and the other way round. */
export function signedWithOtherHash(base: string, key: SigningKey): string {
  const bytes =
    key.method === 'HMAC-SHA1'
      ? createHmac('sha256', hmacKeyText(key.consumerSecret, key.tokenSecret)).update(base).digest()
      : sign('RSA-SHA1', Buffer.from(base), key.privateKey);
  return encodeBase64(bytes);
}

/** What the extension for request bodies puts into oauth_body_hash. */
function bodyHash(body: Uint8Array): string {
  return encodeBase64(createHash('sha1').update(body).digest());
}
