#!/usr/bin/env node
/** The command `countersign`: hands this process to a command line and takes its exit code. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { writeWholly } from '../record/disk/files.ts';

/** What a process of a run opens at once, doubled. With less the engine says only that it could not load some file of ours. */
const filesAtOnce = 128;

/** Of a command that goes on until somebody ends it. */
let signal: AbortSignal | undefined;

// A reader that has seen enough, such as `head`, closes the pipe: then there is no reader left. Only the end of the command tells
// the exit code, and what would wait for a signal has nobody left to send it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && signal !== undefined) process.exit();
    if (error.code !== 'EPIPE' && stream === process.stdout) unwritable(error);
  });
}

writeWholly(process.stdout);

/**
 * A disk that is full, or whatever else standard output leads to: the output is lost, and that is not a success. Standard error has
 * progress, remarks and the sentence behind an exit code, and no verdict: without it a command still ends as it would have.
 */
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

// What this file imports itself is loaded before it can say anything.
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
  // What is still on its way to a pipe arrives first; a handle left open keeps nothing alive.
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
