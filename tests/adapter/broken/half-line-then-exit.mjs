// Ends before the pipe has taken its answer.
import { adapt } from './skeleton.mjs';

await adapt({
  // A pong behind the half line would make it a whole one.
  ping: () => {},
  case: (message) => process.stdout.write(`{"t":"result","id":"${message.id}","outc`, () => process.exit(0)),
});
