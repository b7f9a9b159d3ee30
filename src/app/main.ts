#!/usr/bin/env node
/** The entry point of `countersign`: runs the command line and sets the exit code. */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { ensureFullWrites } from '../record/disk/files.ts';
import { endingSignals } from '../record/disk/processes.ts';

/** Set if the command runs until a signal stops it. */
let signal: AbortSignal | undefined;

// A reader such as `head` may close the pipe. Then end a command that would run until a signal.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && signal !== undefined) process.exit();
    if (error.code !== 'EPIPE' && stream === process.stdout) exitUnwritable(error);
  });
}

ensureFullWrites(process.stdout);

/** Exits with code 3, because the user cannot read the verdict. Also exits if the message cannot be written. */
function exitUnwritable({ code }: Pick<NodeJS.ErrnoException, 'code'>): never {
  try {
    writeSync(2, `countersign: standard output cannot be written (${code}). Redirect it elsewhere.\n`);
  } finally {
    process.exit(3);
  }
}

void start();

async function start(): Promise<void> {
  const [{ processSurroundings }, { runCommandLine }] = await Promise.all([
    import('./command.ts'),
    import('./command-line.ts'),
  ]);
  const exitCode = await runCommandLine(process.argv.slice(2), {
    ...processSurroundings(),
    abortSignal: () => {
      signal ??= abortOnSignal();
      return signal;
    },
  });
  // Exit only after pending output is written. Exit even if a handle is still open.
  process.stdout.write('', (error?: NodeJS.ErrnoException | null) => {
    if (error && error.code !== 'EPIPE') exitUnwritable(error);
    process.stderr.write('', () => process.exit(exitCode));
  });
}

/** Aborts on the first signal, such as SIGINT. On a second signal, exits with code 128 plus the signal number. */
function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of endingSignals) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort();
    });
  }
  return controller.signal;
}
