/** Signatures of a request in the answer to it, as in a message on why it was refused: each is one of the secret, and goes. Pure. */
import { decodedLeniently } from '../autopsy/written-pairs.ts';
import type { ReceivedResponse, SentRequest } from '../exchange/exchange.ts';
import { redactorFor } from '../secrets/redactor.ts';
import { secretText } from '../secrets/secret.ts';

/** The same answer with stand-ins of the same length; what holds none stays the same object. */
export function withoutEchoes(response: ReceivedResponse, request: SentRequest): ReceivedResponse {
  const { reason, headers, body } = response;
  let told: string | undefined;
  const isEchoed = (signature: string): boolean => {
    told ??= [reason, ...headers.flat(), Buffer.from(body).toString('latin1')].join('\n');
    return told.includes(longestWord(signature));
  };
  const echoed = [...new Set(signaturesIn(request))].filter((one) => one.length >= shortest && isEchoed(one));
  if (echoed.length === 0) return response;
  return redactorFor(echoed.map((one) => secretText('a signature', one))).anything(response);
}

/** Characters of a text that is no word of an answer by chance; those of HMAC-SHA1 in hexadecimal have 40. */
const shortest = 16;

/** In a form, a query, a header or JSON. Under a misspelt name it is one of the secret all the same. */
export const anySignature = /(\boauth(?:[_.-]|%5F)?signature?s?["']?[ \t]*[=:][ \t]*["']?)([^"',&\s}]+)/gi;

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
