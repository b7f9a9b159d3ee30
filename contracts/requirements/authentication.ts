/** Requirements on callers and signatures: sections 1, 5 and 9, and RFC 5849 if the document is silent. */
import { type Operation, operationNames, operations } from '../operations.ts';
import { rowMaker } from './requirement.ts';

const shared = { operation: 'both', side: 'client', dimension: 'signing', kind: 'required' } as const;
const client = rowMaker(shared);
const rfc5849 = rowMaker({ ...shared, basis: 'profile:rfc5849' });

const schemes = {
  'HMAC-SHA1': { schemeRow: '5/row/1', wrongKey: 'another consumer secret' },
  'RSA-SHA256': { schemeRow: '5/row/2', wrongKey: 'another private key' },
} as const;

const requiredParameters = [
  ['consumer-key', '5/bullet/6'],
  ['signature-method', '5/bullet/5'],
  ['timestamp', '5/bullet/3'],
  ['nonce', '5/bullet/7'],
  ['signature', '5/bullet/8'],
] as const;

export const authentication = [
  client({ id: 'authentication/header-scheme', section: '5', covers: ['5/bullet/1'] })(
    'The one Authorization header starts with OAuth, followed by parameters with a comma between each two.',
    'Write Authorization: OAuth name="value", name="value". Put no comma after the word OAuth, and none at the end.',
    { part: 'header' },
  ),
  client({ id: 'authentication/header-parameters', section: '5', covers: ['5/bullet/2'] })(
    'The header holds the six oauth_ parameters, each once with a value, and no other; realm and an empty oauth_token are tolerated.',
    'Send only oauth_consumer_key, oauth_signature_method, oauth_timestamp, oauth_nonce, oauth_version and oauth_signature. Leave out oauth_body_hash and form fields.',
  ),
  rfc5849({ id: 'authentication/header-values-encoded', section: '5', covers: ['5/bullet/1', '5/bullet/8'] })(
    'Each header parameter is written name="value" without white space inside, the value percent-encoded exactly once (RFC 5849 3.5.1).',
    'Percent-encode each value once. In the signature, +, / and = become %2B, %2F and %3D.',
    { part: 'header' },
  ),
  rfc5849({ id: 'authentication/parameters-only-in-header', section: '5', covers: ['5/bullet/1'] })(
    'No oauth_ parameter is in the body or the query (RFC 5849 3.5).',
    'Send the oauth_ parameters in the header only.',
    { schemaSees: 'part' },
  ),
  client({ id: 'authentication/timestamp-seconds', section: '5', covers: ['5/bullet/3'] })(
    'oauth_timestamp is a positive whole number, the seconds since the Unix epoch, at most 300 off the clock that client and suite share.',
    'Send whole seconds, not milliseconds, in UTC.',
    { schemaSees: 'part' },
  ),
  client({ id: 'authentication/version', section: '5', covers: ['5/bullet/4', '9/bullet/2'] })(
    'oauth_version is 1.0.',
    'Send oauth_version="1.0".',
  ),
  ...operationNames.map((operation) => methodRow(operation)),
  client({ id: 'authentication/consumer-key', section: '5', covers: ['5/bullet/6'] })(
    'oauth_consumer_key is the consumer key that was issued.',
    'Send the consumer key as it was issued, and percent-encode it once.',
  ),
  rfc5849({ id: 'authentication/nonce-unique', section: '5', covers: ['5/bullet/7'] })(
    'No two requests share consumer key, timestamp and nonce (RFC 5849 3.3).',
    'Generate a new random nonce for every request. If one call sends two requests, switch off automatic retries, also in the HTTP library. A retry with a new nonce may charge twice.',
  ),
  rfc5849({ id: 'authentication/signature-base64', section: '5', covers: ['5/bullet/8'] })(
    'oauth_signature is base64 text in the standard alphabet, padded, in one line, encoded once (RFC 5849 3.4, RFC 4648).',
    'Encode the signature bytes as standard base64 without line breaks.',
    { schemaSees: 'part' },
  ),
  rfc5849({ id: 'authentication/signature-verifies', section: '5', covers: ['5/row/1', '5/row/2', '5/bullet/8'] })(
    'The signature verifies over the base string of RFC 5849 3.4.1.',
    'Compare the base string that the client signed with the base string of RFC 5849 3.4.1, character by character.',
    { restsOn: ['close-day/body-is-form', 'recurring/payload-only', 'authentication/timestamp-seconds'] },
  ),
  rfc5849({ id: 'authentication/uri-host-case', section: '5', covers: ['5/bullet/9'] })(
    'The base string has the host in lower case (RFC 5849 3.4.1.2).',
    'Write scheme and host in lower case before you sign.',
  ),
  rfc5849({ id: 'authentication/uri-default-port', section: '5', covers: ['5/bullet/9'] })(
    'The base string leaves the default port out even where the URL writes it (RFC 5849 3.4.1.2).',
    'Remove :443 from https URLs and :80 from http URLs before you sign.',
  ),
  rfc5849({ id: 'authentication/uri-port', section: '5', covers: ['5/bullet/9'] })(
    'The base string keeps a port that is not the default (RFC 5849 3.4.1.2).',
    'If the port is not the default port, write it into the base string URI.',
  ),

  ...operationNames.flatMap((operation) => gatewayRows(operation)),
] as const;

