/** `countersign list`: what there is, one row each. */

import { printedJson, visible } from '../../report/visible.ts';
import { refuseIf } from '../../run/options/usage-error.ts';
import { defineCommand, type Given, type Surroundings } from '../command.ts';

interface Listing {
  readonly items: readonly object[];
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Where the list is long: to which group each row belongs, and a line above all of them. */
  readonly groups?: { readonly of: readonly string[]; readonly above: string };
}

const listings: Readonly<Record<string, () => Promise<Listing>>> = {
  requirements,
  'open-points': openPoints,
  hazards,
  defects,
  variants,
  profiles,
  deviations,
};

export const command = defineCommand({
  name: 'list',
  description: 'Lists requirements, open points, hazards, defects, variants, profiles or deviations.',
  operands: [{ takes: '[what]', help: 'which list', choices: Object.keys(listings), usual: 'requirements' }],
  examples: ['countersign list defects --json', 'countersign list open-points --run reports/runs'],
  exits: '0 done, 2 wrong use, 3 a fault of the suite or the environment.',
  run: async (what: string, { run, json }: Given<'list'>, { out, width }: Surroundings) => {
    if (run !== undefined) out(await answersOf(what, run, json === true));
    else {
      // The argument's choices are the keys of the table.
      const listing = await listings[what]!();
      out(json ? printedJson(listing.items, 2) : asText(listing, width));
    }
    return 0;
  },
});

/** Columns by the member that they show, or by their heading and what is in them. */
function listing<T extends object>(
  items: readonly T[],
  columns: readonly ((keyof T & string) | readonly [heading: string, cell: (item: T) => string])[],
): Listing {
  return {
    items,
    headings: columns.map((column) => (typeof column === 'string' ? column : column[0])),
    rows: items.map((item) =>
      columns.map((column) => (typeof column === 'string' ? String(item[column]) : column[1](item))),
    ),
  };
}

async function requirements(): Promise<Listing> {
  const { requirements: rows } = await import('../../../contracts/requirements/index.ts');
  return listing(rows, ['id', 'side', 'kind', 'dimension', 'section', 'statement']);
}

async function openPoints(): Promise<Listing> {
  const { openPoints: points } = await import('../../../contracts/open-points.ts');
  return listing(points, ['id', ['sections', ({ sections }) => sections.join(' ')], 'probe', 'question']);
}

async function hazards(): Promise<Listing> {
  const { hazards: rows } = await import('../../../contracts/hazards.ts');
  return listing(rows, ['id', 'side', 'operation', 'statement']);
}

async function answersOf(what: string, folder: string, json: boolean): Promise<string> {
  if (what === 'requirements') return mockBeside(folder, json);
  refuseIf(what !== 'open-points')`--run is for open points and requirements, and not for ${what}
    Write countersign list open-points --run DIR.`;
  const { openPoints: points } = await import('../../../contracts/open-points.ts');
  const { hypothesisOf } = await import('../../../contracts/hypotheses.ts');
  const { storedRuns } = await import('./history.ts');
  const { answeredPoints, openPointsText } = await import('../../report/open-points-text.ts');
  const runs = await storedRuns(folder);
  const answered = answeredPoints(points, runs, (openPoint, value) => hypothesisOf(openPoint, value)?.name);
  return json ? printedJson(answered, 2) : openPointsText(answered, runs.at(-1)!.result);
}

/** How far the mock answers as the gateway of a stored run did. Throws UsageError. */
async function mockBeside(run: string, json: boolean): Promise<string> {
  const { withReplayed } = await import('../config/stored-runs.ts');
  const { fidelityOf } = await import('../../verdict/recordings/mock-likeness.ts');
  const found = await withReplayed(run, (cases) => fidelityOf(cases));
  if (json) return printedJson(found, 2);
  const { compared, alike, requirements: rows } = found;
  const others = rows.filter(({ gateway, mock }) => gateway !== mock);
  const share = Math.floor((100 * alike) / Math.max(compared, 1));
  return [
    `The mock was given ${compared} requests of the run and answered ${alike} alike (${share} %).`,
    `Of ${rows.length} requirements ${rows.length - others.length} have the same outcome on its answers.`,
    ...others.map(({ id, gateway, mock }) => `  ${id}: ${gateway} on the gateway, ${mock} on the mock`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

async function defects(): Promise<Listing> {
  const { listedDefects } = await import('../config/defects.ts');
  const items = listedDefects();
  return {
    items,
    headings: [],
    rows: items.map((item) => [`  ${item.id}`, item.summary]),
    groups: {
      of: items.map(groupOf),
      above: `${items.length} defects: of the mock gateway, and of the reference client. countersign explain ID says what one breaks.`,
    },
  };
}

/** What only a stored record shows is proof of no row: it is listed apart. */
function groupOf({ side, operation, reach }: { side: string; operation: string; reach: string }): string {
  const where = operation === 'both' ? 'both operations' : operation;
  return `${side}, ${where}${reach === 'stored' ? ', shown by stored records alone' : ''}`;
}

async function variants(): Promise<Listing> {
  const { variants: all } = await import('../../faults/variants.ts');
  const items = all.map(({ id, summary, openPoint }) => ({ id, summary, openPoint }));
  return listing(items, ['id', ['open point', ({ openPoint }) => openPoint ?? '-'], 'summary']);
}

async function profiles(): Promise<Listing> {
  const { profiles: all } = await import('../../../contracts/profiles.ts');
  return listing(all, [
    'name',
    ['includes', ({ includes }) => includes.join(' ') || '-'],
    ['answers', ({ answers }) => String(answers.length)],
    'summary',
  ]);
}

async function deviations(): Promise<Listing> {
  const { deviations: all } = await import('../../autopsy/index.ts');
  const items = all.map(({ id, stage, summary, developer, fix }) => ({ id, stage, summary, developer, fix }));
  return listing(items, ['id', 'stage', ['what the client does', ({ developer }) => developer]]);
}

function asText({ groups, headings, rows }: Listing, width: number | undefined): string {
  if (groups === undefined) return aligned(headings, rows, width);
  const names = [...new Set(groups.of)].sort((a, b) => (a < b ? -1 : 1));
  const parts = names.map((name) => {
    const [first = [], ...others] = rows.filter((_, index) => groups.of[index] === name);
    return `${name} (${others.length + 1})\n${aligned(first, others, width)}`;
  });
  return [`${groups.above}\n`, ...parts].join('\n');
}

/** Columns two spaces apart; the last one is cut to the terminal, and left whole where the output is not a terminal. */
function aligned(headings: readonly string[], rows: Listing['rows'], width: number | undefined): string {
  const table = [headings, ...rows].map((cells) => cells.map(visible));
  const widths = headings.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
  const lines = table.map((cells) =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
  );
  return `${lines.map((line) => (width !== undefined && line.length > width ? `${line.slice(0, width - 1)}…` : line)).join('\n')}\n`;
}
