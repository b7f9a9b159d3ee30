// Is introduced, and loops for ever over its case.
import { adapt } from './skeleton.mjs';

await adapt({
  case: () => {
    for (;;);
  },
});
