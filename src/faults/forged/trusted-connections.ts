/** Gateways that remember of a connection or a session what they have to look at in each request. */

import type { Reading } from '../../mock/received.ts';
import { withHeader } from '../../mock/reply.ts';
import { headerValues } from '../../record/exchange.ts';
import { type GatewayDefect, ofBoth, ofEither } from '../defect.ts';
import { authorizationLine } from '../taken-anyway.ts';
import { usedWithin } from './partly-verified.ts';

const trusted = ofBoth(
  'unsigned-refused',
  'wrong-key-refused',
  'wrong-signature-refused',
  'altered-body-refused',
  'altered-uri-refused',
);

export const trustedConnectionDefects: readonly GatewayDefect[] = [
  {
    side: 'gateway',
    operation: 'both',
    id: 'authentication/known-connection-trusted',
    summary: 'Once a request was accepted, neither signature nor header is asked for over its connection',
    breaks: trusted,
    reasons: Object.fromEntries(trusted.map((id) => [id, 'whatever a request is signed with and over, it is taken'])),
    alteration: {
      refuses: remember,
      takes: (reading, step) => isKnown(reading) && (step === 'signature' || authorizationLine(reading.request) === ''),
    },
  },
  {
    side: 'gateway',
    operation: 'both',
    id: 'authentication/known-session-trusted',
    summary: 'Once a request was accepted, neither signature nor header is asked for in the session of its cookie',
    breaks: ofBoth('unsigned-refused', 'wrong-key-refused'),
    alteration: {
      writes: (reply, { decision }) =>
        decision === 'accepted' ? withHeader(reply, 'Set-Cookie', `${session}; Path=/; HttpOnly`) : reply,
      takes: ({ request }, step) =>
        headerValues(request.headers, 'cookie').includes(session) &&
        (step === 'signature' || authorizationLine(request) === ''),
    },
  },
  ofEither(
    'nonces-by-connection',
    'Each connection has the nonces of its own requests only',
    ['reused-nonce-refused'],
    { skips: ['nonce'], refuses: usedWithin(({ original }) => numberOf(original.arrival?.connection)) },
  ),
];

/** A name and a value that nobody else sends. */
const session = 'JSESSIONID=5D0C3E1F';

const accepted = new WeakSet<object>();

/** Asked last, and so of accepted requests alone. */
function remember({ original }: Reading): undefined {
  if (original.arrival !== undefined) accepted.add(original.arrival.connection);
}

function isKnown({ original }: Reading): boolean {
  return original.arrival !== undefined && accepted.has(original.arrival.connection);
}

const numbers = new WeakMap<object, string>();
let count = 0;

function numberOf(connection: object | undefined): string {
  if (connection === undefined) return '';
  const number = numbers.get(connection) ?? String(++count);
  numbers.set(connection, number);
  return number;
}
