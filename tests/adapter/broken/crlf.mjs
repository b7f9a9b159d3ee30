// Ends its lines as Windows does.
import { adapt, ready, result } from './skeleton.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\r\n`);
await adapt({ hello: () => send(ready), case: (message) => send(result(message)) });
