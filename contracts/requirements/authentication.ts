/** Requirements on callers and signatures: sections 1, 5 and 9, and RFC 5849 if the document is silent. */
import { type Operation, operationNames, operations } from '../operations.ts';
import { type Requirement, rowsOf } from './requirement.ts';

const sent = { operation: 'both', side: 'client', dimension: 'signing', kind: 'required' } as const;
const client = rowsOf(sent);
const rfc5849 = rowsOf({ ...sent, basis: 'profile:rfc5849' });

/** For each signature method: its statement in the document, and the wrong key of faulty requests. */
const schemes = {
  'HMAC-SHA1': { schemeRow: '5/row/1', wrongKey: 'another consumer secret' },
  'RSA-SHA256': { schemeRow: '5/row/2', wrongKey: 'another private key' },
} as const;

export const authentication = [
  // --- client ---
  {
    ...client('5', '5/bullet/1'),
    id: 'authentication/header-scheme',
    part: 'header',
    statement: 'The one Authorization header starts with OAuth, followed by parameters with a comma between each two.',
    hint: 'Write Authorization: OAuth name="value", name="value". Put no comma after OAuth or at the end.',
  },
  {
    ...client('5', '5/bullet/2'),
    id: 'authentication/header-parameters',
    statement:
      'The header holds the six oauth_ parameters, each once with a value, and no other; realm and an empty oauth_token are tolerated.',
    hint: 'Send only oauth_consumer_key, oauth_signature_method, oauth_timestamp, oauth_nonce, oauth_version and oauth_signature. Leave out oauth_body_hash and form fields.',
  },
  {
    ...rfc5849('5', '5/bullet/1', '5/bullet/8'),
    id: 'authentication/header-values-encoded',
    part: 'header',
    statement:
      'Each header parameter is written name="value" without white space inside, the value percent-encoded exactly once (RFC 5849 3.5.1).',
    hint: 'Percent-encode each value once: + / = of the signature become %2B %2F %3D.',
  },
  {
    ...rfc5849('5', '5/bullet/1'),
    id: 'authentication/parameters-only-in-header',
    schemaSees: 'part',
    statement: 'No oauth_ parameter is in the body or the query (RFC 5849 3.5).',
    hint: 'Send the oauth_ parameters in the header only.',
  },
  {
    ...client('5', '5/bullet/3'),
    id: 'authentication/timestamp-seconds',
    schemaSees: 'part',
    statement:
      'oauth_timestamp is a positive whole number, the seconds since the Unix epoch, at most 300 off the clock that client and suite share.',
    hint: 'Send whole seconds, not milliseconds, in UTC.',
  },
  {
    ...client('5', '5/bullet/4', '9/bullet/2'),
    id: 'authentication/version',
    statement: 'oauth_version is 1.0.',
    hint: 'Send oauth_version="1.0".',
  },
  ...operationNames.map((operation) => announced(operation)),
  {
    ...client('5', '5/bullet/6'),
    id: 'authentication/consumer-key',
    statement: 'oauth_consumer_key is the consumer key that was issued.',
    hint: 'Send the consumer key as issued, encoded once.',
  },
  {
    ...rfc5849('5', '5/bullet/7'),
    id: 'authentication/nonce-unique',
    statement: 'No two requests share consumer key, timestamp and nonce (RFC 5849 3.3).',
    hint: 'Draw a new random nonce for every request. If one call sends two requests, switch off automatic retries, also in the HTTP library. A retry with a new nonce may charge twice.',
  },
  {
    ...rfc5849('5', '5/bullet/8'),
    id: 'authentication/signature-base64',
    schemaSees: 'part',
    statement:
      'oauth_signature is base64 text in the standard alphabet, padded, in one line, encoded once (RFC 5849 3.4, RFC 4648).',
    hint: 'Encode the signature bytes as standard base64 without line breaks.',
  },
  {
    ...rfc5849('5', '5/row/1', '5/row/2', '5/bullet/8'),
    id: 'authentication/signature-verifies',
    restsOn: ['close-day/body-is-form', 'recurring/payload-only', 'authentication/timestamp-seconds'],
    statement: 'The signature verifies over the base string of RFC 5849 3.4.1.',
    hint: 'Compare the base string that the client signed with the base string of RFC 5849 3.4.1, from the first character on.',
  },
  {
    ...rfc5849('5', '5/bullet/9'),
    id: 'authentication/uri-host-case',
    statement: 'The base string has the host in lower case (RFC 5849 3.4.1.2).',
    hint: 'Write scheme and host in lower case before you sign.',
  },
  {
    ...rfc5849('5', '5/bullet/9'),
    id: 'authentication/uri-default-port',
    statement: 'The base string leaves the default port out even where the URL writes it (RFC 5849 3.4.1.2).',
    hint: 'Drop :443 from https and :80 from http URLs before you sign.',
  },
  {
    ...rfc5849('5', '5/bullet/9'),
    id: 'authentication/uri-port',
    statement: 'The base string keeps a port that is not the default (RFC 5849 3.4.1.2).',
    hint: 'If the port is not the default port, write it into the base string URI.',
  },

  // --- gateway ---
  ...operationNames.flatMap((operation) => signedAlike(operation)),
] as const satisfies readonly Requirement[];

function announced<const Op extends Operation>(operation: Op) {
  const { signatureMethod: method, area } = operations[operation] as (typeof operations)[Op];
  return {
    ...client('5', schemes[method].schemeRow, '5/bullet/5'),
    id: `authentication/${area}-method` as const,
    schemaSees: 'part',
    operation,
    statement: `${operation} is signed with ${method} and says so.`,
    hint: `Announce ${method} in oauth_signature_method for ${operation}, and sign with it.`,
  } as const;
}

