// Writes what its language prints for an object.
import { adapt } from './skeleton.mjs';

await adapt({
  case: (message) => console.log(`{"t": "result", "id": "${message.id}", "outcome": "completed", "took": NaN}`),
});
