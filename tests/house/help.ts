/** The help of the commands, as a user reads it. */
import { runCommandLine } from '../../src/app/command-line.ts';

/** The meaning of the exit codes in a help, on one line; undefined where it has none. */
export function exitCodesIn(help: string): string | undefined {
  return /^Exit codes: ((?:.|\n)*?\.)$/m.exec(help)?.[1]?.replaceAll('\n', ' ');
}

/** What a command prints with --help on a terminal of 80 columns. */
export async function helpOf(...names: string[]): Promise<string> {
  let text = '';
  const print = (chunk: string) => {
    text += chunk;
  };
  const surroundings = { out: print, err: print, env: {}, width: 80, colour: false };
  await runCommandLine([...names, '--help'], { ...surroundings, interrupted: () => new AbortController().signal });
  return text;
}
