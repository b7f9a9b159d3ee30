/** Gateways that take one kind of wrong signature: section 5 and RFC 5849 section 3.4. */

import type { Operation } from '../../../contracts/operations.ts';
import { type Pair, readPublicKey } from '../../protocol/index.ts';
import type { GatewayDefect } from '../defect.ts';
import { alsoTakes, authorizationLine, signatureLength } from '../taken-anyway.ts';

const both = { side: 'gateway', operation: 'both' } as const;
const closeDay = { side: 'gateway', operation: 'close-day' } as const;
const recurring = { side: 'gateway', operation: 'process-recurring-payments' } as const;

const alteredUri = [
  'authentication/close-day-altered-uri-refused',
  'authentication/recurring-altered-uri-refused',
] as const;

/** What the suite signs with and no gateway knows; the keys of src/plan, which a defect may not import. */
const otherSecret = 'another-secret-that-no-gateway-knows';
const otherPublicKeyPem = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxRyAjzmhAuhHaOmA6Sl5
PRfWwZRo/zByEH9//SP1e2uicxZi6fK66EfSzY5rxwCf3ODvoSE27V9+jyMZtenn
d9XuuIKcoll9XANLNJqb6xsUUNNDqanxCNcaDLImNGLT/Oa/if5bX/rsJa4r0amY
/gO9e4sth36puHV1/YWDSEhvFnrBKRJooAm7s0Y9DLOORNRgVZU1PYw7tJKn17t6
pw+pVkcOmYxbVF7Jw8iOEEnbA9avJ3yV6AvO8WhqxNcJfsBsx4NL73Ew99jjAcr+
lyV8MwFrsWFrtmkmtN1xdjnQD2K41S23bVLB0j3NXGG2Q8IAkSZV+uSXHqGgiMN6
qwIDAQAB
-----END PUBLIC KEY-----
`;

export const wrongSignatureDefects: readonly GatewayDefect[] = [
  {
    ...closeDay,
    id: 'authentication/empty-secret-taken',
    summary: 'A signature made with an empty consumer secret is taken',
    breaks: ['authentication/close-day-wrong-key-refused'],
    alteration: alsoTakes((material) => ({ ...material, key: { method: 'HMAC-SHA1', consumerSecret: '' } })),
  },
  {
    ...closeDay,
    id: 'authentication/totals-not-signed',
    summary: 'Totals may be added to a close-day on its way: the signature over the id alone is taken',
    breaks: ['authentication/close-day-altered-body-refused'],
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.filter(([name]) => !/_approved_/.test(name)),
    })),
  },
  {
    ...both,
    id: 'authentication/scheme-not-compared',
    summary: 'The signature of the same URL with the other scheme is taken',
    breaks: alteredUri,
    alteration: alsoTakes(({ url, ...rest }) => ({
      ...rest,
      url: { ...url, scheme: url.scheme === 'https' ? 'http' : 'https' },
    })),
  },
  {
    ...both,
    id: 'authentication/endpoint-not-compared',
    summary: 'The signature of a request to endpoint 1112 is taken for every endpoint',
    breaks: alteredUri,
    alteration: alsoTakes(({ url, ...rest }) => ({
      ...rest,
      url: { ...url, target: url.target.replace(/[^/]+$/, '1112') },
    })),
  },
  {
    ...closeDay,
    id: 'authentication/revoked-secret-taken',
    summary: 'A consumer secret that was revoked is still taken',
    breaks: ['authentication/close-day-wrong-key-refused'],
    alteration: alsoTakes((material) =>
      material.key.method === 'HMAC-SHA1'
        ? { ...material, key: { method: 'HMAC-SHA1', consumerSecret: otherSecret } }
        : material,
    ),
  },
  {
    ...recurring,
    id: 'authentication/revoked-key-pair-taken',
    summary: 'A public key that was revoked is still taken',
    breaks: ['authentication/recurring-wrong-key-refused'],
    alteration: alsoTakes((material) =>
      material.key.method === 'RSA-SHA256'
        ? { ...material, key: { method: 'RSA-SHA256', publicKey: readPublicKey(otherPublicKeyPem) } }
        : material,
    ),
  },
  {
    ...closeDay,
    id: 'authentication/first-of-request-id-not-signed',
    summary: 'The signature of a close-day with another first character of its id is taken',
    breaks: ['authentication/close-day-altered-body-refused'],
    // What the suite signs for that case starts with an X.
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.map(([name, id]): Pair => [name, name === 'day_close_request_id' ? `X${id.slice(1)}` : id]),
    })),
  },
  {
    ...recurring,
    id: 'authentication/repeated-payment-not-signed',
    summary: 'The signature of a batch with its payment twice is taken',
    breaks: ['authentication/recurring-altered-body-refused'],
    // What the suite signs for that case is the one payment of the batch twice.
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.map(([name, value]): Pair => [name, name === 'payload' ? withPaymentTwice(value) : value]),
    })),
  },
  {
    ...recurring,
    id: 'authentication/amount-not-signed',
    summary: 'The amount of a batch may be altered on its way: the signature over another one is taken',
    breaks: ['authentication/recurring-altered-body-refused'],
    // What the suite signs for that case has another last digit.
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.map(([name, value]): Pair => [name, name === 'payload' ? withOtherAmount(value) : value]),
    })),
  },
  {
    ...both,
    id: 'authentication/signature-over-no-body-taken',
    summary: 'The signature over no body is taken',
    breaks: ['authentication/close-day-altered-body-refused', 'authentication/recurring-altered-body-refused'],
    alteration: alsoTakes((material) => ({ ...material, body: [] })),
  },
  {
    ...both,
    id: 'authentication/unknown-fields-not-signed',
    summary: 'Unknown fields may be added on the way: the signature over the known ones is taken',
    breaks: ['authentication/close-day-altered-body-refused', 'authentication/recurring-altered-body-refused'],
    alteration: {
      skips: ['payload-alone'],
      ...alsoTakes((material) => ({
        ...material,
        body: material.body.filter(([name]) => /^(day_close_request_id|payload|oauth_.*|.*_approved_.*)$/.test(name)),
      })),
    },
  },
  {
    ...both,
    id: 'authentication/signed-in-capitals',
    summary: 'The signature over the body in capitals is taken',
    breaks: ['authentication/close-day-altered-body-refused', 'authentication/recurring-altered-body-refused'],
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.map(([name, value]): Pair => [name, value.toUpperCase()]),
    })),
  },
  {
    ...closeDay,
    id: 'authentication/short-hmac-accepted',
    summary: 'A close-day whose signature lacks its last eight characters is accepted',
    breaks: ['authentication/close-day-wrong-signature-refused'],
    alteration: {
      takes: ({ operation, request }) => operation === 'close-day' && signatureLength(request) === 20,
    },
  },
  {
    ...recurring,
    id: 'authentication/short-signature-accepted',
    summary: 'A batch whose RSA signature lacks its last four bytes is accepted',
    breaks: ['authentication/recurring-wrong-signature-refused'],
    alteration: {
      takes: ({ operation, request }) => operation === 'process-recurring-payments' && signatureLength(request) === 336,
    },
  },
  {
    ...both,
    id: 'authentication/path-not-signed',
    summary: 'The signature of a path with one character more is taken',
    breaks: alteredUri,
    // What the suite signs for that case is the path with one character more.
    alteration: alsoTakes(({ url, ...rest }) => ({ ...rest, url: { ...url, target: `${url.target}0` } })),
  },
  {
    ...both,
    id: 'authentication/method-not-signed',
    summary: 'The signature of a GET is taken for a POST',
    breaks: alteredUri,
    alteration: alsoTakes((material) => ({ ...material, method: 'GET' })),
  },
  {
    ...both,
    id: 'authentication/host-not-signed',
    summary: 'The signature of a request to another host is taken',
    breaks: alteredUri,
    // What the suite signs for that case is this name, with the port that is right.
    alteration: alsoTakes(({ url, ...rest }) => ({
      ...rest,
      url: { ...url, host: url.host.replace(/^(\[.*\]|[^:]*)/, 'gateway.example') },
    })),
  },
  {
    ...both,
    id: 'authentication/port-not-compared',
    summary: 'The signature of a request to port 1 is taken',
    breaks: alteredUri,
    alteration: alsoTakes(({ url, ...rest }) => ({
      ...rest,
      url: { ...url, host: `${url.host.replace(/:\d+$/, '')}:1` },
    })),
  },
  {
    ...both,
    id: 'authentication/query-not-compared',
    summary: 'The signature of a request with a query is taken for one without',
    breaks: alteredUri,
    alteration: alsoTakes((material) => ({ ...material, query: [['x', '1']] })),
  },
  unsignedAccepted('process-recurring-payments', 'recurring', 'batch'),
  unsignedAccepted('close-day', 'close-day', 'close-day'),
];

function unsignedAccepted<A extends 'close-day' | 'recurring'>(of: Operation, area: A, what: string): GatewayDefect {
  return {
    side: 'gateway',
    operation: of,
    id: `authentication/unsigned-${what}-accepted`,
    summary: `A ${what} without an Authorization header is accepted`,
    breaks: [`authentication/${area}-unsigned-refused`, `authentication/${area}-wrong-key-refused`],
    reasons: {
      [`authentication/${area}-wrong-key-refused`]: 'a signature beside the header is none for it, whatever made it',
    },
    alteration: { takes: ({ operation, request }) => operation === of && authorizationLine(request) === '' },
  };
}

function withPaymentTwice(payload: string): string {
  const [header, row] = Buffer.from(payload, 'base64').toString('utf8').split('\n');
  return Buffer.from(`${header}\n${row}\n${row}\n`, 'utf8').toString('base64');
}

/** The same CSV with the last digit of its last amount changed. */
function withOtherAmount(payload: string): string {
  const csv = Buffer.from(payload, 'base64').toString('utf8');
  return Buffer.from(csv.replace(/\d(?=\D*$)/, (digit) => (digit === '9' ? '8' : '9'))).toString('base64');
}
