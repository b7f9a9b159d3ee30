// Does one call, and reads the next one as a reason to end.
import { adapt, result, send } from './skeleton.mjs';

let calls = 0;
await adapt({ case: (message) => (calls++ === 0 ? send(result(message)) : process.exit(0)) });
