/** Arguments that commander takes and that were not meant so: each is refused in a sentence before the command begins. */
import type { Command, Option } from 'commander';
import { UsageError } from './usage-error.ts';

/** Throws UsageError. `args` are those of the command line, `twice` the options of `optionsGivenTwice`. */
export function refuseMistakes(command: Command, args: readonly string[], twice: ReadonlySet<Option>): void {
  refuseEmptyValues(command);
  refuseForgottenValues(command);
  refuseTwoValues(command, twice);
  refuseWordsBefore(command, args);
}

/** Collects, while the arguments are read, which options are given twice, flags aside: commander keeps the last value. */
export function optionsGivenTwice(command: Command | undefined): ReadonlySet<Option> {
  const [once, twice] = [new Set<Option>(), new Set<Option>()];
  for (const option of command?.options ?? []) {
    if (option.isBoolean()) continue;
    command!.on(`option:${option.name()}`, () => (once.has(option) ? twice : once).add(option));
  }
  return twice;
}

/** Most often a variable of a shell that is not set: a path of no characters would be the folder at hand. */
function refuseEmptyValues(command: Command): void {
  const isEmpty = (value: unknown) => typeof value === 'string' && value.trim() === '';
  const refuse = (what: string) => {
    throw new UsageError('bad-value', `${what} is empty`, { hint: `See countersign ${command.name()} --help.` });
  };
  for (const option of command.options) {
    const name = option.attributeName();
    // No prefix at all is one too.
    if (name === 'prefix' || command.getOptionValueSource(name) !== 'cli') continue;
    if ([command.opts()[name]].flat().some(isEmpty)) refuse(`the value of ${option.long}`);
  }
  // What client is given is a command line of someone else.
  if (command.name() === 'client') return;
  const at = command.processedArgs.findIndex((value) => [value].flat().some(isEmpty));
  if (at !== -1) refuse(`the argument ${command.registeredArguments[at]?.name() ?? at + 1}`);
}

/** Commander takes the option behind one whose value was forgotten for that value: a run would be in a folder called --json. */
function refuseForgottenValues(command: Command): void {
  const known = new Set(['--', ...command.options.flatMap(({ long, short }) => [long, short])]);
  for (const option of command.options) {
    if (command.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    const forgotten = [command.opts()[option.attributeName()]].flat().find((value) => known.has(value));
    if (forgotten === undefined) continue;
    throw new UsageError('bad-arguments', `${option.long} has no value: ${forgotten} follows it directly`, {
      hint: `See countersign ${command.name()} --help.`,
    });
  }
}

/** A value that is dropped could be the one that was meant, as where an option is added to the command of a script. */
function refuseTwoValues(command: Command, twice: ReadonlySet<Option>): void {
  // What may be repeated makes a list of its values.
  const option = [...twice].find((given) => !Array.isArray(command.opts()[given.attributeName()]));
  if (option === undefined) return;
  throw new UsageError('bad-arguments', `${option.long} is given twice, and it takes one value`, {
    hint: `Leave out one of them; countersign ${command.name()} --help says which options may be repeated.`,
  });
}

/** A second value behind an option that takes one would be the program that is started, and the adapter its arguments. */
function refuseWordsBefore(command: Command, args: readonly string[]): void {
  const dashes = args.indexOf('--');
  if (dashes === -1 || command.registeredArguments[0]?.name() !== 'command') return;
  const behind = args.length - dashes - 1;
  const [stray] = command.args.slice(0, command.args.length - behind);
  if (stray === undefined) return;
  throw new UsageError('bad-arguments', `${stray} comes before --, and belongs to no option`, {
    hint: 'The command of the adapter comes after --; an option that may be repeated takes one value each time.',
  });
}
