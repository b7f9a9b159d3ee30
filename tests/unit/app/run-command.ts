/** Runs a command line inside the test, and captures its output. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitCode, Surroundings } from '../../../src/app/command.ts';
import { runCommandLine } from '../../../src/app/command-line.ts';
import { expect, test } from '../../engine.ts';

export interface Captured {
  readonly exitCode: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** Joins the lines of each message, so that a test does not depend on wrapping. */
export function unfold(err: string): string {
  return err.replace(/^countersign: .*(?:\n {2}.*)*/gm, (message) =>
    message.replace(/(?: \\)?\n {2,}/g, ' ').replaceAll('`', ''),
  );
}

/** The path of a file in the folder of the test. */
export const here = (...names: readonly string[]) => test.info().outputPath(...names);

/** Creates a folder in the folder of the test, and returns its path. */
export function folderAt(...names: readonly string[]): string {
  mkdirSync(here(...names), { recursive: true });
  return here(...names);
}

/** The report in the folder of a run. */
export const reportIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));

/** Expects wrong use: exit code 2, no output, and a message that has each text and matches each pattern. */
export async function refuses(args: readonly string[], ...messages: readonly (string | RegExp)[]): Promise<void> {
  const { exitCode, out, err } = await run(args);
  expect([exitCode, out], args.join(' ')).toEqual([2, '']);
  for (const one of messages) expect(err).toMatch(one);
}

/** A message of one line after `unfold`. */
export const oneLine = /^countersign: [^\n]+\n$/;

/** Runs a command to its end. */
export function run(...command: Parameters<typeof startLine>): Promise<Captured> {
  return startLine(...command).ended;
}

export interface Started {
  readonly ended: Promise<Captured>;
  /** Waits until the output matches. Rejects if the command ends before that. */
  until(stream: 'out' | 'err', pattern: RegExp): Promise<RegExpExecArray>;
  /** Does what SIGINT does. */
  interrupt(): void;
}

/** Starts a command that runs until it is interrupted. */
export function startLine(
  args: readonly string[],
  env: Record<string, string> = {},
  atTerminal: Partial<Pick<Surroundings, 'errWidth' | 'width'>> = {},
): Started {
  const text = { out: '', err: '' };
  const stop = new AbortController();
  let notify = (): void => {};
  const write = (stream: 'out' | 'err') => (more: string) => {
    text[stream] += more;
    notify();
  };
  let hasEnded = false;
  const ended = runCommandLine(args, {
    out: write('out'),
    err: write('err'),
    // Do not pass the environment of the user: the tests must not use the ledgers of the user.
    env: { XDG_STATE_HOME: process.env.XDG_STATE_HOME, ...env },
    width: undefined,
    colour: false,
    ...atTerminal,
    abortSignal: () => stop.signal,
  }).then((exitCode) => {
    hasEnded = true;
    notify();
    return { exitCode, ...text, err: unfold(text.err) };
  });
  return {
    ended,
    until: async (stream, pattern) => {
      for (;;) {
        const match = pattern.exec(unfold(text[stream]));
        if (match) return match;
        if (hasEnded) throw new Error(`ended without ${pattern} on ${stream}: ${JSON.stringify(text)}`);
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
    interrupt: () => stop.abort(),
  };
}
