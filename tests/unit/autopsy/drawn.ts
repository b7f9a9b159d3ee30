/** Draws requests by seed, and signs them with given deviations. */

import { constants, type KeyObject, privateEncrypt, sign as signBytes } from 'node:crypto';
import { readEvidence } from '../../../src/autopsy/facts.ts';
import { digestInfos, encodings } from '../../../src/autopsy/readings.ts';
import { candidatesFor } from '../../../src/deviations/candidates.ts';
import type { Deviation } from '../../../src/deviations/deviation.ts';
import type { HashName } from '../../../src/deviations/signing-options.ts';
import {
  encodeForm,
  type Pair,
  percentEncode,
  type SignatureMethod,
  type WireRequest,
} from '../../../src/protocol/index.ts';
import { diceFrom } from '../../dice.ts';

export interface Draft {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly target: string;
  readonly body: string;
  readonly contentType: string;
  readonly credentials: readonly Pair[];
  readonly realm?: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

/** A right close-day, which most signers sign in the same way. */
export const plainRequest: Draft = {
  method: 'POST',
  scheme: 'https',
  host: 'gate.example.com',
  target: '/api/v2/close-day/1111',
  body: 'day_close_request_id=902B4FF5',
  contentType: 'application/x-www-form-urlencoded',
  credentials: [
    ['oauth_consumer_key', 'shop'],
    ['oauth_nonce', 'n0nce'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1700000000'],
    ['oauth_version', '1.0'],
  ],
  consumerSecret: 'a-secret-of-enough-length',
  tokenSecret: '',
};

export interface Choice {
  readonly pick: <T>(items: readonly T[]) => T;
  readonly below: (count: number) => number;
  readonly word: (length: number, alphabet?: string) => string;
}

export function choiceOf(seed: number): Choice {
  const dice = diceFrom(seed);
  const below = (count: number): number => Math.floor((dice.below(2 ** 32) / 2 ** 32) * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  const word = (length: number, from = alphabet): string => Array.from({ length }, () => pick([...from])).join('');
  return { pick, below, word };
}

/** Draws a request: of both operations, GET with a query, with tokens, with odd values. */
export function drawRequest(choice: Choice, method: SignatureMethod): Draft {
  const { below, pick, word } = choice;
  const recurring = method === 'RSA-SHA256';
  const token = below(3) === 0;
  const timestamp = String(1_600_000_000 + below(100_000_000));
  return {
    method: pick(['POST', 'POST', 'POST', 'GET']),
    scheme: pick(['https', 'https', 'http']),
    host: pick(
      'gate.example.com Gate.Example.com gate.example.com:8443 127.0.0.1:3000 gate.example.com:443'.split(' '),
    ),
    target: `${pick(['', '/paynet', '/Pay%20net'])}/api/${recurring ? 'v4/process-recurring-payments' : 'v2/close-day'}/${1 + below(9999)}${pick(['', '', `?x=${word(3)}`, '?q=1+2%2B3&Q=%C3%A9'])}`,
    body: encodeForm(recurring ? [['payload', payloadOf(choice)]] : fieldsOf(choice)),
    contentType: 'application/x-www-form-urlencoded',
    credentials: [
      ['oauth_consumer_key', pick([word(8), `${word(4)} &/${word(3)}`])],
      ['oauth_nonce', word(12)],
      ['oauth_signature_method', method],
      ['oauth_timestamp', timestamp],
      ...(token ? [['oauth_token', word(9)] as const] : []),
      ['oauth_version', '1.0'],
    ],
    ...(below(4) === 0 ? { realm: word(5) } : {}),
    consumerSecret: pick([word(20), `${word(10)} +&%${word(8)}`, `${word(9)}!*'()~${word(5)}`]),
    tokenSecret: token ? word(16) : '',
  };
}

function fieldsOf({ below, pick, word }: Choice): Pair[] {
  const odd = "a!*'()b¦~¦1 0+4¦ edge ¦a/b:c@d,e;f¦¦x%20y¦é¦z¦漢¦😀¦9¦10¦l1\r\nl2".split('¦');
  const names = ['sale_approved_count', 'sale_approved_sum', 'reversal_approved_count', 'Sum', 'a', 'a-b'];
  const extra = Array.from({ length: 1 + below(5) }, (): Pair => [pick(names), pick([...odd, word(6)])]);
  return [['day_close_request_id', word(12)], ...extra];
}

export function payloadOf({ below, word }: Choice, rows = 2 + below(8)): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `${word(9)}ü${row};${word(10, '0123456789')};${below(900)}.${word(2, '0123456789')}`,
  );
  return Buffer.from(`"client-orderid";"recurring-payment-id";"amount"\n${lines.join('\n')}\n`).toString('base64');
}

/** Requests that together show every deviation. */
export function trapRequests(choice: Choice, method: SignatureMethod): Draft[] {
  const all = everyTrap(choice, method);
  const { credentials, body } = all;
  return [
    all,
    // This request has no token, no version and no final slash, but a default port and a base64 value.
    {
      ...all,
      method: 'GET',
      host: 'gate.example.com:443',
      target: `/paynet/api/v2/close-day/${choice.word(4, '123456789')}`,
      credentials: credentials.filter(([name]) => name !== 'oauth_token' && name !== 'oauth_version'),
      body: `payload=${encodeURIComponent('+/+/aGVsbG8=')}`,
      tokenSecret: '',
    },
    { ...all, scheme: 'http', host: '127.0.0.1', contentType: 'text/plain' },
    { ...all, host: 'gate.example.com', body: body.trimEnd() },
    // Some signers escape these characters of a path.
    { ...all, target: `/~shop/(a)@b/api/v2/close-day/${choice.word(4, '123456789')}` },
  ];
}

/** A request with all values that show deviations. */
function everyTrap({ word }: Choice, method: SignatureMethod): Draft {
  const pairs: Pair[] = [
    ['day_close_request_id', word(12)],
    ['z', 'z'],
    ['z', 'é'],
    ['z', 'z'],
    ['note', `a!*'()b!*'() ~ ${word(3)} `],
    ['spaces', 'a  b'],
    ['count', '9'],
    ['count', '10'],
    ['mark', '!'],
    ['star', '*'],
    ["it's", "it's"],
    ['round', '(1)'],
    ['sum', '1 0+4'],
    ['literal', '%20%2f'],
    ['list', 'a/b:c@d,e;f?g&h=i$j#k'],
    ['empty', ''],
    ['lines', 'one\r\ntwo'],
    ['feeds', 'one\ntwo'],
    ['Capital', 'A'],
    ['a', '1'],
    ['a-b', '2'],
    ['a_b', '3'],
    ['a1b', '4'],
    ['rare', '漢😀'],
    ['composed', 'e\u0301\u00f6'],
    ['payload', Buffer.from(`csv ${word(5)}`).toString('base64')],
  ];
  return {
    method: 'POST',
    scheme: 'https',
    // This port begins like the default port of http.
    host: 'Gate.Example.com:8043',
    target: `/Pay%20net//api/v2/close-day/${word(4, '123456789')}/?query=1+2&Other=%C3%A9`,
    body: `${encodeForm(pairs)}&raw=a+b%2Bc\n`,
    contentType: 'application/x-www-form-urlencoded',
    credentials: [
      ['oauth_consumer_key', `${word(5)} &/${word(3)}`],
      ['oauth_nonce', word(12)],
      ['oauth_signature_method', method],
      ['oauth_timestamp', `16${word(8, '123456789')}`],
      ['oauth_token', word(9)],
      ['oauth_version', '1.0'],
    ],
    realm: word(5),
    consumerSecret: `${word(10)} +&%!*'()~${word(8)}`,
    tokenSecret: `${word(12)}/`,
  };
}

/** The value of the Authorization header, with values escaped once or twice. */
export function headerOf(pairs: readonly Pair[], realm: string | undefined, twice: boolean): string {
  const escaped = (text: string): string => (twice ? percentEncode(percentEncode(text)) : percentEncode(text));
  const printed = pairs.map(([name, value]) => `${name}="${escaped(value)}"`);
  return `OAuth ${[...(realm === undefined ? [] : [`realm="${realm}"`]), ...printed].join(', ')}`;
}

/** The request that a client with these deviations sends. */
export function signWith(draft: Draft, deviations: readonly Deviation[], privateKey?: KeyObject): WireRequest {
  const ids = deviations.map(({ id }) => id);
  const twice = ids.includes('header-values-encoded-twice');
  const milliseconds = ids.includes('timestamp-signed-in-seconds-sent-in-milliseconds');
  const credentials = draft.credentials.map(
    ([name, value]): Pair => (name === 'oauth_timestamp' && milliseconds ? [name, `${value}123`] : [name, value]),
  );
  const unsigned = wire(draft, headerOf(credentials, draft.realm, twice));
  const signature = signatureText(draft, unsigned, deviations, privateKey);
  return wire(draft, headerOf([...credentials, ['oauth_signature', signature]], draft.realm, twice));
}

/** The request with a changed Authorization header, or without one if `change` gives an empty text. */
export function withHeader(request: WireRequest, change: (header: string) => string): WireRequest {
  const headers = request.headers.flatMap(([name, value]) => {
    const changed = name === 'Authorization' ? change(value) : value;
    return changed === '' ? [] : [[name, changed] as const];
  });
  return { ...request, headers };
}

/** The signature of a client with these deviations. Without a private key, RSA signatures stay unencrypted. */
export function signatureText(
  draft: Draft,
  request: WireRequest,
  deviations: readonly Deviation[],
  privateKey?: KeyObject,
): string {
  const ids = deviations.map(({ id }) => id);
  const candidates = candidatesFor(readEvidence(request), {
    consumerKey: draft.credentials[0]![1],
    consumerSecret: draft.consumerSecret,
    tokenSecret: draft.tokenSecret,
  });
  if (ids.includes('plaintext-signature')) return candidates.keyText(deviations);
  const rsa = draft.credentials.some(([, value]) => value === 'RSA-SHA256');
  const hashName = ids.find((id) => /^hash-(?:md5|sha\d+)$/.test(id))?.slice('hash-'.length) as HashName | undefined;
  const hash = hashName ?? (rsa ? 'sha256' : 'sha1');
  const useRsa = rsa ? !ids.includes('hmac-instead-of-rsa') : ids.includes('rsa-instead-of-hmac');
  const bytes = useRsa
    ? rsaSignature(candidates.digest(deviations, hash), candidates.baseString(deviations), hash, ids, privateKey)
    : Buffer.from(candidates.mac(deviations, hash), 'hex');
  const { write } = encodings.find(({ id }) => id !== undefined && ids.includes(id)) ?? encodings[0]!;
  const written = write(bytes);
  return ids.includes('signature-escaped-before-header') ? encodeURIComponent(written) : written;
}

function rsaSignature(hex: string, base: string, hash: HashName, ids: readonly string[], key?: KeyObject): Buffer {
  if (ids.includes('pss-padding') && key !== undefined) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return signBytes(hash, Buffer.from(base), { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
  }
  const content = `${ids.includes('digest-info-missing') ? '' : digestInfos[hash]}${hex}`;
  const bytes = Buffer.from(content, 'hex');
  return key === undefined ? bytes : privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes);
}

/** The request as sent. */
export function wire(draft: Draft, authorization: string): WireRequest {
  return {
    method: draft.method,
    scheme: draft.scheme,
    host: draft.host,
    target: draft.target,
    headers: Object.entries({ Host: draft.host, 'Content-Type': draft.contentType, Authorization: authorization }),
    body: Buffer.from(draft.body),
  };
}
