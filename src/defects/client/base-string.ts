/** Clients whose base string is not that of RFC 5849 section 3.4.1. */
import { percentEncode } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { normalizedWith } from './normalizing.ts';

const signs = {
  side: 'client',
  operation: 'both',
  breaks: ['authentication/signature-verifies'],
} as const satisfies Partial<ClientDefect>;

export const baseStringDefects: readonly ClientDefect[] = [
  {
    ...signs,
    id: 'authentication/body-not-signed',
    summary: 'The parameters of the body are left out of the base string',
    alteration: {
      parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length),
    },
  },
  {
    ...signs,
    id: 'authentication/lower-case-escapes-signed',
    summary: 'Escapes in the base string have lower-case hex digits',
    alteration: {
      normalized: (_, { done }) => normalizedWith(done.parameters, { encode: lowerCaseEscapes }),
      baseString: (_, { done }) =>
        ['POST', done.baseStringUri, done.normalized].map((part) => lowerCaseEscapes(part)).join('&'),
    },
  },
  {
    ...signs,
    id: 'authentication/parameters-not-sorted',
    summary: 'Parameters are signed in the order in which they were collected',
    alteration: {
      normalized: (_, { done }) => normalizedWith(done.parameters, { order: 'as-collected' }),
    },
  },
  {
    ...signs,
    id: 'authentication/space-signed-as-plus',
    summary: 'A space of a value is a plus in the base string, as in the body',
    alteration: {
      normalized: (_, { done }) =>
        normalizedWith(done.parameters, { encode: (text) => percentEncode(text).replaceAll('%20', '+') }),
    },
  },
];

function lowerCaseEscapes(text: string): string {
  return percentEncode(text).replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase());
}
