// Takes two cases at once and gives both results the same number as their id.
import { adapt, ready, result, send } from './skeleton.mjs';

const open = [];
await adapt({
  hello: () => send({ ...ready, offers: { max_in_flight: 2 } }),
  case: (message) => {
    open.push(message);
    if (open.length === 2) send({ ...result(message), id: 5 });
  },
});
