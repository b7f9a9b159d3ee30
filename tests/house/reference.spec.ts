/** Checks documents that are generated from data: the reference of the commands, and the tables of limits. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../contracts/limits.ts';
import type { Command } from '../../src/app/command.ts';
import { commands } from '../../src/app/commands.ts';
import { groupBy } from '../../src/record/group-by.ts';
import { type CommandOption, optionsOf } from '../../src/run/options/options.ts';
import { expect, test } from '../engine.ts';
import { helpOf } from './help.ts';
import { isUpdate, root, textOf } from './tree.ts';

const path = 'docs/reference/commands.md';

test('docs/reference/commands.md agrees with --help', () => {
  const expected = `${[heading, ...commands.map(sectionOf)].join('\n\n')}\n`;
  if (isUpdate(test.info())) writeFileSync(join(root, path), expected);
  expect(
    textOf(path),
    'to update the page: npx playwright test -c playwright.tests.config.ts tests/house/reference.spec.ts -u all',
  ).toBe(expected);
});

/** Groups equal options of several commands. */
const shared = groupBy(
  commands.flatMap(({ name }) => optionsOf(name).map((option) => ({ name, flag: option.flag, line: lineOf(option) }))),
  ({ line }) => line,
);

const heading = `# Commands and options

\`countersign COMMAND --help\` says the same, with examples.
An option may be repeated only if it says so or takes a list (\`...\`).

## Options of several commands

${sharedLines().join('\n')}`;

/** If a flag has several meanings, names the commands for each meaning except the most common one. */
function sharedLines(): string[] {
  const several = [...shared.values()].filter(({ length }) => length > 1);
  return several.map((all) => {
    const [{ flag, line }] = all;
    const isUsual = several.every((other) => other[0].flag !== flag || other.length <= all.length);
    return isUsual ? line : `${line} (${all.map(({ name }) => name).join(', ')})`;
  });
}

/** The section of a command, without the options that every command has. */
function sectionOf({ name, summary, details, operands = [] }: Command): string {
  const isShared = (option: CommandOption) => shared.get(lineOf(option))!.length > 1;
  const own = optionsOf(name).filter((option) => !isShared(option));
  const common = optionsOf(name).filter((option) => isShared(option) && !isGlobal(option));
  const lines = [...operands.map((operand) => lineOf({ ...operand, flag: '' })), ...own.map(lineOf)];
  return [
    `## ${name}`,
    [summary, ...(details ?? '').split(/(?<=\.) /)].join('\n').trimEnd(),
    lines.join('\n'),
    common.length === 0 ? '' : `Also ${common.map(({ flag }) => `\`${flag}\``).join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function isGlobal({ flag }: CommandOption): boolean {
  return commands.every(({ name }) => optionsOf(name).some((option) => option.flag === flag));
}

function lineOf({ flag, takes, help, usual }: Pick<CommandOption, 'flag' | 'takes' | 'help' | 'usual'>): string {
  const meaning = `${help}${usual === undefined ? '' : ` (default: ${usual})`}`.replaceAll('<', '&lt;');
  return `- \`${`${flag} ${takes}`.trim()}\`: ${meaning}`;
}

for (const side of ['gateway', 'client'] as const) {
  test(`docs/explanation/limits.md has the same limits of a ${side} run as the reports`, () => {
    const rows = limits.filter((limit) => limit.side === side).map(({ topic, detail }) => `| ${topic} | ${detail} |\n`);
    const table = `## Of a ${side}\n\n| Not tested | Detail |\n|---|---|\n${rows.join('')}`;
    expect(textOf('docs/explanation/limits.md')).toContain(`${table}\n`);
  });
}

test('no help is wider than 80 columns, except its examples', async () => {
  const helps = await Promise.all(commands.map(async ({ name }) => [name, await helpOf(name)] as const));
  const wide = helps.flatMap(([name, help]) =>
    help
      .split('\n')
      .filter((line) => line.length > 80 && !line.startsWith('  countersign '))
      .map((line) => `${name}: ${line}`),
  );
  expect(wide).toEqual([]);
});
