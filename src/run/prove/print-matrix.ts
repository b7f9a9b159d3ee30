/** The kill matrix for people: counts on a terminal, and a page of it for reports/samples. Pure. */
import type { Kill } from './kill.ts';
import type { Matrix } from './matrix.ts';

/** One line for each defect, then the four counts that have to be 0 but for the first. */
export function matrixText(matrix: Matrix): string {
  const width = Math.max(...matrix.kills.map(({ id }) => id.length));
  const lines = matrix.kills.map(
    (kill) => `${signOf(kill, matrix)} ${kill.side.padEnd(7)} ${kill.id.padEnd(width)}  ${toldOf(kill)}`,
  );
  return `${[...lines, '', ...countsOf(matrix), ...complaints(matrix)].join('\n')}\n`;
}

/** Markdown: which defects prove which rows. */
export function matrixPage(matrix: Matrix): string {
  const byRow = new Map<string, string[]>();
  for (const { id, failing } of matrix.kills)
    for (const row of failing) byRow.set(row, [...(byRow.get(row) ?? []), id]);
  const rows = [...byRow].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# Kill matrix',
    '',
    'Each defect of the mock gateway and of the reference client was run against the whole suite. A defect is killed where',
    'exactly the rows fail that it breaks. Made by `npm run prove -- --write`; a test holds this page to the defects.',
    '',
    ...countsOf(matrix).map((line) => `- ${line}`),
    '',
    '## Rows, and the defects that prove them',
    '',
    '| Row | Defects |',
    '|---|---|',
    ...rows.map(([row, ids]) => `| ${row} | ${ids.sort().join(', ')} |`),
    '',
    '## Defects',
    '',
    '| Defect | Side | What it does | Breaks |',
    '|---|---|---|---|',
    ...matrix.kills.map(({ id, side, summary, failing }) => `| ${id} | ${side} | ${summary} | ${failing.join(', ')} |`),
    '',
  ].join('\n');
}

function countsOf({ kills, killed, survived, stray, unproven }: Matrix): string[] {
  const of = (side: Kill['side']) => kills.filter((kill) => kill.side === side).length;
  return [
    `killed ${killed.length} of ${kills.length} (${of('gateway')} of a gateway, ${of('client')} of a client)`,
    `survived ${survived.length}`,
    `stray ${stray.length}`,
    `required ids without a killer ${unproven.length}`,
  ];
}

function complaints({ survived, stray, unproven }: Matrix): string[] {
  return [
    ...survived.map(({ id, breaks, failing, crashed }) =>
      crashed === undefined
        ? `${id} survived: ${breaks.filter((row) => !failing.includes(row)).join(', ')} did not fail`
        : `${id} ended the run: ${crashed}`,
    ),
    ...stray.map((one) => `stray: ${one}`),
    ...unproven.map((id) => `no defect of at most three rows kills ${id}`),
  ];
}

function signOf(kill: Kill, { killed }: Matrix): string {
  return killed.includes(kill) ? '✓' : '✗';
}

function toldOf({ failing }: Kill): string {
  return failing.length === 0 ? 'nothing failed' : failing.join(' ');
}
