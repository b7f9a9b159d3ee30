/** Clients that do not put their credentials into the Authorization header (section 5; RFC 5849 section 3.5). */
import { encodeForm, type Pair } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { requestWithBody, requestWithoutHeader } from './sent-request.ts';

const both = { side: 'client', operation: 'both' } as const;

export const credentialsElsewhereDefects: readonly ClientDefect[] = [
  {
    ...both,
    id: 'authentication/credentials-in-body',
    summary: 'The oauth_ parameters are in the body, without an Authorization header',
    // Where they are instead follows from the header that is missing.
    breaks: ['close-day/authorization-sent', 'recurring/authorization-sent'],
    alteration: {
      request: (request, { done }) =>
        requestWithBody(requestWithoutHeader(request, 'Authorization'), `${done.form}&${encodeForm(done.signed)}`),
    },
  },
  {
    ...both,
    id: 'authentication/credentials-in-query',
    summary: 'The oauth_ parameters are in the query, without an Authorization header',
    // Where they are instead follows from the header that is missing.
    breaks: ['close-day/authorization-sent', 'recurring/authorization-sent'],
    alteration: {
      request: (request, { done }) => ({
        ...requestWithoutHeader(request, 'Authorization'),
        target: `${request.target}?${encodeForm(done.signed)}`,
      }),
    },
  },
  {
    ...both,
    id: 'authentication/no-credentials',
    summary: 'The request is sent without any credentials',
    breaks: ['close-day/authorization-sent', 'recurring/authorization-sent'],
    alteration: { request: (request) => requestWithoutHeader(request, 'Authorization') },
  },
  {
    ...both,
    id: 'authentication/consumer-key-in-body-too',
    summary: 'oauth_consumer_key is in the body as well as in the header, and is signed twice',
    breaks: ['authentication/parameters-only-in-header'],
    alteration: {
      fields: (fields, { done }) => [...fields, ['oauth_consumer_key', done.credentials.consumerKey] as Pair],
    },
  },
];
