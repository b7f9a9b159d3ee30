#!/usr/bin/env node
/** The command `countersign`: hands this process to a command line and takes its exit code. */
import { writeSync } from 'node:fs';
import { mayColour } from '../report/terminal.ts';
import { runCommandLine } from './command-line.ts';
import { interruption } from './interrupt.ts';

// A reader that has seen enough, such as `head`, closes the pipe: then there is no reader left.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    unwritable(error);
  });
}

/** A disk that is full, or whatever else standard output leads to: the output is lost, and that is not a success. */
function unwritable({ code }: NodeJS.ErrnoException): never {
  try {
    writeSync(
      2,
      `countersign: standard output or standard error cannot be written (${code}). Give it another place.\n`,
    );
  } finally {
    process.exit(3);
  }
}

let signal: AbortSignal | undefined;

const exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  colour: mayColour(process.stdout, process.env),
  interrupted: () => {
    signal ??= interruption();
    return signal;
  },
});

// What is still on its way to a pipe arrives first; a handle left open keeps nothing alive.
process.stdout.write('', (error) => {
  if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') unwritable(error);
  process.stderr.write('', () => process.exit(exitCode));
});
