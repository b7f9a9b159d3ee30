/** Signed requests, and operators on what is signed and how: RFC 5849 section 3.4, with the parameters of the header signed as they are sent. */
import { createHmac, createSign, sign as signBytes } from 'node:crypto';
import { signerOf } from '../../../src/deviations/candidates.ts';
import type { Deviation } from '../../../src/deviations/deviation.ts';
import { searchedDeviations } from '../../../src/deviations/index.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { type Pair, percentEncode } from '../../../src/protocol/index.ts';
import type { Header, SentRequest } from '../../../src/record/exchange.ts';
import { type Draft, privateKey, sample } from '../../unit/rules/client/sample-requests.ts';
import { inGroup, type Rows, type TableOperator } from './operator.ts';

export interface TabledSignature {
  readonly kind: string;
  draft: Draft;
  /** With it the finished request is signed again. */
  deviation?: Deviation;
}

const closeDay = { operation: 'close-day' } as const;
const batch = { operation: 'process-recurring-payments' } as const;

/** Makes each of them anew. */
export function rightSignatures(): TabledSignature[] {
  return [
    { kind: 'a signed close-day of a recording', draft: { ...closeDay, asked: null } },
    { kind: 'a signed close-day as asked for', draft: closeDay },
    { kind: 'a signed batch of a recording', draft: { ...batch, asked: null } },
    { kind: 'a signed batch as asked for', draft: batch },
  ];
}

