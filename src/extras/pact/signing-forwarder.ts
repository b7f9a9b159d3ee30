/** A proxy between the Pact verifier and the gateway. It signs requests, and converts permitted answers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeCloseDayResponse } from '../../protocol/close-day.ts';
import { decodeForm } from '../../protocol/form.ts';
import { signRequest } from '../../protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../protocol/oauth/signature.ts';
import type { Exchange, Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import { statusOf } from '../../rules/answers/close-day-body.ts';
import type { Fresh } from '../../run/gateway/build-request.ts';
import type { mockTarget, Target } from '../../run/target/target.ts';
import { openTransport, type Transport } from '../../run/transport/transport.ts';
import { unknownState } from './contracts.ts';
import {
  type Answered,
  isProviderState,
  needsOf,
  type ProviderState,
  statedCloseDay,
  statedLock,
  statedRecurring,
} from './provider-states.ts';

export interface SigningForwarder {
  readonly url: string;
  readonly statesUrl: string;
  /** For each state with an unsent request: the reason why the request was not sent. */
  readonly notSent: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export interface Way {
  readonly transport: Transport;
  pass?(
    request: SentRequest,
    purpose: { readonly what: string; readonly negative?: boolean; readonly atClosingGate?: boolean },
    send: (request: SentRequest) => Promise<Exchange>,
  ): Promise<Exchange | Unsent>;
}

const statesPath = '/provider-states';
const noState: ProviderState = 'gate open';

/** Opens a new target for each provider state, so that interactions do not affect each other. */
export async function openSigningForwarder(
  open: () => ReturnType<typeof mockTarget>,
  fresh: () => Fresh,
  way: Way = { transport: openTransport() },
): Promise<SigningForwarder> {
  const { transport } = way;
  const notSent = new Map<string, string>();
  let opened = await open();
  let state: ProviderState = noState;
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    if (request.url === statesPath) return enter(JSON.parse(body.toString('utf8')), response);
    const passage = { target: opened.target, way, state, fresh };
    const answer = await forward(request, body, passage).catch((cause: unknown) => {
      if (cause instanceof Error && cause.cause === notSentAtAll) notSent.set(state, cause.message);
      return undefined;
    });
    // If the gateway did not answer, close the connection, so that the verifier reports an error and no mismatch.
    if (answer === undefined) return void response.destroy();
    response.sendDate = false;
    response.writeHead(answer.status, answer.reason, without(hopByHop, answer.headers).flat());
    response.end(answer.body);
  }
  async function enter(change: { state?: unknown; action?: unknown }, response: ServerResponse): Promise<void> {
    // If an interaction has no state, the verifier sends an empty text.
    const wanted = change.state === '' ? noState : change.state;
    const known = isProviderState(wanted);
    state = noState;
    if (known && change.action === 'setup') {
      const left = opened;
      opened = await open();
      await left.close();
      state = wanted;
    }
    if (!known) notSent.set(String(change.state), unknownState(String(change.state)));
    response.writeHead(known ? 200 : 400, { 'Content-Length': '0' }).end();
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    statesUrl: url + statesPath,
    notSent,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await transport.close();
      await closed;
      await opened.close();
    },
  };
}

/** The cause of an error if the request was not sent: it is not allowed, or its provider state cannot be set. */
const notSentAtAll = Symbol('not sent');

interface Passage {
  readonly target: Target;
  readonly way: Way;
  readonly state: ProviderState;
  readonly fresh: () => Fresh;
}

/** Sends a request to the gateway. Returns the answer for the verifier, or undefined without an answer. */
async function forward(
  request: IncomingMessage,
  body: Buffer,
  passage: Passage,
): Promise<ReceivedResponse | undefined> {
  const { target, state } = passage;
  const id = /[^/]*$/.exec(request.url ?? '')![0];
  const situation = situations[id];
  const endpoint = situation === undefined ? id : target.endpoints[situation];
  if (endpoint === undefined)
    throw new Error(`the configuration has no endpoint for "${state}"`, { cause: notSentAtAll });
  const path = target.prefix + request.url!.replace(/[^/]*$/, endpoint);
  if (situation !== undefined) await target.arrange?.(situation);
  const { answer: scripted } = needsOf(state);
  if (scripted !== undefined) {
    if (target.setNextAnswer === undefined)
      throw new Error('the answers of this target cannot be scripted', { cause: notSentAtAll });
    await target.setNextAnswer(endpoint, scripted);
  }
  const exchange = await sendSigned(request, path, body, passage);
  if (!isAnswered(exchange)) return undefined;
  if (!path.includes('/close-day/')) return statedRecurring(exchange, state);
  const answer = statedCloseDay(exchange, state);
  if (state !== 'gate stays locked' || !isError(answer)) return answer;
  const free = path.replace(/[^/]*$/, target.endpoints.open ?? '');
  const ofFreeGate = await sendSigned(request, free, body, passage);
  const finished = isAnswered(ofFreeGate) && statusOf(ofFreeGate) === 'finished';
  return finished ? statedLock(statedCloseDay(ofFreeGate, state)) : answer;
}

/** The endpoint ids of the Pact files, each with the state of its gate. */
const situations: Readonly<Record<string, keyof Target['endpoints']>> = {
  1111: 'open',
  1112: 'closing',
  1113: 'locked',
  1114: 'several-gates',
};

async function sendSigned(
  request: IncomingMessage,
  path: string,
  body: Buffer,
  { target, way, state, fresh }: Passage,
): Promise<Exchange> {
  const { keys, refused } = needsOf(state);
  const pass = async (sent: SentRequest) => {
    const send = (one: SentRequest) => way.transport.send(one);
    if (way.pass === undefined) return send(sent);
    const about = {
      what: `contract: ${state}`,
      atClosingGate: state === 'gate closing',
      negative: refused !== undefined,
    };
    const passed = await way.pass(sent, about, send);
    if (isUnsent(passed)) throw new Error(passed.reason, { cause: notSentAtAll });
    return passed;
  };
  const place = { method: request.method ?? '', scheme: target.scheme, host: target.host, target: path };
  const { consumerKey } = target.credentials;
  const headers = without(replaced, pairs(request.rawHeaders));
  if (keys === 'none') return pass({ ...place, headers, body });
  const signed = { ...place, body: decodeForm(body) };
  const { authorization } = signRequest(signed, { consumerKey, key: key(path, keys, target) }, fresh());
  return pass({ ...place, headers: [['Authorization', authorization], ...headers], body });
}

function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.response !== undefined;
}

function isError(response: ReceivedResponse): boolean {
  try {
    return decodeCloseDayResponse(response).kind === 'error';
  } catch {
    return false;
  }
}

function without(names: readonly string[], headers: readonly Header[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

const hopByHop = ['connection', 'keep-alive'];
const replaced = [...hopByHop, 'authorization', 'host', 'content-length'];

/** The signing key for the operation in the path. No gateway knows the `wrong` keys. */
function key(path: string, keys: 'right' | 'wrong', target: Target): SigningKey {
  const other = { consumerSecret: target.otherSecret, privateKey: target.otherPrivateKey };
  const { consumerSecret, privateKey } = keys === 'right' ? target.credentials : other;
  return path.includes('/close-day/') ? { method: 'HMAC-SHA1', consumerSecret } : { method: 'RSA-SHA256', privateKey };
}

function pairs(raw: readonly string[]): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!] as const);
}
