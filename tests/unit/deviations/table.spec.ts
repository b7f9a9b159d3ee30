/** The tables of deviations, families and dialects keep their own rules. */
import { createHash, createHmac } from 'node:crypto';
import { autopsy } from '../../../src/autopsy/autopsy.ts';
import { readEvidence } from '../../../src/autopsy/facts.ts';
import { deviationOf, deviations, dialects } from '../../../src/autopsy/index.ts';
import { canCombine, type Deviation, plainRecipe, type Recipe } from '../../../src/deviations/deviation.ts';
import { familiesFor } from '../../../src/deviations/index.ts';
import { expect, test } from '../../engine.ts';
import { choiceOf, headerOf, plainRequest, signWith, trapRequests, wire } from '../autopsy/drawn.ts';

test('there are more than a hundred deviations, each with an id of its own', () => {
  const ids = deviations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
});

test('every change differs from the right recipe, and no two deviations make the same one', () => {
  const unchanged = deviations.filter(({ change }) =>
    Object.entries(change).some(([slot, value]) => plainRecipe[slot as keyof Recipe] === value),
  );
  expect(unchanged.map(({ id }) => id)).toEqual([]);
  const changes = deviations.map(({ change }) => JSON.stringify(change)).filter((text) => text !== '{}');
  expect(new Set(changes).size).toBe(changes.length);
});

/** Texts of the deviations that are not sentences. */
function fragmentsOf(some: readonly Deviation[]): string[] {
  const texts = some.flatMap(({ developer, fix, summary }) => [developer, fix, summary]);
  return texts.filter((text) => !/^\S.{12,}\.$/s.test(text) || / {2}/.test(text));
}

test('every deviation has full sentences for a manager and a developer, and a fix', () => {
  expect(fragmentsOf(deviations)).toEqual([]);
});

test('the members of every dialect combine', () => {
  expect(dialects.filter((dialect) => !canCombine(dialect.deviations)).map(({ id }) => id)).toEqual([]);
  expect(canCombine([deviationOf('not-sorted'), deviationOf('natural-order')])).toBe(false);
  expect(canCombine([deviationOf('not-sorted'), deviationOf('latin-1')])).toBe(true);
});

const { consumerSecret, credentials } = plainRequest;
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

interface Signed {
  readonly url?: string;
  readonly header?: readonly [name: string, value: string];
  readonly body?: string;
  /** The signed fields as a form. */
  readonly fields?: string;
  readonly uri?: string;
  readonly inner?: (text: string) => string;
  readonly outer?: (text: string) => string;
  readonly key?: string | Buffer;
  readonly message?: (base: string) => string | Buffer;
}

const encoder = (inner: (text: string) => string) => ({ inner, outer: inner });
const leaving = (pattern: RegExp) => encoder((text) => encoded(text).replace(pattern, decodeURIComponent));
const escaping = (write: (character: string) => string) =>
  encoder((text) => text.replace(/./gsu, (one) => (/[^\0-\x7f]/.test(one) ? write(one) : encoded(one))));
const hex = (text: string) => text.charCodeAt(0).toString(16).toUpperCase();

/** The deviations that the autopsy names for a close-day to `url` that is signed differently. */
function namesOf({ url = 'https://gate.example.com/paynet/api/v2/close-day/1111', ...signed }: Signed): string {
  const [, host, target] = /^https:\/\/([^/]*)(.*)$/.exec(url)!;
  const { body = 'day_close_request_id=902B4FF5', uri = url, inner = encoded, outer = encoded } = signed;
  const normalized = [...credentials, ...new URLSearchParams(signed.fields ?? body)]
    .map((pair) => pair.map(inner).join('='))
    .sort()
    .join('&');
  const base = ['POST', outer(uri), outer(normalized)].join('&');
  const { key = `${encoded(consumerSecret)}&`, message = (text: string) => text } = signed;
  const signature = createHmac('sha1', key).update(message(base)).digest('base64');
  const authorization = headerOf([...credentials, ['oauth_signature', signature]], undefined, false);
  const request = wire({ ...plainRequest, host: host!, target: target!, body }, authorization);
  const headers = [...request.headers, ...(signed.header === undefined ? [] : [signed.header])];
  const found = autopsy({ ...request, headers }, plainRequest);
  return [found.deviations.map(({ id }) => id), ...(found.alternatives ?? [])]
    .map((ids) => ids.join(' + '))
    .join(' | ');
}

