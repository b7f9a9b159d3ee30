// Dies of one special case and of no other.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    if (message.endpoint_id === '666') process.kill(process.pid, 'SIGSEGV');
    else setTimeout(() => send(result(message)), 20);
  },
});
