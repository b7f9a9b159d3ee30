// Keeps the end of its answer in a buffer.
import { adapt } from './skeleton.mjs';

await adapt({
  ping: () => {},
  case: (message) => process.stdout.write(`{"t":"result","id":"${message.id}","outc`),
});
