/** Judges of the signature and of the URI in its base string: section 5, RFC 5849 sections 3.4.1.2 and 3.4.2. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { sign } from '../../protocol/index.ts';
import { fail, inconclusive, pass } from '../finding.ts';
import { splitBaseUrl } from './asked.ts';
import { parameter } from './reading.ts';
import { otherAlgorithm, readSignature } from './signature-bytes.ts';
import { signedBy, type UriDeviation } from './signed.ts';
import { lacksBody, type WireCase, wireJudge } from './wire-judge.ts';

export const signatureBase64 = wireJudge('both', ({ reading }) => {
  const sent = parameter(reading, 'oauth_signature');
  if (sent === undefined) return null;
  const { fault } = readSignature(sent);
  return fault === undefined ? pass() : fail('base64 of the signature, in one line', fault);
});

export const signatureVerifies = wireJudge(
  'both',
  (wire) => {
    const signed = signedBy(wire);
    if (signed.kind === 'verified') return pass();
    if (signed.kind === 'unknown') {
      return signed.why === undefined ? null : inconclusive('no key to verify with', 'configuration');
    }
    const { base, key, signature } = signed;
    const other = otherAlgorithm(signature, key);
    const over = base.length > longest ? `${base.slice(0, longest)}…` : base;
    const expected = key.method === 'HMAC-SHA1' ? sign(base, key) : `a signature by ${key.method}`;
    return fail(`${expected} over ${over}`, other ?? signature);
  },
  { body: true },
);

/** Characters of a base string that are shown. */
const longest = 600;

/** The method of an operation: announced by the header, and not contradicted by the signature. */
export function signatureMethodOf(operation: Operation) {
  return wireJudge(operation, (wire) => {
    const expected = operations[operation].signatureMethod;
    const announced = parameter(wire.reading, 'oauth_signature_method');
    if (announced === undefined) return null;
    if (announced !== expected) return fail(expected, announced);
    const signed = lacksBody(wire.examined) ? undefined : signedBy(wire);
    const other = signed?.kind === 'wrong' ? otherAlgorithm(signed.signature, signed.key) : undefined;
    return other === undefined ? pass() : fail(expected, other);
  });
}

export const uriHostCase = uriRule('host-case', ({ examined: { asked }, exchange }) =>
  [asked === undefined ? '' : splitBaseUrl(asked.baseUrl).authority, exchange.request.host].some(
    (authority) => authority !== authority.toLowerCase(),
  ),
);

export const uriDefaultPort = uriRule('default-port', ({ examined: { asked }, exchange: { request } }) => {
  const port = request.scheme === 'https' ? ':443' : ':80';
  return request.host.endsWith(port) || (asked !== undefined && splitBaseUrl(asked.baseUrl).authority.endsWith(port));
});

export const uriPort = uriRule('port', (_, uri) => /^\w+:\/\/[^/]*:\d+(?:\/|$)/.test(uri));

/** A rule about the URI: broken where the signature verifies only over the URI that breaks it, shown where there is occasion. */
function uriRule(rule: UriDeviation, occasion: (wire: WireCase, uri: string) => boolean) {
  return wireJudge('both', (wire) => {
    const signed = lacksBody(wire.examined) ? undefined : signedBy(wire);
    if (signed?.kind !== 'verified') return null;
    if (signed.deviation?.is === rule) return fail(signed.uri, signed.deviation.uri);
    return occasion(wire, signed.uri) ? pass() : null;
  });
}
