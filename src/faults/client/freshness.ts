/** Clients whose timestamps or nonces are not those of section 5 and RFC 5849 section 3.3. */
import type { Send } from '../../peer/client/index.ts';
import { headerValues } from '../../record/exchange.ts';
import type { ClientDefect } from './defect.ts';

const both = { side: 'client', operation: 'both' } as const;

export const freshnessDefects: readonly ClientDefect[] = [
  {
    ...both,
    id: 'authentication/timestamp-in-milliseconds',
    summary: 'oauth_timestamp counts milliseconds',
    breaks: ['authentication/timestamp-seconds'],
    alteration: { fresh: (fresh, { time }) => ({ ...fresh, timestamp: String(time) }) },
  },
  {
    ...both,
    id: 'authentication/timestamp-with-fraction',
    summary: 'oauth_timestamp has a fraction of a second',
    breaks: ['authentication/timestamp-seconds'],
    alteration: { fresh: (fresh) => ({ ...fresh, timestamp: `${fresh.timestamp}.5` }) },
  },
  {
    ...both,
    id: 'authentication/timestamp-as-date',
    summary: 'oauth_timestamp is a date and time of ISO 8601',
    breaks: ['authentication/timestamp-seconds'],
    alteration: { fresh: (fresh, { time }) => ({ ...fresh, timestamp: new Date(time).toISOString() }) },
  },
  {
    ...both,
    id: 'authentication/timestamp-in-32-bits',
    summary: 'oauth_timestamp is an integer of 32 bits: after January 2038 it is negative',
    breaks: ['authentication/timestamp-seconds'],
    alteration: { fresh: (fresh) => ({ ...fresh, timestamp: String(Number(fresh.timestamp) | 0) }) },
  },
  {
    ...both,
    id: 'authentication/nonce-cut-before-signing',
    summary: 'The first 32 characters of a nonce are signed, and all of it is sent',
    breaks: ['authentication/signature-verifies'],
    alteration: {
      parameters: (pairs) => pairs.map(([name, value]) => [name, name === 'oauth_nonce' ? value.slice(0, 32) : value]),
    },
  },
  {
    ...both,
    id: 'authentication/nonce-of-the-second',
    summary: 'All requests of one second have the same nonce',
    breaks: ['authentication/nonce-unique'],
    alteration: { fresh: (fresh) => ({ ...fresh, nonce: `nonce${fresh.timestamp}` }) },
  },
  {
    ...both,
    id: 'authentication/nonce-for-ever',
    summary: 'All requests have the same nonce',
    breaks: ['authentication/nonce-unique'],
    alteration: { fresh: (fresh) => ({ ...fresh, nonce: 'aOnceDrawnNonce' }) },
  },
  {
    ...both,
    id: 'authentication/retried-as-signed-before',
    summary: 'A request that was reset or answered with HTTP 500 or more is sent again unchanged',
    breaks: ['authentication/nonce-unique'],
    alteration: {
      send: sentAgain(({ failure, response }) => failure?.kind === 'reset' || (response?.status ?? 0) >= 500),
    },
  },
  {
    ...both,
    id: 'authentication/throttled-request-sent-again-unchanged',
    summary: 'A request that was answered with HTTP 429 is sent again unchanged',
    breaks: ['authentication/nonce-unique'],
    alteration: { send: sentAgain(({ response }) => response?.status === 429) },
  },
  {
    ...both,
    id: 'authentication/gateway-timeout-sent-again-unchanged',
    summary: 'A request that was answered with HTTP 408, 502 or 504 is sent again unchanged',
    breaks: ['authentication/nonce-unique'],
    alteration: { send: sentAgain(({ response }) => [408, 502, 504].includes(response?.status ?? 0)) },
  },
  {
    ...both,
    id: 'authentication/unauthorized-request-sent-again-unchanged',
    summary: 'A request that was answered with HTTP 401 is sent again unchanged',
    breaks: ['authentication/nonce-unique'],
    alteration: { send: sentAgain(({ response }) => response?.status === 401) },
  },
  {
    ...both,
    id: 'authentication/redirect-followed-as-signed-before',
    summary: 'A redirect is followed with the header of the first request',
    breaks: ['authentication/nonce-unique'],
    alteration: { send: redirected(307) },
  },
  {
    ...both,
    id: 'authentication/moved-address-followed-as-signed-before',
    summary: 'HTTP 301, 302, 303 and 308 are followed with the header of the first request',
    breaks: ['authentication/nonce-unique'],
    alteration: { send: redirected(301, 302, 303, 308) },
  },
];

/** Sends the same bytes again after one of these answers. */
function sentAgain(after: (first: Awaited<ReturnType<Send>>) => boolean): (send: Send) => Send {
  return (send) => async (request, connection) => {
    const first = await send(request, connection);
    return after(first) ? send(request, connection) : first;
  };
}

function redirected(...statuses: readonly number[]): (send: Send) => Send {
  return (send) => async (request, connection) => {
    const first = await send(request, connection);
    const { status, headers } = first.response ?? { status: 0, headers: [] };
    const [location] = statuses.includes(status) ? headerValues(headers, 'location') : [];
    if (location === undefined) return first;
    const { pathname, search } = new URL(location, `${request.scheme}://${request.host}${request.target}`);
    return send({ ...request, target: `${pathname}${search}` }, connection);
  };
}
