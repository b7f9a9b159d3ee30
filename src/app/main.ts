#!/usr/bin/env node
/** The entry point of `countersign`: runs the command line and sets the exit code. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { writeWholly } from '../record/disk/files.ts';

/** Twice the files that a process opens at once. With fewer, the engine gives only an unclear error. */
const filesAtOnce = 128;

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
  giveUp(`standard output cannot be written (${code}). Give it another place.`);
}

function giveUp(sentence: string): never {
  try {
    writeSync(2, `countersign: ${sentence}\n`);
  } finally {
    process.exit(3);
  }
}

// Files that this file imports are loaded before this check.
refuseFewFiles();
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

function refuseFewFiles(): void {
  const opened: number[] = [];
  try {
    while (opened.length < filesAtOnce) opened.push(openSync(devNull, 'r'));
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (!['EMFILE', 'ENFILE'].includes(code)) return;
    giveUp(`this process may open too few files (${code}). Raise their limit (ulimit -n) to 1024, and start again.`);
  } finally {
    for (const file of opened) closeSync(file);
  }
}
