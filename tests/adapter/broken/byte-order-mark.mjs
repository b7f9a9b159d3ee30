// Starts its output with a byte-order mark, as some runtimes do.
import { adapt, ready, send } from './skeleton.mjs';

await adapt({
  hello: () => {
    process.stdout.write('\ufeff');
    send(ready);
  },
});
