/** The reference client as an adapter process: with the defects that its arguments name, over real sockets. It runs from dist/. */

import { clientDefects } from '../../dist/src/faults/client/index.js';
import { openHttpsSend } from '../../dist/src/peer/client/https-send.js';
import { newClient } from '../../dist/src/peer/client/index.js';
import { readPrivateKey } from '../../dist/src/protocol/index.js';
import { linesOf } from './lines-of.mjs';

const alterations = process.argv.slice(2).map((id) => clientDefects.find((defect) => defect.id === id).alteration);
const print = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const { LC_ALL, TZ } = process.env;
let https;

for await (const line of linesOf(process.stdin)) {
  const message = JSON.parse(line);
  if (message.t === 'hello') {
    https = openHttpsSend(message.ca_pem);
    print({
      t: 'ready',
      protocol: 1,
      adapter: { name: 'reference-adapter' },
      client: { name: 'reference client', language: 'javascript' },
      offers: {
        ops: ['close-day', 'process-recurring-payments'],
        signature_methods: ['HMAC-SHA1', 'RSA-SHA256'],
        stages: ['csv', 'payload', 'body', 'parameters', 'normalized', 'base_string', 'signature', 'authorization'],
        inject: ['timestamp', 'nonce'],
        max_in_flight: 4,
      },
    });
  }
  if (message.t === 'ping') print({ t: 'pong', n: message.n });
  if (message.t === 'case') call(message).then(print);
  if (message.t === 'bye') process.stdin.destroy();
}
https?.close();

async function call({ id, op, base_url, endpoint_id, auth, input, inject, deadline_ms }) {
  const client = newClient({
    baseUrl: base_url,
    endpointId: endpoint_id,
    credentials: {
      consumerKey: auth.consumer_key,
      key:
        auth.method === 'HMAC-SHA1'
          ? { method: auth.method, consumerSecret: auth.secret }
          : { method: auth.method, privateKey: readPrivateKey(auth.private_key_pem) },
    },
    send: https.send,
    clock: () => (inject?.timestamp === undefined ? Date.now() : Number(inject.timestamp) * 1000),
    nonce: () => inject?.nonce ?? Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2),
    deadlineMs: deadline_ms * 0.8,
    alterations,
    environment: { ...(LC_ALL === undefined ? {} : { LC_ALL }), ...(TZ === undefined ? {} : { TZ }) },
  });
  try {
    const { request: _, ...reply } = await (op === 'close-day'
      ? client.closeDay(input)
      : client.processRecurringPayments(input));
    return { t: 'result', id, ...reply };
  } catch (error) {
    return { t: 'result', id, outcome: 'adapter_error', message: String(error) };
  }
}
