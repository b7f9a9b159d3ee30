/** A session with the reference client, without a process and without sockets. */
import { randomBytes } from 'node:crypto';
import { operationNames } from '../../../contracts/operations.ts';
import { readPrivateKey, type SigningKey } from '../../protocol/index.ts';
import type { ClientReply } from '../../record/case.ts';
import type { ClientSession, Introduction, SessionCase, SessionReply } from '../adapter/messages.ts';
import type { LocalGateway } from '../local-gateway/local-gateway.ts';
import { type ClientAlteration, newClient, stageNames } from './client.ts';

interface InProcessOptions {
  readonly gateway: Pick<LocalGateway, 'handle'>;
  /** Defects, applied in order. */
  readonly alterations?: readonly ClientAlteration[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch; default: the clock of the machine. */
  readonly clock?: () => number;
  /** Random by default. */
  readonly nonce?: (call: SessionCase) => string;
  /** Signatures of earlier sessions, reused for the same texts. */
  readonly made?: Map<string, string>;
}

export function openInProcessSession(options: InProcessOptions): ClientSession {
  const keyOf = keyCache(options.made);
  return {
    introduction,
    perform: async (call) => {
      try {
        return { reply: await perform(call, keyOf(call.auth), options) };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { reply: { outcome: 'adapter_error', reason } } satisfies SessionReply;
      }
    },
    takeNotes: () => [],
    close: () => Promise.resolve(),
  };
}

const introduction: Introduction = {
  adapter: { name: 'in-process' },
  client: {
    name: 'Countersign reference client',
    language: 'TypeScript',
    languageVersion: process.versions.node,
  },
  offers: {
    ops: operationNames,
    signatureMethods: ['HMAC-SHA1', 'RSA-SHA256'],
    stages: stageNames,
    inject: ['timestamp', 'nonce'],
    maxInFlight: 16,
    tls: true,
  },
};

async function perform(call: SessionCase, key: SigningKey, options: InProcessOptions): Promise<ClientReply> {
  const { clock = Date.now, nonce = () => randomBytes(16).toString('hex'), environment, alterations } = options;
  const { timestamp, nonce: givenNonce } = call.inject ?? {};
  const client = newClient({
    baseUrl: call.baseUrl,
    endpointId: call.endpointId,
    credentials: { consumerKey: call.auth.consumerKey, key },
    send: (request, connection) => options.gateway.handle(request, connection),
    clock: timestamp === undefined ? clock : () => Number(timestamp) * 1000,
    nonce: () => givenNonce ?? nonce(call),
    // Below the case's deadline, so that the client can report its own timeout.
    deadlineMs: call.deadlineMs * 0.8,
    alterations,
    environment: { ...environment, ...call.environment },
  });
  const { request: _, ...reply } = await client.call(call.operation, call.input);
  return reply;
}

/** Parsing a private key takes longer than signing with it. */
function keyCache(made: Map<string, string> | undefined): (auth: SessionCase['auth']) => SigningKey {
  const parsed = new Map<string, SigningKey>();
  return (auth) => {
    const text = auth.method === 'HMAC-SHA1' ? auth.secret : auth.privateKeyPem;
    const known = parsed.get(`${auth.method} ${text}`);
    if (known !== undefined) return known;
    const key: SigningKey =
      auth.method === 'HMAC-SHA1'
        ? { method: auth.method, consumerSecret: auth.secret }
        : { method: auth.method, privateKey: readPrivateKey(auth.privateKeyPem), ...(made && { made }) };
    parsed.set(`${auth.method} ${text}`, key);
    return key;
  };
}
