/** A re-keyed recording holds nothing that names a person, wherever in a HAR it is. */
import { judgeRekeyed, rekeyRecordings } from '../../src/extras/rekey/rekey.ts';
import { encodeForm, signRequest } from '../../src/protocol/index.ts';
import type { Side } from '../../src/record/run.ts';
import { toHar } from '../../src/record/write-har.ts';
import { scannerFor } from '../../src/run/secrets/scan.ts';
import { secretText } from '../../src/run/secrets/secret.ts';
import { ofSide, readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { askedOf } from '../unit/verdict/runs.ts';

const host = 'gateway.canary-bank.com';
const consumerSecret = 'secret of the canary shop';
const startedAt = '2026-01-30T12:00:00.000Z';

/** By the replacement that takes it out. Each is what a text may hold anywhere. */
const canaries = {
  names: 'node-7.db.canary-bank.com',
  addresses: '198.51.187.23',
  'addresses of IPv6': '2001:db8:ca7::4a:17',
  people: 'mrs.canary-doe@mail-of-doe.org',
  'people at home': 'canarydoe42',
  prefixes: 'c4path',
  times: 'Fri, 30 Jan 2026 11:58:37 GMT',
  'times of ISO': '2026-01-30T11:57:23',
  'times of Java': 'Fri Jan 30 11:56:41 MSK 2026',
  id: 'C4NARY-order-4711',
  host,
  consumerKey: 'c4nary-shop-key',
  nonce: 'c4naryNonce31415',
  timestamp: '1769774317',
  cookie: 'c4nary-session-8812',
} as const;

const everywhere = [
  `${canaries.names} ${canaries.addresses} [${canaries['addresses of IPv6']}]:80 ${canaries.people}`,
  `/home/${canaries['people at home']}/a https://${host}/${canaries.prefixes}/x ${canaries.times}`,
  `${canaries['times of ISO']}Z ${canaries['times of Java']} ${canaries.id} ${canaries.consumerKey}`,
].join(' ');

/** Members whose text is a word of the format, or a number: with anything else in it the file is not a recording of a known kind. */
const words =
  /^(?:startedDateTime|version|encoding|_encoding|operation|intent|about|input|kind|why|format|url|outcome|ids|scheme|timestamp)$/;

/** The value with canaries behind each text of it, at any depth. */
function seeded(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return words.test(name) ? value : `${value} ${everywhere}`;
  if (Array.isArray(value)) return value.map((member) => seeded(member, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, seeded(member, key)]));
}

