/** Gateways whose answers to batches differ from sections 4.2 and 8. */
import type { Alteration, Decision } from '../mock/alteration.ts';
import { type Reply, withBody, withHeader, withoutHeader, withStatus } from '../mock/reply.ts';
import type { GatewayDefect } from './defect.ts';

const recurring = { side: 'gateway', operation: 'process-recurring-payments' } as const;

export const recurringDefects: readonly GatewayDefect[] = [
  {
    ...recurring,
    id: 'recurring/accepted-says-ok',
    summary: 'The empty answer is not empty: it says OK',
    breaks: ['recurring/success-body-empty'],
    alteration: answers('accepted', (reply) => withBody(reply, 'OK')),
  },
  {
    ...recurring,
    id: 'recurring/accepted-with-201',
    summary: 'An accepted batch is answered with HTTP 201',
    breaks: ['recurring/success-status-200'],
    alteration: answers('accepted', (reply) => withStatus(reply, 201)),
  },
  {
    ...recurring,
    id: 'recurring/accepted-chunked',
    summary: 'The empty answer comes chunked, without Content-Length',
    breaks: ['recurring/success-content-length-zero'],
    alteration: answers('accepted', (reply) => withoutHeader(reply, 'Content-Length')),
  },
  {
    ...recurring,
    id: 'recurring/accepted-framed-twice',
    summary: 'The empty answer says Content-Length: 0, and comes chunked all the same',
    breaks: ['recurring/success-content-length-zero'],
    alteration: answers('accepted', (reply) => withHeader(reply, 'Transfer-Encoding', 'chunked')),
  },
  {
    ...recurring,
    id: 'recurring/refused-with-page',
    summary: 'The 403 answer has an HTML page as its body',
    breaks: ['recurring/failure-body-empty'],
    alteration: answers('refused', (reply) =>
      reply.status === 403 ? withBody(reply, '<html><body>Forbidden</body></html>') : reply,
    ),
  },
  {
    ...recurring,
    id: 'recurring/refused-with-400',
    summary: 'An unsuccessful request is answered with HTTP 400',
    breaks: ['recurring/failure-status-403'],
    alteration: answers('refused', (reply) => withStatus(reply, 400)),
  },
  {
    ...recurring,
    id: 'recurring/refused-with-302',
    summary: 'An unsuccessful request is redirected to a page',
    breaks: ['recurring/failure-status-403'],
    alteration: answers('refused', (reply) => withHeader(withStatus(reply, 302), 'Location', '/error')),
  },
  {
    ...recurring,
    id: 'recurring/refused-with-500',
    summary: 'An unsuccessful request is answered with HTTP 500',
    breaks: ['recurring/failure-status-403'],
    alteration: answers('refused', (reply) => withStatus(reply, 500)),
  },
  {
    ...recurring,
    id: 'recurring/batch-fault-with-401',
    summary: 'A batch whose CSV is at fault is answered with HTTP 401',
    breaks: ['recurring/failure-status-403'],
    alteration: answersWhere(
      ({ decision, step }) => decision === 'refused' && step?.startsWith('csv') === true,
      (reply) => withStatus(reply, 401),
    ),
  },
  {
    ...recurring,
    id: 'recurring/keep-alive-with-unit',
    summary: 'The keep-alive timeout is announced as 60s',
    breaks: ['recurring/keep-alive-timeout'],
    alteration: answers('accepted', (reply) => withHeader(reply, 'Keep-Alive', 'timeout=60s')),
  },
  {
    ...recurring,
    id: 'recurring/keep-alive-beside-close',
    summary: 'The keep-alive timeout is announced as 60 seconds, and the connection is closed',
    breaks: ['recurring/keep-alive-timeout'],
    alteration: answers('accepted', (reply) => withHeader(reply, 'Connection', 'close')),
  },
  {
    ...recurring,
    id: 'recurring/wrong-signature-with-200',
    summary: 'A batch whose signature does not verify is not charged, but gets the answer of an accepted one',
    breaks: [
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
      'authentication/recurring-other-method-refused',
      'authentication/recurring-wrong-signature-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    alteration: answersWhere(
      ({ step }) => step === 'signature',
      (reply) => withStatus(reply, 200),
    ),
  },
  {
    ...recurring,
    id: 'recurring/keep-alive-short',
    summary: 'The keep-alive timeout is announced as 5 seconds',
    breaks: ['recurring/keep-alive-timeout'],
    alteration: answers('accepted', (reply) => withHeader(reply, 'Keep-Alive', 'timeout=5')),
  },
];

type Edit = (reply: Reply) => Reply;

/** Changes the answers of one decision. */
function answers(decision: Decision, edit: Edit): Alteration {
  return answersWhere((about) => about.decision === decision, edit);
}

function answersWhere(
  where: (about: Parameters<NonNullable<Alteration['writes']>>[1]) => boolean,
  edit: Edit,
): Alteration {
  return {
    writes: (reply, about) => (about.operation === 'process-recurring-payments' && where(about) ? edit(reply) : reply),
  };
}
