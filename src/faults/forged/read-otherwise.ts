/** Gateways that change names and values before they compute a signature, take it for another place, or compare a part of it. */

import { firstValue, type Reading } from '../../mock/received.ts';
import type { SignatureMaterial } from '../../mock/signature.ts';
import type { Pair } from '../../protocol/index.ts';
import { type GatewayDefect, ofEither } from '../defect.ts';
import { alsoTakes } from '../taken-anyway.ts';
import { rightSignature } from './near-misses.ts';

export const readOtherwiseDefects: readonly GatewayDefect[] = [
  bodyRead(
    'values-trimmed',
    'Values are trimmed before they are signed',
    each((text) => text.trim()),
  ),
  bodyRead(
    'values-cut-at-255',
    'Of each value 255 characters are signed',
    each((text) => text.slice(0, 255)),
  ),
  bodyRead(
    'values-cut-at-4096',
    'Of each value 4,096 characters are signed',
    each((text) => text.slice(0, 4_096)),
  ),
  bodyRead(
    'values-cut-at-nul',
    'Values end at a NUL',
    each((text) => text.split('\0')[0]!),
  ),
  bodyRead(
    'values-composed',
    'Letters of two code points are signed as one',
    each((text) => text.normalize('NFC')),
  ),
  bodyRead(
    'values-in-latin-1',
    'Letters beyond Latin-1 are signed as question marks',
    each((text) => text.replace(/[^\0-\xff]/gu, '?')),
  ),
  bodyRead('names-in-lower-case', 'Names are signed in lower case', (body) =>
    body.map(([name, text]) => [name.toLowerCase(), text]),
  ),
  bodyRead('last-of-equal-names', 'Of equal names only the last value is signed', (body) => [...new Map(body)]),
  bodyRead('first-of-equal-names', 'Of equal names only the first value is signed', (body) => [
    ...new Map(body.toReversed()),
  ]),
  bodyRead('first-field-not-signed', 'Of several fields the first one is not signed', (body) =>
    body.length > 1 ? body.slice(1) : [...body],
  ),
  bodyRead('bracketed-names-not-signed', 'Names with a bracket are not signed', without(/\[/)),
  bodyRead('underscored-names-not-signed', 'Names that begin with an underscore are not signed', without(/^_/)),
  bodyRead('format-not-signed', 'A field that is called format is not signed', without(/^format$/)),
  bodyRead('hundred-fields-signed', 'The first hundred fields are signed', (body) => body.slice(0, 100)),
  bodyRead('thousand-fields-signed', 'The first thousand fields are signed', (body) => body.slice(0, 1_000)),

  placeTaken('double-slash-taken', 'A path with one slash more in front', ({ target }) => ({ target: `/${target}` })),
  placeTaken('point-segment-taken', 'A path with a segment of one point', ({ target }) => ({
    target: target.replace('/api/', '/api/./'),
  })),
  placeTaken('other-version-taken', 'The path of another version', ({ target }) => ({
    target: target.replace(/\/v\d+\//, '/v1/'),
  })),
  placeTaken('other-operation-taken', 'The path of the other operation', ({ target }) => ({
    target: target.includes('/close-day/')
      ? target.replace('v2/close-day', 'v4/process-recurring-payments')
      : target.replace('v4/process-recurring-payments', 'v2/close-day'),
  })),
  placeTaken('path-without-endpoint-taken', 'The path without the endpoint', ({ target }) => ({
    target: target.replace(/\/[^/]+$/, ''),
  })),
  placeTaken('port-8080-taken', 'The port 8080', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:${host.endsWith(':8080') ? 8081 : 8080}`,
  })),
  placeTaken('localhost-taken', 'Another name of the machine', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
  })),
  ...['PUT', 'PATCH', 'DELETE'].map((method) =>
    signedAs(
      `signed-as-${method.toLowerCase()}-taken`,
      `A signature for ${method} is taken`,
      'altered-uri',
      (material) => ({
        ...material,
        method,
      }),
    ),
  ),
  signedAs('one-query-parameter-signed', 'The first parameter of the query is signed', 'altered-uri', (material) => ({
    ...material,
    query: material.query.slice(0, 1),
  })),
  signedAs(
    'equal-query-parameters-signed-once',
    'Equal names of the query are signed once',
    'altered-uri',
    (material) => ({
      ...material,
      query: [...new Map(material.query)],
    }),
  ),

  taken('method-unknown-taken', 'A name of no method stands for the right one', 'other-method', (reading) =>
    named(reading, /^NONE$/),
  ),
  taken('method-384-taken', 'The name of a longer hash stands for the right method', 'other-method', (reading) =>
    named(reading, /-SHA384$/),
  ),
  taken('method-underscore-taken', 'The method may have an underscore in its name', 'other-method', (reading) =>
    named(reading, /_/),
  ),
  taken('method-prefix-taken', 'The name of the method may go on', 'other-method', (reading) =>
    named(reading, /\d-2$/),
  ),
  taken('method-alias-taken', 'The method may have the name that others give it', 'other-method', (reading) =>
    named(reading, /^(?:HmacSHA1|RS256)$/),
  ),
  ...(
    [
      ['with-placeholder', 'holds a placeholder', /^_/],
      ['as-expression', 'is a regular expression', /^\.\*$/],
      ['as-asterisk', 'is an asterisk', /^\*$/],
      ['as-nothing', 'is a word for nothing', /^null$/],
      ['as-blank', 'is a blank', /^ $/],
      ['as-member', 'is a member of every object', /^constructor$/],
      ['in-quotes', 'is in quotes', /^"/],
      ['in-list', 'is a list', /,/],
      ['as-condition', 'ends a condition', /' OR '/],
    ] as const
  ).map(([what, says, pattern]) =>
    taken(`consumer-key-${what}`, `A consumer key that ${says} finds a consumer`, 'unknown-consumer', ({ oauth }) =>
      pattern.test(firstValue(oauth, 'oauth_consumer_key') ?? ''),
    ),
  ),
  ...(
    [
      ['with-letter', 'v1.0'],
      ['with-two-zeros', '1.00'],
      ['with-comma', '1,0'],
    ] as const
  ).map(([what, version]) =>
    taken(
      `version-${what}-taken`,
      `The version ${version} is taken`,
      'wrong-version',
      ({ oauth }) => firstValue(oauth, 'oauth_version') === version,
    ),
  ),
  ...Object.entries({ word: 'now', blank: ' ' }).map(([what, timestamp]) =>
    taken(
      `timestamp-${what}-taken`,
      `A ${what} is taken for the time`,
      'malformed-timestamp',
      ({ oauth }) => firstValue(oauth, 'oauth_timestamp') === timestamp,
    ),
  ),

  bytesTaken('signature-in-reverse-taken', 'The bytes of a signature may come in reverse', (sent) => sent.toReversed()),
  bytesTaken('signature-twice-taken', 'A signature may come twice', (sent) => sent.subarray(0, sent.length / 2)),
  bytesTaken('signature-inverted-taken', 'The bits of a signature may be inverted', (sent) =>
    sent.map((byte) => ~byte),
  ),
  taken(
    'blank-signature-taken',
    'A blank is taken for a signature',
    'wrong-signature',
    ({ oauth }) => firstValue(oauth, 'oauth_signature') === ' ',
  ),
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'authentication/signature-compared-to-zero-byte',
    summary: 'Signatures are compared up to the first zero byte',
    breaks: ['authentication/close-day-wrong-signature-refused'],
    alteration: { takes: (reading, step) => step === 'signature' && isEqualToZeroByte(reading) },
  },
];

function each(change: (text: string) => string): (body: readonly Pair[]) => Pair[] {
  return (body) => body.map(([name, text]) => [name, change(text)]);
}

function without(pattern: RegExp): (body: readonly Pair[]) => Pair[] {
  return (body) => body.filter(([name]) => !pattern.test(name));
}

/** Of close-day alone: beside a payload the mock takes no further field. */
function bodyRead(what: string, summary: string, read: (body: readonly Pair[]) => Pair[]): GatewayDefect {
  return {
    side: 'gateway',
    operation: 'close-day',
    id: `authentication/${what}`,
    summary,
    breaks: ['authentication/close-day-altered-body-refused'],
    alteration: alsoTakes((material) => ({ ...material, body: read(material.body) })),
  };
}

function placeTaken(
  what: string,
  summary: string,
  place: (url: SignatureMaterial['url']) => Partial<SignatureMaterial['url']>,
): GatewayDefect {
  return signedAs(what, `${summary} is taken too in the base string`, 'altered-uri', (material) => ({
    ...material,
    url: { ...material.url, ...place(material.url) },
  }));
}

function signedAs(
  what: string,
  summary: string,
  row: string,
  other: (material: SignatureMaterial) => SignatureMaterial,
): GatewayDefect {
  return ofEither(what, summary, [`${row}-refused`], alsoTakes(other));
}

function taken(what: string, summary: string, row: string, takes: (reading: Reading) => boolean): GatewayDefect {
  return ofEither(what, summary, [`${row}-refused`], { takes });
}

/** Announced under such a name, and signed as the operation asks. */
function named(reading: Reading, pattern: RegExp): boolean {
  return pattern.test(firstValue(reading.oauth, 'oauth_signature_method') ?? '') && isRight(reading, (sent) => sent);
}

function bytesTaken(what: string, summary: string, right: (sent: Buffer) => Uint8Array): GatewayDefect {
  return ofEither(what, summary, ['wrong-signature-refused'], {
    takes: (reading, step) => step === 'signature' && isRight(reading, right),
  });
}

function isRight(reading: Reading, right: (sent: Buffer) => Uint8Array): boolean {
  return Buffer.from(right(signatureIn(reading))).toString('base64') === rightSignature(reading);
}

function isEqualToZeroByte(reading: Reading): boolean {
  const [sent, right] = [signatureIn(reading), Buffer.from(rightSignature(reading), 'base64')];
  const end = right.indexOf(0);
  const isCompared = reading.operation === 'close-day' && end >= 2 && sent.length === right.length;
  return isCompared && sent.subarray(0, end + 1).equals(right.subarray(0, end + 1));
}

function signatureIn({ oauth }: Reading): Buffer {
  return Buffer.from(firstValue(oauth, 'oauth_signature') ?? '', 'base64');
}