const body = [['day_close_request_id', canaries.id]] as const;
const place = { method: 'POST', scheme: 'https', host, target: `/${canaries.prefixes}/api/v2/close-day/4711` } as const;
const { authorization } = signRequest(
  { ...place, body },
  { consumerKey: canaries.consumerKey, key: { method: 'HMAC-SHA1', consumerSecret } },
  { timestamp: canaries.timestamp, nonce: canaries.nonce },
);
const pairs = { name: 'X-Note', value: 'n' };
const json = { size: 2, mimeType: 'application/json' };
const entry = {
  startedDateTime: startedAt,
  time: 1,
  comment: 'c',
  pageref: 'page_1',
  request: {
    method: 'POST',
    url: `https://${host}${place.target}`,
    httpVersion: 'HTTP/1.1',
    cookies: [{ name: 'a', value: canaries.cookie, path: '/', domain: host, comment: 'c' }],
    headers: [
      { name: 'Host', value: host },
      { name: 'Authorization', value: authorization },
      { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
      { name: 'Cookie', value: canaries.cookie },
      { name: 'Via', value: 'v' },
    ],
    queryString: [pairs],
    postData: { mimeType: 'application/x-www-form-urlencoded', params: [], text: encodeForm(body), comment: 'c' },
    comment: 'c',
  },
  response: {
    status: 200,
    statusText: 'OK',
    httpVersion: 'HTTP/1.1',
    cookies: [{ name: 'a', value: canaries.cookie }],
    headers: [pairs, { name: 'Set-Cookie', value: canaries.cookie }, { name: 'Date', value: canaries.times }],
    content: { ...json, text: `{"theRequestSerialNumber":"${canaries.id}"}`, comment: 'c' },
    redirectURL: `https://${host}/`,
    comment: 'c',
  },
  cache: { comment: 'c' },
  timings: { send: 0, wait: 1, receive: 0, comment: 'c' },
  serverIPAddress: canaries.addresses,
  connection: 'one',
};
const log = {
  version: '1.2',
  creator: { name: 'n', version: '1', comment: 'c' },
  browser: { name: 'n', version: '1' },
  pages: [{ startedDateTime: startedAt, id: 'page_1', title: 't', pageTimings: { comment: 'c' } }],
  comment: 'c',
};
const label = { operation: 'close-day', intent: 'open' };
const ofCase = { scenario: 's', case: 1, number: 1, connection: '1', label };
const notSent = [{ number: 2, why: 'stopped', reason: 'r' }];
const ended = { scenario: 's', caseNumbers: [1], givenUp: 'g', unreachable: 'u', suiteErrors: ['e'], notSent };
const gateway = { misconfigured: 'm', scenarios: [ended] };
const call = {
  label: { operation: 'close-day', input: 'observed', special: 's' },
  asked: {
    baseUrl: `https://${host}/${canaries.prefixes}`,
    endpointId: '4711',
    consumerKey: canaries.consumerKey,
    input: { day_close_request_id: canaries.id },
    inject: { timestamp: canaries.timestamp, nonce: canaries.nonce },
    environment: { TZ: 'UTC' },
  },
  reply: { outcome: 'completed', reason: 'r', decoded: { kind: 'error', errorMessage: 'm' } },
};
const ofCall = { ...ofCase, call };

/** Some members are checked before they are read; the exact signature and body stay in one of two entries. */
const texts: Readonly<Record<string, { side: Side; text: string }>> = {
  'of another tool': { side: 'client', text: textOf([entry, withParts(entry)]) },
  'of a run against a gateway': {
    side: 'gateway',
    text: textOf([seededWith(seeded(ofCase)), { ...entry, _countersign: ofCase }], { _gateway: seeded(gateway) }),
  },
  'of a run with a client': {
    side: 'client',
    text: textOf([seededWith({ ...ofCall, call: seeded(call) })], {
      _client: { calls: [], skipped: [{ ids: ['close-day/path'], reason: everywhere }], language: everywhere },
    }),
  },
};

function textOf(entries: unknown[], more: object = {}): string {
  return JSON.stringify({ log: { ...(seeded(log) as object), ...more, entries } });
}

function seededWith(_countersign: unknown): object {
  return { ...(withParts(entry) as object), _countersign };
}

/** Canaries in every text of the entry; the URL has them in its query. */
function withParts(given: typeof entry): unknown {
  const all = seeded(given) as typeof entry;
  const url = `${given.request.url}?note=${encodeURIComponent(everywhere)}&oauth_nonce=${canaries.nonce}`;
  const headers = given.request.headers.map(({ name, value }) => ({
    name,
    value: name === 'Host' || name === 'Authorization' ? value : `${value} ${everywhere}`,
  }));
  return { ...all, request: { ...all.request, method: 'POST', url, headers } };
}

const secrets = Object.entries(canaries).map(([name, text]) => secretText(name, text));

/** Names of the canaries in what the command would write. */
function leftIn({ side, text }: { side: Side; text: string }): string[] {
  const recording = ofSide(readRecording(text, `c4nary of ${host}.har`), side);
  const keysOf = () => ({ consumerSecret });
  const options = { salt: 'of the test', issued: canaries.consumerKey, secrets: [], keysOf };
  const rekeyed = rekeyRecordings([recording], options);
  const asked = askedOf(side, [recording]);
  const subject = { kind: side, name: host, target: `https://${host}/${canaries.prefixes}` };
  const { copy } = judgeRekeyed({ ...asked, header: { ...asked.header, subject } }, new Map(), rekeyed);
  const written = [toHar(copy.cases, copy.result, copy.recorded), JSON.stringify(copy.result)].join('\n');
  return secrets
    .filter((secret) => scannerFor([secret])({ name: 'copy', bytes: Buffer.from(written) }).length > 0)
    .map(({ name }) => name);
}

for (const [name, recording] of Object.entries(texts)) {
  test(`the copy of a recording ${name} holds none of the canaries that were in every text of it @all`, () => {
    for (const { forms } of secrets) expect(recording.text).toContain(String([...forms][0]!.bytes));
    expect(leftIn(recording)).toEqual([]);
  });
}
