// Ends on whatever it is asked.
import { adapt } from './skeleton.mjs';

await adapt({
  case: () => {
    console.error('TypeError: undefined is not a function');
    process.exit(1);
  },
});
