// Writes messages of the protocol that are not waited for, and no answer: pongs, logs, and results of another case.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: () => {
    for (let n = 0; n < 3000; n++) {
      send({ t: 'pong', n: 77 });
      send({ t: 'log', text: 'still here' });
      send(result({ id: 'another' }));
    }
  },
});
