/** Reads the help of commands. */
import { run } from '../unit/app/run-command.ts';

/** The meaning of the exit codes in a help text, on one line. */
export function exitCodesIn(help: string): string | undefined {
  return /^Exit codes: ((?:.|\n)*?\.)$/m.exec(help)?.[1]?.replaceAll('\n', ' ');
}

/** The text of --help on a terminal of 80 columns. */
export async function helpOf(...names: string[]): Promise<string> {
  return (await run([...names, '--help'], {}, { width: 80 })).out;
}
