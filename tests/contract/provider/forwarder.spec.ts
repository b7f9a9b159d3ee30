/** The forwarder between the Pact verifier and the gateway: it signs, and that is all. */
import { createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSigningForwarder, type SigningForwarder } from '../../../src/extras/pact/signing-forwarder.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { verifyRequest } from '../../../src/protocol/oauth/verify-request.ts';
import { headerValues, type SentRequest } from '../../../src/record/exchange.ts';
import { publishedCredentials } from '../../../src/run/target/published.ts';
import type { Target } from '../../../src/run/target/target.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';

const body = 'payload=YWI%2BCg%3D%3D&x=%31+2';
const closeDayPath = '/api/v2/close-day/1111';
const recurringPath = '/api/v4/process-recurring-payments/1111';

test('the body arrives byte for byte, with the header lines of the sender', async () => {
  await withForwarder(async ({ send, seen }) => {
    await send(recurringPath, [['X-Trace', 'a, b']]);
    expect(seen[0]?.target).toBe(`/paynet${recurringPath}`);
    expect(Buffer.from(seen[0]!.body).toString('utf8')).toBe(body);
    expect(headerValues(seen[0]!.headers, 'x-trace')).toEqual(['a, b']);
    expect(headerValues(seen[0]!.headers, 'content-type')).toEqual(['application/x-www-form-urlencoded']);
  });
});

for (const path of [closeDayPath, recurringPath]) {
  test(`${path} gets a signature of its operation over the place where it goes`, async () => {
    await withForwarder(async ({ send, seen }) => {
      await send(path, [['Authorization', 'OAuth oauth_signature="of the example"']]);
      expect(verified(seen[0]!)).toBe(true);
    });
  });

  test(`${path} is signed wrongly while the state is bad signature, and rightly after it`, async () => {
    await withForwarder(async ({ send, seen, set }) => {
      expect(await set('bad signature', 'setup')).toBe(200);
      await send(path);
      expect(await set('bad signature', 'teardown')).toBe(200);
      await send(path);
      expect(seen.map(verified)).toEqual([false, true]);
    });
  });
}

test('an unknown state is refused', async () => {
  await withForwarder(async ({ set }) => {
    expect(await set('gate on fire', 'setup')).toBe(400);
    expect(await set('toString', 'setup')).toBe(400);
  });
});

test('the answer goes back as received, but for what belongs to a connection', async () => {
  await withForwarder(async ({ send }) => {
    const { response } = await send(closeDayPath);
    expect(response?.status).toBe(299);
    expect(response?.reason).toBe('Odd');
    expect(headerValues(response!.headers, 'x-twice')).toEqual(['1', '2']);
    expect(headerValues(response!.headers, 'content-length')).toEqual([]);
    expect(headerValues(response!.headers, 'transfer-encoding')).toEqual(['chunked']);
    expect(Buffer.from(response!.body).toString('utf8')).toBe('answer');
  });
});

test('where the gateway does not answer, the connection ends without an answer', async () => {
  await withForwarder(async ({ send }) => {
    expect((await send('/api/v2/close-day/gone')).failure?.kind).toBe('reset');
  });
});

interface Surroundings {
  send(path: string, headers?: SentRequest['headers']): ReturnType<ReturnType<typeof openTransport>['send']>;
  /** The HTTP status of the state change. */
  set(state: string, action: 'setup' | 'teardown'): Promise<number | undefined>;
  readonly seen: readonly SentRequest[];
}

/** A forwarder before a gateway that keeps what it gets, and answers the path `gone` by leaving. */
async function withForwarder(use: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const seen: SentRequest[] = [];
  const gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url?.endsWith('/gone')) {
      response.destroy();
      return;
    }
    const headers = request.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : []));
    const line = {
      method: request.method!,
      scheme: 'http',
      host: request.headers.host!,
      target: request.url!,
    } as const;
    seen.push({ ...line, headers, body: Buffer.concat(chunks) });
    response.writeHead(299, 'Odd', ['X-Twice', '1', 'X-Twice', '2']);
    response.end('answer');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const place = { kind: 'mock', scheme: 'http', host, prefix: '/paynet' } as const;
  const target: Target = { ...place, ...publishedCredentials(), endpoints: { open: '1111' }, gates: {} };
  let nonce = 0;
  const forwarder = await openSigningForwarder(
    async () => ({ target, close: async () => {} }),
    () => ({ timestamp: '1800000000', nonce: `nonce${++nonce}` }),
  );
  const transport = openTransport();
  try {
    await use({
      seen,
      send: (path, headers = []) => transport.send(post(forwarder, path, body, headers)),
      set: async (state, action) => {
        const text = JSON.stringify({ state, action, params: {} });
        return (await transport.send(post(forwarder, '/provider-states', text, []))).response?.status;
      },
    });
  } finally {
    await transport.close();
    await forwarder.close();
    await new Promise((resolve) => gateway.close(resolve));
  }
}

function post({ url }: SigningForwarder, path: string, text: string, headers: SentRequest['headers']): SentRequest {
  return {
    method: 'POST',
    scheme: 'http',
    host: new URL(url).host,
    target: path,
    headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...headers],
    body: Buffer.from(text, 'utf8'),
  };
}

function verified(request: SentRequest): boolean {
  const { consumerKey, consumerSecret } = publishedIdentity;
  const publicKey = publishedCredentials().credentials.publicKeyPem;
  const rsa = { method: 'RSA-SHA256', publicKey: createPublicKey(publicKey) } as const;
  const keys = [{ method: 'HMAC-SHA1', consumerSecret }, rsa] as const;
  return verifyRequest(request, (key) => (key === consumerKey ? keys : undefined)).ok;
}
