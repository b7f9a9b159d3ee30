/** Pages that are made from data: docs/reference/commands.md from the commands, the tables of limits from their rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../contracts/limits.ts';
import type { Command } from '../../src/app/command.ts';
import { commands } from '../../src/app/commands.ts';
import { described } from '../../src/app/help.ts';
import { groupBy } from '../../src/record/group-by.ts';
import { type CommandOption, optionsOf } from '../../src/run/options/options.ts';
import { expect, test } from '../engine.ts';
import { helpOf } from './help.ts';
import { isWrittenAnew, root, textOf } from './tree.ts';

const path = 'docs/reference/commands.md';

test('the reference of the commands is that of their --help', () => {
  const written = `${[heading, ...commands.map(sectionOf)].join('\n\n')}\n`;
  // With -u (--update-snapshots) it is brought up to date.
  if (isWrittenAnew(test.info())) writeFileSync(join(root, path), written);
  expect(
    textOf(path),
    'to bring it up to date: npx playwright test -c playwright.tests.config.ts tests/house/reference.spec.ts -u all',
  ).toBe(written);
});

/** The commands that have an option in just these words. */
const shared = groupBy(
  commands.flatMap(({ name }) => optionsOf(name).map((option) => ({ name, flag: option.flag, line: lineOf(option) }))),
  ({ line }) => line,
);

const heading = `# Commands and options

\`countersign COMMAND --help\` says the same, with examples.
An option may be repeated if it says so or takes a list (\`...\`).

## Options of several commands

${sharedLines().join('\n')}`;

/** Commands are named only where one option means different things by command, and not for its usual meaning. */
function sharedLines(): string[] {
  const several = [...shared.values()].filter(({ length }) => length > 1);
  return several.map((all) => {
    const [{ flag, line }] = all;
    const isUsual = several.every((other) => other[0].flag !== flag || other.length <= all.length);
    return isUsual ? line : `${line} (${all.map(({ name }) => name).join(', ')})`;
  });
}

/** Options of every command are not named again. */
function sectionOf({ name, summary, details, operands = [] }: Command): string {
  const isShared = (option: CommandOption) => shared.get(lineOf(option))!.length > 1;
  const own = optionsOf(name).filter((option) => !isShared(option));
  const also = optionsOf(name).filter((option) => isShared(option) && !isEverywhere(option));
  const lines = [...operands.map((operand) => lineOf({ ...operand, flag: '' })), ...own.map(lineOf)];
  return [
    `## ${name}`,
    [summary, ...(details ?? '').split(/(?<=\.) /)].join('\n').trimEnd(),
    lines.join('\n'),
    also.length === 0 ? '' : `Also ${also.map(({ flag }) => `\`${flag}\``).join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function isEverywhere({ flag }: CommandOption): boolean {
  return commands.every(({ name }) => optionsOf(name).some((option) => option.flag === flag));
}

function lineOf(option: Pick<CommandOption, 'flag' | 'takes' | 'help' | 'usual'>): string {
  const meaning = described(option).replaceAll('<', '&lt;');
  return `- \`${`${option.flag} ${option.takes}`.trim()}\`: ${meaning}`;
}

for (const side of ['gateway', 'client'] as const) {
  test(`docs/explanation/limits.md has the limits of a ${side} run that reports print`, () => {
    const rows = limits.filter((limit) => limit.side === side).map(({ topic, detail }) => `| ${topic} | ${detail} |\n`);
    const table = `## Of a ${side}\n\n| Not shown | Detail |\n|---|---|\n${rows.join('')}`;
    expect(textOf('docs/explanation/limits.md')).toContain(`${table}\n`);
  });
}

test('no help is wider than a terminal of 80 columns, but for its examples', async () => {
  const helps = await Promise.all(commands.map(async ({ name }) => [name, await helpOf(name)] as const));
  const wide = helps.flatMap(([name, help]) =>
    help
      .split('\n')
      .filter((line) => line.length > 80 && !line.startsWith('  countersign '))
      .map((line) => `${name}: ${line}`),
  );
  expect(wide).toEqual([]);
});
