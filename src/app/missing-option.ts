/** What a person reads who leaves out an option that a command needs. */
import { type Command, CommanderError } from 'commander';
import { UsageError } from './usage-error.ts';

/** Commander names an option that is missing, and not what it is for. */
export function afterMissing(error: unknown, command: Command | undefined): unknown {
  if (!(error instanceof CommanderError) || error.code !== 'commander.missingMandatoryOptionValue') return error;
  const missing = command?.options.find(({ flags }) => error.message.includes(`'${flags}'`));
  if (missing === undefined) return error;
  return new UsageError('bad-arguments', `${missing.long} is missing: ${missing.description}`, {
    hint: `See countersign ${command!.name()} --help.`,
  });
}
