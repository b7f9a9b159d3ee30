/** Differences of real clients that change no byte of any request to the two operations, and so are not defects here. */

import { byText, normalizedWith } from '../../../src/faults/client/base-string.ts';
import { only } from '../../../src/faults/client/defect.ts';
import type { ClientAlteration } from '../../../src/peer/client/index.ts';
import { hmacWith } from '../../../src/peer/client/other-signatures.ts';
import { hmacKeyText, percentEncode } from '../../../src/protocol/index.ts';

export interface EquivalentAlteration {
  readonly id: string;
  readonly summary: string;
  /** Why no request shows it. */
  readonly why: string;
  readonly alteration: ClientAlteration;
}

export const equivalentAlterations: readonly EquivalentAlteration[] = [
  {
    id: 'authentication/token-secret-dropped',
    summary: 'A token secret is left out of the HMAC key of a request without a token',
    why: 'No token secret is issued for the two operations: the text after the & is empty anyway.',
    alteration: {
      signature: (signature, { done }) => {
        const { key } = done.credentials;
        return key.method === 'HMAC-SHA1' ? hmacWith(hmacKeyText(key.consumerSecret), done.baseString) : signature;
      },
    },
  },
  {
    id: 'authentication/names-not-encoded',
    summary: 'Only the values of parameters are encoded for the base string',
    why: 'All names of both operations consist of unreserved characters, which encoding does not change.',
    alteration: {
      normalized: (_, { done }) =>
        done.parameters
          .map(([name, value]) => [name, percentEncode(value)] as const)
          .sort(([a, x], [b, y]) => byText(a, b) || byText(x, y))
          .map((pair) => pair.join('='))
          .join('&'),
    },
  },
  {
    id: 'authentication/base-string-in-latin-1',
    summary: 'The base string is turned into bytes as ISO 8859-1',
    why: 'It has ASCII characters alone, since everything in it is percent-encoded.',
    alteration: { baseString: (base) => Buffer.from(base, 'latin1').toString('latin1') },
  },
  {
    id: 'authentication/empty-path-without-slash',
    summary: 'An empty path is signed without the slash that RFC 5849 asks for',
    why: 'The path of both operations is never empty.',
    alteration: { baseStringUri: (uri) => uri.replace(/^([a-z]+:\/\/[^/]*)\/$/, '$1') },
  },
  {
    id: 'recurring/payload-not-sorted',
    summary: 'The parameters of the body follow the sorted ones of the header',
    why: 'The one parameter of the body is payload, which comes after every oauth_ parameter anyway.',
    alteration: only('process-recurring-payments', {
      normalized: (_, { done }) =>
        [normalizedWith(done.unsigned, {}), normalizedWith(done.fields, { order: 'as-collected' })].join('&'),
    }),
  },
];
