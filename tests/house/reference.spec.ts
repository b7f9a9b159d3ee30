/** docs/reference/commands.md is what the commands say of themselves. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Option } from 'commander';
import type { Surroundings } from '../../src/app/command.ts';
import { type CommandEntry, commands } from '../../src/app/commands.ts';
import { expect, test } from '../engine.ts';
import { exitCodesIn, helpOf } from './help.ts';
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
  const command = (await load()).command.build(name, {} as Surroundings, () => {});
  const help = await helpOf(name);
  const usage = /^Usage: (.*)$/m.exec(help)![1]!;
  const [examples = ''] = /^Examples:\n(?:.+\n)+/m.exec(help) ?? [];
  const codes = exitCodesIn(help);
  const rows = command.options.map((option) => row(option.flags, described(option)));
  const operands = command.registeredArguments.map((operand) => row(operand.name(), described(operand)));
  return [
    `## countersign ${name}`,
    command.description(),
    `\`\`\`text\n${usage}\n\`\`\``,
    ...table('Argument', operands),
    ...table('Option', rows),
    ...(examples === ''
      ? []
      : [`\`\`\`sh\n${examples.replace('Examples:\n', '').replace(/^ {2}/gm, '').trim()}\n\`\`\``]),
    ...(codes === undefined ? [] : [`Exit codes: ${codes}`]),
  ].join('\n\n');
}

function described({ description, defaultValue, defaultValueDescription }: Described): string {
  const value = defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined);
  return description + (value === undefined ? '' : ` (default: ${value})`);
}

type Described = Pick<Option | Argument, 'description' | 'defaultValue' | 'defaultValueDescription'>;

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
