// Sends each answer two times.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    send(result(message));
    send(result(message));
  },
});
