/** Where several sets of deviations give the same bytes, it cannot be seen which one it was: all of them are listed. */

import { autopsy, credentialOf, deviationOf, deviations } from '../../../src/autopsy/index.ts';
import { combine, type Deviation } from '../../../src/deviations/deviation.ts';
import { expect, test } from '../../engine.ts';
import { type Drawn, headerOf, plainRequest as plain, signatureText, signedWith } from './drawn.ts';

/** The sets that are named, each as one text. */
function namesOf(found: ReturnType<typeof autopsy>): string[] {
  return [found.deviations.map(({ id }) => id), ...(found.alternatives ?? [])].map((ids) =>
    [...ids].sort().join(' + '),
  );
}

/** The sets out of those given whose signature is the one of a client with `made`. */
function sameAs(drawn: Drawn, made: readonly Deviation[], sets: readonly (readonly Deviation[])[]): string[] {
  const request = signedWith(drawn, made);
  const sent = credentialOf(request, 'oauth_signature');
  return sets
    .filter((set) => signatureText(drawn, request, set) === sent)
    .map((set) =>
      set
        .map(({ id }) => id)
        .sort()
        .join(' + '),
    );
}

test('every single deviation that gives the same bytes is listed', () => {
  const drawn = { ...plain, body: `${plain.body}&z=1&z=1` };
  const all = sameAs(
    drawn,
    [deviationOf('copies-dropped')],
    deviations.map((one) => [one]),
  );
  expect(all.length).toBeGreaterThan(2);
  const found = autopsy(signedWith(drawn, [deviationOf('copies-dropped')]), drawn);
  expect(namesOf(found).sort()).toEqual(all.sort());
});

test('a consumer key that arrives as it was issued shows that the header was not encoded twice', () => {
  const [, ...others] = plain.credentials;
  const drawn = { ...plain, credentials: [['oauth_consumer_key', 'shop%41'], ...others] } as Drawn;
  const request = signedWith(drawn, [deviationOf('values-decoded-once-more')]);
  const twice = 'header-values-encoded-twice';
  expect(namesOf(autopsy(request, drawn))).toContain(twice);
  expect(namesOf(autopsy(request, { ...drawn, consumerKey: 'shopA' }))).toContain(twice);
  const found = namesOf(autopsy(request, { ...drawn, consumerKey: 'shop%41' }));
  expect(found).toContain('values-decoded-once-more');
  expect(found).not.toContain(twice);
});

test('every pair that gives the same bytes is listed, however many there are', { tag: '@all' }, () => {
  // Six orders put a capital behind the credentials, and four encoders leave parentheses bare.
  const drawn = { ...plain, body: 'Z=%281%29' };
  const made = [deviationOf('parentheses-left-bare'), deviationOf('not-sorted')];
  const pairs = deviations.flatMap((one, index) => deviations.slice(index + 1).map((other) => [one, other]));
  const all = sameAs(drawn, made, pairs.filter(combine));
  expect(all.length).toBeGreaterThanOrEqual(24);
  const found = autopsy(signedWith(drawn, made), drawn, { limits: { depth: 2 } });
  expect(namesOf(found).sort()).toEqual(all.sort());
});

test('where only the signature has anything to escape, nobody can tell whether all values were encoded twice', () => {
  const twice = (drawn: Drawn) => {
    const signature = credentialOf(signedWith(drawn, []), 'oauth_signature')!;
    const header = headerOf(
      [...drawn.credentials, ['oauth_signature', encodeURIComponent(signature)]],
      undefined,
      false,
    );
    const request = signedWith(drawn, []);
    const headers = request.headers.map(([name, value]) => [name, name === 'Authorization' ? header : value] as const);
    return namesOf(autopsy({ ...request, headers }, drawn));
  };
  expect(twice(plain)).toEqual(['signature-escaped-before-header', 'header-values-encoded-twice']);
  const withReserved = plain.credentials.map(
    ([name, value]) => [name, name === 'oauth_nonce' ? 'n/1' : value] as const,
  );
  expect(twice({ ...plain, credentials: withReserved })).toEqual(['signature-escaped-before-header']);
});
