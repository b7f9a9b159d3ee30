/** Clients that send to another path, with another method or under another content type (sections 4.1 and 4.2). */
import { baseString } from '../../protocol/index.ts';
import type { ReceivedResponse } from '../../record/exchange.ts';
import { breaking } from '../defect.ts';
import { type ClientDefect, closeDay, recurring, transport } from './defect.ts';
import type { ClientEdit } from './parts.ts';

const bothPaths = breaking(transport, ['close-day/path', 'recurring/path']);

/** Only a form body is signed (RFC 5849 section 3.4.1.3.1). */
const bodyNotSigned: ClientEdit = {
  parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length),
};

export const requestLineDefects: readonly ClientDefect[] = [
  bothPaths('path-with-slash', { target: (target) => `${target}/` })`The path ends with a slash after the endpoint`,
  bothPaths('endpoint-as-number', { target: (target) => target.replace(/\/0+(?=\d+$)/, '/') })`
    An endpoint id of digits loses its leading zeros`,
  bothPaths('endpoint-through-a-double', {
    target: (target) => target.replace(/(?<=\/0*)[1-9]\d*$/, (digits) => String(BigInt(Number(digits)))),
  })`An endpoint id of digits passes through a double and loses its last digit`,
  closeDay('path-of-version-4', 'path', { target: (target) => target.replace('/v2/', '/v4/') })`
    close-day goes to the version of the other operation`,
  closeDay('fields-in-query-too', 'path', { target: (target, { done }) => `${target}?${done.form}` })`
    The fields of the body are in the query as well, and are signed twice`,
  recurring('path-of-version-2', 'path', { target: (target) => target.replace('/v4/', '/v2/') })`
    Recurring payments go to the version of the other operation`,
  closeDay('sent-with-put', 'method', sentWith('PUT'))`close-day is sent with PUT, and signed so`,
  recurring('sent-with-put', 'method', sentWith('PUT'))`Recurring payments are sent with PUT, and signed so`,
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

function sentWith(method: string): ClientEdit {
  return {
    baseString: (_, { done }) => baseString(method, done.baseStringUri, done.normalized),
    sent: () => ({ method }),
  };
}

function ofType(type: string | undefined): ClientEdit {
  return { sent: () => ({ header: { 'Content-Type': type } }) };
}

export const connectionDefects: readonly ClientDefect[] = [
  transport('any-certificate', 'https', {
    connection: (connection) => ({ ...connection, acceptAnyCertificate: true }),
  })`Every certificate is accepted, whoever signed it`,
  transport('certificate-given-up', 'https', {
    send: (send) => async (request, connection) => {
      const first = await send(request, connection);
      return first.failure?.kind === 'tls' ? send(request, { ...connection, acceptAnyCertificate: true }) : first;
    },
  })`What fails for a certificate is sent again without looking at it`,
  transport(
    'cut-connection-taken-for-success',
    ['close-day/broken-body-not-success', 'recurring/broken-body-not-success'],
    {
      send: (send) => async (request, connection) => {
        const sent = await send(request, connection);
        return sent.failure?.kind === 'reset' ? { response: successOf(request.target) } : sent;
      },
    },
  )`A connection that ends without an answer is taken for the answer of success`,
  transport('answer-without-end-taken-for-success', 'close-day/broken-body-not-success', {
    send: (send) => async (request, connection) => {
      const sent = await send(request, connection);
      return sent.failure?.kind === 'timeout' ? { response: successOf(request.target) } : sent;
    },
  })`An answer that has not ended within the time limit is taken for the answer of success`,
];

function successOf(target: string): ReceivedResponse {
  const body = target.includes('/close-day/')
    ? '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"1"}'
    : '';
  return { status: 200, reason: 'OK', headers: [['Content-Type', 'text/html;charset=utf-8']], body: Buffer.from(body) };
}
