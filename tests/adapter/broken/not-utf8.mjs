// Writes its answer in Latin-1.
import { adapt } from './skeleton.mjs';

await adapt({
  case: (message) =>
    process.stdout.write(
      Buffer.from(`{"t":"result","id":"${message.id}","outcome":"unsupported","reason":"não"}\n`, 'latin1'),
    ),
});
