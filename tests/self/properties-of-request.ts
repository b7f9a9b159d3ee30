/** A request taken apart into properties, without what has to be fresh, so that two requests can be compared. */
import { runOracle } from '../../src/oracle/oracle.ts';
import { headerValues, type SentRequest } from '../../src/record/exchange.ts';

const ignored = ['authorization', 'content-length', 'connection', 'host', 'transfer-encoding'];

/** The properties by name. A value that must be new in each request is replaced by `fresh`. */
export function propertiesOf(request: SentRequest): Map<string, string> {
  const properties = new Map<string, string>([
    ['method', request.method],
    ['target', request.target.replace(/\?.*/, '')],
  ]);
  for (const [name, value] of new URLSearchParams(request.target.replace(/^[^?]*\??/, '')))
    properties.set(`query ${name}`, value);
  for (const [name, value] of request.headers) {
    if (!ignored.includes(name.toLowerCase())) properties.set(`header ${name.toLowerCase()}`, value);
  }
  const authorization = headerValues(request.headers, 'authorization');
  // One that holds no OAuth parameters is as little as none.
  properties.set(
    'authorization',
    authorization[0] === undefined || /oauth_\w+=/.test(authorization[0])
      ? String(authorization.length)
      : authorization[0],
  );
  for (const [, name, value] of (authorization[0] ?? '').matchAll(/(\w+)="([^"]*)"/g))
    properties.set(name!, isFresh(name!, decode(value!)) ? 'fresh' : value!);
  for (const [name, text] of new URLSearchParams(Buffer.from(request.body).toString('utf8'))) {
    const isFreshId = /^day_close_request_id$/i.test(name) && isPlainId(text);
    const value = isFreshId ? 'fresh' : /^payload$/i.test(name) ? withoutMarks(text) : text;
    properties.set(`field ${name}`, `${properties.get(`field ${name}`) ?? ''}${value}`);
  }
  return properties;
}

/** Unchanged if it cannot be decoded: one request is malformed on purpose. */
function decode(value: string): string {
  return /%(?![0-9A-Fa-f]{2})/.test(value) ? value : decodeURIComponent(value);
}

/** Names of the different properties. If there is none, the signatures are compared. */
export function differences(a: SentRequest, b: SentRequest, key: Parameters<typeof runOracle>[1]): string[] {
  const [left, right] = [propertiesOf(a), propertiesOf(b)];
  // A nonce is spent for both operations: the request that spent it may be one to the other.
  if (nonceOf(a) === nonceOf(b) && operationOf(a) !== operationOf(b)) return ['nonce used before'];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  const differing = names
    .filter((name) => left.get(name) !== right.get(name))
    // A body of another type that is what its type says is one property.
    .filter((name) => !(name.startsWith('field ') && matchesType(a)))
    // What is in the query in place of the body is one property.
    .filter((name, _, all) => !(name.startsWith('field ') && all.includes(name.replace('field', 'query'))))
    // So is a field that is there under its name in capitals, with the same value.
    .filter((name) => !(toCapitals(name) !== name && right.has(name) && left.get(toCapitals(name)) === right.get(name)))
    // A misspelt name is one property: the right one under it is missing.
    .filter((name, _, all) => !all.some((other) => other.startsWith('oauth_') && other === name.slice(0, -1)));
  // Without them in an Authorization header, they are absent or in the body: that is one property, not seven, whatever
  // its realm.
  if (differing.includes('authorization')) {
    return differing.filter((name) => !/^(?:field |query )?oauth_|^realm$/.test(name));
  }
  if (differing.length > 0) return differing;
  if (nonceOf(a) === nonceOf(b)) return ['nonce used before'];
  return runOracle(a, key).verified === runOracle(b, key).verified ? [] : ['signature'];
}

function toCapitals(field: string): string {
  return field.replace(/(?<=^field ).*/, (name) => name.toUpperCase());
}

function matchesType({ headers, body }: SentRequest): boolean {
  const [type = ''] = headerValues(headers, 'content-type');
  const text = Buffer.from(body).toString('utf8');
  return (type === 'application/json' && text.startsWith('{')) || (/^multipart\//.test(type) && text.startsWith('--'));
}

function isFresh(name: string, value: string): boolean {
  if (name === 'oauth_nonce') return /^[A-Za-z0-9]{32}$/.test(value);
  return name === 'oauth_signature' || (name === 'oauth_timestamp' && /^\d{10}$/.test(value));
}

/** Every close-day request has an id of its own (2.1). */
function isPlainId(value: string): boolean {
  return /^[A-Za-z0-9]{8,32}$/.test(value);
}

function operationOf({ target }: SentRequest): string | undefined {
  return /\/api\/v\d+\/([^/?]+)/.exec(target)?.[1];
}

function nonceOf(request: SentRequest): string | undefined {
  return /oauth_nonce="([^"]*)"/.exec(headerValues(request.headers, 'authorization')[0] ?? '')?.[1];
}

/** Every order id has a mark of its own: two requests never share one. */
function withoutMarks(payload: string): string {
  const csv = Buffer.from(payload, 'base64').toString('utf8');
  return csv.includes(';') ? csv.replace(/cs[0-9a-f]{10}-/g, 'fresh-') : payload;
}
