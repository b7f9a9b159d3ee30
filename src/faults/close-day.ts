/** Gateways whose close-day answers differ from sections 2.2, 3, 4.1 and 7. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import { withBody, withHeader, withStatus } from '../mock/reply.ts';
import { closingAlready } from '../mock/responses.ts';
import type { GatewayDefect } from './defect.ts';
import { inBody } from './in-body.ts';

const closeDay = { side: 'gateway', operation: 'close-day' } as const;

const presentRows = (Object.keys(gateResultFields) as (keyof typeof gateResultFields)[]).map(
  (slug) => `close-day/gate-${slug}-present` as const,
);

export const closeDayDefects: readonly GatewayDefect[] = [
  {
    ...closeDay,
    id: 'close-day/lock-not-removed',
    summary: 'A gate whose lock was removed is reported as locked',
    breaks: ['close-day/lock-removal'],
    // The gate that the mock has locked.
    alteration: inBody('accepted', (text) => text.replace(/("gateId":7103,"isDayClosing":)false/, '$1true')),
  },
  {
    ...closeDay,
    id: 'close-day/manual-close-without-effect',
    summary: 'A gate that was closing is answered with error 99 after the day was closed by hand too',
    breaks: ['close-day/manual-close'],
    // The endpoint whose gate the mock has closing.
    alteration: {
      writes: (reply, { operation, decision, request, serial }) =>
        operation === 'close-day' && decision === 'accepted' && request.target.endsWith('/1112')
          ? closingAlready(serial!)
          : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/finished-without-gates',
    summary: 'A finished answer has no gates',
    breaks: ['close-day/finished-has-gates'],
    alteration: inBody('accepted', (text) => text.replace(/,"gates":\[.*\]/g, '')),
  },
  {
    ...closeDay,
    id: 'close-day/only-first-gate',
    summary: 'Only the first gate of the endpoint is reported',
    breaks: ['close-day/one-result-per-gate'],
    alteration: inBody('accepted', (text) => text.replace(/(\{"gateId"[^}]*\})(,\{"gateId"[^}]*\})+/g, '$1')),
  },
  {
    ...closeDay,
    id: 'close-day/locked-gate-hidden',
    summary: 'A gate that stays locked is reported as free',
    breaks: ['close-day/locked-gate-reported'],
    alteration: inBody('accepted', (text) => text.replace(/"isDayClosing":true/g, '"isDayClosing":false')),
  },
  {
    ...closeDay,
    id: 'close-day/content-type-json',
    summary: 'The body comes as application/json',
    breaks: ['close-day/content-type'],
    alteration: {
      writes: (reply, { operation }) =>
        operation === 'close-day' ? withHeader(reply, 'Content-Type', 'application/json') : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/body-said-to-be-packed',
    summary: 'The body comes as it is, and Content-Encoding says gzip',
    breaks: ['close-day/body-decodable'],
    alteration: {
      writes: (reply, { operation }) =>
        operation === 'close-day' ? withHeader(reply, 'Content-Encoding', 'gzip') : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/failure-as-400',
    summary: 'Failures come with HTTP 400 in place of 200',
    breaks: ['close-day/status-200'],
    alteration: {
      writes: (reply, { operation, decision }) =>
        operation === 'close-day' && decision === 'refused' ? withStatus(reply, 400) : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/id-fault-with-403',
    summary: 'A request without an id, or with a wrong one, is answered with HTTP 403 and a page',
    breaks: ['close-day/status-200'],
    alteration: {
      writes: (reply, { step }) =>
        step?.startsWith('request-id') === true ? withBody(withStatus(reply, 403), '<html>Forbidden</html>') : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/serial-missing',
    summary: 'theRequestSerialNumber is missing',
    breaks: ['close-day/serial-present'],
    alteration: inBody(undefined, (text) => text.replace(/,"theRequestSerialNumber":"[^"]*"/, '')),
  },
  {
    ...closeDay,
    id: 'close-day/serial-short',
    summary: 'theRequestSerialNumber comes without its leading groups',
    breaks: ['close-day/serial-shape'],
    alteration: inBody(undefined, (text) =>
      text.replace(/"theRequestSerialNumber":"[^"]*-([^"-]*)"/, '"theRequestSerialNumber":"$1"'),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/error-without-message',
    summary: 'An error comes without errorMessage',
    breaks: ['close-day/error-has-message'],
    alteration: inBody(undefined, (text) => text.replace(/,"errorMessage":"(?:[^"\\]|\\.)*"/, '')),
  },
  {
    ...closeDay,
    id: 'close-day/error-code-empty',
    summary: 'A refusal has an empty errorCode',
    breaks: ['close-day/error-has-code'],
    alteration: inBody('refused', (text) => text.replace(/"errorCode":"[^"]*"/, '"errorCode":""')),
  },
  {
    ...closeDay,
    id: 'close-day/error-code-as-list',
    summary: 'A refusal has its errorCode in a list',
    breaks: ['close-day/error-has-code'],
    alteration: inBody('refused', (text) => text.replace(/"errorCode":("[^"]*")/, '"errorCode":[$1]')),
  },
  {
    ...closeDay,
    id: 'close-day/error-message-empty',
    summary: 'A refusal has an empty errorMessage',
    breaks: ['close-day/error-has-message'],
    alteration: inBody('refused', (text) => text.replace(/"errorMessage":"(?:[^"\\]|\\.)*"/, '"errorMessage":""')),
  },
  {
    ...closeDay,
    id: 'close-day/error-message-twice',
    summary: 'A refusal has errorMessage twice',
    breaks: ['close-day/body-decodable'],
    alteration: inBody('refused', (text) => text.replace('"errorMessage":', '"errorMessage":"no","errorMessage":')),
  },
  {
    ...closeDay,
    id: 'close-day/gate-as-number',
    summary: 'The list of gate results ends with a number',
    breaks: ['close-day/finished-has-gates', ...presentRows, 'close-day/one-result-per-gate'],
    reasons: Object.fromEntries(
      ['close-day/finished-has-gates', ...presentRows, 'close-day/one-result-per-gate'].map((id) => [
        id,
        'a number is not an object, has no member and names no gate',
      ]),
    ),
    alteration: inBody('accepted', (text) => text.replace(/\](?=\})/, ',1]')),
  },
  {
    ...closeDay,
    id: 'close-day/refused-with-302',
    summary: 'A refused request is redirected to a page',
    breaks: ['close-day/status-200'],
    alteration: {
      writes: (reply, { operation, decision }) =>
        operation === 'close-day' && decision === 'refused'
          ? withHeader(withBody(withStatus(reply, 302), ''), 'Location', '/error')
          : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/field-fault-with-403',
    summary: 'A request whose fields are at fault is answered with HTTP 403 and nothing else',
    breaks: ['close-day/status-200'],
    alteration: {
      writes: (reply, { operation, decision, step }) =>
        operation === 'close-day' && decision === 'refused' && step?.startsWith('request-id')
          ? withBody(withStatus(reply, 403), '')
          : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/closing-gate-other-code',
    summary: 'A gate that is already closing is answered with errorCode 98',
    breaks: ['close-day/closing-gate-error'],
    alteration: inBody('closing', (text) => text.replace(/"errorCode":"99"/, '"errorCode":"98"')),
  },
  {
    ...closeDay,
    id: 'close-day/closing-gate-other-message',
    summary: 'Error 99 comes with another message',
    breaks: ['close-day/closing-gate-message'],
    alteration: inBody('closing', (text) => text.replace(/gate is closing already/, 'the gate is being closed')),
  },
  {
    ...closeDay,
    id: 'close-day/gate-twice',
    summary: 'The first gate of the endpoint is reported twice',
    breaks: ['close-day/one-result-per-gate'],
    alteration: inBody('accepted', (text) => text.replace(/"gates":\[(\{[^}]*\})/, '"gates":[$1,$1')),
  },
  {
    ...closeDay,
    id: 'close-day/free-gate-as-locked',
    summary: 'Every gate is reported as one that stays locked',
    breaks: ['close-day/open-gate-reported', 'close-day/lock-removal'],
    alteration: inBody('accepted', (text) => text.replaceAll('"isDayClosing":false', '"isDayClosing":true')),
  },
];
