// Takes four cases at once, and dies when it has more than one.
import { adapt, ready, result, send } from './skeleton.mjs';

let open = 0;
await adapt({
  hello: () => send({ ...ready, offers: { max_in_flight: 4 } }),
  case: (message) => {
    if (++open > 1) process.exit(9);
    setTimeout(() => {
      open--;
      send(result(message));
    }, 30);
  },
});
