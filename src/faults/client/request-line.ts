/** Clients that send to another path, with another method or under another content type (sections 4.1 and 4.2). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { baseString } from '../../protocol/index.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { type ClientDefect, closeDay, recurring, transport } from './defect.ts';

const bothPaths = ['close-day/path', 'recurring/path'] as const;

/** Only a form body is signed (RFC 5849 section 3.4.1.3.1). */
const bodyNotSigned: ClientAlteration = {
  parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length),
};

export const requestLineDefects: readonly ClientDefect[] = [
  transport('path-with-slash', 'The path ends with a slash after the endpoint', bothPaths, {
    url: (url) => ({ ...url, target: `${url.target}/` }),
  }),
  transport('endpoint-as-number', 'An endpoint id of digits loses its leading zeros', bothPaths, {
    url: (url) => ({ ...url, target: url.target.replace(/\/0+(?=\d+$)/, '/') }),
  }),
  transport(
    'endpoint-through-a-double',
    'An endpoint id of digits passes through a double and loses its last digit',
    bothPaths,
    {
      url: (url) => ({
        ...url,
        target: url.target.replace(/(?<=\/0*)[1-9]\d*$/, (digits) => String(BigInt(Number(digits)))),
      }),
    },
  ),
  closeDay('path-of-version-4', 'close-day goes to the version of the other operation', 'path', {
    url: (url) => ({ ...url, target: url.target.replace('/v2/', '/v4/') }),
  }),
  closeDay('fields-in-query-too', 'The fields of the body are in the query as well, and are signed twice', 'path', {
    url: (url, { done }) => ({ ...url, target: `${url.target}?${done.form}` }),
  }),
  recurring('path-of-version-2', 'Recurring payments go to the version of the other operation', 'path', {
    url: (url) => ({ ...url, target: url.target.replace('/v4/', '/v2/') }),
  }),
  closeDay('sent-with-put', 'close-day is sent with PUT, and signed so', 'method', sentWith('PUT')),
  recurring('sent-with-put', 'Recurring payments are sent with PUT, and signed so', 'method', sentWith('PUT')),
  transport(
    'content-type-left-out',
    'The request has no Content-Type',
    ['close-day/content-type-sent', 'recurring/content-type-sent'],
    { request: (request) => requestWithoutHeader(request, 'Content-Type') },
  ),
  closeDay('form-sent-as-text', 'The form of close-day is sent as text/plain', 'content-type-sent', {
    request: (request) => requestWithHeader(request, 'Content-Type', 'text/plain'),
  }),
  recurring('form-sent-as-csv', 'The form of a batch is sent as text/csv', 'content-type-sent', {
    request: (request) => requestWithHeader(request, 'Content-Type', 'text/csv'),
  }),
  closeDay(
    'body-as-json',
    'The fields are sent as a JSON object, which is not signed',
    ['content-type-sent', 'body-is-form'],
    {
      ...bodyNotSigned,
      request: (request, { done }) =>
        requestWithBody(
          requestWithHeader(request, 'Content-Type', 'application/json'),
          JSON.stringify(Object.fromEntries(done.fields)),
        ),
    },
  ),
  recurring(
    'body-as-multipart',
    'The payload is sent as a part of multipart/form-data, which is not signed',
    ['content-type-sent', 'payload-only'],
    {
      ...bodyNotSigned,
      request: (request, { done }) =>
        requestWithBody(
          requestWithHeader(request, 'Content-Type', 'multipart/form-data; boundary=part'),
          `--part\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${done.payload}\r\n--part--\r\n`,
        ),
    },
  ),
];

function sentWith(method: string): ClientAlteration {
  return {
    baseString: (_, { done }) => baseString(method, done.baseStringUri, done.normalized),
    request: (request) => ({ ...request, method }),
  };
}

/** The request with another body and the length that it has. */
export function requestWithBody(request: SentRequest, text: string): SentRequest {
  const body = Buffer.from(text, 'utf8');
  return requestWithHeader({ ...request, body }, 'Content-Length', String(body.length));
}

/** The request with another value in a header that it has. */
function requestWithHeader(request: SentRequest, name: string, value: string): SentRequest {
  return { ...request, headers: request.headers.map(([found, old]) => [found, found === name ? value : old]) };
}

export function requestWithoutHeader(request: SentRequest, name: string): SentRequest {
  return { ...request, headers: request.headers.filter(([found]) => found !== name) };
}
