// Leaves a child behind that keeps its pipes open.
import { spawn } from 'node:child_process';
import { adapt } from './skeleton.mjs';

spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', 'left-behind'], { stdio: 'inherit' }).unref();
await adapt({ case: () => process.exit(7) });
