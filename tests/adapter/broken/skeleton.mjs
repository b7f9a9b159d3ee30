// What every broken adapter here has in common: it reads lines and answers them, until one of its own answers takes over.
import { linesOf } from '../lines-of.mjs';

export const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

export const ready = { t: 'ready', protocol: 1, client: { name: 'broken', language: 'node' }, offers: {} };

export const result = (message) => ({
  t: 'result',
  id: message.id,
  outcome: 'unsupported',
  reason: 'broken on purpose',
});

/** Answers hello, ping and case as an adapter has to; `odd` replaces the answer to a message by its `t`. */
export async function adapt(odd) {
  const answers = {
    hello: () => send(ready),
    ping: (message) => send({ t: 'pong', n: message.n }),
    case: (message) => send(result(message)),
    ...odd,
  };
  for await (const line of linesOf(process.stdin)) {
    const message = JSON.parse(line);
    await answers[message.t]?.(message);
  }
}
