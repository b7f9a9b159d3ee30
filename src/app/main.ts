#!/usr/bin/env node
/** The entry point of `countersign`: runs the command line and sets the exit code. */
import { writeSync } from 'node:fs';
import { writeWholly } from '../record/disk/files.ts';

/** Set for commands that run until they are stopped. */
let signal: AbortSignal | undefined;

// A reader such as `head` may close the pipe. A normal command still ends with its exit code, but one that waits for a
// signal must stop.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && signal !== undefined) process.exit();
    if (error.code !== 'EPIPE' && stream === process.stdout) unwritable(error);
  });
}

writeWholly(process.stdout);

/** Lost standard output is an error. Standard error has no verdict, so losing it does not change the exit code. */
function unwritable({ code }: Pick<NodeJS.ErrnoException, 'code'>): never {
  try {
    writeSync(2, `countersign: standard output cannot be written (${code}). Redirect it elsewhere.\n`);
  } finally {
    process.exit(3);
  }
}

void start();

async function start(): Promise<void> {
  const [{ processSurroundings }, { runCommandLine }, { interruption }] = await Promise.all([
    import('./command.ts'),
    import('./command-line.ts'),
    import('./interrupt.ts'),
  ]);
  const exitCode = await runCommandLine(process.argv.slice(2), {
    ...processSurroundings(),
    interrupted: () => {
      signal ??= interruption();
      return signal;
    },
  });
  // Flush pending output first. Open handles do not keep the process alive.
  process.stdout.write('', (error?: NodeJS.ErrnoException | null) => {
    if (error && error.code !== 'EPIPE') unwritable(error);
    process.stderr.write('', () => process.exit(exitCode));
  });
}
