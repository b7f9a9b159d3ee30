/** Stands between the Pact verifier and the gateway: sets provider states and signs. Apart from Authorization it changes nothing. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Header } from '../../exchange/exchange.ts';
import { decodeForm } from '../../protocol/form.ts';
import { signRequest } from '../../protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../protocol/oauth/signature.ts';
import type { Fresh } from '../build-request.ts';
import type { Target } from '../target.ts';
import { openTransport, type Transport } from '../transport.ts';
import { isProviderState, providerStates } from './provider-state.ts';

export interface SigningForwarder {
  readonly url: string;
  /** Takes `{ state, action: 'setup' | 'teardown' }`. */
  readonly statesUrl: string;
  close(): Promise<void>;
}

const statesPath = '/provider-states';
/** Greatest request that is read; what comes are the examples of the Pact files. */
const maxBodyBytes = 1024 * 1024;

/** Listens on a free port of 127.0.0.1 and passes requests on to the target. */
export async function openSigningForwarder(target: Target, fresh: () => Fresh): Promise<SigningForwarder> {
  const transport = openTransport();
  let keys: 'right' | 'wrong' = 'right';
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (request.url !== statesPath)
      return forward(request, body, response, { target, transport, keys, fresh: fresh() });
    const { state, action } = JSON.parse(body.toString('utf8'));
    const known = isProviderState(state);
    keys = known && action === 'setup' ? providerStates[state] : 'right';
    response.writeHead(known ? 200 : 400, { 'Content-Length': '0' }).end();
  }
  await listen(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    statesUrl: url + statesPath,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await transport.close();
      await closed;
    },
  };
}

interface Passage {
  readonly target: Target;
  readonly transport: Transport;
  readonly keys: 'right' | 'wrong';
  readonly fresh: Fresh;
}

async function forward(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  { target, transport, keys, fresh }: Passage,
): Promise<void> {
  const path = target.prefix + request.url;
  const place = { method: request.method ?? '', scheme: target.scheme, host: target.host, target: path };
  const { consumerKey } = target.credentials;
  const form = decodeForm(body);
  const { authorization } = signRequest({ ...place, body: form }, { consumerKey, key: key(path, keys, target) }, fresh);
  const headers = pairs(request.rawHeaders).filter(([name]) => !replaced.includes(name.toLowerCase()));
  const exchange = await transport.send({ ...place, headers: [['Authorization', authorization], ...headers], body });
  // Where the gateway leaves without an answer, so do we: the verifier then names it an error, not a mismatch.
  if (exchange.response === undefined) return void response.destroy();
  const { status, reason, headers: answered, body: bytes } = exchange.response;
  response.sendDate = false;
  response.writeHead(status, reason, answered.filter(([name]) => !hopByHop.includes(name.toLowerCase())).flat());
  response.end(bytes);
}

const hopByHop = ['connection', 'keep-alive'];
/** Written anew for the connection to the gateway. */
const replaced = [...hopByHop, 'authorization', 'host', 'content-length'];

/** The key of the operation that the path names; of keys that no gateway knows where they are to be wrong. */
function key(path: string, keys: 'right' | 'wrong', target: Target): SigningKey {
  if (path.includes('/close-day/')) {
    const consumerSecret = keys === 'right' ? target.credentials.consumerSecret : target.otherSecret;
    return { method: 'HMAC-SHA1', consumerSecret };
  }
  return {
    method: 'RSA-SHA256',
    privateKey: keys === 'right' ? target.credentials.privateKey : target.otherPrivateKey,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new RangeError('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pairs(raw: readonly string[]): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!] as const);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}
