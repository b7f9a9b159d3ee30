/** Edges and faults of the Authorization header, each made from a right one (section 5; RFC 5849 sections 3.3 and 3.5.1). */
import type { RequirementId } from '../contracts/requirements/index.ts';
import type { HeaderPlan } from './header-plan.ts';
import { fault, type Labelled, open, valid } from './labelled.ts';

export const closeDayMethod = 'HMAC-SHA1';
export const recurringMethod = 'RSA-SHA256';

type Pair = readonly [name: string, value: string];

/** What the document leaves open about the header, and the right one itself. */
export function edgePlans(right: HeaderPlan): readonly Labelled<HeaderPlan>[] {
  const timestamp = Number(parameterValue(right, 'oauth_timestamp'));
  const nonce = (value: string) => setTo(right, 'oauth_nonce', value);
  const time = (value: number | string) => setTo(right, 'oauth_timestamp', String(value));
  return [
    valid(right, 'documented-order'),
    open('A4', 'reverse-order', { ...right, parameters: [...right.parameters].reverse() }),
    open('A4', 'sorted-order', { ...right, parameters: [...right.parameters].sort(byName) }),
    open('A4', 'comma-without-space', { ...right, separator: ',' }),
    open('A4', 'comma-and-tab', { ...right, separator: ',\t' }),
    open('A4', 'spaces-around-the-comma', { ...right, separator: '  ,  ' }),
    open('A4', 'spaces-around-the-equals-sign', { ...right, equals: ' = ' }),
    open('A4', 'two-spaces-after-the-scheme', { ...right, space: '  ' }),
    open('A4', 'unquoted-values', { ...right, quote: '' }),
    open('A4', 'lower-case-hex', { ...right, escape: 'lower-case-hex' }),
    open('A4', 'scheme-in-lower-case', { ...right, scheme: 'oauth' }),
    open('A4', 'scheme-in-upper-case', { ...right, scheme: 'OAUTH' }),
    open('A4', 'realm-first', { ...right, parameters: [['realm', 'Gateway'], ...right.parameters] }),
    open('A4', 'realm-last', { ...right, parameters: [...right.parameters, ['realm', 'Gateway']] }),
    open('A4', 'realm-empty', { ...right, parameters: [['realm', ''], ...right.parameters] }),
    open('A4', 'empty-token', { ...right, parameters: [...right.parameters, ['oauth_token', '']] }),
    open('A3', 'nonce-of-one-character', nonce('1')),
    open('A3', 'nonce-of-256-characters', nonce('n'.repeat(256))),
    open('A3', 'nonce-with-reserved-characters', nonce('n+/= &%"n')),
    open('A3', 'nonce-that-contains-realm', nonce('realm1')),
    open('A3', 'nonce-of-non-ascii', nonce('n\u00e9\u6f22')),
    open('A3', 'empty-nonce', nonce('')),
    open('A3', 'timestamp-a-minute-ago', time(timestamp - 60)),
    open('A3', 'timestamp-in-a-minute', time(timestamp + 60)),
    open('A3', 'timestamp-an-hour-ago', time(timestamp - 3600)),
    open('A3', 'timestamp-in-an-hour', time(timestamp + 3600)),
    open('A16', 'signature-in-url-safe-alphabet', { ...right, signatureForm: 'url-safe' }),
    open('A16', 'signature-without-padding', { ...right, signatureForm: 'without-padding' }),
    open('A16', 'signature-with-a-line-feed', { ...right, signatureForm: 'wrapped' }),
  ];
}

