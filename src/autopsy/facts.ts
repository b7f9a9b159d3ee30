/** What can be said about a request without any search: its header, its parameters, its signature text. */
import type { Evidence } from './evidence.ts';
import type { WrittenPair } from './written-pairs.ts';

export interface Fact {
  readonly id: string;
  /** One sentence; holds no secret. */
  readonly text: string;
}

export type Operation = 'close-day' | 'process-recurring-payments' | 'other';

const methods = { 'close-day': 'HMAC-SHA1', 'process-recurring-payments': 'RSA-SHA256' } as const;
const required = ['oauth_consumer_key', 'oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_signature'];

/** The operation that a target names (sections 4.1 and 4.2 of the interface document). */
export function operationOf(target: string): Operation {
  const path = target.split('?')[0]!;
  if (/\/api\/v2\/close-day(?:\/|$)/.test(path)) return 'close-day';
  return /\/api\/v4\/process-recurring-payments(?:\/|$)/.test(path) ? 'process-recurring-payments' : 'other';
}

/** Facts about header, parameters and body, in that order. */
export function factsOf(evidence: Evidence, operation: Operation): Fact[] {
  return [...aboutHeader(evidence), ...aboutCredentials(evidence, operation), ...aboutBody(evidence, operation)];
}

function aboutHeader({ header, credentialsIn }: Evidence): Fact[] {
  const facts: Fact[] = [];
  const { fault } = header;
  if (header.lines === 0) facts.push({ id: 'missing-header', text: 'There is no Authorization header.' });
  if (header.lines > 1) {
    facts.push({ id: 'several-headers', text: `There are ${header.lines} Authorization headers; the first is read.` });
  }
  if (fault?.code === 'other-scheme') {
    facts.push({ id: 'other-scheme', text: 'The Authorization header has another scheme than OAuth.' });
  } else if (fault !== undefined) {
    facts.push({ id: fault.code, text: `The Authorization header is faulty: ${fault.detail}.` });
  }
  if (credentialsIn === 'query' || credentialsIn === 'body') {
    facts.push({
      id: `credentials-in-${credentialsIn}`,
      text: `The oauth_* parameters stand in the ${credentialsIn} instead of the Authorization header.`,
    });
  }
  const raw = header.pairs.filter(({ writtenValue }) => /[^A-Za-z0-9\-._~%]/.test(writtenValue));
  if (raw.length > 0) {
    facts.push({
      id: 'header-value-not-escaped',
      text: `Reserved characters stand unescaped in the header: in ${listed(raw.map(({ name }) => name))}.`,
    });
  }
  return facts;
}

function aboutCredentials(evidence: Evidence, operation: Operation): Fact[] {
  if (evidence.credentialsIn === undefined) return [];
  const facts: Fact[] = [];
  const { credential } = evidence;
  const missing = required.filter((name) => (credential(name) ?? '') === '');
  if (missing.length > 0) {
    facts.push({ id: 'missing-parameter', text: `Absent or empty in the credentials: ${listed(missing)}.` });
  }
  const method = credential('oauth_signature_method');
  const wanted = operation === 'other' ? undefined : methods[operation];
  if (wanted !== undefined && method !== undefined && method !== wanted) {
    facts.push({
      id: 'wrong-method',
      text: `${operation} is signed with ${wanted}; this request announces ${method}.`,
    });
  }
  facts.push(...aboutVersion(credential('oauth_version'), operation));
  const timestamp = credential('oauth_timestamp');
  if (timestamp !== undefined && !/^[1-9]\d{0,10}$/.test(timestamp)) {
    const milliseconds = /^1\d{12}$/.test(timestamp);
    const guess = milliseconds ? '; it looks like milliseconds' : '';
    facts.push({ id: 'timestamp-not-in-seconds', text: `oauth_timestamp is no number of seconds${guess}.` });
  }
  if (credential('oauth_token') === '') {
    facts.push({ id: 'empty-token', text: 'oauth_token is sent empty; it counts in the base string.' });
  }
  if (credential('oauth_body_hash') !== undefined && evidence.bodyIsForm) {
    facts.push({
      id: 'body-hash-sent',
      text: 'oauth_body_hash is sent with a form; it is for bodies that are no forms.',
    });
  }
  const others = evidence.header.pairs.filter(({ name }) => !name.startsWith('oauth_'));
  if (others.length > 0) {
    facts.push({
      id: 'other-parameters-in-header',
      text: `The Authorization header holds parameters that are no credentials: ${listed(others.map(({ name }) => name))}.`,
    });
  }
  return facts;
}

function aboutVersion(version: string | undefined, operation: Operation): Fact[] {
  if (version === undefined && operation !== 'other') {
    return [{ id: 'version-missing', text: 'oauth_version is absent; the interface document lists it.' }];
  }
  if (version === undefined || version === '1.0') return [];
  return [{ id: 'version-not-1.0', text: 'oauth_version is not 1.0.' }];
}

function aboutBody(evidence: Evidence, operation: Operation): Fact[] {
  const facts: Fact[] = [];
  const { body, bodyIsForm, request, credentialsIn } = evidence;
  if (!bodyIsForm && request.body.length > 0) {
    const place = operation === 'other' ? '' : '; this operation takes a form';
    facts.push({
      id: 'body-is-no-form',
      text: `The Content-Type is not that of a form: the body is not signed${place}.`,
    });
  }
  const credentials = body.filter(({ name }) => name.startsWith('oauth_'));
  if (credentialsIn === 'header' && credentials.length > 0) {
    facts.push({ id: 'oauth-in-body', text: `The body repeats credentials: ${listed(names(credentials))}.` });
  }
  const payload = body.find(({ name }) => name === 'payload');
  if (payload?.value.includes(' ')) {
    facts.push({
      id: 'space-in-payload',
      text: 'payload arrives with spaces: its plus signs were sent raw instead of as %2B.',
    });
  }
  if (bodyIsForm && request.body.at(-1) === 0x0a) {
    facts.push({
      id: 'body-ends-with-newline',
      text: 'The body ends with a line end, which counts as part of the last value.',
    });
  }
  return facts;
}

function names(pairs: readonly WrittenPair[]): string[] {
  return pairs.map(({ name }) => name);
}

function listed(items: readonly string[]): string {
  return [...new Set(items)].join(', ');
}
