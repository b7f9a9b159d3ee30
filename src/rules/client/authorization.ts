/** Judges of the Authorization header: section 5, with RFC 5849 sections 3.1 and 3.5.1. */
import { oauthParameters } from '../../../contracts/operations.ts';
import type { ClientCase } from '../../record/case.ts';
import { headerValues } from '../../record/exchange.ts';
import { lacks } from '../../record/har-entry.ts';
import { type ClientJudges, type Finding, fail, inconclusive, pass, type Verdict } from '../judge.ts';
import { decodeLeniently, oddValue, parameter, type RequestReading, readHeader } from './reading.ts';
import { type WireCase, wireJudge } from './wire-judge.ts';

export const authorizationJudges = {
  'authentication/header-scheme': wireJudge('both', ({ reading: { authorization, header } }) => {
    if (header === undefined || authorization[0]!.trim() === '') return null;
    if (authorization.length > 1)
      return fail('one Authorization header', `${authorization.length} Authorization headers`);
    if (!header.isOAuth) return fail('OAuth', header.scheme === '' ? 'a header without a scheme' : header.scheme);
    const [fault] = header.listFaults;
    if (fault !== undefined) return fail('OAuth name="value", name="value"', fault);
    return header.scheme === 'OAuth' ? pass() : pass(`the scheme is written ${header.scheme}`);
  }),
  'authentication/header-parameters': wireJudge('both', ({ reading }) => {
    if (!hasParameters(reading)) return null;
    const { parameters } = reading.header!;
    for (const name of oauthParameters) {
      const found = parameters.filter((one) => one.name === name);
      if (found.length === 0) return fail(`${name} once`, `no ${name}`);
      if (found.length > 1) return fail(`${name} once`, `${name} ${found.length} times`);
      if (found[0]!.value === '') return fail(`${name} once`, `an empty ${name}`);
    }
    const others = parameters.filter(({ name }) => !oauthParameters.some((one) => one === name));
    const foreign = others.find(({ name, value }) => !isRealm(name) && !(name === 'oauth_token' && value === ''));
    if (foreign !== undefined) return fail('only the six OAuth parameters', `also ${foreign.name}`);
    const names = others.map(({ name }) => (isRealm(name) ? 'realm' : `an empty ${name}`));
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined) return fail('each parameter once', `${repeated} more than once`);
    return names.length === 0 ? pass() : pass(`the header also has ${names.join(' and ')}`);
  }),
  'authentication/header-values-encoded': wireJudge('both', (wire) => {
    const { reading } = wire;
    if (!hasParameters(reading)) return null;
    const { valueFaults, remarks } = reading.header!;
    const expected = 'values in quotes, percent-encoded once';
    if (valueFaults[0] !== undefined) return fail(expected, valueFaults[0]);
    const signature = parameter(reading, 'oauth_signature');
    if (signature !== undefined && /%[0-9A-Fa-f]{2}/.test(signature)) {
      return fail(expected, 'an oauth_signature that is encoded twice');
    }
    if (consumerKeyOf(wire)?.misencoded) return fail(expected, 'an oauth_consumer_key that is not encoded once');
    return pass(remarks[0]);
  }),
  'authentication/parameters-only-in-header': wireJudge('both', ({ reading }) => {
    // `authorization-sent` reports a missing header.
    if (reading.header === undefined) return null;
    const expected = 'OAuth parameters only in the header';
    const inBody = reading.form.pairs.find(({ name }) => name.startsWith('oauth_'));
    if (inBody !== undefined) return fail(expected, `${inBody.name} in the body`);
    const inQuery = reading.query.split('&').find((piece) => decodeLeniently(piece).startsWith('oauth_'));
    return inQuery === undefined ? pass() : fail(expected, `${inQuery.split('=')[0]} in the query`);
  }),
  'authentication/timestamp-seconds': wireJudge('both', ({ testCase, exchange, reading }) => {
    const { asked } = testCase.call;
    const sent = parameter(reading, 'oauth_timestamp');
    if (sent === undefined) return null;
    if (!/^\d+$/.test(sent) || Number(sent) === 0) {
      const odd = oddValue(sent);
      return fail('a positive whole number', odd === undefined ? sent : `${sent}, ${odd.what}`);
    }
    const injected = asked?.inject?.timestamp !== undefined;
    const clock = asked !== undefined ? 'same' : lacks(testCase.call, 'zone') ? 'local' : 'other';
    const finding = injected ? pass() : judgeValue(Number(sent), exchange.startedAt / 1000, clock);
    return finding.outcome === 'pass' && sent.startsWith('0') ? pass(`leading zeros in ${sent}`) : finding;
  }),
  'authentication/version': wireJudge('both', ({ reading }) => {
    const sent = parameter(reading, 'oauth_version');
    return sent === undefined ? null : sent === '1.0' ? pass() : fail('1.0', sent);
  }),
  'authentication/consumer-key': wireJudge('both', (wire) => {
    const key = consumerKeyOf(wire);
    if (key === undefined || key.misencoded) return null;
    const { asked } = wire.testCase.call;
    if (asked !== undefined) return key.sent === asked.consumerKey ? pass() : fail(asked.consumerKey, key.sent);
    if (!wire.judgeInput.hasKeys) return inconclusive('no keys were given to compare with', 'configuration');
    return wire.judgeInput.keysOf(key.sent) === undefined ? fail('a consumer key that was issued', key.sent) : pass();
  }),
  /** Needs two requests. A nonce may occur again with another timestamp. Injected nonces are skipped: the suite chose them. */
  'authentication/nonce-unique': ({ cases }) => {
    const used = new Set<string>();
    const nonces = new Set<string>();
    const verdicts: Verdict<ClientCase>[] = [];
    for (const testCase of cases) {
      if (testCase.call.asked?.inject?.nonce !== undefined || lacks(testCase.call, 'authorization')) continue;
      for (const exchange of testCase.exchanges) {
        const [line] = headerValues(exchange.request.headers, 'authorization');
        if (line === undefined) continue;
        // Read only this header: readings of all requests in a long record would take too much memory.
        const reading = { header: readHeader(line) };
        const nonce = parameter(reading, 'oauth_nonce');
        const timestamp = parameter(reading, 'oauth_timestamp');
        if (nonce === undefined || timestamp === undefined) continue;
        const owner = [parameter(reading, 'oauth_consumer_key'), parameter(reading, 'oauth_token')];
        const key = JSON.stringify([...owner, timestamp, nonce]);
        const nonceAlone = JSON.stringify([...owner, nonce]);
        const finding = used.has(key)
          ? fail('a new nonce', `timestamp ${timestamp} and nonce ${nonce} again`)
          : pass(nonces.has(nonceAlone) ? 'a nonce is used again at another timestamp' : undefined);
        verdicts.push({ testCase, exchange, finding });
        used.add(key);
        nonces.add(nonceAlone);
      }
    }
    return verdicts.length > 1 ? verdicts : [];
  },
} satisfies ClientJudges;

