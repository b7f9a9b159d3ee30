/** Clients with wrong timestamps or nonces (section 5), or a wrong path, method or content type (4.1, 4.2). */
import type { Send } from '../../peer/client/client.ts';
import type { Outcome } from '../../peer/local-gateway/local-gateway.ts';
import { baseString } from '../../protocol/index.ts';
import { headerValues } from '../../record/exchange.ts';
import type { Tag } from '../../record/row.ts';
import { breaking } from '../defect.ts';
import { auth, type ClientDefect, type ClientEdit, closeDay, recurring, transport } from './defect.ts';

const freshnessDefects: readonly ClientDefect[] = [
  auth('timestamp-in-milliseconds', 'timestamp-seconds', {
    fresh: (fresh, { time }) => ({ ...fresh, timestamp: String(time) }),
  })`oauth_timestamp is in milliseconds`,
  auth('timestamp-with-fraction', 'timestamp-seconds', {
    fresh: (fresh) => ({ ...fresh, timestamp: `${fresh.timestamp}.5` }),
  })`oauth_timestamp has fractional seconds`,
  auth('timestamp-as-date', 'timestamp-seconds', {
    fresh: (fresh, { time }) => ({ ...fresh, timestamp: new Date(time).toISOString() }),
  })`oauth_timestamp is an ISO 8601 date and time`,
  auth('timestamp-in-32-bits', 'timestamp-seconds', {
    fresh: (fresh) => ({ ...fresh, timestamp: String(Number(fresh.timestamp) | 0) }),
  })`oauth_timestamp is a signed 32-bit integer, so it is negative after January 2038`,
  auth('nonce-cut-before-signing', 'signature-verifies', {
    parameters: (pairs) => pairs.map(([name, value]) => [name, name === 'oauth_nonce' ? value.slice(0, 32) : value]),
  })`The whole nonce is sent, but only its first 32 characters are signed`,
  auth('nonce-of-the-second', 'nonce-unique', { fresh: (fresh) => ({ ...fresh, nonce: `nonce${fresh.timestamp}` }) })`
    All requests within one second have the same nonce`,
  auth('nonce-for-ever', 'nonce-unique', { fresh: (fresh) => ({ ...fresh, nonce: 'aOnceDrawnNonce' }) })`
    All requests have the same nonce`,
  resends('retried-as-signed-before', (status, failure) => failure?.kind === 'reset' || status >= 500)`
    A request that was reset or answered with HTTP 500 or more is sent again unchanged`,
  resends('throttled-request-sent-again-unchanged', (status) => status === 429)`
    A request that was answered with HTTP 429 is sent again unchanged`,
  resends('gateway-timeout-sent-again-unchanged', (status) => [408, 502, 504].includes(status))`
    A request that was answered with HTTP 408, 502 or 504 is sent again unchanged`,
  resends('unauthorized-request-sent-again-unchanged', (status) => status === 401)`
    A request that was answered with HTTP 401 is sent again unchanged`,
  auth('redirect-followed-as-signed-before', 'nonce-unique', { send: followsRedirect(307) })`
    A redirect is followed with the Authorization header of the first request`,
  auth('moved-address-followed-as-signed-before', 'nonce-unique', { send: followsRedirect(301, 302, 303, 308) })`
    A redirect by HTTP 301, 302, 303 or 308 is followed with the Authorization header of the first request`,
];

function resends(what: string, isRetried: (status: number, failure: Outcome['failure']) => boolean): Tag<ClientDefect> {
  return auth(what, 'nonce-unique', {
    send: (send) => async (request, connection) => {
      const first = await send(request, connection);
      return isRetried(first.response?.status ?? 0, first.failure) ? send(request, connection) : first;
    },
  });
}

function followsRedirect(...statuses: readonly number[]): (send: Send) => Send {
  return (send) => async (request, connection) => {
    const first = await send(request, connection);
    const { status, headers } = first.response ?? { status: 0, headers: [] };
    const [location] = statuses.includes(status) ? headerValues(headers, 'location') : [];
    if (location === undefined) return first;
    const { pathname, search } = new URL(location, `${request.scheme}://${request.host}${request.target}`);
    return send({ ...request, target: `${pathname}${search}` }, connection);
  };
}

const bothPaths = breaking(transport, ['close-day/path', 'recurring/path']);

/** Signs no body fields. RFC 5849 section 3.4.1.3.1 demands this if the body is not a form. */
const bodyNotSigned: ClientEdit = {
  parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length),
};

const requestLineDefects: readonly ClientDefect[] = [
  bothPaths('path-with-slash', { target: (target) => `${target}/` })`The path ends with a slash after the endpoint`,
  bothPaths('endpoint-as-number', { target: (target) => target.replace(/\/0+(?=\d+$)/, '/') })`
    A numeric endpoint id loses its leading zeros`,
  bothPaths('endpoint-through-a-double', {
    target: (target) => target.replace(/(?<=\/0*)[1-9]\d*$/, (digits) => String(BigInt(Number(digits)))),
  })`A numeric endpoint id is converted to a double, which changes its last digits`,
  closeDay('path-of-version-4', 'path', { target: (target) => target.replace('/v2/', '/v4/') })`
    The path of close-day has the version of the other operation`,
  closeDay('fields-in-query-too', 'path', { target: (target, { done }) => `${target}?${done.form}` })`
    The fields of the body are also in the query, and are signed twice`,
  recurring('path-of-version-2', 'path', { target: (target) => target.replace('/v4/', '/v2/') })`
    The path of recurring payments has the version of the other operation`,
  closeDay('sent-with-put', 'method', withMethod('PUT'))`close-day is sent and signed with PUT`,
  recurring('sent-with-put', 'method', withMethod('PUT'))`Recurring payments are sent and signed with PUT`,
  transport('content-type-left-out', ['close-day/content-type-sent', 'recurring/content-type-sent'], ofType(undefined))`
    The request has no Content-Type`,
  closeDay('form-sent-as-text', 'content-type-sent', ofType('text/plain'))`The form of close-day is sent as text/plain`,
  recurring('form-sent-as-csv', 'content-type-sent', ofType('text/csv'))`The form of a batch is sent as text/csv`,
  closeDay('body-as-json', ['content-type-sent', 'body-is-form'], {
    ...bodyNotSigned,
    sent: ({ fields }) => ({
      header: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(fields)),
    }),
  })`The fields are sent as a JSON object, which is not signed`,
  recurring('body-as-multipart', ['content-type-sent', 'payload-only'], {
    ...bodyNotSigned,
    sent: ({ payload }) => ({
      header: { 'Content-Type': 'multipart/form-data; boundary=part' },
      body: `--part\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${payload}\r\n--part--\r\n`,
    }),
  })`The payload is sent as a part of multipart/form-data, which is not signed`,
];

function withMethod(method: string): ClientEdit {
  return {
    baseString: (_, { done }) => baseString(method, done.baseStringUri, done.normalized),
    sent: () => ({ method }),
  };
}

function ofType(type: string | undefined): ClientEdit {
  return { sent: () => ({ header: { 'Content-Type': type } }) };
}

export const requestDefects: readonly ClientDefect[] = [...freshnessDefects, ...requestLineDefects];
