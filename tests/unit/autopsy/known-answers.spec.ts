/** The vectors, signed by others or by hand: right ones are verified, wrong readings are named, and what was only altered gets no name. */

import { autopsy } from '../../../src/autopsy/index.ts';
import { expect, test } from '../../engine.ts';
import { disagreements, type RequestVector, requestVectors, verifyingKey, wireRequest } from '../protocol/vectors.ts';

/** What a wrong signature is named, with blanks between several, by the name of its vector behind the family; any other is named nothing. */
const names: Readonly<Record<string, string>> = {
  'oauth-parameters-counted-twice': 'oauth-parameters-counted-twice',
  'body-left-out': 'body-left-out',
  'body-only': 'oauth-parameters-left-out',
  'key-without-ampersand': 'no-ampersand-in-key',
  'parameters-encoded-once': 'joined-string-not-encoded',
  'signed-without-encoding': 'joined-string-not-encoded',
  'empty-realm-included': 'empty-realm-included',
  'signed-with-port': 'port-left-out',
  'signature-url-safe': 'signature-url-safe',
  'signature-no-padding': 'signature-unpadded',
  'signature-hex': 'signature-in-hex',
  'signature-with-line-end': 'signature-with-newline',
  'content-type-missing': 'other-body-signed-as-form',
  'secret-not-encoded': 'secret-not-encoded',
  sha1: 'hash-sha1',
  sha512: 'hash-sha512',
  pss: 'pss-padding',
  // What was altered on the way is what a client with that mistake sends too.
  'own-hmac-altered-query': 'query-left-out',
  'own-rsa-altered-query': 'query-left-out path-of-process-recurring-payments-signed',
  'own-hmac-raw-plus-in-body': 'body-signed-as-written',
  'own-rsa-raw-plus-in-body': 'plus-not-escaped-in-body',
};

const signed = requestVectors().filter(({ class: fault }) => fault === 'ok' || fault === 'bad-signature');

test('every signature of the vectors is verified, named, or named nothing', () => {
  const wanted = ({ name, class: fault }: RequestVector) => {
    const named = names[name] ?? names[name.replace(/^(?:own-(?:hmac|rsa)|kat-1)-/, '')];
    return fault === 'ok' ? ['right'] : ['wrong', ...(named?.split(' ') ?? [])];
  };
  const found = ({ request, key }: RequestVector) => {
    const verifying = verifyingKey(key);
    const keys = verifying.method === 'HMAC-SHA1' ? verifying : { publicKey: verifying.publicKey };
    const { signature, deviations } = autopsy(wireRequest(request), keys, { limits: { depth: 2 } });
    return [signature, ...deviations.map(({ id }) => id)];
  };
  expect(disagreements(signed, wanted, found)).toEqual([]);
});
