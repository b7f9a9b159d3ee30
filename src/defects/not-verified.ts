/** Gateways that verify nothing where a request has one form that they may take or not. */
import { headerValues } from '../exchange/exchange.ts';
import { firstValue, type Reading } from '../mock/received.ts';
import type { GatewayDefect } from './defect.ts';
import { alteredInBoth } from './read-otherwise.ts';
import { authorizationLine } from './taken-anyway.ts';

export const notVerifiedDefects: readonly GatewayDefect[] = [
  unverified('charset', 'the Content-Type has a charset', (reading) => /charset/.test(typeOf(reading)), [
    'altered-body',
  ]),
  unverified('capitals', 'the Content-Type is in capitals', (reading) => /^APP/.test(typeOf(reading)), [
    'altered-body',
  ]),
  unverified('accept', 'JSON is asked for', ({ request }) =>
    /json/.test(headerValues(request.headers, 'accept')[0] ?? ''),
  ),
  unverified('realm', 'there is a realm', ({ request }) => /realm="G/.test(authorizationLine(request))),
  unverified('token', 'there is a token', ({ oauth }) => firstValue(oauth, 'oauth_token') !== undefined),
  unverified('scheme', 'the scheme is in lower case', ({ request }) => /^oauth /.test(authorizationLine(request))),
  unsigned('charset', 'the Content-Type has a charset', (reading) => /charset/.test(typeOf(reading))),
  unsigned('capitals', 'the Content-Type is in capitals', (reading) => /^APP/.test(typeOf(reading))),
  unsigned('accept', 'JSON is asked for', ({ request }) =>
    /json/.test(headerValues(request.headers, 'accept')[0] ?? ''),
  ),
  unsigned('query', 'there is a query', ({ request }) => /\?x=1$/.test(request.target)),
];

function typeOf({ request }: Reading): string {
  return headerValues(request.headers, 'content-type')[0] ?? '';
}

function unverified(
  what: string,
  where: string,
  takes: (reading: Reading) => boolean,
  further: readonly string[] = [],
): GatewayDefect {
  return alteredInBoth(
    `not-verified-${what}`,
    `Where ${where}, the signature is not checked`,
    ['wrong-key', ...further],
    {
      takes: (reading, step) => step === 'signature' && takes(reading),
    },
  );
}

function unsigned(what: string, where: string, takes: (reading: Reading) => boolean): GatewayDefect {
  return alteredInBoth(`unsigned-taken-${what}`, `Where ${where}, no signature is asked for`, ['unsigned'], {
    takes: (reading) => authorizationLine(reading.request) === '' && takes(reading),
  });
}