/** The sent key and the issued key. `misencoded`: the key is correct, but is escaped twice, is not escaped, or has + for a space. */
export function consumerKeyOf({ testCase, reading, judgeInput }: WireCase) {
  const sent = parameter(reading, 'oauth_consumer_key');
  if (sent === undefined) return undefined;
  const { asked } = testCase.call;
  const isIssued = (key: string) =>
    asked === undefined ? judgeInput.keysOf(key) !== undefined : key === asked.consumerKey;
  if (isIssued(sent)) return { sent, issued: sent, misencoded: false };
  const raw = reading.header!.parameters.find(({ name }) => name === 'oauth_consumer_key')!.raw;
  const meant = [decodeLeniently(sent), decodeLeniently(raw.replaceAll('+', ' ')), raw].find(isIssued);
  return { sent, issued: asked?.consumerKey ?? meant ?? sent, misencoded: meant !== undefined };
}

/** False if the header has another scheme and no OAuth parameters. Then there is nothing to judge. */
function hasParameters({ header }: RequestReading): boolean {
  return header !== undefined && (header.isOAuth || header.parameters.some(({ name }) => name.startsWith('oauth_')));
}

function isRealm(name: string): boolean {
  return name.toLowerCase() === 'realm';
}

/** Allowed seconds between the timestamp and the arrival of a request: a client may wait before it sends. */
const tolerance = 300;
/** The year 5138 in seconds. A larger timestamp must be in a smaller unit, such as milliseconds. */
const farFuture = 1e11;

/** `same`: client and suite share a clock. `local`: the record has no time zone. `other`: the clocks are independent. */
function judgeValue(sent: number, now: number, clock: 'same' | 'local' | 'other'): Finding {
  const off = Math.round(sent - now);
  if (Math.abs(off) <= tolerance) return pass();
  const expected = `about ${Math.round(now)}`;
  if (sent >= farFuture) return fail(expected, `${sent}, in ${unitOf(sent, now)}`);
  const quarters = Math.round(off / 900);
  const isZone = Math.abs(off - quarters * 900) <= 5 && Math.abs(quarters) <= 14 * 4;
  const halfDay = clock === 'other' && Math.abs(quarters) === 48 ? ', or a 12-hour clock of the recorder,' : '';
  const because = isZone ? `, as local time${halfDay} would be` : '';
  if (clock === 'same') return fail(expected, `${sent}, ${Math.abs(off)} seconds off${because}`);
  if (clock === 'local' && Math.abs(quarters) <= 14 * 4) return pass('the record does not say its zone');
  return pass(`${Math.abs(off)} seconds ${off < 0 ? 'before' : 'after'} the clock of the record${because}`);
}

function unitOf(sent: number, now: number): string {
  const ratio = Math.round(Math.log10(sent / now));
  return { 3: 'milliseconds', 6: 'microseconds', 9: 'nanoseconds' }[ratio] ?? 'another unit than seconds';
}
