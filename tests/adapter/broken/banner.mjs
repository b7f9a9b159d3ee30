// Started through a tool that says what it starts.
import { adapt } from './skeleton.mjs';

console.log('\n> client@1.0.0 adapter\n> node adapter.mjs\n');
await adapt({});
