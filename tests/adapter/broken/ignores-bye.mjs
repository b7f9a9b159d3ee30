// Stays when it is told to go, and when its input ends.
import { adapt } from './skeleton.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
await adapt({});
