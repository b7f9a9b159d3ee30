/** Parses the arguments of a command into options and operands. */
import { type CommandOption, flagOf, optionsOf } from '../run/options/options.ts';
import { didYouMean, refuseIf, UsageError, usageError } from '../run/options/usage-error.ts';
import type { Command } from './command.ts';

const exclusions: readonly (readonly [one: string, others: readonly string[], reason?: string])[] = [
  ['lastFailed', ['only', 'except', 'smoke']],
  ['smoke', ['only', 'except', 'shard', 'path'], '--smoke chooses its own cases'],
  ['watch', ['checkAdapter', 'json', 'shard', 'path', 'updateBaseline']],
  ['seed', ['challenge'], 'the challenge is used as the seed'],
  ['path', ['shard'], '--path repeats only one case'],
  ['measure', ['shard'], 'each measuring request depends on the previous answer'],
  ['reporter', ['json'], 'both print on standard output'],
  ['json', ['markdown']],
  ['open', ['out']],
];

/** Throws UsageError for arguments that the command does not accept. */
export function parseArguments(command: Pick<Command, 'name' | 'operands'>, args: readonly string[]) {
  const options = optionsOf(command.name);
  const hint = `See \`countersign ${command.name} --help\`.`;
  const values: Record<string, unknown> = {};
  const words: string[] = [];
  const remaining = [...args];
  const flags = options.map(({ flag }) => flag);
  const isWord = (word: string | undefined): word is string => word !== undefined && !/^-./.test(word);
  for (let arg = remaining.shift(); arg !== undefined; arg = remaining.shift()) {
    if (arg === '--') {
      // Refuse `--only A B -- node adapter.mjs`: --only takes one value, so B would become the command of the adapter.
      refuseIf(words.length > 0 && command.operands?.[0]?.takes === '[command...]')`${words[0]} belongs to no option
        Write the command of the adapter after --. Repeat a repeatable option for each value: --only A --only B.`;
      words.push(...remaining.splice(0));
    } else if (isWord(arg)) words.push(arg);
    else readOption(arg);
  }
  for (const { flag, name, help, isRequired, usual } of options) {
    if (isRequired && values[name] === undefined) throw new UsageError(`${flag} is missing: ${help}`, hint);
    if (usual !== undefined) values[name] ??= usual;
  }
  for (const [one, others, reason] of exclusions) {
    const other = others.find((name) => values[one] !== undefined && values[name] !== undefined);
    if (other === undefined) continue;
    const detail = reason === undefined ? '' : `: ${reason}`;
    throw usageError()`${flagOf(one)} and ${flagOf(other)} exclude each other${detail}
      Remove one of them.`;
  }
  // --update-baseline takes no value. A user who writes a file after this flag probably means --baseline.
  refuseIf(words.length > 0 && values.updateBaseline === true && command.operands === undefined)`
    --update-baseline takes no file
    Write \`--baseline FILE --update-baseline\`.`;
  return { values, operands: operandsOf(command, words, hint) };

  function readOption(arg: string): void {
    const [, flag = arg, inlineValue] = /^(--[^=]*)=(.*)$/s.exec(arg) ?? [];
    const option = options.find((one) => one.flag === flag);
    if (option === undefined) {
      throw new UsageError(`unknown option '${arg}'`, joinText(didYouMean(flag, flags), hint));
    }
    const { name, takes, isList } = option;
    if (takes === '') {
      if (inlineValue !== undefined) throw new UsageError(`${flag} takes no value`, hint);
      values[name] = true;
      return;
    }
    if (values[name] !== undefined && isList !== true) {
      throw new UsageError(`${flag} takes one value, and occurs twice`, `Remove one of them. ${hint}`);
    }
    if (takes.startsWith('[') && inlineValue === undefined && !isWord(remaining[0])) {
      values[name] = true;
      return;
    }
    const texts = [inlineValue ?? remaining.shift()];
    if (takes.includes('...') && inlineValue === undefined) while (isWord(remaining[0])) texts.push(remaining.shift());
    const parsed = texts.map((one) => parseValue(option, one));
    values[name] = isList === true ? [...((values[name] as string[]) ?? []), ...parsed] : parsed[0];
  }

  function parseValue({ flag, name, takes, choices, read: check }: CommandOption, text: string | undefined): unknown {
    if (text === undefined) throw new UsageError(`${flag} needs a value: ${flag} ${takes}`, hint);
    if (text === '--' || flags.includes(text))
      throw new UsageError(`${flag} needs a value, but ${text} is the next word`, hint);
    // Refuse an empty value: it often comes from an unset variable, and an empty path is the current folder.
    if (text.trim() === '' && name !== 'prefix') throw new UsageError(`the value of ${flag} is empty`, hint);
    checkChoice(`${flag} `, text, choices);
    return check === undefined ? text : check(text, flag);
  }
}

function operandsOf(
  { name, operands = [] }: Pick<Command, 'name' | 'operands'>,
  words: readonly string[],
  hint: string,
): unknown[] {
  const isVariadic = operands.at(-1)?.takes.includes('...') === true;
  if (words.length > operands.length && !isVariadic) {
    const limit = operands.length === 0 ? 'only options' : `${operands.length}, not ${words.length}`;
    throw new UsageError(`too many arguments: ${name} takes ${limit}`, hint);
  }
  return operands.map(({ takes, choices, usual }, index) => {
    const operand = takes.replace(/[^\w-]/g, '');
    const values = takes.includes('...') ? words.slice(index) : words.slice(index, index + 1);
    if (values.length === 0 && takes.startsWith('<')) throw new UsageError(`the argument ${operand} is missing`, hint);
    // Only the command of an adapter may contain empty words, because the adapter reads them.
    const isEmpty = operand !== 'command' && values.some((word) => word.trim() === '');
    if (isEmpty) throw new UsageError(`the argument ${operand} is empty`, hint);
    for (const word of values) checkChoice('', word, choices);
    return takes.includes('...') ? values : (values[0] ?? usual);
  });
}

function checkChoice(prefix: string, text: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(text)) return;
  throw new UsageError(`${prefix}'${text}' is not one of ${choices.join(', ')}`, didYouMean(text, choices));
}

/** Joins sentences into one text. Adds missing full stops, and skips undefined sentences. */
export function joinText(...sentences: (string | undefined)[]): string {
  return sentences
    .filter((text): text is string => text !== undefined && text !== '')
    .map((text) => (/[.?!]$/.test(text) ? text : `${text}.`))
    .join(' ');
}
