// Answers one case and then none, each time that it is started.
import { adapt, result, send } from './skeleton.mjs';

let answered = false;
await adapt({
  case: (message) => {
    if (!answered) send(result(message));
    answered = true;
  },
});
