/** `countersign list` and `countersign explain`: lists items, and describes one by its id. */

import type { Basis, Requirement } from '../../../contracts/requirements/requirement.ts';
import { fact } from '../../report/document.ts';
import { blocksText } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { didYouMean, named, refuseIf, usageError } from '../../run/options/usage-error.ts';
import type { ExitCode, Given, Surroundings } from '../command.ts';

export async function list(
  what: keyof typeof kinds,
  { run, json }: Given<'list'>,
  { out, width }: Surroundings,
): Promise<ExitCode> {
  if (run !== undefined) {
    out(await answersOf(what, run, json === true));
    return 0;
  }
  const { items, columns, groupOf } = await kinds[what]();
  if (json) out(printedJson(items, 2));
  else out(groupOf === undefined ? table(items, columns, width) : grouped(items, groupOf, columns, width));
  return 0;
}

export async function explain(
  id: string,
  { json }: Given<'explain'>,
  { out, width = 100 }: Surroundings,
): Promise<ExitCode> {
  const known: string[] = [];
  for (const is of kindsByName) {
    const { items, idOf, more, facts } = await kinds[is]();
    const ids = items.map(idOf);
    const at = ids.findIndex((one) => one === id || (is === 'open-points' && one.toLowerCase() === id.toLowerCase()));
    known.push(...ids);
    if (at === -1) continue;
    const item = items[at]!;
    const found = await more(item);
    out(json ? printedJson({ is: is.replace(/s$/, ''), ...item, ...found }, 2) : factsText(facts(item, found), width));
    return 0;
  }
  refuseIf(id.includes('*'))`explain takes one id, and ${id} is a pattern
    countersign list shows all ids.`;
  throw usageError()`nothing has the id ${named(id)}
    ${didYouMean(id, known) ?? 'countersign list shows all ids.'}`;
}

/** For people. Facts without a text are skipped. */
type Facts = readonly (readonly [label: string, text: string | undefined])[];

/** A member name, or a heading and its cell text. */
type Column<T> = (keyof T & string) | readonly [heading: string, cell: (item: T) => string];

interface Kind<T, More> {
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
  readonly columns: readonly Column<T>[];
  /** For long lists: the group of an item. */
  readonly groupOf?: (item: T) => string;
  /** Further data, for programs too. */
  readonly more: (item: T) => More | Promise<More>;
  readonly facts: (item: T, more: More) => Facts;
}

/** The cast is safe: only functions of the same kind receive an item. */
function kind<T extends object, More extends object>(
  own: Omit<Kind<T, More>, 'idOf' | 'more'> & Partial<Kind<T, More>>,
): Kind<object, object> {
  const usual = { idOf: (item: object) => (item as { id: string }).id, more: () => ({}) };
  return { ...usual, ...own } as unknown as Kind<object, object>;
}

