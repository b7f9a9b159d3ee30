/** A request of a client as it would be with the right signature: nothing else in it is changed. */
import { candidatesFor } from '../../autopsy/candidates.ts';
import { readEvidence } from '../../autopsy/evidence.ts';
import { outputs } from '../../autopsy/readings.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { percentEncode, readPrivateKey, sign, type VerifyingKey } from '../../protocol/index.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';

/**
 * Undefined where it cannot be made: the method is not announced or not known, or the private key is not a published one.
 * `form`: only the form in which the signature is written is put right, and what was signed stays wrong.
 */
export function mendSignature(
  request: SentRequest,
  keys: readonly VerifyingKey[],
  form?: string,
): SentRequest | undefined {
  const evidence = readEvidence(request);
  if (evidence.signature === undefined) return undefined;
  if (form !== undefined) {
    const output = outputs.find(({ id }) => id === form);
    const bytes = output?.read(evidence.signature.value);
    return bytes && written(request, bytes.toString('base64'));
  }
  const key = keys.find(({ method }) => method === evidence.credential('oauth_signature_method'));
  if (key === undefined) return undefined;
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const base = candidatesFor(evidence, { consumerKey, consumerSecret: '', tokenSecret: '' }).baseString([]);
  if (key.method === 'HMAC-SHA1') return written(request, sign(base, key));
  if (pemOf(key.publicKey) !== publishedIdentity.publicKeyPem.trim()) return undefined;
  privateKey ??= readPrivateKey(publishedIdentity.privateKeyPem);
  return written(request, sign(base, { method: 'RSA-SHA256', privateKey }));
}

let privateKey: ReturnType<typeof readPrivateKey> | undefined;

function pemOf(key: Extract<VerifyingKey, { publicKey: unknown }>['publicKey']): string {
  return key.export({ type: 'spki', format: 'pem' }).toString().trim();
}

/** Encoded once, wherever the credentials stand. */
function written(request: SentRequest, signature: string): SentRequest {
  const { credentialsIn } = readEvidence(request);
  const text = percentEncode(signature);
  const inForm = (form: string) => form.replace(/(^|[?&])oauth_signature=[^&]*/, `$1oauth_signature=${text}`);
  if (credentialsIn === 'query') return { ...request, target: inForm(request.target) };
  if (credentialsIn === 'body') {
    const body = Buffer.from(inForm(Buffer.from(request.body).toString('latin1')), 'latin1');
    return { ...request, body };
  }
  const headers = request.headers.map(
    ([name, value]): Header =>
      /^authorization$/i.test(name)
        ? [name, value.replace(/(\boauth_signature[ \t]*=[ \t]*)("[^"]*"|[^,]*)/i, `$1"${text}"`)]
        : [name, value],
  );
  return { ...request, headers };
}
