/** Signatures in an answer, as in a message on why a request was refused: the one that it had, and the one that it should have had. Each is one of the secret, and goes. Pure. */
import { decodedLeniently } from '../../autopsy/evidence.ts';
import type { ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { redactorFor } from '../../run/secrets/redactor.ts';
import { secretText } from '../../run/secrets/secret.ts';
import { prefixAlias } from './prefix-alias.ts';

/**
 * The same answer with stand-ins of the same length, equal ones for equal signatures: a text that only looks like one may be
 * an id. What holds none stays the same object.
 */
export function withoutEchoes(response: ReceivedResponse, request: SentRequest, salt: string): ReceivedResponse {
  const { reason, headers, body } = response;
  const told = [reason, ...headers.flat(), Buffer.from(body).toString('latin1')].join('\n');
  const echoed = [...new Set(signaturesIn(request))].filter(
    (one) => one.length >= shortest && told.includes(longestWord(one)),
  );
  for (const text of readingsOf(told)) {
    for (const [mac] of text.matchAll(anyMac)) echoed.push(mac);
  }
  if (echoed.length === 0) return response;
  const secrets = echoed.map((one) => secretText('a signature', one, prefixAlias(one, salt)));
  return redactorFor(secrets).anything(response);
}

/** The base64 of the 20 bytes that an HMAC-SHA1 has: a gateway may tell the one that it expected. */
const anyMac = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{27}=(?![A-Za-z0-9+/=])/g;

/** With and without the blanks of a form, two layers of escapes, and those of JSON. */
function readingsOf(told: string): ReadonlySet<string> {
  // Whatever the form, its characters follow one another.
  if (!/[A-Za-z0-9+/%\\]{27}/.test(told)) return new Set();
  const forms = [told, told.replaceAll('+', ' ')];
  const once = forms.map(unescaped);
  const layers = [...forms, ...once, ...once.map(unescaped)];
  return new Set([...layers, ...layers.map(outOfJson)]);
}

/** Each escape by itself: a message may have a % that is none. */
function unescaped(text: string): string {
  return text.replaceAll(/%([0-7][\dA-F])/gi, character);
}

/** Also in JSON inside of JSON, where each backslash is doubled. */
function outOfJson(text: string): string {
  return text
    .replaceAll(/\\+u00([0-7][\dA-F])/gi, character)
    .replaceAll(/\\+\//g, '/')
    .replaceAll(/\\+[bfnrt]/g, ' ');
}

function character(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

/** Characters of a text that is no word of an answer by chance; those of HMAC-SHA1 in hexadecimal have 40. */
const shortest = 16;

/** In a form, a query, a header, JSON or JSON inside of JSON. Under a misspelt name it is one of the secret all the same. */
export const anySignature =
  /(\boauth(?:[_.-]|%5F)?signature?s?(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?)((?:[^"',;&\s}\\]|\\+\/)+)/gi;

function* signaturesIn({ target, headers, body }: SentRequest): Generator<string> {
  for (const text of [target, ...headers.map(([, value]) => value), Buffer.from(body).toString('latin1')]) {
    for (const [, , written] of text.matchAll(anySignature)) {
      const once = decodedLeniently(written!);
      yield once;
      // A client may escape it twice.
      yield decodedLeniently(once);
    }
  }
}

/** No escape changes a letter or a digit: where this is not, the whole is not. */
function longestWord(signature: string): string {
  return signature.split(/[^A-Za-z0-9]+/).reduce((longest, word) => (word.length > longest.length ? word : longest));
}