/** In the order of `list`. Data is loaded on demand. */
const kinds = {
  requirements: async () => {
    const { requirements } = await import('../../../contracts/requirements/index.ts');
    const { assumedBy } = await import('../../../contracts/open-points.ts');
    return kind({
      items: requirements as readonly Requirement[],
      columns: ['id', 'side', 'kind', 'dimension', 'section', 'statement'],
      more: provenBy,
      facts: (row, { provenBy, judgedInRecords }) => [
        ['requirement', row.id],
        ['statement', row.statement],
        ['section', row.section],
        ['kind', `${row.kind}: ${weights[row.kind]}`],
        ['side', `the ${row.side} has to keep it`],
        ['operation', inWords(row.operation)],
        ['dimension', row.dimension],
        ['basis', formatBasis(row.basis ?? 'document')],
        ['testable', row.untestable === undefined ? 'yes' : `no: ${row.untestable}`],
        ['condition', row.condition],
        ['arises', row.arises],
        ['hint', row.hint],
        ['covers', row.covers.join(', ')],
        ['on the mock', row.side === 'gateway' ? `rests on ${assumedBy(row).join(', ')}` : undefined],
        ['proven by', provenBy.length > 0 ? provenBy.join(', ') : proofMissing(row, judgedInRecords)],
        ['in records', judgedInRecords.join(', ') || undefined],
      ],
    });
  },
  'open-points': async () => {
    const { openPoints } = await import('../../../contracts/open-points.ts');
    return kind({
      items: openPoints,
      columns: ['id', ['sections', ({ sections }) => sections.join(' ')], 'probe', 'question'],
      more: repliesTo,
      facts: (point, { answers, mock, variants }) => [
        ['open point', point.id],
        ['question', point.question],
        ['sections', point.sections.join(', ')],
        ['observed', point.observation],
        ['probe', `${point.probe}: ${probes[point.probe]}`],
        ['answered by', answers.join(' ') || 'no profile'],
        ['covers', point.covers.join(', ')],
        ['mock', mock.join(' ') || undefined],
        ['variants', variants.join(', ') || undefined],
      ],
    });
  },
  hazards: async () => {
    const { hazards } = await import('../../../contracts/hazards.ts');
    const { profiles } = await import('../../../contracts/profiles.ts');
    const failing = profiles.filter(({ hazardFails }) => hazardFails).map(({ name }) => `--profile ${name}`);
    return kind({
      items: hazards,
      columns: ['id', 'side', 'operation', 'statement'],
      facts: (hazard) => [
        ['hazard', hazard.id],
        ['statement', hazard.statement],
        ['side', hazard.side],
        ['operation', inWords(hazard.operation)],
        ['hint', hazard.hint],
        ['weight', `no verdict changes; ${[...failing, '--fail-on hazard'].join(' and ')} make the exit code 1`],
      ],
    });
  },
  defects: async () => {
    const { listedDefects } = await import('../config/defects.ts');
    return kind({
      items: listedDefects(),
      columns: [['', ({ id }) => `  ${id}`], 'summary'],
      // Defects that only a stored record shows prove nothing, so list them separately.
      groupOf: ({ side, operation, reach }) =>
        `${side}, ${operation === 'both' ? 'both operations' : operation}${reach === 'stored' ? ', shown by stored records alone' : ''}`,
      facts: (defect) => [
        ['defect', defect.id],
        ['summary', defect.summary],
        ['side', defect.side],
        ['operation', defect.operation],
        ['breaks', defect.breaks.join(', ')],
        [
          'try it',
          defect.reach === 'run'
            ? `countersign ${defect.side === 'gateway' ? 'mock' : 'client'} --defect ${defect.id}`
            : 'it cannot be: only a stored record shows it. npm run prove judges that record, and it proves no requirement',
        ],
      ],
    });
  },
  variants: async () => {
    const { variants } = await import('../../faults/index.ts');
    return kind({
      items: variants.map(({ id, summary, openPoint }) => ({ id, summary, openPoint })),
      columns: ['id', ['open point', ({ openPoint }) => openPoint ?? '-'], 'summary'],
      facts: (variant) => [
        ['variant', variant.id],
        ['summary', variant.summary],
        ['open point', variant.openPoint],
        ['try it', `countersign mock --variant ${variant.id}`],
      ],
    });
  },
  profiles: async () => {
    const { profiles } = await import('../../../contracts/profiles.ts');
    return kind({
      items: profiles,
      idOf: ({ name }) => name,
      columns: [
        'name',
        ['includes', ({ includes }) => includes.join(' ') || '-'],
        ['answers', ({ answers }) => String(answers.length)],
        'summary',
      ],
      facts: (profile) => [
        ['profile', profile.name],
        ['summary', profile.summary],
        ['includes', profile.includes.join(', ') || undefined],
        [
          'expected',
          `a deviation from an expected requirement is ${profile.expectedIsJudged ? 'a failure' : 'a remark'}`,
        ],
        ...profile.answers.map(({ openPoint, answer }) => [`answers ${openPoint}`, answer] as const),
      ],
    });
  },
  deviations: async () => {
    const { deviations } = await import('../../autopsy/index.ts');
    return kind({
      items: deviations.map(({ id, stage, summary, developer, fix }) => ({ id, stage, summary, developer, fix })),
      columns: ['id', 'stage', ['what the client does', ({ developer }) => developer]],
      facts: (deviation) => [
        ['deviation', deviation.id],
        ['summary', deviation.summary],
        ['developer', deviation.developer],
        ['fix', deviation.fix],
        ['stage', deviation.stage],
        ['find it', 'countersign autopsy FILE'],
      ],
    });
  },
};