for (const [id, signed] of [
  ['scheme-colon-and-host-signed-as-null', { uri: 'null//null/paynet/api/v2/close-day/1111' }],
  ['scheme-signed-twice', { uri: 'https://https://gate.example.com/paynet/api/v2/close-day/1111' }],
  ['paynet-of-path-signed-twice', { uri: 'https://gate.example.com/paynet/paynet/api/v2/close-day/1111' }],
  [
    'path-of-process-recurring-payments-signed',
    { uri: 'https://gate.example.com/paynet/api/v4/process-recurring-payments/1111' },
  ],
  ['endpoint-id-signed-as-01111', { uri: 'https://gate.example.com/paynet/api/v2/close-day/01111' }],
  [
    'endpoint-id-signed-as-escaped-placeholder',
    { uri: 'https://gate.example.com/paynet/api/v2/close-day/%7BendpointId%7D' },
  ],
  ['host-signed-as-localhost', { url: 'https://127.0.0.1:8443/a', uri: 'https://localhost:8443/a' }],
  ['host-signed-as-gate-example', { url: 'https://www.gate.example/a', uri: 'https://gate.example/a' }],
  ['host-with-final-dot', { url: 'https://gate.example/a', uri: 'https://gate.example./a' }],
  ['host-with-dotless-i', { url: 'https://API.gate.example/a', uri: 'https://ap\u0131.gate.example/a' }],
  [
    'forwarded-host-signed',
    { header: ['X-Forwarded-Host', 'pay.example'], uri: 'https://pay.example/paynet/api/v2/close-day/1111' },
  ],
  ['dollar-left-bare', { body: 'a=1%242', ...leaving(/%24/g) }],
  ['bar-left-bracket-left-bare', { body: 'a=%7C%5B%22', ...leaving(/%7C|%5B/g) }],
  ['dollar-left-bare + wrong-encoder-in-parameters-only', { body: 'a=1%242%23', inner: leaving(/%24/g).inner }],
  ['left-bare-as-path-escape', { body: 'a=%24%26%2B%3A%3D%40%23%2F%3B', ...leaving(/%(?:24|26|2B|3A|3D|40)/g) }],
  ['unit-escapes-of-four', { body: 'a=%C3%A9%E2%82%AC', ...escaping((one) => `%${hex(one).padStart(4, '0')}`) }],
  ['windows-1251', { body: 'a=%D0%96', ...escaping(() => '%C6') }],
  ['escapes-without-leading-zero', { body: 'a=%09', ...encoder((text) => encoded(text).replaceAll('%0', '%')) }],
  ['quote-around-secret', { key: `%22${consumerSecret}%22&` }],
  ['quote-around-secret + secret-not-encoded', { key: `"${consumerSecret}"&` }],
  ['secret-hashed-with-sha1', { key: `${createHash('sha1').update(consumerSecret).digest('hex')}&` }],
  ['consumer-key-before-secret', { key: `shop&${consumerSecret}` }],
  ['both-secrets-signed-as-undefined', { key: 'undefined&undefined' }],
  ['key-with-line-feed', { key: `${consumerSecret}&\n` }],
  ['key-in-utf-16', { key: Buffer.from(`${consumerSecret}&`, 'utf16le') }],
  [
    'base-string-and-key-in-utf-16-be',
    {
      key: Buffer.from(`${consumerSecret}&`, 'utf16le').swap16(),
      message: (base: string) => Buffer.from(base, 'utf16le').swap16(),
    },
  ],
  ['base-string-with-crlf', { message: (base: string) => `${base}\r\n` }],
  ['a-not-signed', { body: 'a=1&b=2', fields: 'b=2' }],
  ['a-signed-with-two-decimals', { body: 'a=1.425', fields: 'a=1.43' }],
  ['a-signed-with-commas', { body: 'a=1234567.25', fields: 'a=1,234,567.25' }],
  ['sale-approved-sum-signed-as-empty-and-not-sent', { fields: 'day_close_request_id=902B4FF5&sale_approved_sum=' }],
  [
    'sale-approved-count-reversal-approved-count-signed-as-zero-and-not-sent',
    {
      body: 'day_close_request_id=1&sale_approved_sum=1&reversal_approved_sum=1',
      fields:
        'day_close_request_id=1&sale_approved_sum=1&reversal_approved_sum=1&sale_approved_count=0&reversal_approved_count=0',
    },
  ],
  ['duplicates-printed-as-python', { body: 'a=1&a=x', fields: "a=['1', 'x']" }],
  ['values-printed-as-lists-python', { body: 'a=1&b=x', fields: "a=['1']&b=['x']" }],
  ['byte-order-mark-before-body', { body: '\ufeffa=1', fields: 'a=1' }],
  ['ampersand-not-escaped-in-body', { body: 'payload=A&B=C&D', fields: 'payload=A%26B=C%26D' }],
] as const satisfies readonly (readonly [string, Signed])[]) {
  // The search tries pairs last.
  test(`${id} is named`, { tag: id.includes(' + ') ? ['@all'] : [] }, () => {
    expect(namesOf(signed)).toBe(id);
  });
}

const drawn = trapRequests(choiceOf(7), 'HMAC-SHA1');
const families = drawn.map((request) => familiesFor(readEvidence(signWith(request, []))));

test('every member of a family has full sentences, a unique id and a unique change', () => {
  const members = families.flat();
  expect(fragmentsOf(members)).toEqual([]);
  expect(members.map(({ id }) => id).filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  for (const some of families) {
    expect(new Set(some.map(({ id }) => id)).size).toBe(some.length);
    expect(new Set(some.map(({ change }) => JSON.stringify(change))).size).toBe(some.length);
  }
});

for (const [which, step, tag] of [
  ['one member in 240', 240, []],
  ['one member in three', 3, ['@all']],
] as const) {
  test(`${which} of each family is named, or a likelier deviation that gives the same bytes`, { tag: [...tag] }, () => {
    const problems = families.flatMap((some, at) =>
      some
        .filter((_, index) => index % step === 0)
        .flatMap((member) => {
          const found = autopsy(signWith(drawn[at]!, [member]), drawn[at]!, { limits: { depth: 1 } });
          return found.signature === 'right' || found.deviations.length === 1 ? [] : [member.id];
        }),
    );
    expect(problems).toEqual([]);
  });
}
