// Closes its output and lives on.
import { closeSync } from 'node:fs';
import { adapt } from './skeleton.mjs';

setInterval(() => {}, 1000);
await adapt({
  ping: () => {},
  case: () => closeSync(1),
});
