/** Gateways that only the further faults tell from right ones: each leaves out a part of what section 5 asks for. */
import { oauthParameters } from '../../../contracts/oauth-parameters.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { verifySignature } from '../../protocol/oauth/signature.ts';
import { type GatewayDefect, ofEither } from '../defect.ts';
import { alsoTakes, authorizationLine, baseStringOf } from '../taken-anyway.ts';

export const furtherLapseDefects: readonly GatewayDefect[] = [
  targetTaken(
    'prefix-added-to-path',
    'The signature of the path behind another prefix is taken',
    (target) => `/paynet${target}`,
  ),
  targetTaken('path-without-prefix-taken', 'The signature of the path without its first segment is taken', (target) =>
    target.replace(/^\/[^/]+/, ''),
  ),
  targetTaken('path-case-ignored', 'The path is compared without regard to case', (target) => target.toUpperCase()),
  targetTaken(
    'point-before-endpoint-taken',
    'The path with a segment of one point before the endpoint is taken',
    (target) => target.replace(/[^/]+$/, './$&'),
  ),
  targetTaken('version-3-taken', 'The path of version 3 is taken', (target) => target.replace(/\/v\d+\//, '/v3/')),
  targetTaken('version-of-the-other-taken', 'The path with the version of the other operation is taken', (target) =>
    target.replace(/\/v[24]\//, (own) => (own === '/v2/' ? '/v4/' : '/v2/')),
  ),
  uriTaken('port-80-written', 'The port 80 is taken where it is written out', (uri) =>
    uri.replace(/(:\d+)?(?=\/api\/)/, ':80'),
  ),
  uriTaken('port-443-written', 'The port 443 is taken where it is written out', (uri) =>
    uri.replace(/(:\d+)?(?=\/api\/)/, ':443'),
  ),
  uriTaken('question-mark-taken', 'A question mark behind the path is taken', (uri) => `${uri}?`),
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'authentication/oauth-fields-not-signed',
    summary: 'Further fields whose names begin with oauth_ are taken, and not signed',
    breaks: ['authentication/close-day-altered-body-refused'],
    alteration: {
      skips: ['parameters-in-header'],
      ...alsoTakes((material) => ({ ...material, body: material.body.filter(([name]) => !name.startsWith('oauth_')) })),
    },
  },
  targetTaken('zero-before-endpoint-taken', 'The path with a zero before the endpoint is taken', (target) =>
    target.replace(/[^/]+$/, '0$&'),
  ),
  uriTaken('point-behind-host-taken', 'The host with a point behind it is taken', (uri) =>
    uri.replace(/^(http:\/\/(?:\[.*\]|[^:/]*))/, '$1.'),
  ),
  ...oauthParameters
    .filter((name) => name !== 'oauth_signature')
    .map((name) =>
      ofEither(
        `${name.replace('oauth_', '').replaceAll('_', '-')}-need-not-be-signed`,
        `A signature that leaves out ${name} is taken`,
        ['wrong-signature-refused'],
        alsoTakes((material) => ({ ...material, header: material.header.filter(([one]) => one !== name) })),
      ),
    ),
  ...(
    [
      ['body-values-need-not-be-signed', 'body', 'altered-body'],
      ['query-values-need-not-be-signed', 'query', 'altered-uri'],
    ] as const
  ).map(([what, part, row]) =>
    ofEither(
      what,
      `Of the ${part} the names alone have to be signed`,
      [`${row}-refused`],
      alsoTakes((material) => ({ ...material, [part]: material[part].map(([name]) => [name, '']) })),
    ),
  ),
  totalNotSigned('sale_approved_count'),
  totalNotSigned('reversal_approved_count'),
  totalNotSigned('reversal_approved_sum'),
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'authentication/empty-totals-not-signed',
    summary: 'Totals without a value may be added on the way, and nothing else',
    breaks: ['authentication/close-day-altered-body-refused'],
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.filter(([name, value]) => value !== '' || !/_approved_/.test(name)),
    })),
  },
  ...(
    [
      ['realm-alone', 'a realm and no parameter besides', /^OAuth realm="[^"]+"$/],
      ['empty-realm-alone', 'an empty realm and no parameter besides', /^OAuth realm=""$/],
      ['name-alone', 'the name of a parameter alone', /^OAuth oauth_signature$/],
    ] as const
  ).map(([what, holds, header]) =>
    ofEither(`${what}-taken`, `A header that holds ${holds} is taken`, ['unsigned-refused'], {
      takes: ({ request }) => header.test(authorizationLine(request)),
    }),
  ),
  ofEither(
    'unknown-method-with-empty-signature-taken',
    'A signature method that does not exist gives an empty signature, which is taken',
    ['missing-signature-refused'],
    {
      takes: ({ oauth }) =>
        firstValue(oauth, 'oauth_signature') === '' &&
        !/^((HMAC|RSA)-SHA(1|256|512)|PLAINTEXT|)$/.test(firstValue(oauth, 'oauth_signature_method') ?? ''),
    },
  ),
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'authentication/unknown-consumer-has-empty-secret',
    summary: 'The secret of a consumer that is not known is empty',
    breaks: ['authentication/close-day-unknown-consumer-refused'],
    alteration: { takes: (reading, step) => step === 'consumer' && isSignedWithNothing(reading) },
  },
  ofEither(
    'method-name-trimmed',
    'Blanks around the name of the signature method are ignored',
    ['other-method-refused'],
    {
      takes: ({ oauth }, step) =>
        step === 'signature-method' && / $/.test(firstValue(oauth, 'oauth_signature_method') ?? ''),
    },
  ),
  consumerFound('behind-point-taken', 'A segment of one point before a consumer key is ignored', (key) =>
    key.replace(/^\.\//, ''),
  ),
  consumerFound('before-question-mark-taken', 'A consumer key ends at its first question mark', (key) =>
    key.replace(/\?.*/s, ''),
  ),
  consumerFound('decoded-again', 'Escapes of a consumer key are decoded once more', (key) =>
    key.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ),
  ofEither('timestamp-underscore-taken', 'Underscores of a timestamp are ignored', ['malformed-timestamp-refused'], {
    takes: ({ oauth }) => /^\d_\d+$/.test(firstValue(oauth, 'oauth_timestamp') ?? ''),
  }),
  ofEither('consumer-key-hyphens-ignored', 'Hyphens of a consumer key are ignored', ['unknown-consumer-refused'], {
    takes: ({ oauth }, step) =>
      step === 'consumer' &&
      withoutHyphens(firstValue(oauth, 'oauth_consumer_key') ?? '') === withoutHyphens(publishedIdentity.consumerKey),
  }),
  ofEither(
    'bodies-above-64-kib-not-verified',
    'Where the body has more than 64 KiB, the signature is not checked',
    ['wrong-key-refused', 'altered-body-refused'],
    { takes: ({ request }, step) => step === 'signature' && request.body.length > 65_536 },
  ),
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'authentication/batches-above-64-kib-not-verified',
    summary: 'Where a batch has more than 64 KiB and no field beside its payload, the signature is not checked',
    breaks: ['authentication/recurring-wrong-key-refused', 'authentication/recurring-altered-body-refused'],
    alteration: {
      takes: ({ request, form }, step) =>
        step === 'signature' && request.body.length > 65_536 && form.every(([name]) => name === 'payload'),
    },
  },
];