function signedAlike<const Op extends Operation>(operation: Op) {
  const { signatureMethod: method, area } = operations[operation] as (typeof operations)[Op];
  const { schemeRow, wrongKey } = schemes[method];
  const common = { operation, side: 'gateway', dimension: 'signing', kind: 'required' } as const;
  const row = rowsOf(common);
  const byProfile = rowsOf({ ...common, basis: 'profile:rfc5849' });
  return [
    {
      ...byProfile('5', schemeRow, '1/bullet/4', '5/bullet/1', '5/bullet/5', '5/bullet/8'),
      id: `authentication/${area}-valid-accepted` as const,
      statement: `A right request signed with ${method} over the base string of RFC 5849 3.4.1 is let through.`,
      hint: 'Check credentials, clock and base URL first. If they are correct, compare the base string of the suite with that of the gateway.',
    },
    {
      ...row('5', '1/bullet/4', '5/bullet/1'),
      id: `authentication/${area}-unsigned-refused` as const,
      statement:
        'A request that holds no OAuth parameters is refused: without an Authorization header, or with one that has none of them (Basic, Bearer, OAuth alone).',
      hint: 'Before any other check, refuse a request without OAuth parameters: no header, another scheme, or only the word OAuth.',
    },
    {
      ...row('5', schemeRow, '5/bullet/8'),
      id: `authentication/${area}-wrong-key-refused` as const,
      statement: `A request signed with ${wrongKey} is refused.`,
      hint: 'Verify the signature with the key of the consumer that the request names.',
    },
    {
      ...byProfile('5', schemeRow, '5/bullet/8'),
      id: `authentication/${area}-altered-body-refused` as const,
      statement: 'A request whose signature was made over another body is refused.',
      hint: 'Put the decoded form parameters into the base string (RFC 5849 3.4.1.3.1).',
    },
    {
      ...row('5', schemeRow, '5/bullet/5'),
      id: `authentication/${area}-other-method-refused` as const,
      statement:
        'A request that is signed with, or names, another method (that of the other operation, another hash, PLAINTEXT) is refused.',
      hint: `Accept only ${method} for this operation.`,
    },
    {
      ...byProfile('5', '5/bullet/7'),
      id: `authentication/${area}-reused-nonce-refused` as const,
      statement:
        'A request that repeats consumer key, timestamp and nonce of an accepted one is refused (RFC 5849 3.2).',
      hint: 'Remember each nonce at least as long as its timestamp is accepted.',
    },
    {
      ...row('5', schemeRow, '5/bullet/8'),
      id: `authentication/${area}-wrong-signature-refused` as const,
      statement:
        'Every signature but the right one is refused: cut short, longer, changed in a bit or in the case of a letter, or taken from another request.',
      hint: 'Compare the whole signature, byte for byte.',
    },
    {
      ...byProfile('5', schemeRow, '5/bullet/9'),
      id: `authentication/${area}-altered-uri-refused` as const,
      statement:
        'A request whose signature was made over another method, scheme, path, host, port or query is refused.',
      hint: 'Build the base string from the request as received: method, scheme, host, port, path and query (RFC 5849 3.4.1).',
    },
    {
      ...row('5', '5/bullet/6'),
      id: `authentication/${area}-unknown-consumer-refused` as const,
      statement:
        'A request of a consumer key that was never issued is refused, however near it comes to an issued one.',
      hint: 'Look up the consumer key first, and refuse an unknown key.',
    },
    {
      ...byProfile('5', '5/bullet/4', '9/bullet/2'),
      id: `authentication/${area}-wrong-version-refused` as const,
      statement:
        'A request with an oauth_version other than 1.0, an empty one and one with blanks too, is refused (RFC 5849 3.2).',
      hint: 'If oauth_version is present, compare it with 1.0 byte for byte.',
    },
    {
      ...byProfile('5', '5/bullet/3'),
      id: `authentication/${area}-malformed-timestamp-refused` as const,
      statement: 'A request whose oauth_timestamp is not a positive whole number is refused (RFC 5849 3.3).',
      hint: 'Refuse a timestamp that has other characters than digits. If the gateway accepts 0, it has no time window: refuse every timestamp that is far from the clock.',
    },
    {
      ...row('5', '5/bullet/5'),
      id: `authentication/${area}-method-name-enforced` as const,
      kind: 'expected',
      statement: `A request that is signed with ${method} and writes the name in other letters, such as ${method.toLowerCase()}, is refused.`,
      hint: `Compare oauth_signature_method with ${method} byte for byte.`,
    },
    missing(row('5', '5/bullet/2', '5/bullet/6'), area, 'consumer-key', 'oauth_consumer_key'),
    missing(row('5', '5/bullet/2', '5/bullet/5'), area, 'signature-method', 'oauth_signature_method'),
    missing(row('5', '5/bullet/2', '5/bullet/3'), area, 'timestamp', 'oauth_timestamp'),
    missing(row('5', '5/bullet/2', '5/bullet/7'), area, 'nonce', 'oauth_nonce'),
    missing(row('5', '5/bullet/2', '5/bullet/8'), area, 'signature', 'oauth_signature'),
  ] as const;
}

function missing<Row extends object, const Area extends string, const Slug extends string>(
  row: Row,
  area: Area,
  slug: Slug,
  parameter: string,
) {
  return {
    ...row,
    id: `authentication/${area}-missing-${slug}-refused` as const,
    statement: `A request whose header has no ${parameter}, or an empty one, is refused.`,
    hint: `Refuse a header in which ${parameter} is missing or empty.`,
  } as const;
}
