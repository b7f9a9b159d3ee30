/** Adapts a stored request for NEW: the client's bytes with the target's ids, payments and keys, signed again. Pure. */
import { createHash } from 'node:crypto';
import { type Operation, operations } from '../../../contracts/operations.ts';
import { candidatesFor, type RequestEvidence, readEvidence } from '../../autopsy/index.ts';
import { decodeCsv, encodeCsv } from '../../protocol/csv.ts';
import type { Pair } from '../../protocol/form.ts';
import { sign, verifySignature } from '../../protocol/oauth/signature.ts';
import type { SentRequest } from '../../record/exchange.ts';
import type { Fresh } from '../../run/gateway/build-request.ts';
import { reletter } from '../../run/gateway/planned-cases.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { publishedKeys } from '../../run/target/published.ts';
import { centsOf } from '../../run/target/site.ts';
import { operationPath, type Target } from '../../run/target/target.ts';
import { editCells } from './encodings.ts';
import { withAuthorization, withValue, writeLike } from './sign-again.ts';

/** The target, and what may be charged there. */
export interface ReplayPlace {
  readonly target: Target;
  readonly config: Pick<LiveConfig, 'recurring' | 'totals'>;
}

/** `plainBody` has the same values in the suite's own form: the twin of the request. */
type AdaptedRequest =
  | { readonly request: SentRequest; readonly plainBody: readonly Pair[] }
  | { readonly unverified: string };

/**
 * Keeps the client's order, escapes, quotes and columns. Needs a correct signature: others have no unique equivalent.
 * @param mark makes the ids of each run and request different, in the same form
 */
export function adaptRequest(
  sent: SentRequest,
  operation: Operation,
  { target, config }: ReplayPlace,
  fresh: Pick<Fresh, 'timestamp'>,
  mark: string,
): AdaptedRequest {
  const evidence = readEvidence(sent);
  if (evidence.credentialsIn !== 'header' || !evidence.bodyIsForm) return { unverified: 'it is not in the usual form' };
  if (!isSignedCorrectly(evidence, operation)) {
    return { unverified: 'its signature does not verify with the published test keys' };
  }
  const values = evidence.body.map(({ name, value }): Pair => [name, adaptedValue(name, value, config, mark)]);
  const written = evidence.body.map(({ writtenName, writtenValue, value }, at) => {
    const now = values[at]![1];
    return `${writtenName}=${now === value ? writtenValue : writeLike(writtenValue, value, now)}`;
  });
  const [, query = ''] = /^[^?]*(.*)$/s.exec(sent.target)!;
  const { credentials, scheme, host } = target;
  const edited: SentRequest = {
    method: sent.method,
    scheme,
    host,
    target: `${operationPath(target, operation, target.endpoints.open ?? '')}${query}`,
    headers: sent.headers.filter(([name]) => !ofTheConnection.test(name)),
    body: Buffer.from(written.join('&'), 'latin1'),
  };
  const nonce = evidence.credential('oauth_nonce') ?? '';
  const request = withParameters(edited, evidence, {
    oauth_consumer_key: credentials.consumerKey,
    oauth_timestamp: fresh.timestamp,
    oauth_nonce: `${nonce.slice(0, -16)}${hashOf(`${mark} ${nonce}`)}`,
  });
  const base = baseOf(readEvidence(request), credentials);
  const method = operations[operation].signatureMethod;
  const { consumerSecret, privateKey } = credentials;
  const signature = sign(base, method === 'HMAC-SHA1' ? { method, consumerSecret } : { method, privateKey });
  return {
    request: withParameters(request, evidence, { oauth_signature: signature }),
    plainBody: values.map(inPlainForm),
  };
}

function inPlainForm([name, value]: Pair): Pair {
  if (name !== 'payload') return [name, value];
  const csv = encodeCsv(decodeCsv(Buffer.from(value, 'base64').toString('utf8')));
  return [name, Buffer.from(csv, 'utf8').toString('base64')];
}

/** Headers that frame the message belong to the connection. Without accept-encoding the answer stays readable. */
const ofTheConnection =
  /^(?:host|connection|keep-alive|proxy-.*|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding)$/i;

function isSignedCorrectly(evidence: RequestEvidence, operation: Operation): boolean {
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const method = operations[operation].signatureMethod;
  const key = publishedKeys(consumerKey)?.find((one) => one.method === method);
  if (key === undefined || evidence.credential('oauth_signature_method') !== method) return false;
  const consumerSecret = 'consumerSecret' in key ? key.consumerSecret : '';
  return verifySignature(baseOf(evidence, { consumerKey, consumerSecret }), evidence.signature!.value, key);
}

/** The base string without deviations (RFC 5849 section 3.4.1). */
function baseOf(evidence: RequestEvidence, keys: { consumerKey: string; consumerSecret: string }): string {
  return candidatesFor(evidence, { ...keys, tokenSecret: '' }).baseString([]);
}

function adaptedValue(name: string, value: string, { totals, recurring }: ReplayPlace['config'], mark: string): string {
  if (name === 'day_close_request_id') return reletter(value, mark);
  if (name === 'payload') return adaptedBatch(value, recurring, mark);
  const configured: Readonly<Record<string, string | undefined>> = { ...totals };
  return Object.hasOwn(configured, name) ? configured[name]! : value;
}

/** The same lines with payments from the configuration. The guard decides on payloads in another form. */
function adaptedBatch(payload: string, recurring: LiveConfig['recurring'], mark: string): string {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.toString('base64') !== payload || recurring.length === 0) return payload;
  const csv = bytes.toString('latin1');
  const names: string[] = [];
  const written = editCells(csv, (text, row, column) => {
    if (row > 0) return adaptedCell(names[column], text, recurring[(row - 1) % recurring.length]!, mark);
    names.push(text);
    return text;
  });
  return Buffer.from(written, 'latin1').toString('base64');
}

/** Keeps an amount that may be charged as the client wrote it. */
function adaptedCell(
  column: string | undefined,
  text: string,
  { id, amount }: LiveConfig['recurring'][number],
  mark: string,
): string {
  if (column === 'client-orderid') return reletter(text, mark);
  if (column === 'recurring-payment-id') return text === '' ? text : id;
  const isTooMuch = column === 'amount' && (centsOf(text) ?? 0) > centsOf(amount)!;
  return isTooMuch ? amount : text;
}

function withParameters(
  request: SentRequest,
  { credentials, signature }: RequestEvidence,
  values: Readonly<Record<string, string>>,
): SentRequest {
  const changed = [...credentials, signature!].filter(({ name }) => name in values);
  return withAuthorization(request, (header) =>
    changed.reduce((text, one) => withValue(text, one, values[one.name]!), header),
  );
}

/** Sixteen characters that are valid in every nonce. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
