// A client with its adapter that signs nothing. With MANY_FAULTS the adapter has many faults.
import { request } from 'node:http';
import { linesOf } from '../lines-of.mjs';

const faulty = process.env.MANY_FAULTS !== undefined;
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const offers = { max_in_flight: 2, cancel: true, tls: false };
const ready = { t: 'ready', protocol: 1, client: { name: 'client', language: 'node' }, offers };
const badReady = { ...ready, offers: { ...offers, inject: ['nonce'], stages: ['csv'], max_inflight: 2 } };

if (faulty) {
  send(badReady);
  console.log('starting up');
  setInterval(() => {}, 1000);
}
for await (const line of linesOf(process.stdin)) {
  const message = JSON.parse(line);
  if (message.t === 'hello' && !faulty) send(ready);
  if (message.t === 'ping' && !faulty) send({ t: 'pong', n: message.n });
  if (message.t === 'case') answer(message).then((result) => send({ t: 'result', id: message.id, ...result }));
}

async function answer({ op, base_url: base, endpoint_id: endpoint, input }) {
  const paths = {
    'close-day': '/api/v2/close-day/',
    'process-recurring-payments': '/api/v4/process-recurring-payments/',
  };
  if (paths[op] === undefined)
    return faulty ? { outcome: 'completed' } : { outcome: 'unsupported', reason: 'no such call' };
  const fields = Object.entries(input).filter(([, value]) => value !== '' || !faulty);
  const body =
    op === 'close-day' ? new URLSearchParams(fields) : new URLSearchParams({ payload: JSON.stringify(input) });
  try {
    const text = await post(`${base}${paths[op]}${endpoint}`, body.toString());
    if (faulty) return { outcome: 'completed', decodd: text };
    return { outcome: 'completed', decoded: text === '' ? { kind: 'accepted' } : { kind: 'finished' } };
  } catch (error) {
    return { outcome: faulty ? 'completed' : 'transport_error', reason: String(error) };
  }
}

function post(url, body) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', timeout: 3000 }, (response) => {
      response.toArray().then((chunks) => resolve(chunks.join('')), reject);
    });
    asked.on('error', reject).end(body);
  });
}
