// Starts a process in a session of its own, which lives on in no group of the adapter.
import { spawn } from 'node:child_process';
import { adapt } from './skeleton.mjs';

spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', 'stray'], { stdio: 'ignore', detached: true }).unref();
await adapt({});
