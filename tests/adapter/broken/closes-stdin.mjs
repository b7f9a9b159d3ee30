// Answers two cases each time that it is started, then closes its input and lives on.
import { closeSync } from 'node:fs';
import { adapt, result, send } from './skeleton.mjs';

let answered = 0;
setInterval(() => {}, 1000);
await adapt({
  case: (message) => {
    send(result(message));
    answered += 1;
    if (answered === 2) closeSync(0);
  },
});
