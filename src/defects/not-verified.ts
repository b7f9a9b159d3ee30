/** Gateways that verify nothing where a request has one form that they may take or not. */
import { headerValues } from '../exchange/exchange.ts';
import { firstValue, type Reading } from '../mock/received.ts';
import { type GatewayDefect, ofEither } from './defect.ts';
import { authorizationLine } from './taken-anyway.ts';

type Has = (reading: Reading) => boolean;

const charset: Has = (reading) => /charset/.test(headerOf(reading, 'content-type'));
const capitals: Has = (reading) => /^APP/.test(headerOf(reading, 'content-type'));
const accept: Has = (reading) => /json/.test(headerOf(reading, 'accept'));

export const notVerifiedDefects: readonly GatewayDefect[] = [
  unverified('charset', 'the Content-Type has a charset', charset, 'altered-body-refused'),
  unverified('capitals', 'the Content-Type is in capitals', capitals, 'altered-body-refused'),
  unverified('accept', 'JSON is asked for', accept),
  unverified('realm', 'there is a realm', ({ request }) => /realm="G/.test(authorizationLine(request))),
  unverified('token', 'there is a token', ({ oauth }) => firstValue(oauth, 'oauth_token') !== undefined),
  unverified('scheme', 'the scheme is in lower case', ({ request }) => /^oauth /.test(authorizationLine(request))),
  unsigned('charset', 'the Content-Type has a charset', charset),
  unsigned('capitals', 'the Content-Type is in capitals', capitals),
  unsigned('accept', 'JSON is asked for', accept),
  unsigned('query', 'there is a query', ({ request }) => /\?x=1$/.test(request.target)),
];

function headerOf({ request }: Reading, name: string): string {
  return headerValues(request.headers, name)[0] ?? '';
}

function unverified(what: string, where: string, has: Has, ...further: readonly string[]): GatewayDefect {
  const summary = `Where ${where}, the signature is not checked`;
  return ofEither(`not-verified-${what}`, summary, ['wrong-key-refused', ...further], {
    takes: (reading, step) => step === 'signature' && has(reading),
  });
}

function unsigned(what: string, where: string, has: Has): GatewayDefect {
  return ofEither(`unsigned-taken-${what}`, `Where ${where}, no signature is asked for`, ['unsigned-refused'], {
    takes: (reading) => authorizationLine(reading.request) === '' && has(reading),
  });
}
