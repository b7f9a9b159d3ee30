/** Clients that sign too many or too few parameters (RFC 5849 section 3.4.1.3.1). */
import { type Pair, printAuthorization } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { ofSignature } from './signature-row.ts';
import { repeatedName, withQuery } from './stored-requests.ts';

export const signedParametersDefects: readonly ClientDefect[] = [
  {
    ...ofSignature,
    id: 'authentication/body-not-signed',
    summary: 'The parameters of the body are left out of the base string',
    alteration: { parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length) },
  },
  {
    ...ofSignature,
    id: 'authentication/body-signed-twice',
    summary: 'The parameters of the body are counted twice: by the library, and by its caller',
    alteration: { parameters: (pairs, { done }) => [...pairs, ...done.fields] },
  },
  {
    ...ofSignature,
    id: 'authentication/empty-values-not-signed',
    summary: 'Parameters with an empty value are sent, and left out of the base string',
    alteration: { parameters: (pairs) => pairs.filter(([, value]) => value !== '') },
  },
  {
    ...ofSignature,
    id: 'authentication/equal-values-signed-once',
    summary: 'Of parameters with the same value only the last one is signed, whatever their names',
    alteration: {
      parameters: (pairs) => [...new Map(pairs.map((pair) => [pair[1], pair])).values()],
    },
  },
  {
    ...ofSignature,
    id: 'authentication/realm-signed',
    summary: 'A realm is sent, and is in the base string too',
    alteration: {
      parameters: (pairs) => [...pairs, ['realm', 'Gateway']],
      authorization: (_, { done }) => printAuthorization(done.signed, { realm: 'Gateway' }),
    },
  },
  {
    ...ofSignature,
    id: 'authentication/token-signed-but-not-sent',
    summary: 'An empty oauth_token is in the base string, and not in the header',
    alteration: { parameters: (pairs) => [...pairs, ['oauth_token', '']] },
  },
  {
    ...ofSignature,
    id: 'authentication/empty-signature-signed',
    summary: 'The base string has an empty oauth_signature, as the header had before signing',
    alteration: { parameters: (pairs) => [...pairs, ['oauth_signature', '']] },
  },
  {
    ...ofSignature,
    id: 'authentication/version-not-signed',
    summary: 'oauth_version is sent, and left out of the base string',
    alteration: { parameters: (pairs) => pairs.filter(([name]) => name !== 'oauth_version') },
  },
  {
    ...ofSignature,
    id: 'authentication/query-not-signed',
    summary: 'The parameters of the query are left out of the base string',
    reach: 'stored',
    stored: [withQuery],
    alteration: {
      parameters: (pairs, { done }) => pairs.slice(pairs.length - done.unsigned.length - done.fields.length),
    },
  },
  {
    ...ofSignature,
    id: 'authentication/repeated-names-collapsed',
    summary: 'Of parameters with the same name only the last one is signed',
    reach: 'stored',
    stored: [repeatedName],
    alteration: { parameters: (pairs) => [...new Map(pairs)] },
  },
  {
    ...ofSignature,
    id: 'authentication/repeated-names-joined',
    summary: 'The values of one name are signed as one value with commas',
    reach: 'stored',
    stored: [repeatedName],
    alteration: { parameters: joined },
  },
  {
    ...ofSignature,
    id: 'authentication/repeated-names-with-brackets',
    summary: 'A name that occurs more than once is sent with brackets, and signed without them',
    reach: 'stored',
    stored: [repeatedName],
    alteration: {
      form: (form, { done }) =>
        done.fields
          .filter(([name], at) => done.fields.findIndex(([other]) => other === name) !== at)
          .reduce((text, [name]) => text.replaceAll(`${name}=`, `${name}%5B%5D=`), form),
    },
  },
];

function joined(pairs: readonly Pair[]): readonly Pair[] {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return [...values];
}
