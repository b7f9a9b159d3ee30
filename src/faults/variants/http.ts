/** Other HTTP around the same answers (RFC 9110), for both operations. */

import type { Alteration } from '../../mock/alteration.ts';
import { type Reply, withBody, withHeader, withoutHeader, withStatus } from '../../mock/responses.ts';
import type { Header } from '../../record/exchange.ts';
import type { Variant } from './variant.ts';

export const httpVariants: readonly Variant[] = [
  {
    id: 'keep-alive-5',
    summary: 'Keep-Alive announces 5 seconds in place of 60, as a proxy in front of the gateway may',
    alteration: always((reply) => withHeader(reply, 'Keep-Alive', 'timeout=5')),
  },
  {
    id: 'further-headers',
    summary: 'Answers have further headers, such as a proxy adds',
    meaningless: 'what a header is not known for is ignored (RFC 9110 section 5.1)',
    alteration: always((reply) => ({ ...reply, headers: [...proxyHeaders, ...reply.headers] })),
  },
  {
    id: 'header-names-in-lower-case',
    summary: 'Header names come in lower case',
    meaningless: 'header names have no case (RFC 9110 section 5.1)',
    alteration: always((reply) => ({
      ...reply,
      headers: reply.headers.map(([name, value]): Header => [name.toLowerCase(), value]),
    })),
  },
  {
    id: 'content-type-in-capitals',
    summary: 'The content type is written text/html; charset=UTF-8',
    meaningless: 'a charset has no case, and a space may precede a parameter (RFC 9110 section 8.3)',
    alteration: always((reply) =>
      reply.headers.some(([name]) => name === 'Content-Type')
        ? withHeader(reply, 'Content-Type', 'text/html; charset=UTF-8')
        : reply,
    ),
  },
  {
    id: 'chunked-bodies',
    summary: 'Answers with a body come chunked, without Content-Length',
    meaningless: 'how a body is framed is none of its content (RFC 9112 section 7.1)',
    alteration: always((reply) => (reply.body.length > 0 ? withoutHeader(reply, 'Content-Length') : reply)),
  },
  {
    id: 'other-method-404',
    summary: 'Another method than POST is answered with HTTP 404 in place of 405',
    openPoint: 'A30',
    alteration: always((reply) => (reply.status === 405 ? withoutHeader(withStatus(reply, 404), 'Allow') : reply)),
  },
  {
    id: 'other-types-not-signed',
    summary:
      'A body of another content type is no part of the signature, so that it fails authentication: HTTP 401 and nothing else',
    openPoint: 'A35',
    alteration: {
      writes: (reply, { step }) => (step === 'content-type' ? withBody(withStatus(reply, 401), '') : reply),
    },
  },
];

const proxyHeaders: readonly Header[] = [
  ['Server', 'nginx'],
  ['X-Request-ID', '00000000-0000-0000-0000-000000000001'],
  ['Cache-Control', 'no-store'],
  ['Set-Cookie', 'route=a; Path=/; HttpOnly'],
  ['Set-Cookie', 'node=1; Path=/'],
];

function always(edit: (reply: Reply) => Reply): Alteration {
  return { writes: edit };
}
