/** Nonces, certificates and environments: rows that need more than one case. */

import type { ClientCase, ServerKind } from '../../../../src/record/client-case.ts';
import { expect, test } from '../../../engine.ts';
import {
  closeDay,
  type Draft,
  failing,
  findingsOn,
  keysOf,
  now,
  recurring,
  unsent,
  wireIds,
} from './sample-requests.ts';

const outcomes = (id: Parameters<typeof findingsOn>[0], cases: readonly ClientCase[]) =>
  findingsOn(id, cases).map(({ outcome }) => outcome);

const nonce = 'authentication/nonce-unique';
const nonced = (value: string, timestamp = now / 1000): Draft => ({
  parameters: (pairs) =>
    pairs.map(([name, old]) => [
      name,
      name === 'oauth_nonce' ? value : name === 'oauth_timestamp' ? `${timestamp}` : old,
    ]),
});

test('one request alone shows nothing of nonces', () => {
  expect(findingsOn(nonce, [closeDay()])).toEqual([]);
  expect(outcomes(nonce, [closeDay(), recurring()])).toEqual(['pass', 'pass']);
});

test('a nonce at another timestamp is remarked', () => {
  const cases = [closeDay(nonced('a')), closeDay(nonced('a', now / 1000 + 1))];
  expect(findingsOn(nonce, cases)[1]!.remark).toContain('another timestamp');
  expect(failing(cases)).toEqual([]);
});

test('injected nonces are not those of the client', () => {
  const asked = { inject: { nonce: 'a' } };
  expect(findingsOn(nonce, [closeDay({ ...nonced('a'), asked }), closeDay({ ...nonced('a'), asked })])).toEqual([]);
});

const https = 'transport/https';
const refused = (server: ServerKind, outcome = 'transport_error' as const) => unsent({ outcome }, { server });

test('HTTPS is shown by requests over TLS together with a refused certificate', () => {
  expect(outcomes(https, [closeDay()])).toEqual(['inconclusive']);
  expect(outcomes(https, [closeDay(), refused('wrong-name')])).toEqual(['inconclusive', 'pass']);
  expect(outcomes(https, [closeDay(), refused('other-authority')])).toEqual(['pass', 'pass']);
});

test('plain http that was asked for leaves HTTPS open', () => {
  const [finding] = findingsOn(https, [closeDay({ scheme: 'http', asked: { baseUrl: 'http://localhost:8443/p1' } })]);
  expect(finding).toMatchObject({ outcome: 'inconclusive', blame: 'configuration' });
  expect(failing([closeDay({ scheme: 'http' })])).toEqual([https]);
});

test('a client that says nothing of a certificate shows nothing', () => {
  const said = (outcome: 'completed' | 'unsupported') =>
    findingsOn(https, [unsent({ outcome }, { server: 'expired' })]);
  expect(said('completed')).toMatchObject([{ outcome: 'inconclusive', blame: 'subject' }]);
  expect(said('unsupported')).toMatchObject([{ outcome: 'inconclusive', blame: 'configuration' }]);
});

const independent = 'recurring/environment-independent';
const comma = (csv: string) => csv.replace('1234.50', '1234,50');
const round = (environment: string, number: number, draft: Draft = {}) =>
  recurring({ ...draft, label: { permutation: { group: 'g', environment, round: number } } });
const rounds = (other: Draft, again = other) => [
  round('ordinary', 1),
  round('ordinary', 2),
  round('LC_ALL=de_DE', 1, other),
  round('LC_ALL=de_DE', 2, again),
];

test('the same bytes in every environment show independence', () => {
  expect(outcomes(independent, rounds({}))).toEqual(['pass']);
});

test('other bytes in both rounds of an environment break independence', () => {
  expect(findingsOn(independent, rounds({ csv: comma }))).toMatchObject([
    { outcome: 'fail', expected: expect.stringContaining('the CSV'), actual: expect.stringContaining('1234,50') },
  ]);
});

test('columns in another order, and quotes that are not needed, are no other CSV', () => {
  const given = '"client-orderid";"recurring-payment-id";"amount"\norder;42;1.50\n';
  const turned = '"amount";"client-orderid";"recurring-payment-id"\n"1.50";"order";42';
  const under = (csv: string) => [
    ...[1, 2].map((number) => round('ordinary', number, { csv: () => given })),
    ...[1, 2].map((number) => round('LC_ALL=de_DE', number, { csv: () => csv })),
  ];
  expect(outcomes(independent, under(turned))).toEqual(['pass']);
  expect(outcomes(independent, under(turned.replace('.', ',')))).toEqual(['fail']);
});

test('other bytes in one round only leave independence open', () => {
  expect(outcomes(independent, rounds({ csv: comma }, {}))).toEqual(['inconclusive']);
  const [first, ...rest] = rounds({});
  expect(outcomes(independent, [round('ordinary', 1, { csv: comma }), ...rest])).toEqual(['inconclusive']);
  expect(outcomes(independent, [first!, ...rest.slice(1)])).toEqual(['inconclusive']);
});

test('a refusal in one environment alone breaks independence', () => {
  const declined = (examined: ClientCase) => ({
    ...examined,
    wire: [],
    reply: { outcome: 'refused_locally' as const },
  });
  const [a, b, ...others] = rounds({});
  expect(outcomes(independent, [a!, b!, ...others.map(declined)])).toEqual(['fail']);
});

test('an environment that could not be reached leaves independence open', () => {
  const lost = (examined: ClientCase) => ({ ...examined, wire: [], reply: { outcome: 'transport_error' as const } });
  const [a, b, ...others] = rounds({});
  expect(outcomes(independent, [a!, b!, ...others.map(lost)])).toEqual(['inconclusive']);
});

test('the ordinary environment is known by its variables too', () => {
  const of = (environment: Record<string, string> | undefined, name: string, number: number, draft: Draft = {}) =>
    recurring({
      ...draft,
      asked: { environment },
      label: { permutation: { group: 'g', environment: name, round: number } },
    });
  const cases = [
    ...[1, 2].map((number) => of({ TZ: 'Pacific/Kiritimati' }, 'east', number, { csv: comma })),
    ...[1, 2].map((number) => of(undefined, 'none', number)),
  ];
  expect(outcomes(independent, cases)).toEqual(['fail']);
});

test('each signature is verified once, whatever the number of rows that rest on it', () => {
  const cases = [closeDay(), recurring(), closeDay()];
  const asked: string[] = [];
  const counting = (consumerKey: string) => {
    asked.push(consumerKey);
    return keysOf(consumerKey);
  };
  for (const id of wireIds) findingsOn(id, cases, { keysOf: counting });
  expect(asked.length).toBe(cases.length);
});