const kindsByName = Object.keys(kinds) as (keyof typeof kinds)[];

async function repliesTo({ id }: { readonly id: string }) {
  const { profiles } = await import('../../../contracts/profiles.ts');
  const { assumptions } = await import('../../mock/assumptions.ts');
  const { variants } = await import('../../faults/index.ts');
  const isOn = ({ openPoint }: { readonly openPoint?: string }) => openPoint === id;
  return {
    answers: profiles.flatMap(({ name, answers }) => answers.filter(isOn).map(({ answer }) => `${name}: ${answer}`)),
    mock: assumptions.filter(isOn).map(({ assumption }) => assumption),
    variants: variants.filter(isOn).map((variant) => variant.id),
  };
}

const probes = {
  traffic: 'seen in ordinary exchanges',
  twins: 'needs requests of its own, each with its accepted neighbour',
  effect: 'only where the configuration allows effects',
  none: 'cannot be seen in traffic',
};

/** `judgedInRecords`: faults that no subject can have. Only a record of them is judged. */
async function provenBy({ id: row }: { readonly id: string }) {
  const { listedDefects } = await import('../config/defects.ts');
  const breaking = listedDefects().filter(({ breaks }) => breaks.includes(row));
  const idsOf = (wanted: string) => breaking.filter(({ reach }) => reach === wanted).map(({ id }) => id);
  return { provenBy: idsOf('run'), judgedInRecords: idsOf('stored') };
}

const weights: Record<Requirement['kind'], string> = {
  required: 'must hold; where it does not, the run fails',
  expected:
    'shown in the interface document as an example or as values seen, or a bound set there for the other side; a ' +
    'deviation is a remark, and a failure under the profile strict',
  probe: 'the document is silent; the answer is recorded and not judged unless a profile answers it',
};

function formatBasis(basis: Basis): string {
  return basis === 'document'
    ? 'document: the interface document says it'
    : `${basis}: the interface document leaves open how this is done, and the profile decides`;
}

/** Says why no defect proves the requirement. */
function proofMissing(row: Requirement, judgedInRecords: readonly string[]): string {
  if (row.untestable !== undefined) return 'nothing: it cannot be tested';
  if (judgedInRecords.length > 0) return 'nothing that a run can be given: stored records alone show a failure';
  return 'nothing yet: no defect breaks it';
}

function inWords(operation: string): string {
  return operation === 'both' ? 'close-day and process-recurring-payments' : operation;
}

function factsText(facts: Facts, width: number): string {
  const blocks = facts.flatMap(([label, text]) => fact(label, text));
  return blocksText(blocks, { width: Math.min(width, 120) });
}

function grouped<T extends object>(
  items: readonly T[],
  groupOf: (item: T) => string,
  columns: readonly Column<T>[],
  width: number | undefined,
): string {
  const names = [...new Set(items.map(groupOf))].sort((a, b) => (a < b ? -1 : 1));
  const parts = names.map((name) => {
    const members = items.filter((item) => groupOf(item) === name);
    return `${name} (${members.length})\n${table(members, columns, width, false)}`;
  });
  const above = `${items.length} defects: of the mock gateway, and of the reference client. countersign explain ID says what one breaks.\n`;
  return [above, ...parts].join('\n');
}

/** Cuts lines to the width of a terminal. */
function table<T extends object>(
  items: readonly T[],
  columns: readonly Column<T>[],
  width: number | undefined,
  hasHeadings = true,
): string {
  const headings = columns.map((column) => (typeof column === 'string' ? column : column[0]));
  const rows = items.map((item) =>
    columns.map((column) => visible(typeof column === 'string' ? String(item[column]) : column[1](item))),
  );
  const shown = hasHeadings ? [headings, ...rows] : rows;
  const widths = headings.map((_, column) => Math.max(...shown.map((cells) => cells[column]!.length)));
  const lines = shown.map((cells) =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
  );
  return `${lines.map((line) => (width !== undefined && line.length > width ? `${line.slice(0, width - 1)}…` : line)).join('\n')}\n`;
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

/** Compares the mock's answers with those of the recorded gateway. Throws UsageError. */
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
