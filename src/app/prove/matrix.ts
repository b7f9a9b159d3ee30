/** The kill matrix: which defect makes which requirements fail, what is unproven, and its text and page. Pure. */
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import type { Kill } from './kill.ts';

export interface Matrix {
  readonly kills: readonly Kill[];
  readonly killed: readonly Kill[];
  /** Defects that did not make all their rows fail, or that ended the run without a verdict. */
  readonly survived: readonly Kill[];
  /** Rows that failed unexpectedly, as `defect: row`. */
  readonly stray: readonly string[];
  /** Rows that a defect fails in a whole run but not under `--only`, as `defect: row`. */
  readonly missed: readonly string[];
  /** Testable required rows that no defect of at most three rows kills. */
  readonly unproven: readonly string[];
  /** Required rows that fail only in a record, never in a run. */
  readonly inRecordsAlone: readonly string[];
}

/** A defect of more rows proves little about a single row. */
const maxRows = 3;

export function matrixOf(kills: readonly Kill[], rows: readonly Requirement[]): Matrix {
  const survived = kills.filter(
    ({ breaks, failing, crashed }) => crashed !== undefined || breaks.some((id) => !failing.includes(id)),
  );
  const stray = kills.flatMap(({ id, breaks, failing }) =>
    failing.filter((row) => !breaks.includes(row)).map((row) => `${id}: ${row}`),
  );
  const killers = kills.filter(({ breaks, failing }) => breaks.length <= maxRows && same(breaks, failing));
  const provenBy = (reach: Kill['reach']) =>
    new Set(killers.filter((kill) => kill.reach === reach).flatMap(({ breaks }) => breaks));
  const [inRuns, inRecords] = [provenBy(undefined), provenBy('stored')];
  const required = rows.filter(({ kind, untestable }) => kind === 'required' && untestable === undefined);
  const withoutRun = required.map(({ id }) => id).filter((id) => !inRuns.has(id));
  return {
    kills,
    killed: kills.filter((kill) => kill.crashed === undefined && same(kill.breaks, kill.failing)),
    survived,
    stray,
    missed: kills.flatMap(({ id, missedByOnly = [] }) => missedByOnly.map((row) => `${id}: ${row}`)),
    unproven: withoutRun.filter((id) => !inRecords.has(id)),
    inRecordsAlone: withoutRun.filter((id) => inRecords.has(id)),
  };
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** One line per defect, then counts: all but the kills must be 0. */
export function matrixText(matrix: Matrix): string {
  const width = Math.max(...matrix.kills.map(({ id }) => id.length));
  const lines = matrix.kills.map(
    (kill) => `${signOf(kill, matrix)} ${kill.side.padEnd(7)} ${kill.id.padEnd(width)}  ${formatFailing(kill)}`,
  );
  return `${[...lines, '', ...countsOf(matrix), ...complaints(matrix)].join('\n')}\n`;
}

export function matrixPage(matrix: Matrix): string {
  const byRow = new Map<string, string[]>();
  for (const { id, failing } of matrix.kills.filter(({ reach }) => reach === undefined))
    for (const row of failing) byRow.set(row, [...(byRow.get(row) ?? []), id]);
  const rows = [...byRow].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# Kill matrix',
    '',
    'Each defect of the mock gateway and of the reference client was run against the whole suite. A defect is killed where',
    'exactly the requirements fail that it breaks. Made by `npm run prove -- --write`; a test holds this page to the defects.',
    '',
    ...countsOf(matrix).map((line) => `- ${line}`),
    '',
    '## Requirements, and the defects that prove them',
    '',
    '| Requirement | Defects |',
    '|---|---|',
    ...rows.map(([row, ids]) => `| ${row} | ${ids.sort().join(', ')} |`),
    '',
    '## Defects',
    '',
    '| Defect | Side | What it does | Breaks |',
    '|---|---|---|---|',
    ...defectRows(matrix.kills.filter(({ reach }) => reach === undefined)),
    '',
    '## Records',
    '',
    'No subject can be given these: nothing that the two operations send or answer here shows them. Records of other',
    'requests and answers are judged instead, as `countersign judge` would. They prove no requirement of a run.',
    '',
    '| Fault | Side | What it does | Fails |',
    '|---|---|---|---|',
    ...defectRows(matrix.kills.filter(({ reach }) => reach === 'stored')),
    '',
  ].join('\n');
}

/** The part of the page that tests/properties/table.spec.ts writes. It is kept. */
export function mutatedPart(page: string): string {
  const at = page.indexOf('\n## Mutated messages\n');
  return at === -1 ? '' : page.slice(at);
}

function defectRows(kills: readonly Kill[]): string[] {
  return kills.map(({ id, side, summary, failing }) => `| ${id} | ${side} | ${summary} | ${failing.join(', ')} |`);
}

function countsOf({ kills, killed, survived, stray, missed, unproven, inRecordsAlone }: Matrix): string[] {
  const of = (list: readonly Kill[], reach: Kill['reach'], side?: Kill['side']) =>
    list.filter((kill) => kill.reach === reach && (side === undefined || kill.side === side)).length;
  const sides = `(${of(kills, undefined, 'gateway')} of a gateway, ${of(kills, undefined, 'client')} of a client)`;
  return [
    `killed ${of(killed, undefined)} of ${of(kills, undefined)} ${sides}`,
    `found in a record ${of(killed, 'stored')} of ${of(kills, 'stored')}`,
    `survived ${survived.length}`,
    `stray ${stray.length}`,
    `missed under --only ${missed.length}`,
    `required ids without a killer ${unproven.length}`,
    `required ids that fail in a record alone ${[inRecordsAlone.length, ...inRecordsAlone].join(' ')}`,
  ];
}

function complaints({ survived, stray, missed, unproven }: Matrix): string[] {
  return [
    ...survived.map(({ id, breaks, failing, crashed }) =>
      crashed === undefined
        ? `${id} survived: ${breaks.filter((row) => !failing.includes(row)).join(', ')} did not fail`
        : `${id} ended the run: ${crashed}`,
    ),
    ...stray.map((one) => `stray: ${one}`),
    ...missed.map((one) => `missed under --only: ${one}`),
    ...unproven.map((id) => `no defect of at most three requirements kills ${id}`),
  ];
}

function signOf(kill: Kill, { killed }: Matrix): string {
  return killed.includes(kill) ? '✓' : '✗';
}

function formatFailing({ failing }: Kill): string {
  return failing.length === 0 ? 'nothing failed' : failing.join(' ');
}
