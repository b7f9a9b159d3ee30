/** The kill matrix: for each defect, the requirements that fail. Also lists requirements that no defect makes fail. */
import { isDeepStrictEqual } from 'node:util';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import type { Kill } from './kill.ts';

interface Matrix {
  readonly kills: readonly Kill[];
  readonly killed: readonly Kill[];
  /** Defects without a verdict, and defects with a requirement in `breaks` that did not fail. */
  readonly survived: readonly Kill[];
  /** Failed requirements that are not in `breaks` of the defect, each as `defect: requirement`. */
  readonly stray: readonly string[];
  /** Ids in `breaks` that `--only ID` does not detect, each as `defect: requirement`. */
  readonly missed: readonly string[];
  /** Testable `required` requirements that no defect proves (see `maxBroken`), in a run or in stored messages. */
  readonly unproven: readonly string[];
  /** Testable `required` requirements that fail only in stored messages with a defect. No run proves them. */
  readonly onlyInRecords: readonly string[];
}

/** A defect that breaks more requirements than this proves none of them, because it shows little about each. */
const maxBroken = 3;

/** Makes the matrix of these kills. `rows` are the requirements that need a proof. */
export function matrixOf(kills: readonly Kill[], rows: readonly Requirement[]): Matrix {
  const survived = kills.filter(
    ({ breaks, failing, crashed }) => crashed !== undefined || breaks.some((id) => !failing.includes(id)),
  );
  const stray = kills.flatMap(({ id, breaks, failing }) =>
    failing.filter((row) => !breaks.includes(row)).map((row) => `${id}: ${row}`),
  );
  const isExact = ({ breaks, failing }: Kill) => isDeepStrictEqual(breaks, failing);
  const killers = kills.filter((kill) => kill.breaks.length <= maxBroken && isExact(kill));
  const isProven = (id: string, wantedReach: Kill['reach']) =>
    killers.some(({ reach, breaks }) => reach === wantedReach && breaks.includes(id));
  const required = rows.filter(({ kind, untestable }) => kind === 'required' && untestable === undefined);
  const unprovenByRun = required.map(({ id }) => id).filter((id) => !isProven(id, undefined));
  return {
    kills,
    killed: kills.filter((kill) => kill.crashed === undefined && isExact(kill)),
    survived,
    stray,
    missed: kills.flatMap(({ id, missedByOnly = [] }) => missedByOnly.map((row) => `${id}: ${row}`)),
    unproven: unprovenByRun.filter((id) => !isProven(id, 'stored')),
    onlyInRecords: unprovenByRun.filter((id) => isProven(id, 'stored')),
  };
}

/** Formats a line for each defect, then the counts, then each problem of the matrix. */
export function matrixText(matrix: Matrix): string {
  const width = Math.max(...matrix.kills.map(({ id }) => id.length));
  const lines = matrix.kills.map((kill) => {
    const failing = kill.failing.join(' ') || 'nothing failed';
    const sign = matrix.killed.includes(kill) ? '✓' : '✗';
    return `${sign} ${kill.side.padEnd(7)} ${kill.id.padEnd(width)}  ${failing}`;
  });
  return `${[...lines, '', ...countsOf(matrix), ...problemLines(matrix)].join('\n')}\n`;
}

/** The text of reports/samples/kill-matrix.md, without its last section, "Mutated messages". */
export function matrixPage(matrix: Matrix): string {
  const defectsByRow = new Map<string, string[]>();
  for (const { id, failing } of matrix.kills.filter(({ reach }) => reach === undefined))
    for (const row of failing) defectsByRow.set(row, [...(defectsByRow.get(row) ?? []), id]);
  const rows = [...defectsByRow].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# Kill matrix',
    '',
    'The whole suite ran against each defect of the mock and of the reference client. A defect is killed if exactly the',
    'requirements fail that it breaks. `npm run prove -- --write` writes this page, and a test compares it with the defects.',
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
    'No subject of a run can have these faults: none of its requests and answers would show them. The suite judges records',
    'of other requests and answers instead, as `countersign judge` does. These records prove no requirement.',
    '',
    '| Fault | Side | What it does | Fails |',
    '|---|---|---|---|',
    ...defectRows(matrix.kills.filter(({ reach }) => reach === 'stored')),
    '',
  ].join('\n');
}

/** The section "Mutated messages" of a page, empty if absent. tests/properties/table.spec.ts writes this section. */
export function mutatedPart(page: string): string {
  const at = page.indexOf('\n## Mutated messages\n');
  return at === -1 ? '' : page.slice(at);
}

function defectRows(kills: readonly Kill[]): string[] {
  return kills.map(({ id, side, summary, failing }) => `| ${id} | ${side} | ${summary} | ${failing.join(', ')} |`);
}

function countsOf({ kills, killed, survived, stray, missed, unproven, onlyInRecords }: Matrix): string[] {
  const size = (list: readonly Kill[], reach: Kill['reach'], side?: Kill['side']) =>
    list.filter((kill) => kill.reach === reach && (side === undefined || kill.side === side)).length;
  const sides = `(${size(kills, undefined, 'gateway')} of a gateway, ${size(kills, undefined, 'client')} of a client)`;
  return [
    `killed ${size(killed, undefined)} of ${size(kills, undefined)} ${sides}`,
    `found in a record ${size(killed, 'stored')} of ${size(kills, 'stored')}`,
    `survived ${survived.length}`,
    `stray ${stray.length}`,
    `missed under --only ${missed.length}`,
    `required ids without a killer ${unproven.length}`,
    `required ids that fail in a record alone ${[onlyInRecords.length, ...onlyInRecords].join(' ')}`,
  ];
}

function problemLines({ survived, stray, missed, unproven }: Matrix): string[] {
  return [
    ...survived.map(({ id, breaks, failing, crashed }) =>
      crashed === undefined
        ? `${id} survived: ${breaks.filter((row) => !failing.includes(row)).join(', ')} did not fail`
        : `${id} ended the run: ${crashed}`,
    ),
    ...stray.map((one) => `stray: ${one}`),
    ...missed.map((one) => `missed under --only: ${one}`),
    ...unproven.map((id) => `no defect that breaks at most three requirements makes ${id} fail`),
  ];
}
