// Answers two cases and exits with the third one in hand, each time that it is started.
import { adapt, result, send } from './skeleton.mjs';

let answered = 0;
await adapt({
  case: (message) => {
    if (answered === 2) process.exit(1);
    answered += 1;
    send(result(message));
  },
});