function methodRow<const Op extends Operation>(operation: Op) {
  const { signatureMethod: method, area } = operations[operation] as (typeof operations)[Op];
  return client({
    id: `authentication/${area}-method`,
    section: '5',
    covers: [schemes[method].schemeRow, '5/bullet/5'],
  })(
    `${operation} is signed with ${method} and says so.`,
    `For ${operation}, set oauth_signature_method to ${method}, and sign with this method.`,
    { schemaSees: 'part', operation },
  );
}

function gatewayRows<const Op extends Operation>(operation: Op) {
  const { signatureMethod: method, area } = operations[operation] as (typeof operations)[Op];
  const { schemeRow, wrongKey } = schemes[method];
  const common = { operation, side: 'gateway', dimension: 'signing', kind: 'required' } as const;
  const row = rowMaker(common);
  const byProfile = rowMaker({ ...common, basis: 'profile:rfc5849' });
  return [
    byProfile({
      id: `authentication/${area}-valid-accepted`,
      section: '5',
      covers: [schemeRow, '1/bullet/4', '5/bullet/1', '5/bullet/5', '5/bullet/8'],
    })(
      `A right request signed with ${method} over the base string of RFC 5849 3.4.1 is let through.`,
      'Check credentials, clock and base URL first. If they are correct, compare the base string of the suite with that of the gateway.',
    ),
    row({ id: `authentication/${area}-unsigned-refused`, section: '5', covers: ['1/bullet/4', '5/bullet/1'] })(
      'A request that holds no OAuth parameters is refused: without an Authorization header, or with one that has none of them (Basic, Bearer, OAuth alone).',
      'Before any other check, refuse a request without OAuth parameters: no header, another scheme, or only the word OAuth.',
    ),
    row({ id: `authentication/${area}-wrong-key-refused`, section: '5', covers: [schemeRow, '5/bullet/8'] })(
      `A request signed with ${wrongKey} is refused.`,
      'Verify the signature with the key of the consumer that the request names.',
    ),
    byProfile({ id: `authentication/${area}-altered-body-refused`, section: '5', covers: [schemeRow, '5/bullet/8'] })(
      'A request whose signature was made over another body is refused.',
      'Verify the signature over the base string of the request, with its decoded form parameters (RFC 5849 3.4.1.3.1).',
    ),
    row({ id: `authentication/${area}-other-method-refused`, section: '5', covers: [schemeRow, '5/bullet/5'] })(
      'A request that is signed with, or names, another method (that of the other operation, another hash, PLAINTEXT) is refused.',
      `Accept only ${method} for this operation.`,
    ),
    byProfile({ id: `authentication/${area}-reused-nonce-refused`, section: '5', covers: ['5/bullet/7'] })(
      'A request that repeats consumer key, timestamp and nonce of an accepted one is refused (RFC 5849 3.2).',
      'Remember each nonce at least as long as its timestamp is accepted.',
    ),
    row({ id: `authentication/${area}-wrong-signature-refused`, section: '5', covers: [schemeRow, '5/bullet/8'] })(
      'Every signature but the right one is refused: cut short, longer, changed in a bit or in the case of a letter, or taken from another request.',
      'Compare the whole signature, byte for byte.',
    ),
    byProfile({ id: `authentication/${area}-altered-uri-refused`, section: '5', covers: [schemeRow, '5/bullet/9'] })(
      'A request whose signature was made over another method, scheme, path, host, port or query is refused.',
      'Build the base string from the request as received: method, scheme, host, port, path and query (RFC 5849 3.4.1).',
    ),
    row({ id: `authentication/${area}-unknown-consumer-refused`, section: '5', covers: ['5/bullet/6'] })(
      'A request of a consumer key that was never issued is refused, however near it comes to an issued one.',
      'Look up the consumer key first, and refuse an unknown key.',
    ),
    byProfile({
      id: `authentication/${area}-wrong-version-refused`,
      section: '5',
      covers: ['5/bullet/4', '9/bullet/2'],
    })(
      'A request with an oauth_version other than 1.0, an empty one and one with blanks too, is refused (RFC 5849 3.2).',
      'If oauth_version is present, compare it with 1.0 byte for byte.',
    ),
    byProfile({ id: `authentication/${area}-malformed-timestamp-refused`, section: '5', covers: ['5/bullet/3'] })(
      'A request whose oauth_timestamp is not a positive whole number is refused (RFC 5849 3.3).',
      'Refuse a timestamp with characters other than digits. If the gateway accepts 0, it has no time window: refuse every timestamp that is far from the clock.',
    ),
    row({ id: `authentication/${area}-method-name-enforced`, section: '5', covers: ['5/bullet/5'] })(
      `A request that is signed with ${method} and writes the name in other letters, such as ${method.toLowerCase()}, is refused.`,
      `Compare oauth_signature_method with ${method} byte for byte.`,
      { kind: 'expected' },
    ),
    ...requiredParameters.map(([name, cover]) =>
      row({ id: `authentication/${area}-missing-${name}-refused`, section: '5', covers: ['5/bullet/2', cover] })(
        `A request whose header has no oauth_${name.replace('-', '_')}, or an empty one, is refused.`,
        `Refuse a header in which oauth_${name.replace('-', '_')} is missing or empty.`,
      ),
    ),
  ] as const;
}
