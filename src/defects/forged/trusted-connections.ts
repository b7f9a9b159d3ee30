/** Gateways that remember of a connection what they have to look at in each request. */
import type { Reading } from '../../mock/received.ts';
import type { World } from '../../mock/state.ts';
import { type GatewayDefect, ofBoth, ofEither } from '../defect.ts';
import { authorizationLine } from '../taken-anyway.ts';
import { usedWithin } from './partly-verified.ts';

const signatures = ofBoth(
  'wrong-key-refused',
  'wrong-signature-refused',
  'altered-body-refused',
  'altered-uri-refused',
);

export const trustedConnectionDefects: readonly GatewayDefect[] = [
  {
    side: 'gateway',
    operation: 'both',
    id: 'authentication/known-connection-not-verified',
    summary: 'Once a request was accepted, signatures over its connection are not verified any more',
    breaks: signatures,
    reasons: Object.fromEntries(
      signatures.map((id) => [id, 'whatever the signature is made with and over, it is not checked']),
    ),
    alteration: { refuses: remember, takes: (reading, step) => step === 'signature' && isKnown(reading) },
  },
  ofEither(
    'unsigned-over-known-connection-taken',
    'Once a request was accepted, requests without an Authorization header are, over its connection',
    ['unsigned-refused'],
    {
      refuses: remember,
      takes: (reading) => authorizationLine(reading.request) === '' && isKnown(reading),
    },
  ),
  ofEither(
    'nonces-by-connection',
    'Each connection has the nonces of its own requests only',
    ['reused-nonce-refused'],
    { skips: ['nonce'], refuses: usedWithin(({ original }) => numberOf(original.arrival?.connection)) },
  ),
];

const accepted = new WeakSet<object>();

/** Asked last, and so of accepted requests alone. */
function remember({ original }: Reading, _: World): undefined {
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
