/** Pages that are made from data: docs/reference/commands.md from the commands, the tables of limits from their rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../contracts/limits.ts';
import { type CommandEntry, commands } from '../../src/app/commands.ts';
import { described } from '../../src/app/help.ts';
import { groupBy } from '../../src/record/group-by.ts';
import { type CommandOption, optionsOf } from '../../src/run/options/options.ts';
import { expect, test } from '../engine.ts';
import { helpOf } from './help.ts';
import { isWrittenAnew, root, textOf } from './tree.ts';

const path = 'docs/reference/commands.md';

test('the reference of the commands is that of their --help', async () => {
  const sections = await Promise.all(commands.map(sectionOf));
  const written = `${[heading, ...sections].join('\n\n')}\n`;
  // With -u (--update-snapshots) it is brought up to date.
  if (isWrittenAnew(test.info())) writeFileSync(join(root, path), written);
  expect(
    textOf(path),
    'to bring it up to date: npx playwright test -c playwright.tests.config.ts tests/house/reference.spec.ts -u all',
  ).toBe(written);
});

/** What a page says of each option, and the commands that have it with just these words. */
const shared = groupBy(
  commands.flatMap(({ name }) => optionsOf(name).map((option) => ({ name, flag: option.flag, line: lineOf(option) }))),
  ({ line }) => line,
);
const usualExits = '0 conformant or done, 1 findings, 2 wrong use, 3 a fault of the suite or the environment.';

const heading = `# Commands and options

\`countersign COMMAND --help\` says the same, with examples.
Exit codes: ${usualExits}
A command below gives its own only if they say more.
An option may be repeated only if it says so or takes a list (\`...\`).

## Options of several commands

${sharedLines().join('\n')}`;

/** Commands are named only where one option means different things by command. */
function sharedLines(): string[] {
  const several = [...shared].filter(([, { length }]) => length > 1);
  return several.map(([line, all]) =>
    several.filter(([, [{ flag }]]) => flag === all[0].flag).length === 1
      ? line
      : `${line} (${all.map(({ name }) => name).join(', ')})`,
  );
}

async function sectionOf({ name, load }: CommandEntry): Promise<string> {
  const { description, operands = [], exits } = await load();
  const usage = /^Usage: (.*)$/m.exec(await helpOf(name))![1]!;
  const options = optionsOf(name);
  const isShared = (option: CommandOption) => shared.get(lineOf(option))!.length > 1;
  const also = options.filter(isShared).map(({ flag }) => `\`${flag}\``);
  const lines = [
    ...operands.map((operand) => lineOf({ ...operand, flag: operand.takes.replace(/[^\w-]/g, ''), takes: '' })),
    ...options.filter((option) => !isShared(option)).map(lineOf),
  ];
  return [
    `## countersign ${name}`,
    ...(operands.length === 0 ? [] : [`\`${usage}\``]),
    description.replaceAll('. ', '.\n'),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    `Also ${also.join(', ')}.`,
    ...(/^0 (?:conformant|done|written|ended by a signal), (?:1 findings, )?2 wrong use, 3 a fault/.test(exits)
      ? []
      : [`Exit codes: ${exits}`]),
  ].join('\n\n');
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
