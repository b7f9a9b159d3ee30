// Ends before the pipe has taken its answer.
import { adapt } from './skeleton.mjs';

await adapt({
  case: (message) => process.stdout.write(`{"t":"result","id":"${message.id}","outc`, () => process.exit(0)),
});
