// A correct adapter without a client: it reports each case as it arrived.
import { linesOf } from '../lines-of.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
for await (const line of linesOf(process.stdin)) {
  const message = JSON.parse(line);
  if (message.t === 'hello') {
    send({
      t: 'ready',
      protocol: 1,
      adapter: { name: 'echo' },
      client: { name: 'nobody', language: 'node' },
      offers: { max_in_flight: 4 },
    });
  }
  if (message.t === 'ping') send({ t: 'pong', n: message.n });
  if (message.t === 'case')
    send({ t: 'result', id: message.id, outcome: 'unsupported', reason: JSON.stringify(message) });
}
