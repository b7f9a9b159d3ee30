/**
 * The ordinary close-day request, decided without a record of it for each step: what a client under load sends again and again.
 *
 * It takes only requests that every step lets pass and that are written as usual, and changes the world only where it takes one; all
 * others are left to `respond`, which would say the same of these.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathTo } from '../../contracts/operations.ts';
import { newUsualVerifier, type UsualCall } from '../protocol/oauth/quick-verify.ts';
import { closeEndpoint, nextSerial, remember } from './gateway.ts';
import { finished, finishedText } from './responses.ts';
import type { MockSettings } from './settings.ts';
import { verifyingKey } from './signature.ts';
import type { MockGate, World } from './state.ts';

/** What of a request is looked at; each header once. */
export type QuickRequest = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>;

/** An answer as `ServerResponse` takes it. Both are overwritten by the next answer. */
export interface QuickAnswer {
  readonly headers: readonly string[];
  readonly body: string;
}

/** Decides on the body, at that time; undefined where the request is not an ordinary one. */
export type QuickDecision = (body: Uint8Array, now: number) => QuickAnswer | undefined;

/** Bytes; the fields of section 2.1 take some 150. */
const longest = 2048;

/** @param scheme how requests come in; of a request whose head is not as usual there is nothing to decide */
export function newQuickCloseDay(
  world: World,
  settings: MockSettings,
  scheme: 'http' | 'https',
): (request: QuickRequest) => QuickDecision | undefined {
  const path = settings.prefix + pathTo('close-day');
  const verify = newUsualVerifier((consumerKey) => {
    const consumer = world.consumers.find((one) => one.consumerKey === consumerKey);
    const key = consumer && verifyingKey(consumer, 'HMAC-SHA1');
    return key && [key];
  });
  const write = newWriter();

  return ({ method, url: target, httpVersion, rawHeaders }) => {
    if (method !== 'POST' || target?.startsWith(path) !== true || httpVersion !== '1.1') return undefined;
    const endpointId = target.slice(path.length);
    const head = readHead(rawHeaders, Math.min(longest, settings.maxBodyBytes));
    if (head === undefined || !world.endpoints.has(endpointId) || endpointId.includes('/')) return undefined;
    const url = { method, scheme, host: head.host, target };

    return (body, now) => {
      const endpoint = world.endpoints.get(endpointId);
      if (endpoint === undefined || endpoint.gates.some(isSpecial)) return undefined;
      const call = verify(url, head.authorization, body);
      if (call === undefined || !hasUsualFields(call)) return undefined;
      const distance = Math.abs(Number(call.timestamp) - Math.floor(now / 1000));
      if (distance > settings.timestampWindowSeconds) return undefined;
      const nonce = settings.nonceKey(call.consumerKey, call.timestamp, call.nonce);
      if (world.nonces.has(nonce)) return undefined;
      world.counters.requests += 1;
      remember(nonce, world, settings);
      const serial = nextSerial(world);
      return write(finishedText(closeEndpoint(endpoint, world, now), serial), now);
    };
  };
}

interface Head {
  readonly host: string;
  readonly authorization: string;
}

/** Undefined where a header that decides about anything is repeated, absent, or has another value than usual. */
function readHead(raw: readonly string[], mostBytes: number): Head | undefined {
  let [host, authorization, type, length] = ['', '', '', ''];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const value = raw[at + 1]!;
    switch (raw[at]!.toLowerCase()) {
      case 'host':
        if (host !== '') return undefined;
        host = value;
        break;
      case 'authorization':
        if (authorization !== '') return undefined;
        authorization = value;
        break;
      case 'content-type':
        if (type !== '') return undefined;
        type = value;
        break;
      case 'content-length':
        if (length !== '') return undefined;
        length = value;
        break;
      case 'connection':
        if (value !== 'keep-alive') return undefined;
        break;
      case 'expect':
      case 'transfer-encoding':
        return undefined;
    }
  }
  const isUsual = type === 'application/x-www-form-urlencoded' && length !== '' && Number(length) <= mostBytes;
  return isUsual && host !== '' && authorization !== '' ? { host, authorization } : undefined;
}

/** No name twice, none of OAuth, and an id of 8 to 32 letters and digits. */
function hasUsualFields({ names, values }: UsualCall): boolean {
  let hasId = false;
  for (let at = ofOAuth; at < names.length; at++) {
    const name = names[at]!;
    if (name.startsWith('oauth_') || names.indexOf(name, at + 1) !== -1) return false;
    if (name === 'day_close_request_id') hasId = /^[A-Za-z0-9]{8,32}$/.test(values[at]!);
  }
  return hasId;
}

const ofOAuth = 5;

/** Headers are those of `finished`, of which only the length and the date change. */
function newWriter(): (body: string, now: number) => QuickAnswer {
  const headers = [...finished([], 0).headers.flat(), 'Date', ''];
  const lengthAt = headers.indexOf('Content-Length') + 1;
  let second = Number.NaN;
  return (body, now) => {
    headers[lengthAt] = String(Buffer.byteLength(body));
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      headers[headers.length - 1] = new Date(now).toUTCString();
    }
    return { headers, body };
  };
}

/** One write for head and body. */
export function writeQuick({ headers, body }: QuickAnswer, response: ServerResponse): void {
  response.writeHead(200, 'OK', headers as string[]).end(body);
}

/** A gate that is closing, or that one consumer alone may use. */
function isSpecial({ state, consumerKey }: MockGate): boolean {
  return state === 'closing' || consumerKey !== undefined;
}
