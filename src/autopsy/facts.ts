/** What is worth saying of a request besides what explains its signature: its parts, and what the signature itself shows. */

import { createHash } from 'node:crypto';
import { type Operation, operationNames, pathTo } from '../../contracts/operations.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import type { FormPiece } from '../protocol/form.ts';
import { percentEncode } from '../protocol/index.ts';
import { oddValue } from '../rules/client/reading.ts';
import type { Announced, ReadSignature } from './readings.ts';
import { digestInfos, digestLength, hashNames, type RsaOpening } from './rsa-opening.ts';

export interface Fact {
  readonly id: string;
  /** One sentence; holds no secret. */
  readonly text: string;
}

/** An id that its readers compare. */
export const lineEndLeftOut: Fact = {
  id: 'last-line-end-left-out',
  text:
    'The last line end of the file was left out: most editors add one. If the client did send it, add the Content-Length that ' +
    'counts it.',
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

function aboutValues(pairs: readonly FormPiece[]): Fact[] {
  return pairs.flatMap(({ name, value }) => {
    const odd = value.length > 200 ? undefined : oddValue(value);
    return odd === undefined ? [] : [{ id: 'odd-value', text: `${name} is ${value}: ${odd.what}. ${odd.fix}` }];
  });
}

function names(pairs: readonly FormPiece[]): string[] {
  return pairs.map(({ name }) => name);
}

function listed(items: readonly string[]): string {
  return [...new Set(items)].join(', ');
}

/** `text` is the decoded value of `oauth_signature`; `base` the right base string, where nothing explains the signature. */
export function signatureFacts(
  text: string,
  announced: Announced | undefined,
  read: ReadSignature,
  base?: string,
): Fact[] {
  if (announced === undefined) {
    return [{ id: 'unknown-method', text: 'The announced signature method is not one that is known here.' }];
  }
  if (announced.kind === 'plaintext' || text === '') return [];
  if (read.length === undefined) {
    return [{ id: 'not-base64', text: 'oauth_signature is neither base64 nor another known form of bytes.' }];
  }
  return announced.kind === 'hmac' ? aboutHmac(announced, read) : aboutRsa(announced, read, base);
}

function aboutHmac({ hash }: Announced, { length, readings }: ReadSignature): Fact[] {
  const wanted = digestLength(hash);
  const lengths = readings.filter(({ kind }) => kind === 'hmac').map((reading) => digestLength(reading.hash));
  if (length === wanted || lengths.includes(wanted)) return [];
  const found = lengths[0] ?? length!;
  const like = readings.find(({ kind }) => kind === 'hmac')?.hash.toUpperCase();
  const which = like === undefined ? '' : `, as many as ${like} gives`;
  return [
    { id: 'hmac-length', text: `The signature has ${found} bytes${which}; the announced method gives ${wanted}.` },
  ];
}

function aboutRsa({ hash }: Announced, { opening, length, readings }: ReadSignature, base: string | undefined): Fact[] {
  const text = base === undefined ? undefined : insideText(opening, base);
  if (text !== undefined) return [{ id: 'inside', text: `The key matches. ${text}` }];
  switch (opening?.kind) {
    case undefined:
      return [];
    case 'wrong-length': {
      const hmac = readings.some(({ kind }) => kind === 'hmac');
      const like = hmac ? ' It has the length of an HMAC.' : '';
      const isOfKey = length !== undefined && length >= 128 && length % 64 === 0;
      const other = isOfKey ? ` It has ${length}, as a key of ${8 * length} bits gives.` : like;
      return [
        { id: 'rsa-length', text: `The signature is not ${opening.expected} bytes long, as the key demands.${other}` },
      ];
    }
    case 'no-padding':
      return [
        {
          id: 'key-does-not-match',
          text: 'Opened with the public key the signature shows no padding: it was made with another key, or it is damaged.',
        },
      ];
    case 'other-content':
      return [
        {
          id: 'no-digest-inside',
          text: `The key matches and the padding is right, but the ${opening.content.length} bytes inside are not a digest.`,
        },
      ];
    case 'bare-digest':
      return [
        {
          id: 'digest-info-missing',
          text: 'The key matches, but the digest inside has no name of its hash.',
        },
      ];
    case 'pss':
      return opening.certain
        ? [{ id: 'pss-padding', text: 'The key matches, but the padding is PSS, not PKCS #1 v1.5.' }]
        : [];
    case 'digest':
      return opening.hash === hash
        ? [{ id: 'key-matches', text: `The key matches, and inside is a digest of ${hash.toUpperCase()}.` }]
        : [
            {
              id: 'other-digest',
              text: `The key matches, but inside is a digest of ${opening.hash.toUpperCase()}, not of ${hash.toUpperCase()}.`,
            },
          ];
  }
}

const signIt = 'Give the base string itself, as bytes, to a function that signs with SHA-256 and PKCS #1 v1.5.';

/** What the bytes inside are, compared byte for byte with the base string and its digests. */
function insideText(opening: RsaOpening | undefined, base: string): string | undefined {
  const forms = [
    ['the base string', base],
    ['the base string in base64', Buffer.from(base).toString('base64')],
    ['the base string in hex', Buffer.from(base).toString('hex')],
    ['the percent-encoded base string', percentEncode(base)],
  ] as const;
  if (opening?.kind === 'digest' || opening?.kind === 'bare-digest') {
    const found = forms.slice(1).find(([, form]) => digestOf(form, opening.hash).toString('hex') === opening.digest);
    return found && `What was signed is ${found[0]}, not the base string. ${signIt}`;
  }
  if (opening?.kind !== 'other-content') return undefined;
  const { content } = opening;
  const text = content.toString('latin1');
  const whole = forms.find(([, form]) => content.equals(Buffer.from(form)))?.[0];
  const like = /^[A-Z]+(?:&|%26)https?%/.test(text) ? 'a text like a base string, but not the right one' : undefined;
  if (whole ?? like) return `Inside is ${whole ?? like}, encrypted without a hash. ${signIt}`;
  for (const hash of hashNames) {
    const digest = digestOf(base, hash);
    const name = hash.toUpperCase();
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const length = digest.toString(encoding).length;
      const isDigest = text.toLowerCase() === digest.toString(encoding).toLowerCase();
      const isLike = encoding === 'hex' && text.length === length && /^[0-9a-f]+$/i.test(text);
      const of = isDigest ? 'of the base string' : 'of another text';
      if (isDigest || isLike) return `Inside is the ${name} digest ${of} as ${encoding} text, not its bytes. ${signIt}`;
    }
    const named = hashNames.find((other) => content.toString('hex').startsWith(digestInfos[other]));
    if (named !== undefined && content.subarray(digestInfos[named].length / 2).equals(digest)) {
      return `Inside is the ${name} digest under the name of ${named.toUpperCase()}. Name the hash that was computed.`;
    }
  }
  return undefined;
}

function digestOf(text: string, hash: (typeof hashNames)[number]): Buffer {
  return createHash(hash).update(text).digest();
}
