// Writes lines of a log without end once it is asked something.
import { adapt } from './skeleton.mjs';

const flood = () => {
  while (process.stdout.write('debug: entering loop\n'.repeat(100)));
  process.stdout.once('drain', flood);
};
await adapt({ case: flood });