function withoutHyphens(key: string): string {
  return key.replaceAll('-', '');
}

function consumerFound(what: string, summary: string, asLookedFor: (key: string) => string): GatewayDefect {
  return ofEither(`consumer-key-${what}`, summary, ['unknown-consumer-refused'], {
    takes: ({ oauth }, step) =>
      step === 'consumer' &&
      asLookedFor(firstValue(oauth, 'oauth_consumer_key') ?? '') === publishedIdentity.consumerKey,
  });
}

function targetTaken(what: string, summary: string, signed: (target: string) => string): GatewayDefect {
  return ofEither(
    what,
    summary,
    ['altered-uri-refused'],
    alsoTakes(({ url, ...rest }) => ({ ...rest, url: { ...url, target: signed(url.target) } })),
  );
}

/** The URL of the base string (RFC 5849 3.4.1.2) in a form that no other URL has. */
function uriTaken(what: string, summary: string, signed: (uri: string) => string): GatewayDefect {
  return ofEither(
    what,
    summary,
    ['altered-uri-refused'],
    alsoTakes(({ steps, ...rest }) => ({ ...rest, steps: { ...steps, uri: (url) => signed(steps.uri(url)) } })),
  );
}

function totalNotSigned(total: string): GatewayDefect {
  return {
    side: 'gateway',
    operation: 'close-day',
    id: `authentication/${total.replaceAll('_', '-')}-not-signed`,
    summary: `${total} may be added on the way: the signature over the other fields is taken`,
    breaks: ['authentication/close-day-altered-body-refused'],
    alteration: alsoTakes((material) => ({ ...material, body: material.body.filter(([name]) => name !== total) })),
  };
}

function isSignedWithNothing(reading: Reading): boolean {
  const signature = firstValue(reading.oauth, 'oauth_signature') ?? '';
  const key = { method: 'HMAC-SHA1', consumerSecret: '' } as const;
  return reading.operation === 'close-day' && verifySignature(baseStringOf(reading), signature, key);
}
