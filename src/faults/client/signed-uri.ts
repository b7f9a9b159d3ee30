/** Clients whose base string has another URI than RFC 5849 section 3.4.1.2 says. */

import type { Context } from '../../peer/client/index.ts';
import { percentDecode, queryOf } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { ofSignature } from './signature-row.ts';
import { withQuery } from './stored-requests.ts';

export const signedUriDefects: readonly ClientDefect[] = [
  {
    ...ofSignature,
    ...signing((uri, { done }) => uri.replace(authority, (_, scheme) => `${scheme}${done.url.host.toLowerCase()}`)),
    id: 'authentication/default-port-signed',
    summary: 'A default port in the URL is in the base string too',
    breaks: ['authentication/uri-default-port'],
  },
  {
    ...ofSignature,
    ...signing(withoutPort),
    id: 'authentication/port-not-signed',
    summary: 'A port that is not the default one is left out of the base string',
    breaks: ['authentication/uri-port'],
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replace(':443', '')),
    id: 'authentication/port-that-begins-as-default-signed-without',
    summary: 'The text :443 is left out of the base string wherever it is, as in :44380',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())),
    id: 'authentication/path-signed-with-lower-case-escapes',
    summary: 'Escapes of the path are signed with lower-case hex digits',
  },
  {
    ...ofSignature,
    ...signing((uri, { done }) =>
      uri.replace(authority, (_, scheme, host) => `${scheme}${done.url.host.slice(0, host.length)}`),
    ),
    id: 'authentication/host-case-signed',
    summary: 'The host is in the base string with the capitals of the URL',
    breaks: ['authentication/uri-host-case'],
  },
  {
    ...ofSignature,
    ...signing((uri) => `${withoutPort(uri)}${/:\d+(?=\/)/.exec(uri)?.[0] ?? ''}`),
    id: 'authentication/port-signed-after-the-path',
    summary: 'The port is at the end of the URI in the base string',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.toLowerCase()),
    id: 'authentication/uri-signed-in-lower-case',
    summary: 'The whole URI is signed in lower case, its path too',
  },
  {
    ...ofSignature,
    ...signing((uri) => percentDecode(uri)),
    id: 'authentication/path-signed-decoded',
    summary: 'Escapes of the path are decoded before it is signed',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replaceAll('~', '%7E')),
    id: 'authentication/tilde-of-path-signed-as-escape',
    summary: 'A tilde of the path is signed as %7E, and sent bare',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replace(/[!$&'()*+,;=@]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)),
    id: 'authentication/sub-delimiters-of-path-signed-as-escapes',
    summary: 'Characters such as @ + and ( of the path are signed as escapes, and sent bare',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replaceAll('%', '%25')),
    id: 'authentication/path-signed-encoded-again',
    summary: 'The path is encoded once more before it is signed',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replace(/^https:/, 'http:')),
    id: 'authentication/http-signed',
    summary: 'The base string says http although the request goes over https',
  },
  {
    ...ofSignature,
    ...signing((uri) => `${uri}/`),
    id: 'authentication/final-slash-signed',
    summary: 'The path is signed with a slash at its end, and sent without',
  },
  {
    ...ofSignature,
    ...signing((uri) => uri.replace(/(?<!:)\/{2,}/g, '/')),
    id: 'authentication/double-slash-signed-once',
    summary: 'Two slashes in the path are signed as one, and sent as two',
  },
  {
    ...ofSignature,
    id: 'authentication/query-signed-in-uri',
    summary: 'The query stays in the URI of the base string, and its parameters are not collected',
    reach: 'stored',
    stored: [withQuery],
    alteration: {
      parameters: (pairs, { done }) => pairs.slice(pairs.length - done.unsigned.length - done.fields.length),
      baseStringUri: (uri, { done }) => {
        const query = queryOf(done.url.target);
        return query === '' ? uri : `${uri}?${query}`;
      },
    },
  },
];

const authority = /^([a-z]+:\/\/)([^/]*)/;

function signing(baseStringUri: (uri: string, context: Context) => string): Pick<ClientDefect, 'alteration'> {
  return { alteration: { baseStringUri } };
}

function withoutPort(uri: string): string {
  return uri.replace(/:\d+(?=\/)/, '');
}
