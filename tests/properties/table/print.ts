/** The part of the kill matrix page on mutated messages. */
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Tried } from './compare.ts';

/** Markdown, from the empty line before its heading. */
export function mutatedMessagesPart(all: readonly Tried[]): string {
  const groups = [...new Set(all.map(({ group }) => group))].map((group) => all.filter((one) => one.group === group));
  const rows = [...new Set(all.flatMap(({ breaks }) => [...breaks]))].sort();
  const of = (side: string) => rows.filter((row) => requirementById(row)!.side === side).length;
  const survived = all.flatMap((one) => one.survived);
  return [
    '',
    '## Mutated messages',
    '',
    'Each operator of a table, and each edit of a defect, alters right messages of every kind that have what it alters. The rows',
    'that it breaks are written from their statements, or told by the schemas, which read the bytes by themselves; never by a',
    'judge. An operator that breaks no row is a deviation that the document permits or leaves open: it must not turn a row red.',
    'Made by',
    '`npx playwright test -c playwright.tests.config.ts tests/properties/table.spec.ts -u`.',
    '',
    `- ${all.length} operators on ${sum(all.map(({ messages }) => messages))} messages`,
    `- rows reached ${rows.length} (${of('gateway')} of a gateway, ${of('client')} of a client)`,
    `- survived ${survived.length}`,
    `- stray ${all.flatMap(({ strays }) => strays).length}`,
    ...survived.map((one) => `  - ${one}`),
    '',
    '| Operators on | Count | Messages | Break a row | Break none |',
    '|---|---|---|---|---|',
    ...groups.map((group) => {
      const breaking = group.filter(({ breaks }) => breaks.size > 0).length;
      const messages = sum(group.map((one) => one.messages));
      return `| ${group[0]!.group} | ${group.length} | ${messages} | ${breaking} | ${group.length - breaking} |`;
    }),
    '',
    `Rows reached: ${rows.join(', ')}.`,
    '',
  ].join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
