/** Clients that put the three parts of the base string together in another way than RFC 5849 section 3.4.1.1. */
import { baseString } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { ofSignature } from './signature-row.ts';

export const baseStringDefects: readonly ClientDefect[] = [
  {
    ...ofSignature,
    id: 'authentication/method-signed-in-lower-case',
    summary: 'The base string starts with post in place of POST',
    alteration: {
      baseString: (_, { done }) => baseString('post', done.baseStringUri, done.normalized).replace(/^POST/, 'post'),
    },
  },
  {
    ...ofSignature,
    id: 'authentication/parts-joined-unencoded',
    summary: 'URI and parameters are in the base string without being encoded as a whole',
    alteration: { baseString: (_, { done }) => ['POST', done.baseStringUri, done.normalized].join('&') },
  },
  {
    ...ofSignature,
    id: 'authentication/parts-in-another-order',
    summary: 'The URI comes before the method',
    alteration: {
      baseString: (right) => {
        const [method, uri, parameters] = right.split('&');
        return [uri, method, parameters].join('&');
      },
    },
  },
];
