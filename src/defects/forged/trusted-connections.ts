/** Gateways that remember of a connection what they have to look at in each request. */
import type { Reading } from '../../mock/received.ts';
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
  ofEither(
    'nonces-by-connection',
    'Each connection has the nonces of its own requests only',
    ['reused-nonce-refused'],
    { skips: ['nonce'], refuses: usedWithin(({ original }) => numberOf(original.arrival?.connection)) },
  ),
];

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
