// Writes UTF-16, as a shell does that takes over what it starts.
import { adapt, ready } from './skeleton.mjs';

await adapt({ hello: () => process.stdout.write(`${JSON.stringify(ready)}\n`, 'utf16le') });
