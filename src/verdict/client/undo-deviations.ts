/** What the record of a client shows of its wrong signatures: which deviations explain them, and the record without these. Pure. */
import {
  autopsyKeys,
  candidatesFor,
  credentialOf,
  explainMany,
  languages,
  type ManyAutopsies,
  readEvidence,
} from '../../autopsy/index.ts';
import { outputs } from '../../autopsy/readings.ts';
import { percentEncode, sign, type VerifyingKey } from '../../protocol/index.ts';
import type { Case, ClientCase } from '../../record/case.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { publishedCredentials } from '../../run/target/published.ts';
import type { WrongSignatures } from '../evidence.ts';

type KeysOf = (consumerKey: string) => readonly VerifyingKey[] | undefined;

export function explainSignatures(
  numbers: readonly number[],
  cases: readonly Case[],
  keysOf: KeysOf,
  language?: string,
): ManyAutopsies {
  const known = languages.find((one) => one === languageNames[language?.toLowerCase() ?? '']);
  const requests = numbers.flatMap((number) => {
    const { request } = cases[number - 1]!.exchanges[0];
    const consumerKey = credentialOf(request, 'oauth_consumer_key') ?? '';
    const keys = keysOf(consumerKey);
    return keys === undefined ? [] : [{ number, request, keys: autopsyKeys(consumerKey, keys) }];
  });
  return explainMany(requests, known);
}

/** The calls without these deviations. A signature that has another one besides stays wrong: only its form is put right. */
export function undoDeviations(
  ids: readonly string[],
  { explained }: ManyAutopsies,
  {
    calls,
    cases,
    keysOf,
  }: { readonly calls: readonly ClientCase[]; readonly cases: readonly Case[]; readonly keysOf: KeysOf },
): { readonly calls: readonly ClientCase[] } & Omit<ReturnType<WrongSignatures['without']>, 'evidence'> {
  const mended = new Map<Exchange, SentRequest>();
  const numbers: number[] = [];
  let unmended = 0;
  for (const group of explained) {
    const undone = group.ids.filter((id) => ids.includes(id));
    if (undone.length === 0) continue;
    const whole = undone.length === group.ids.length;
    const form = whole ? undefined : outputs.find(({ id }) => id !== undefined && undone.includes(id))?.id;
    if (!whole && form === undefined) continue;
    for (const number of group.numbers) {
      const [exchange] = cases[number - 1]!.exchanges;
      const keys = keysOf(credentialOf(exchange.request, 'oauth_consumer_key') ?? '') ?? [];
      const request = mendSignature(exchange.request, keys, form);
      if (request !== undefined) mended.set(exchange, request);
      if (whole && request !== undefined) numbers.push(number);
      if (whole && request === undefined) unmended += 1;
    }
  }
  const right = calls.map((call) => ({
    ...call,
    exchanges: call.exchanges.map((exchange) => {
      const request = mended.get(exchange);
      return request === undefined ? exchange : { ...exchange, request };
    }),
  }));
  return { calls: right, mended: numbers, unmended };
}

const languageNames: Readonly<Record<string, string>> = {
  node: 'node',
  javascript: 'node',
  typescript: 'node',
  python: 'python',
  php: 'php',
  java: 'java',
  kotlin: 'java',
  ruby: 'ruby',
  go: 'go',
  'c#': 'csharp',
  csharp: 'csharp',
};

/**
 * Undefined where it cannot be made: the method is not announced or not known, or the private key is not a published one.
 * `form`: only the form in which the signature is written is put right, and what was signed stays wrong.
 */
function mendSignature(request: SentRequest, keys: readonly VerifyingKey[], form?: string): SentRequest | undefined {
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
  const { publicKeyPem, privateKey } = publishedCredentials().credentials;
  const pem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  if (pem.trim() !== publicKeyPem.trim()) return undefined;
  return written(request, sign(base, { method: 'RSA-SHA256', privateKey }));
}

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
