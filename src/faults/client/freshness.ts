/** Clients whose timestamps or nonces are not those of section 5 and RFC 5849 section 3.3. */
import type { Send, Sent } from '../../peer/client/alteration.ts';
import { headerValues } from '../../record/exchange.ts';
import type { Row } from '../../record/row.ts';
import { auth, type ClientDefect, signing } from './defect.ts';

export const freshnessDefects: readonly ClientDefect[] = [
  auth('timestamp-in-milliseconds', 'timestamp-seconds', {
    fresh: (fresh, { time }) => ({ ...fresh, timestamp: String(time) }),
  })`oauth_timestamp counts milliseconds`,
  auth('timestamp-with-fraction', 'timestamp-seconds', {
    fresh: (fresh) => ({ ...fresh, timestamp: `${fresh.timestamp}.5` }),
  })`oauth_timestamp has a fraction of a second`,
  auth('timestamp-as-date', 'timestamp-seconds', {
    fresh: (fresh, { time }) => ({ ...fresh, timestamp: new Date(time).toISOString() }),
  })`oauth_timestamp is a date and time of ISO 8601`,
  auth('timestamp-in-32-bits', 'timestamp-seconds', {
    fresh: (fresh) => ({ ...fresh, timestamp: String(Number(fresh.timestamp) | 0) }),
  })`oauth_timestamp is an integer of 32 bits: after January 2038 it is negative`,
  signing('nonce-cut-before-signing', {
    parameters: (pairs) => pairs.map(([name, value]) => [name, name === 'oauth_nonce' ? value.slice(0, 32) : value]),
  })`The first 32 characters of a nonce are signed, and all of it is sent`,
  auth('nonce-of-the-second', 'nonce-unique', { fresh: (fresh) => ({ ...fresh, nonce: `nonce${fresh.timestamp}` }) })`
    All requests of one second have the same nonce`,
  auth('nonce-for-ever', 'nonce-unique', { fresh: (fresh) => ({ ...fresh, nonce: 'aOnceDrawnNonce' }) })`
    All requests have the same nonce`,
  sentAgain(
    'retried-as-signed-before',
    ({ failure, response }) => failure?.kind === 'reset' || (response?.status ?? 0) >= 500,
  )`A request that was reset or answered with HTTP 500 or more is sent again unchanged`,
  sentAgain('throttled-request-sent-again-unchanged', ({ response }) => response?.status === 429)`
    A request that was answered with HTTP 429 is sent again unchanged`,
  sentAgain('gateway-timeout-sent-again-unchanged', ({ response }) => [408, 502, 504].includes(response?.status ?? 0))`
    A request that was answered with HTTP 408, 502 or 504 is sent again unchanged`,
  sentAgain('unauthorized-request-sent-again-unchanged', ({ response }) => response?.status === 401)`
    A request that was answered with HTTP 401 is sent again unchanged`,
  auth('redirect-followed-as-signed-before', 'nonce-unique', { send: redirected(307) })`
    A redirect is followed with the header of the first request`,
  auth('moved-address-followed-as-signed-before', 'nonce-unique', { send: redirected(301, 302, 303, 308) })`
    HTTP 301, 302, 303 and 308 are followed with the header of the first request`,
];

/** Sends the same bytes again after one of these answers. */
function sentAgain(what: string, after: (first: Sent) => boolean): Row<ClientDefect> {
  return auth(what, 'nonce-unique', {
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
