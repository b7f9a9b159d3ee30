// A slow client: it sends progress every 200 ms, as often as the endpoint id says, and reads cancel.
import { setTimeout as pause } from 'node:timers/promises';
import { linesOf } from '../lines-of.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
for await (const line of linesOf(process.stdin)) {
  const message = JSON.parse(line);
  if (message.t === 'hello') send({ t: 'ready', protocol: 1, client: { name: 'slow' }, offers: { cancel: true } });
  if (message.t === 'cancel') send({ t: 'log', text: 'cancelled' });
  if (message.t === 'case') work(message);
}

async function work({ id, endpoint_id: times }) {
  for (let i = 0; i < Number(times); i++) {
    await pause(200);
    send({ t: 'progress', id });
  }
  await pause(200);
  send({ t: 'result', id, outcome: 'unsupported' });
}