/** What the document rules out, one thing at a time. */
export function faultyPlans(right: HeaderPlan): readonly Labelled<HeaderPlan>[] {
  const names = right.parameters.map(([name]) => name);
  const method = parameterValue(right, 'oauth_signature_method');
  const isCloseDay = method === closeDayMethod;
  const methodRow = isCloseDay ? 'authentication/close-day-method' : 'authentication/recurring-method';
  const otherMethod = isCloseDay ? recurringMethod : closeDayMethod;
  const header = 'authentication/header-parameters';
  const setting = (row: RequirementId, edge: string, name: string, value: string) =>
    fault(row, edge, setTo(right, name, value));
  return [
    ...names.map((name) =>
      fault(header, `missing-${name}`, { ...right, parameters: right.parameters.filter((pair) => pair[0] !== name) }),
    ),
    ...names.map((name) =>
      fault(header, `repeated-${name}`, {
        ...right,
        parameters: right.parameters.flatMap((pair) => (pair[0] === name ? [pair, pair] : [pair])),
      }),
    ),
    ...names.map((name) =>
      fault(header, `upper-case-${name}`, {
        ...right,
        parameters: right.parameters.map(
          ([found, value]): Pair => [found === name ? found.toUpperCase() : found, value],
        ),
      }),
    ),
    fault(header, 'body-hash', {
      ...right,
      parameters: [...right.parameters, ['oauth_body_hash', '2jmj7l5rSw0yVb/vlWAYkK/YBwk=']],
    }),
    fault(header, 'unknown-token', {
      ...right,
      parameters: [...right.parameters, ['oauth_token', 'token1']],
    }),
    setting('authentication/consumer-key', 'empty-oauth_consumer_key', 'oauth_consumer_key', ''),
    setting('authentication/consumer-key', 'other-consumer-key', 'oauth_consumer_key', 'nobody-knows-this-key'),
    setting(methodRow, 'empty-oauth_signature_method', 'oauth_signature_method', ''),
    setting(methodRow, 'method-of-the-other-operation', 'oauth_signature_method', otherMethod),
    setting(methodRow, 'method-in-lower-case', 'oauth_signature_method', method.toLowerCase()),
    setting(methodRow, 'plaintext-method', 'oauth_signature_method', 'PLAINTEXT'),
    setting('authentication/timestamp-seconds', 'empty-oauth_timestamp', 'oauth_timestamp', ''),
    setting(
      'authentication/timestamp-seconds',
      'timestamp-in-milliseconds',
      'oauth_timestamp',
      `${parameterValue(right, 'oauth_timestamp')}000`,
    ),
    setting(
      'authentication/timestamp-seconds',
      'timestamp-with-fraction',
      'oauth_timestamp',
      `${parameterValue(right, 'oauth_timestamp')}.5`,
    ),
    setting(
      'authentication/timestamp-seconds',
      'negative-timestamp',
      'oauth_timestamp',
      `-${parameterValue(right, 'oauth_timestamp')}`,
    ),
    setting('authentication/timestamp-seconds', 'timestamp-zero', 'oauth_timestamp', '0'),
    setting('authentication/timestamp-seconds', 'timestamp-as-date', 'oauth_timestamp', '2026-01-31T12:00:00Z'),
    setting('authentication/version', 'empty-oauth_version', 'oauth_version', ''),
    setting('authentication/version', 'version-2.0', 'oauth_version', '2.0'),
    setting('authentication/version', 'version-1', 'oauth_version', '1'),
    setting('authentication/version', 'version-1.0a', 'oauth_version', '1.0a'),
    fault('authentication/signature-base64', 'empty-oauth_signature', { ...right, signatureForm: 'empty' }),
    fault('authentication/signature-base64', 'signature-in-hexadecimal', { ...right, signatureForm: 'hexadecimal' }),
    fault('authentication/header-values-encoded', 'values-encoded-twice', { ...right, escape: 'twice' }),
    fault('authentication/header-values-encoded', 'raw-signature', { ...right, escape: 'raw-signature' }),
    fault('authentication/header-scheme', 'bearer-scheme', { ...right, scheme: 'Bearer' }),
    fault('authentication/header-scheme', 'no-scheme', { ...right, scheme: '', space: '' }),
    fault('authentication/header-scheme', 'comma-after-the-scheme', { ...right, space: ', ' }),
    fault('authentication/header-scheme', 'semicolons', { ...right, separator: '; ' }),
    fault('authentication/header-scheme', 'ampersands', { ...right, separator: '&' }),
  ];
}

function setTo(plan: HeaderPlan, name: string, value: string): HeaderPlan {
  return {
    ...plan,
    parameters: plan.parameters.map(([found, before]): Pair => [found, found === name ? value : before]),
  };
}

function parameterValue(plan: HeaderPlan, name: string): string {
  return plan.parameters.find(([found]) => found === name)?.[1] ?? '';
}

function byName([a]: Pair, [b]: Pair): number {
  return a < b ? -1 : Number(a > b);
}
