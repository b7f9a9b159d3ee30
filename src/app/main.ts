#!/usr/bin/env node
/** The entry point of `countersign`: runs the command line and sets the exit code. */
import { writeSync } from 'node:fs';
import { writeWholly } from '../record/disk/files.ts';

/** Set if the command runs until a signal stops it. */
let signal: AbortSignal | undefined;

// A reader such as `head` may close the pipe. Only a command that waits for a signal must then stop.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && signal !== undefined) process.exit();
    if (error.code !== 'EPIPE' && stream === process.stdout) unwritable(error);
  });
}

writeWholly(process.stdout);

/** Losing standard output is an error, because it has the verdict. Losing standard error is none. */
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
