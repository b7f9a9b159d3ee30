/** Clients whose timestamps or nonces are not those of section 5 and RFC 5849 section 3.3. */
import type { Send, Sent } from '../../peer/client/index.ts';
import { headerValues } from '../../record/exchange.ts';
import { auth, type ClientDefect, signing } from './defect.ts';

export const freshnessDefects: readonly ClientDefect[] = [
  auth('timestamp-in-milliseconds', 'oauth_timestamp counts milliseconds', 'timestamp-seconds', {
    fresh: (fresh, { time }) => ({ ...fresh, timestamp: String(time) }),
  }),
  auth('timestamp-with-fraction', 'oauth_timestamp has a fraction of a second', 'timestamp-seconds', {
    fresh: (fresh) => ({ ...fresh, timestamp: `${fresh.timestamp}.5` }),
  }),
  auth('timestamp-as-date', 'oauth_timestamp is a date and time of ISO 8601', 'timestamp-seconds', {
    fresh: (fresh, { time }) => ({ ...fresh, timestamp: new Date(time).toISOString() }),
  }),
  auth(
    'timestamp-in-32-bits',
    'oauth_timestamp is an integer of 32 bits: after January 2038 it is negative',
    'timestamp-seconds',
    { fresh: (fresh) => ({ ...fresh, timestamp: String(Number(fresh.timestamp) | 0) }) },
  ),
  signing('nonce-cut-before-signing', 'The first 32 characters of a nonce are signed, and all of it is sent', {
    parameters: (pairs) => pairs.map(([name, value]) => [name, name === 'oauth_nonce' ? value.slice(0, 32) : value]),
  }),
  auth('nonce-of-the-second', 'All requests of one second have the same nonce', 'nonce-unique', {
    fresh: (fresh) => ({ ...fresh, nonce: `nonce${fresh.timestamp}` }),
  }),
  auth('nonce-for-ever', 'All requests have the same nonce', 'nonce-unique', {
    fresh: (fresh) => ({ ...fresh, nonce: 'aOnceDrawnNonce' }),
  }),
  sentAgain(
    'retried-as-signed-before',
    'A request that was reset or answered with HTTP 500 or more is sent again unchanged',
    ({ failure, response }) => failure?.kind === 'reset' || (response?.status ?? 0) >= 500,
  ),
  sentAgain(
    'throttled-request-sent-again-unchanged',
    'A request that was answered with HTTP 429 is sent again unchanged',
    ({ response }) => response?.status === 429,
  ),
  sentAgain(
    'gateway-timeout-sent-again-unchanged',
    'A request that was answered with HTTP 408, 502 or 504 is sent again unchanged',
    ({ response }) => [408, 502, 504].includes(response?.status ?? 0),
  ),
  sentAgain(
    'unauthorized-request-sent-again-unchanged',
    'A request that was answered with HTTP 401 is sent again unchanged',
    ({ response }) => response?.status === 401,
  ),
  auth(
    'redirect-followed-as-signed-before',
    'A redirect is followed with the header of the first request',
    'nonce-unique',
    { send: redirected(307) },
  ),
  auth(
    'moved-address-followed-as-signed-before',
    'HTTP 301, 302, 303 and 308 are followed with the header of the first request',
    'nonce-unique',
    { send: redirected(301, 302, 303, 308) },
  ),
];

/** Sends the same bytes again after one of these answers. */
function sentAgain(what: string, summary: string, after: (first: Sent) => boolean): ClientDefect {
  return auth(what, summary, 'nonce-unique', {
    send: (send) => async (request, connection) => {
      const first = await send(request, connection);
      return after(first) ? send(request, connection) : first;
    },
  });
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
