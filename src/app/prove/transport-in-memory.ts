/** The way to a mock that is in this process, without a socket: what is sent is what arrives. */

import {
  type Alteration,
  dated,
  joinAlterations,
  type Reply,
  respond,
  settingsWith,
  type World,
} from '../../mock/index.ts';
import type { Received } from '../../mock/received.ts';
import type { Framing } from '../../plan/scenario.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { frameRequest } from '../../run/transport/framed.ts';
import type { Transport } from '../../run/transport/transport.ts';

/** The cause of an error where an exchange needs a socket: what HTTP libraries and node make of it is part of what is shown. */
export const needsSocket = Symbol('needs a socket');

interface Way {
  /** The moment of every exchange, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Whether an exchange that a socket could change is an error, with `needsSocket` as its cause. */
  readonly strict?: boolean;
}

export function transportTo(world: World, alterations: readonly Alteration[], { at, strict = false }: Way): Transport {
  const altered = joinAlterations(alterations);
  const settings = { ...settingsWith(alterations), prefix: '' };
  let sent = 0;
  const exchange = (received: Received): Exchange => {
    const reply = respond(received, world, settings, at, altered);
    if (strict && !arrivesAsItIs(reply)) throw new Error(received.target, { cause: needsSocket });
    const { status, reason, headers, body } = reply;
    const { arrival: _, ...request } = received;
    sent += 1;
    return {
      request,
      response: { status, reason, headers: dated(headers, at), body },
      startedAt: at + sent,
      durationMs: 1,
    };
  };
  const ordinary = { connection: {}, httpVersion: '1.1', isAbsolute: false };
  return {
    async send(request) {
      if (strict && !arrivesUnchanged(request)) throw new Error(request.target, { cause: needsSocket });
      return exchange({ ...asReceived(request), arrival: ordinary });
    },
    async sendFramed(request, framing): Promise<Exchange> {
      if (readAlike.includes(framing)) {
        const framed = frameRequest(request, framing).request;
        const httpVersion = framing === 'http-1.0' ? '1.0' : '1.1';
        const arrival = { connection: {}, httpVersion, isAbsolute: framing === 'absolute-form' };
        return { ...exchange({ ...framed, target: request.target, arrival }), request: framed };
      }
      sent += 1;
      const failure = { kind: 'timeout', message: 'framing is not sent in memory' } as const;
      return { request, failure, startedAt: at + sent, durationMs: 1 };
    },
    close: async () => {},
  };
}

/** What every server reads alike. What other framing shows is observed alone, and every answer to it is like one to the case beside it. */
const readAlike: readonly Framing[] = ['absolute-form', 'chunked', 'http-1.0', 'own-connection'];

function asReceived(request: SentRequest): SentRequest {
  const given = request.headers.filter(([name]) => name.toLowerCase() !== 'host');
  return { ...request, headers: [['host', request.host], ...given, ['content-length', String(request.body.length)]] };
}

/** Longer heads are refused on the way, by the mock with 16 KiB. */
const longestHead = 8 * 1024;

function arrivesUnchanged({ method, headers }: SentRequest): boolean {
  return /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method) && areOrdinary(headers);
}

/** One Content-Length, which is right, and nothing that ends or delays the connection. */
function arrivesAsItIs({ status, reason, headers, body, delayMs, cutAfter }: Reply): boolean {
  const framing = headers.filter(([name]) => /^(content-length|transfer-encoding|trailer|upgrade)$/i.test(name));
  return (
    status >= 200 &&
    status !== 204 &&
    status !== 304 &&
    delayMs === undefined &&
    cutAfter === undefined &&
    framing.length === 1 &&
    framing[0]![1] === String(body.length) &&
    body.length < 2 ** 20 &&
    areOrdinary([['reason', reason], ...headers])
  );
}

/** Lines of ASCII without control characters other than the tab, and without blanks at their ends, which readers take away. */
function areOrdinary(headers: readonly Header[]): boolean {
  const length = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return (
    length < longestHead &&
    headers.every(
      ([name, value]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^([!-~]([\t -~]*[!-~])?)?$/.test(value),
    )
  );
}