export function signedCall({ draft, deviation }: TabledSignature) {
  const call = sample(draft);
  if (deviation === undefined) return call;
  const { request, ...exchange } = call.exchanges[0]!;
  const signature = `oauth_signature="${percentEncode(signedWith(request, [deviation]))}"`;
  const headers = request.headers.map(
    ([name, value]): Header => [name, value.replace(/oauth_signature="[^"]*"/, signature)],
  );
  return { ...call, exchanges: [{ ...exchange, request: { ...request, headers } }] };
}

function signedWith(request: SentRequest, deviations: readonly Deviation[]): string {
  const signer = signerOf(request, publishedIdentity);
  return request.target.includes('close-day') ? signer.sign(deviations) : signer.signRsa(deviations, privateKey);
}

const signature = inGroup<TabledSignature>('request signature');
const wrong: Rows = ['authentication/signature-verifies'];
const list: Rows = ['authentication/header-parameters'];
const base64: Rows = ['authentication/signature-base64'];

function drafted(what: string, breaks: Rows, draft: Draft, fits: (one: TabledSignature) => boolean = () => true) {
  return signature(what, breaks, (message) => {
    message.draft = { ...message.draft, ...draft };
    return fits(message);
  });
}

const ofBatch = ({ draft }: TabledSignature) => draft.operation === batch.operation;
const ofCloseDay = (one: TabledSignature) => !ofBatch(one);

/** Each way to make another base string; those that the plain requests do not show are no operators. */
const deviationOperators = searchedDeviations
  .filter((one) => rightSignatures().some((message) => shows(one, message)))
  .map((one) =>
    signature(one.id, one.id === 'port-left-out' ? ['authentication/uri-port'] : wrong, (message) => {
      message.deviation = one;
      return shows(one, message);
    }),
  );

function shows(deviation: Deviation, message: TabledSignature): boolean {
  const { request } = signedCall(message).exchanges[0]!;
  return signedWith(request, [deviation]) !== signedWith(request, []);
}

/** The text of a right signature, altered. */
const text = (what: string, breaks: Rows, change: (signature: string) => string) =>
  drafted(`signature ${what}`, breaks, { signature: change });
const bytes = (what: string, breaks: Rows, change: (signature: Buffer) => Buffer) =>
  text(what, breaks, (one) => change(Buffer.from(one, 'base64')).toString('base64'));

const textOperators = [
  ...[0, 1, 7].map((bit) =>
    bytes(`with bit ${bit} changed`, wrong, (one) =>
      Buffer.from(one.map((byte, at) => (at === 0 ? byte ^ (1 << bit) : byte))),
    ),
  ),
  bytes('with its last bit changed', wrong, (one) =>
    Buffer.from(one.map((byte, at) => (at === one.length - 1 ? byte ^ 1 : byte))),
  ),
  bytes('cut by a byte', wrong, (one) => one.subarray(0, -1)),
  bytes('with a byte behind it', wrong, (one) => Buffer.concat([one, Buffer.from([0])])),
  bytes('with a byte before it', wrong, (one) => Buffer.concat([Buffer.from([0]), one])),
  bytes('in the other byte order', wrong, (one) => Buffer.from(one).reverse()),
  bytes('cut to its first half', wrong, (one) => one.subarray(0, one.length >> 1)),
  text('with its first letters in the other case', wrong, (one) => one.slice(0, 12).toLowerCase() + one.slice(12)),
  text('with two letters swapped', wrong, (one) => one.replace(/(.)(?!\1)(.)/, '$2$1')),
  text('in base64url', base64, (one) => one.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')),
  text('without its padding', base64, (one) => one.replace(/=+$/, '')),
  text('in hexadecimal', base64, (one) => Buffer.from(one, 'base64').toString('hex')),
  text('in lines', base64, (one) => one.replace(/.{20}/g, '$&\n')),
  text('with a line feed behind it', base64, (one) => `${one}\n`),
  text('with a blank behind it', base64, (one) => `${one} `),
  text('in base64 twice', base64, (one) => Buffer.from(one).toString('base64')),
  text('with bits that stand for nothing', base64, (one) =>
    one.replace(/.(?==)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
  ),
];

const hmac = (hash: string, key: string) => (over: string) => createHmac(hash, key).update(over).digest('base64');
const secret = 'a-published-secret';
const otherMethod = (one: 'close-day' | 'recurring'): Rows => [...wrong, `authentication/${one}-method`];

const keyOperators = [
  ...(
    [
      ['an empty key', ''],
      ['another secret', `${secret}&`],
      ['the consumer key', 'shop&'],
    ] as const
  ).map(([what, key]) => drafted(`HMAC with ${what}`, wrong, { signWith: hmac('sha1', key) }, ofCloseDay)),
  ...['md5', 'sha256', 'sha384', 'sha512'].map((hash) =>
    drafted(`HMAC with ${hash}`, otherMethod('close-day'), { signWith: hmac(hash, `${secret}&`) }, ofCloseDay),
  ),
  drafted('HMAC in place of RSA', otherMethod('recurring'), { signWith: hmac('sha1', `${secret}&`) }, ofBatch),
  ...['RSA-SHA1', 'RSA-SHA384', 'RSA-SHA512'].map((name) =>
    drafted(
      `signed with ${name}`,
      otherMethod('recurring'),
      { signWith: (over) => createSign(name).update(over).sign(privateKey, 'base64') },
      ofBatch,
    ),
  ),
  drafted(
    'RSA-SHA256 over the hash',
    wrong,
    { signWith: (over) => signBytes('sha256', Buffer.from(over).reverse(), privateKey).toString('base64') },
    ofBatch,
  ),
  drafted(
    'RSA with PSS padding',
    wrong,
    {
      signWith: (over) =>
        signBytes('sha256', Buffer.from(over), { key: privateKey, padding: 6, saltLength: 32 }).toString('base64'),
    },
    ofBatch,
  ),
];

const parameters = (what: string, breaks: Rows, change: (pairs: Pair[]) => Pair[]) =>
  drafted(`header ${what}`, breaks, { parameters: change });
const valued = (name: string, value: string) => (pairs: Pair[]) =>
  pairs.map(([one, old]): Pair => [one, one === name ? value : old]);

/** Signed as they are sent: only their own row breaks. */
const signedOperators = [
  parameters('in the reverse order', [], (pairs) => [...pairs].reverse()),
  parameters('with realm', [], (pairs) => [['realm', 'a'], ...pairs]),
  parameters('with an empty oauth_token', [], (pairs) => [...pairs, ['oauth_token', '']]),
  ...['oauth_token', 'oauth_body_hash', 'oauth_callback', 'x'].map((name) =>
    parameters(`with ${name}, signed`, list, (pairs) => [...pairs, [name, 'x']]),
  ),
  ...['oauth_consumer_key', 'oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_version'].flatMap(
    (name) => [
      parameters(`without ${name}, signed so`, list, (pairs) => pairs.filter(([one]) => one !== name)),
      parameters(`with an empty ${name}, signed`, list, valued(name, '')),
      parameters(`with ${name} twice, signed`, list, (pairs) => [...pairs, pairs.find(([one]) => one === name)!]),
    ],
  ),
  parameters('with oauth_version 1.1, signed', ['authentication/version'], valued('oauth_version', '1.1')),
  parameters(
    'with milliseconds, signed',
    ['authentication/timestamp-seconds'],
    valued('oauth_timestamp', '1700000000000'),
  ),
  parameters('with a nonce of odd characters, signed', [], valued('oauth_nonce', 'a b+c/d=é%&"')),
  drafted(
    'query that is not signed',
    ['close-day/path', ...wrong],
    { target: '/p1/api/v2/close-day/1111?a=1', uri: (one) => one, base: (one) => one.replace('a%3D1%26', '') },
    ofCloseDay,
  ),
];

export const signatureOperators: readonly TableOperator<TabledSignature>[] = [
  ...deviationOperators,
  ...textOperators,
  ...keyOperators,
  ...signedOperators,
];
