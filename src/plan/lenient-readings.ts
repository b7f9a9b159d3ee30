/**
 * Faults that only one way of reading takes for right: names and values as frameworks, databases and proxies change them before a
 * signature is computed. Sent where there is room for them.
 */
import { type Area, operations } from '../../contracts/operations.ts';
import { changing } from '../../generators/authorization-cases.ts';
import { rightHeader } from '../../generators/authorization-parameters.ts';
import type { HeaderChange } from '../../generators/header-plan.ts';
import type { Pair } from '../protocol/form.ts';
import { faultsIn, inOpenForm } from './requests.ts';
import type { PlannedCase, RequestPlan } from './scenario.ts';

export function lenientReadings(area: Area, right: RequestPlan): readonly PlannedCase[] {
  return [
    ...readOtherwise(area, right),
    ...elsewhere(area, right),
    ...otherMethods(area, right),
    ...otherBytes(area, right),
  ];
}

/** What is sent beside the right body, and what of it is signed. Whether a further field is taken is open (A30): who takes it has to have it signed. */
function readOtherwise(area: Area, right: RequestPlan): PlannedCase[] {
  const fault = faultsIn(right);
  const sent = (what: string, fields: readonly Pair[], signed: readonly Pair[]) =>
    inOpenForm(
      'A30',
      fault(`authentication/${area}-altered-body-refused`, `${what} in a further field`, {
        body: [...right.body, ...fields],
        signed: { body: (all) => [...all.slice(0, right.body.length), ...signed] },
      }),
    );
  const value = (what: string, text: string, signed: string) => sent(what, [['note', text]], [['note', signed]]);
  const many = (count: number) =>
    Array.from({ length: count - right.body.length }, (_, at): Pair => [`n${String(at).padStart(4, '0')}`, '1']);
  const twice: Pair[] = [
    ['note', '1'],
    ['note', '2'],
  ];
  return [
    value('blanks that are signed trimmed', ' x ', 'x'),
    value('3,000 characters of which 255 are signed', 'x'.repeat(3_000), 'x'.repeat(255)),
    value('5,000 characters of which 4,096 are signed', 'x'.repeat(5_000), 'x'.repeat(4_096)),
    value('text behind a NUL that is not signed', 'a\0b', 'a'),
    value('a letter of two code points that is signed as one', 'e\u0301', '\u00e9'),
    value('a letter that is signed as a question mark', '\u6f22', '?'),
    sent('a name with a capital that is signed without', [['Note', 'x']], [['note', 'x']]),
    sent('the first of two equal names unsigned', twice, twice.slice(1)),
    sent('the second of two equal names unsigned', twice, twice.slice(0, 1)),
    ...['note[]', '_note', 'oauth_note', 'format'].map((name) =>
      sent(`${name}, which is not signed,`, [[name, 'added']], []),
    ),
    inOpenForm(
      'A30',
      fault(`authentication/${area}-altered-body-refused`, 'a further field that alone is signed', {
        body: [...right.body, ['note', 'x']],
        signed: { body: (all) => all.slice(right.body.length) },
      }),
    ),
    ...[100, 1_000].map((count) => sent(`all but ${count} fields unsigned`, [...many(count), ['z', '1']], many(count))),
  ];
}

/** Signed for another place than the one it is sent to. */
function elsewhere(area: Area, right: RequestPlan): PlannedCase[] {
  const uri = `authentication/${area}-altered-uri-refused` as const;
  const fault = faultsIn(right);
  const other = right.operation === 'close-day' ? 'v4/process-recurring-payments' : 'v2/close-day';
  const target = (what: string, signed: (sent: string) => string) => fault(uri, what, { signed: { target: signed } });
  return [
    target('two slashes signed before the path', (sent) => `/${sent}`),
    target('a segment of one point signed in the path', (sent) => sent.replace('/api/', '/api/./')),
    target('a segment of one point signed before the endpoint', (sent) => sent.replace(/[^/]+$/, './$&')),
    target('a zero signed before the endpoint', (sent) => sent.replace(/[^/]+$/, '0$&')),
    ...['v1', 'v2', 'v3', 'v4']
      .filter((version) => version !== operations[right.operation].version)
      .map((version) =>
        target(`${version} signed in the path`, (sent) => sent.replace(versionPlace, otherThan(version, '0'))),
      ),
    ...[80, 443].map((port) =>
      fault(uri, `port ${port} signed as it is written`, {
        signed: { uri: (sent) => sent.replace(/(?<=\/\/[^/]+?)(:\d+)?(?=\/)/, otherThan(`:${port}`, '0')) },
      }),
    ),
    fault(uri, 'a question mark signed behind the path', { signed: { uri: (sent) => `${sent}?` } }),
    target('the path of the other operation signed', (sent) => sent.replace(/[^/]+\/[^/]+(?=\/[^/]+$)/, other)),
    target('the path signed without its endpoint', (sent) => sent.replace(/\/[^/]+$/, '')),
    fault(uri, 'port 8080 or 8081 signed', {
      signed: { host: (sent) => `${sent.replace(/:\d+$/, '')}:${sent.endsWith(':8080') ? 8081 : 8080}` },
    }),
    fault(uri, 'another name of this machine signed as the host', {
      signed: {
        host: (sent) => sent.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
      },
    }),
    fault(uri, 'a point signed behind the host', {
      signed: { host: (sent) => sent.replace(/^(\[.*\]|[^:]*)/, '$1.') },
    }),
    ...['PUT', 'PATCH', 'DELETE'].map((method) =>
      fault(uri, `${method} signed in place of POST`, { signed: { method } }),
    ),
    ...[
      ['the second of two query parameters', 'x=1&y=2', [['x', '1']]] as const,
      ['the first of two equal query parameters', 'x=1&x=2', [['x', '2']]] as const,
      ['the value of a query parameter', 'x=1', [['x', '']]] as const,
    ].map(([what, query, signed]) =>
      inOpenForm('A30', fault(uri, `${what} unsigned`, { query, signed: { query: signed } })),
    ),
  ];
}

