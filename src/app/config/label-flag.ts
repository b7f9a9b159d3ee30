/** `--label NAME=VALUE`: what the run is called by in every report. */
import { UsageError } from '../usage-error.ts';
import { shellWord } from './run-flags.ts';

/** Labels of one run; a report shows all of them in its head. */
const most = 20;

/** Without blanks and quotes: the command that repeats the run has them on one line. */
const [name, value] = [/^[A-Za-z][\w.-]{0,39}$/, /^[\p{L}\p{N}._+:/@#,()-]{1,80}$/u];

/** The labels by name, if each is one and none is there twice; undefined where none was given. Throws UsageError. */
export function checkedLabels(given: readonly string[] = []): Readonly<Record<string, string>> | undefined {
  if (given.length === 0) return undefined;
  if (given.length > most) throw refused(`a run has ${most} labels at most, and ${given.length} were given`);
  const labels = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const [before, after] = at === -1 ? ['', ''] : [text.slice(0, at), text.slice(at + 1)];
    if (!name.test(before) || !value.test(after)) {
      throw refused(`--label ${text.slice(0, 60)} is not NAME=VALUE as in gateway=4.12.0`);
    }
    if (labels.has(before)) throw refused(`--label ${before} was given twice`);
    labels.set(before, after);
  }
  return Object.fromEntries(labels);
}

/** As they are given to a command again. */
export function labelFlags(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).map(([label, text]) => `--label ${shellWord(`${label}=${text}`)}`);
}

function refused(message: string): UsageError {
  return new UsageError('bad-value', message, {
    hint: 'A name has 1 to 40 letters, digits, dots, dashes or underscores; a value 1 to 80 letters, digits or ._+:/@#,()- and no blanks.',
  });
}
