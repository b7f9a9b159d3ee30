#!/usr/bin/env node
/** The entry point of `countersign`: runs the command line and sets the exit code. */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { writeWholly } from '../record/disk/files.ts';
import { endingSignals } from '../record/disk/processes.ts';

/** Set if the command runs until a signal stops it. */
let signal: AbortSignal | undefined;

// A reader such as `head` may close the pipe. Then end a command that waits for a signal.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && signal !== undefined) process.exit();
    if (error.code !== 'EPIPE' && stream === process.stdout) unwritable(error);
  });
}

writeWholly(process.stdout);

/** Ends with code 3, because the verdict on standard output is lost. Ignores a lost message on standard error. */
function unwritable({ code }: Pick<NodeJS.ErrnoException, 'code'>): never {
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
    interrupted: () => {
      signal ??= interruption();
      return signal;
    },
  });
  // Exit only after pending output is written. Exit even if a handle is still open.
  process.stdout.write('', (error?: NodeJS.ErrnoException | null) => {
    if (error && error.code !== 'EPIPE') unwritable(error);
    process.stderr.write('', () => process.exit(exitCode));
  });
}

/** Aborts at the first signal, such as SIGINT. A second signal ends the process with 128 plus its number. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of endingSignals) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort();
    });
  }
  return controller.signal;
}