/** Where the version stands in a path; a configuration may have another one there. */
const versionPlace = /[^/]+(?=\/[^/]+\/[^/]+$)/;

/** That text in place of what is found, and with something behind it where it is found already. */
function otherThan(text: string, more: string): (found: string) => string {
  return (found) => (found === text ? `${text}${more}` : text);
}

/** Right signatures under a name that is not the operation's. */
function otherMethods(area: Area, right: RequestPlan): PlannedCase[] {
  const own = operations[right.operation].signatureMethod;
  // As Java and JSON Web Tokens name them.
  const alias = own === 'HMAC-SHA1' ? 'HmacSHA1' : 'RS256';
  return ['NONE', own.replace(/\d+$/, '384'), own.replace('-', '_'), `${own}-2`, `${own} `, alias].map((name) =>
    faultsIn(right)(
      `authentication/${area}-other-method-refused`,
      `a right signature under the name ${name}`,
      inHeader(
        right,
        changing('oauth_signature_method', () => name),
      ),
    ),
  );
}

/** Consumers that a pattern or a list would find, and versions and times that a lenient number is read from. */
export function lenientHeaders(area: Area, right: RequestPlan): readonly PlannedCase[] {
  const fault = faultsIn(right);
  const unknown = `authentication/${area}-unknown-consumer-refused` as const;
  const consumers: readonly (readonly [string, (key: string) => string])[] = [
    ['a consumer key with _ for a character', (key) => `_${key.slice(1)}`],
    ['a consumer key that is a regular expression', () => '.*'],
    ['a consumer key that is an asterisk', () => '*'],
    ['a consumer key that is a word for nothing', () => 'null'],
    ['a consumer key that is a blank', () => ' '],
    ['a consumer key that is a member of every object', () => 'constructor'],
    ['a consumer key with a hyphen less or more', (key) => key.replace(/-|$/, (found) => (found === '-' ? '' : '-'))],
    ['a consumer key in quotes', (key) => `"${key}"`],
    ['two consumer keys', (key) => `${key},nobody`],
    ['a consumer key that ends a condition of SQL', () => "' OR '1'='1"],
    // As part of the name of a file or of a URL these lead to the same place.
    ['a consumer key with a segment of one point before it', (key) => `./${key}`],
    ['a consumer key with a question mark behind it', (key) => `${key}?`],
    [
      'a consumer key whose first character is an escape',
      (key) => `%${key.charCodeAt(0).toString(16).padStart(2, '0')}${key.slice(1)}`,
    ],
  ];
  return [
    ...consumers.map(([what, change]) => fault(unknown, what, inHeader(right, changing('oauth_consumer_key', change)))),
    // A consumer that is not found may have an empty secret in the end, and what is signed with that be right.
    ...(operations[right.operation].signatureMethod === 'HMAC-SHA1'
      ? [
          fault(unknown, 'an unknown consumer key, and a signature made with an empty secret', {
            ...inHeader(
              right,
              changing('oauth_consumer_key', () => 'nobody-knows-this-key'),
            ),
            key: 'empty',
          }),
        ]
      : []),
    ...['v1.0', '1.00', '1,0'].map((version) =>
      fault(
        `authentication/${area}-wrong-version-refused`,
        `the version ${version}`,
        inHeader(
          right,
          changing('oauth_version', () => version),
        ),
      ),
    ),
    ...(
      [
        ['a word', () => 'now'],
        ['a blank', () => ' '],
        // Python and Ruby read it as the number without it.
        ['a number with an underscore', (now) => now.replace(/^./, '$&_')],
      ] satisfies [string, (now: string) => string][]
    ).map(([what, timestamp]) =>
      fault(
        `authentication/${area}-malformed-timestamp-refused`,
        `${what} as the timestamp`,
        inHeader(right, changing('oauth_timestamp', timestamp)),
      ),
    ),
  ];
}

export function inHeader({ operation }: RequestPlan, change: HeaderChange): Partial<RequestPlan> {
  return { header: (fresh) => change(rightHeader({ operation, ...fresh })) };
}

/** The bytes of the right signature in another arrangement. */
function otherBytes(area: Area, right: RequestPlan): PlannedCase[] {
  const about = `authentication/${area}-wrong-signature-refused` as const;
  const fault = faultsIn(right);
  const bytes = (what: string, change: (bytes: Buffer) => Uint8Array) =>
    fault(about, what, {
      signature: (finished) => Buffer.from(change(Buffer.from(finished, 'base64'))).toString('base64'),
    });
  return [
    bytes('the bytes of the signature in reverse', (right) => right.toReversed()),
    bytes('the signature twice', (right) => Buffer.concat([right, right])),
    bytes('each bit of the signature inverted', (right) => right.map((byte) => ~byte)),
    fault(about, 'a blank as the signature', { signature: () => ' ' }),
  ];
}
