/**
 * The fast path beside `signRequest`, for callers that need no steps: load tests, large batches. quick-base-string.ts says why its
 * base string is that of the reference.
 */
import { sign as cryptoSign } from 'node:crypto';
import { encodeBase64 } from '../base64.ts';
import { decodeForm, type Pair } from '../form.ts';
import { escapeBase64, percentEncode } from '../percent.ts';
import { queryOf, type RequestUrl } from './base-string-uri.ts';
import { signLong } from './long-payload.ts';
import { encodeTwice, firstParts, newNormalizer, oauthNames } from './quick-base-string.ts';
import { quickHmacOf, type RsaSigningKey, type SigningKey } from './signature.ts';

/** Signs calls of one method and URL; gives the value of the Authorization header, as `signRequest` does without options. */
export type QuickSigner = (
  body: readonly Pair[],
  fresh: { readonly timestamp: string; readonly nonce: string },
) => string;

/** Prepares what calls of one method and URL have in common. Throws `malformed-target`; the signer throws `not-text`. */
export function newQuickSigner(
  request: RequestUrl & { readonly method: string },
  credentials: { readonly consumerKey: string; readonly key: SigningKey },
): QuickSigner {
  const { consumerKey, key } = credentials;
  const head = firstParts(request);
  const sign = key.method === 'HMAC-SHA1' ? quickHmacOf(key) : newRsa(key);
  const normalize = newNormalizer();
  const query = decodeForm(queryOf(request.target));
  const start = [...oauthNames.slice(0, 5), ...query.map(([name]) => encodeTwice(name))];
  const consumer = encodeTwice(consumerKey);
  const values = query.map(([, value]) => encodeTwice(value));
  const opening = `OAuth oauth_consumer_key="${percentEncode(consumerKey)}", oauth_signature_method="${key.method}", oauth_timestamp="`;
  return (body, { timestamp, nonce }) => {
    const allNames = start.slice();
    const allValues = [consumer, key.method, encodeTwice(timestamp), encodeTwice(nonce), '1.0', ...values];
    const [first] = body;
    const isLong = key.method === 'RSA-SHA256' && body.length === 1 && first![1].length > 4096;
    for (const [name, value] of body) {
      allNames.push(encodeTwice(name));
      allValues.push(isLong ? gap : encodeTwice(value));
    }
    const base = head + normalize(allNames, allValues);
    const signature = isLong ? signLong(base.split(gap) as [string, string], first![1], key.privateKey) : sign(base);
    const fields = `${percentEncode(timestamp)}", oauth_nonce="${percentEncode(nonce)}", oauth_version="1.0"`;
    return `${opening}${fields}, oauth_signature="${escapeBase64(signature)}"`;
  };
}

/** Stands for a value that is not put into the text; encoded text has no such character. */
const gap = '\0';

function newRsa({ privateKey }: RsaSigningKey): (base: string) => string {
  return (base) => encodeBase64(cryptoSign('RSA-SHA256', Buffer.from(base, 'latin1'), privateKey));
}
