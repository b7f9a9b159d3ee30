// Writes log messages without a text, or with one of another type.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    for (const odd of [{}, { text: { a: 1 } }, { text: null }, { text: 5 }]) send({ t: 'log', ...odd });
    send(result(message));
  },
});
