/** docs/reference/commands.md is what the commands say of themselves. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandEntry, commands } from '../../src/app/commands.ts';
import { described } from '../../src/app/help.ts';
import { optionsOf } from '../../src/run/options/options.ts';
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

const heading = `# Commands and options

What \`countersign COMMAND --help\` says, in one page. An option that may be repeated says so, or takes a list (\`...\`); any other that is
given two values is wrong use.

<!-- written by tests/house/reference.spec.ts -u -->`;

async function sectionOf({ name, load }: CommandEntry): Promise<string> {
  const { description, operands = [], examples, exits } = (await load()).command;
  const usage = /^Usage: (.*)$/m.exec(await helpOf(name))![1]!;
  const options = optionsOf(name);
  const grouped = [...new Set(options.map(({ group }) => group))].flatMap((group) => [
    `| **${group}** | |`,
    ...options
      .filter((option) => option.group === group)
      .map((option) => row(`${option.flag} ${option.takes}`.trim(), described(option))),
  ]);
  return [
    `## countersign ${name}`,
    description,
    `\`\`\`text\n${usage}\n\`\`\``,
    ...table(
      'Argument',
      operands.map((operand) => row(operand.takes.replace(/[^\w-]/g, ''), described(operand))),
    ),
    ...table('Option', grouped),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    `Exit codes: ${exits}`,
  ].join('\n\n');
}

function row(name: string, meaning: string): string {
  return `| \`${name}\` | ${meaning.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`;
}

function table(what: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [[`| ${what} | Meaning |`, '|---|---|', ...rows].join('\n')];
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
