// Answers two cases each time that it is started, then closes its input and lives on.
import { closeSync } from 'node:fs';
import { adapt, result, send } from './skeleton.mjs';

let answered = 0;
setInterval(() => {}, 1000);
await adapt({
  case: (message) => {
    answered += 1;
    // Before the answer: the next case finds it closed, however busy the machine is.
    if (answered === 2) closeSync(0);
    send(result(message));
  },
});
