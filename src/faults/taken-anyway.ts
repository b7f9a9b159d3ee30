/** What tells requests apart that the mock refuses and a defect takes all the same. */

import type { Alteration } from '../mock/alteration.ts';
import type { Reading } from '../mock/received.ts';
import { type SignatureMaterial, verifies } from '../mock/signature.ts';
import { baseString, baseStringUri, collectParameters, normalizeParameters } from '../protocol/index.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';

export function authorizationLine(request: SentRequest): string {
  return headerValues(request.headers, 'authorization')[0] ?? '';
}

/** Characters of the base64 text; a whole HMAC-SHA1 has 28, a signature of RSA-2048 344. */
export function signatureLength(request: SentRequest): number {
  const [, encoded = ''] = /oauth_signature="([^"]*)"/.exec(authorizationLine(request)) ?? [];
  return encoded.replace(/%[0-9A-Fa-f]{2}/g, 'x').length;
}

/** The base string of the request as received (RFC 5849 section 3.4.1). */
export function baseStringOf({ request, oauth, form, query }: Reading): string {
  const parameters = collectParameters({ authorization: [...oauth], body: [...form], query: [...query] });
  return baseString(request.method, baseStringUri(request), normalizeParameters(parameters));
}

/** Verifies with something else where the right thing does not verify. */
export function alsoTakes(other: (material: SignatureMaterial) => SignatureMaterial): Alteration {
  return { signs: (material) => (verifies(material) ? material : other(material)) };
}
