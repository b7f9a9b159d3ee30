/** A command line run inside the test, with everything it writes kept apart. */
import type { ExitCode, Surroundings } from '../../../src/app/command.ts';
import { runCommandLine } from '../../../src/app/command-line.ts';

export interface Captured {
  readonly exitCode: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** Joins the lines of each message, so that a test does not depend on where they are broken. */
export function unfolded(err: string): string {
  return err.replace(/^countersign: .*(?:\n {2}.*)*/gm, (message) =>
    message.replace(/(?: \\)?\n {2,}/g, ' ').replaceAll('`', ''),
  );
}

/** Runs it to its end. */
export async function run(
  args: readonly string[],
  env: Record<string, string> = {},
  atTerminal: Partial<Pick<Surroundings, 'errWidth' | 'width'>> = {},
): Promise<Captured> {
  const started = startLine(args, env, atTerminal);
  return started.ended;
}

export interface Started {
  readonly ended: Promise<Captured>;
  /** What is in `out` (or `err`) once it matches; fails when the command ends before that. */
  until(stream: 'out' | 'err', pattern: RegExp): Promise<RegExpExecArray>;
  /** As SIGINT would. */
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
  let changed = (): void => {};
  const write = (stream: 'out' | 'err') => (more: string) => {
    text[stream] += more;
    changed();
  };
  let over = false;
  const ended = runCommandLine(args, {
    out: write('out'),
    err: write('err'),
    // Nothing of the person who runs the tests, whose ledgers stay what they are.
    env: { XDG_STATE_HOME: process.env.XDG_STATE_HOME, ...env },
    width: undefined,
    colour: false,
    ...atTerminal,
    interrupted: () => stop.signal,
  }).then((exitCode) => {
    over = true;
    changed();
    return { exitCode, ...text, err: unfolded(text.err) };
  });
  return {
    ended,
    until: async (stream, pattern) => {
      for (;;) {
        const match = pattern.exec(unfolded(text[stream]));
        if (match) return match;
        if (over) throw new Error(`ended without ${pattern} on ${stream}: ${JSON.stringify(text)}`);
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    },
    interrupt: () => stop.abort(),
  };
}
