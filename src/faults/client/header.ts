/** Clients whose Authorization header is not written as section 5 and RFC 5849 section 3.5.1 say. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { percentEncode } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';

const scheme = { side: 'client', operation: 'both', breaks: ['authentication/header-scheme'] } as const;
const values = { side: 'client', operation: 'both', breaks: ['authentication/header-values-encoded'] } as const;

export const headerDefects: readonly ClientDefect[] = [
  {
    ...scheme,
    id: 'authentication/comma-after-scheme',
    summary: 'A comma follows OAuth',
    alteration: rewrites((header) => header.replace(/^OAuth /, 'OAuth, ')),
  },
  {
    ...scheme,
    id: 'authentication/comma-at-the-end',
    summary: 'A comma follows the last parameter of the header',
    alteration: rewrites((header) => `${header},`),
  },
  {
    ...scheme,
    id: 'authentication/semicolons-in-header',
    summary: 'Semicolons separate the parameters of the header',
    alteration: rewrites((header) => header.replaceAll('", ', '"; ')),
  },
  {
    ...scheme,
    id: 'authentication/other-scheme',
    summary: 'The header starts with OAuth1',
    alteration: rewrites((header) => header.replace(/^OAuth /, 'OAuth1 ')),
  },
  {
    ...values,
    id: 'authentication/header-values-raw',
    summary: 'Values are in the header without being encoded: + / and = of the signature raw',
    alteration: prints((value) => `"${value}"`),
  },
  {
    ...values,
    id: 'authentication/header-values-encoded-twice',
    summary: 'Values of the header are percent-encoded twice',
    alteration: prints((value) => `"${percentEncode(percentEncode(value))}"`),
  },
  {
    ...values,
    id: 'authentication/header-values-without-quotes',
    summary: 'Values of the header are not quoted',
    alteration: prints((value) => percentEncode(value)),
  },
];

function rewrites(edit: (header: string) => string): ClientAlteration {
  return { authorization: (header) => edit(header) };
}

function prints(value: (decoded: string) => string): ClientAlteration {
  return {
    authorization: (_, { done }) => `OAuth ${done.signed.map(([name, text]) => `${name}=${value(text)}`).join(', ')}`,
  };
}
