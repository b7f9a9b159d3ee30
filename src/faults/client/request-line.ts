/** Clients that send to another path, with another method or under another content type (sections 4.1 and 4.2). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { baseString } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';
import { requestWithBody, requestWithHeader, requestWithoutHeader } from './sent-request.ts';

const both = { side: 'client', operation: 'both' } as const;
const closeDay = { side: 'client', operation: 'close-day' } as const;
const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

/** Only a form body is signed (RFC 5849 section 3.4.1.3.1). */
const bodyNotSigned: ClientAlteration = {
  parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length),
};

export const requestLineDefects: readonly ClientDefect[] = [
  {
    ...both,
    id: 'transport/path-with-slash',
    summary: 'The path ends with a slash after the endpoint',
    breaks: ['close-day/path', 'recurring/path'],
    alteration: { url: (url) => ({ ...url, target: `${url.target}/` }) },
  },
  {
    ...both,
    id: 'transport/endpoint-as-number',
    summary: 'An endpoint id of digits loses its leading zeros',
    breaks: ['close-day/path', 'recurring/path'],
    alteration: { url: (url) => ({ ...url, target: url.target.replace(/\/0+(?=\d+$)/, '/') }) },
  },
  {
    ...both,
    id: 'transport/endpoint-through-a-double',
    summary: 'An endpoint id of digits passes through a double and loses its last digit',
    breaks: ['close-day/path', 'recurring/path'],
    alteration: {
      url: (url) => ({
        ...url,
        target: url.target.replace(/(?<=\/0*)[1-9]\d*$/, (digits) => String(BigInt(Number(digits)))),
      }),
    },
  },
  {
    ...closeDay,
    id: 'close-day/path-of-version-4',
    summary: 'close-day goes to the version of the other operation',
    breaks: ['close-day/path'],
    alteration: only('close-day', { url: (url) => ({ ...url, target: url.target.replace('/v2/', '/v4/') }) }),
  },
  {
    ...closeDay,
    id: 'close-day/fields-in-query-too',
    summary: 'The fields of the body are in the query as well, and are signed twice',
    breaks: ['close-day/path'],
    alteration: only('close-day', { url: (url, { done }) => ({ ...url, target: `${url.target}?${done.form}` }) }),
  },
  {
    ...recurring,
    id: 'recurring/path-of-version-2',
    summary: 'Recurring payments go to the version of the other operation',
    breaks: ['recurring/path'],
    alteration: only('process-recurring-payments', {
      url: (url) => ({ ...url, target: url.target.replace('/v4/', '/v2/') }),
    }),
  },
  {
    ...closeDay,
    id: 'close-day/sent-with-put',
    summary: 'close-day is sent with PUT, and signed so',
    breaks: ['close-day/method'],
    alteration: only('close-day', sentWith('PUT')),
  },
  {
    ...recurring,
    id: 'recurring/sent-with-put',
    summary: 'Recurring payments are sent with PUT, and signed so',
    breaks: ['recurring/method'],
    alteration: only('process-recurring-payments', sentWith('PUT')),
  },
  {
    ...both,
    id: 'transport/content-type-left-out',
    summary: 'The request has no Content-Type',
    breaks: ['close-day/content-type-sent', 'recurring/content-type-sent'],
    alteration: { request: (request) => requestWithoutHeader(request, 'Content-Type') },
  },
  {
    ...closeDay,
    id: 'close-day/form-sent-as-text',
    summary: 'The form of close-day is sent as text/plain',
    breaks: ['close-day/content-type-sent'],
    alteration: only('close-day', { request: (request) => requestWithHeader(request, 'Content-Type', 'text/plain') }),
  },
  {
    ...recurring,
    id: 'recurring/form-sent-as-csv',
    summary: 'The form of a batch is sent as text/csv',
    breaks: ['recurring/content-type-sent'],
    alteration: only('process-recurring-payments', {
      request: (request) => requestWithHeader(request, 'Content-Type', 'text/csv'),
    }),
  },
  {
    ...closeDay,
    id: 'close-day/body-as-json',
    summary: 'The fields are sent as a JSON object, which is not signed',
    breaks: ['close-day/content-type-sent', 'close-day/body-is-form'],
    alteration: only('close-day', {
      ...bodyNotSigned,
      request: (request, { done }) =>
        requestWithBody(
          requestWithHeader(request, 'Content-Type', 'application/json'),
          JSON.stringify(Object.fromEntries(done.fields)),
        ),
    }),
  },
  {
    ...recurring,
    id: 'recurring/body-as-multipart',
    summary: 'The payload is sent as a part of multipart/form-data, which is not signed',
    breaks: ['recurring/content-type-sent', 'recurring/payload-only'],
    alteration: only('process-recurring-payments', {
      ...bodyNotSigned,
      request: (request, { done }) =>
        requestWithBody(
          requestWithHeader(request, 'Content-Type', 'multipart/form-data; boundary=part'),
          `--part\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${done.payload}\r\n--part--\r\n`,
        ),
    }),
  },
];

function sentWith(method: string): ClientAlteration {
  return {
    baseString: (_, { done }) => baseString(method, done.baseStringUri, done.normalized),
    request: (request) => ({ ...request, method }),
  };
}
