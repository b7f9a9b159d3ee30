/** What is worth saying of a request besides its signature and its faults of form. */
import { type Operation, operationNames, pathTo } from '../../contracts/operations.ts';
import { oddValue } from '../rules/client/odd-value.ts';
import type { RequestEvidence } from './evidence.ts';
import type { WrittenPair } from './written-pairs.ts';

export interface Fact {
  readonly id: string;
  /** One sentence; holds no secret. */
  readonly text: string;
}

/** An id that its readers compare. */
export const lineEndLeftOut: Fact = {
  id: 'last-line-end-left-out',
  text:
    'The signature is right without the last line end of the file; most editors add one. If the client did send it, add the ' +
    'Content-Length that counts it.',
};

export type AddressedOperation = Operation | 'other';

const required = ['oauth_consumer_key', 'oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_signature'];

/** Those of RFC 5849, and the hash of a body from an extension of it. */
const known = [...required, 'oauth_version', 'oauth_token', 'oauth_callback', 'oauth_verifier', 'oauth_body_hash'];

/** The operation that a target names (sections 4.1 and 4.2 of the interface document). */
export function addressedOperation(target: string): AddressedOperation {
  const path = target.split('?')[0]!;
  return operationNames.find((operation) => `${path}/`.includes(pathTo(operation))) ?? 'other';
}

/** Facts about header, parameters and body, in that order. */
export function factsOf(evidence: RequestEvidence, operation: AddressedOperation): Fact[] {
  return [...aboutHeader(evidence), ...aboutCredentials(evidence, operation), ...aboutBody(evidence, operation)];
}

function aboutHeader({ header, credentialsIn }: RequestEvidence): Fact[] {
  const facts: Fact[] = [];
  if (header.lines === 0) facts.push({ id: 'missing-header', text: 'The request has no Authorization header.' });
  if (credentialsIn === 'query' || credentialsIn === 'body') {
    facts.push({
      id: `credentials-in-${credentialsIn}`,
      text: `The oauth_* parameters are in the ${credentialsIn} instead of the Authorization header.`,
    });
  }
  return facts;
}

/** Names of the credentials that are absent or empty though every signed request needs them (RFC 5849 section 3.1). */
export function missingCredentials({ credential }: RequestEvidence): string[] {
  const unneeded = credential('oauth_signature_method') === 'PLAINTEXT' ? ['oauth_timestamp', 'oauth_nonce'] : [];
  return required.filter((name) => !unneeded.includes(name) && (credential(name) ?? '') === '');
}

function aboutCredentials(evidence: RequestEvidence, operation: AddressedOperation): Fact[] {
  if (evidence.credentialsIn === undefined) return [];
  const facts: Fact[] = [];
  const { credential } = evidence;
  const missing = missingCredentials(evidence);
  if (missing.length > 0) {
    facts.push({ id: 'missing-parameter', text: `Absent or empty in the credentials: ${listed(missing)}.` });
  }
  if (credential('oauth_version') === undefined && operation !== 'other') {
    facts.push({
      id: 'version-missing',
      text: 'oauth_version is absent: RFC 5849 3.1 allows that, but section 5 of the interface document lists it among six parameters.',
    });
  }
  if (credential('oauth_token') === '') {
    facts.push({ id: 'empty-token', text: 'oauth_token is sent empty; it counts in the base string.' });
  }
  if (credential('oauth_body_hash') !== undefined && evidence.bodyIsForm) {
    facts.push({
      id: 'body-hash-sent',
      text: 'oauth_body_hash is sent with a form; it is for bodies that are not forms.',
    });
  }
  const others = evidence.header.pairs.filter(({ name }) => !known.includes(name));
  if (others.length > 0) {
    facts.push({
      id: 'other-parameters-in-header',
      text: `The Authorization header holds parameters that OAuth does not know: ${listed(names(others))}.`,
    });
  }
  facts.push(...aboutValues(evidence.credentials.filter(({ name }) => name !== 'oauth_timestamp')));
  const escaped = evidence.credentials.filter(({ value }) => /%[0-9A-Fa-f]{2}/.test(value));
  if (escaped.length > 0) {
    facts.push({
      id: 'escape-left-in-value',
      text: `Decoded once, a value still holds an escape, as if it had been encoded twice: ${listed(names(escaped))}.`,
    });
  }
  return facts;
}

function aboutBody(evidence: RequestEvidence, operation: AddressedOperation): Fact[] {
  const facts: Fact[] = [];
  const { body, bodyIsForm, query } = evidence;
  const sent = evidence.request.body;
  if (operation !== 'other' && sent.length === 0) {
    const where = query.length > 0 ? `, not in the query (${listed(names(query))})` : '';
    facts.push({ id: 'body-empty', text: `The body is empty. The operation takes a form in the body${where}.` });
  }
  if (!bodyIsForm && sent.length > 0) {
    const place = operation === 'other' ? '' : '; this operation takes a form';
    facts.push({
      id: 'body-is-no-form',
      text: `The Content-Type is not that of a form: the body is not signed${place}.`,
    });
  }
  facts.push(...aboutValues(body.length > 100 ? [] : body));
  const payload = body.find(({ name }) => name === 'payload');
  if (payload?.value.includes(' ')) {
    facts.push({
      id: 'space-in-payload',
      text: 'payload arrives with spaces: its plus signs were sent raw instead of as %2B.',
    });
  }
  if (bodyIsForm && sent.at(-1) === 0x0a) {
    facts.push({
      id: 'body-ends-with-newline',
      text: 'The body ends with a line end, which counts as part of the last value.',
    });
  }
  return facts;
}

function aboutValues(pairs: readonly WrittenPair[]): Fact[] {
  return pairs.flatMap(({ name, value }) => {
    const odd = value.length > 200 ? undefined : oddValue(value);
    return odd === undefined ? [] : [{ id: 'odd-value', text: `${name} is ${value}: ${odd.what}. ${odd.fix}` }];
  });
}

function names(pairs: readonly WrittenPair[]): string[] {
  return pairs.map(({ name }) => name);
}

function listed(items: readonly string[]): string {
  return [...new Set(items)].join(', ');
}
