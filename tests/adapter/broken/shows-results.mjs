// Shows each result to whoever debugs it before it sends it.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    console.log(JSON.stringify(result(message), null, 2));
    setTimeout(send, 100, result(message));
  },
});
