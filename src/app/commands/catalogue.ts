/** `countersign list` lists items, such as requirements. `countersign explain` describes one item. */
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { groupBy } from '../../record/group-by.ts';
import { type Block, fact } from '../../report/document.ts';
import { blocksText, textWidth } from '../../report/terminal.ts';
import { printedJson } from '../../report/visible.ts';
import { didYouMean, formatWord, refuseIf, usageError } from '../../run/options/usage-error.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';

export async function list(
  what: keyof typeof kinds,
  { run, json }: Input<'list'>,
  { out, width }: Surroundings,
): Promise<ExitCode> {
  const { data, intro, blocks } = run === undefined ? await listOf(what) : await answersOf(what, run);
  if (json) {
    out(printedJson(data, 2));
    return 0;
  }
  const page = { width: width ?? Number.POSITIVE_INFINITY };
  const head = intro === undefined ? '' : blocksText([{ text: intro }], page);
  const text = head + blocksText(blocks, { ...page, indent: 2 });
  // A table may be wider than the terminal, so cut each line at the width of the terminal.
  out(width === undefined ? text : text.replace(new RegExp(`^(.{${width - 1}}).{2,}$`, 'gmu'), '$1…'));
  return 0;
}

export async function explain(id: string, { json }: Input<'explain'>, { out, width }: Surroundings): Promise<ExitCode> {
  const known: string[] = [];
  for (const [key, load] of Object.entries(kinds)) {
    const { items, idOf, more, facts } = await load();
    const ids = items.map(idOf);
    const at = ids.findIndex((one) => one === id || (key === 'open-points' && one.toLowerCase() === id.toLowerCase()));
    known.push(...ids);
    if (at === -1) continue;
    const item = items[at]! as Readonly<Record<string, unknown>>;
    const details = await more(item);
    const kindOfItem = key.replace(/s$/, '');
    const blocks = [
      ...fact(kindOfItem.replace('-', ' '), ids[at]),
      ...facts(item, details).flatMap((one) => (typeof one === 'string' ? memberFact(item, one) : fact(...one))),
    ];
    const data = { is: kindOfItem, ...item, ...details };
    out(json ? printedJson(data, 2) : blocksText(blocks, { width: textWidth(width) }));
    return 0;
  }
  refuseIf(id.includes('*'))`explain takes one id, but ${id} is a pattern
    \`countersign list\` shows all ids.`;
  throw usageError()`no requirement, open point or other entry has the id ${formatWord(id)}
    ${didYouMean(id, known) ?? '`countersign list` shows all ids.'}`;
}

function memberFact(item: Readonly<Record<string, unknown>>, name: string): Block[] {
  const label = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return fact(label, [item[name]].flat().join(', '));
}

interface Listing {
  readonly data: unknown;
  readonly intro?: string;
  readonly blocks: readonly Block[];
}

async function listOf(what: keyof typeof kinds): Promise<Listing> {
  const { items, idOf, columns, groupOf } = await kinds[what]();
  const cell = (item: object, column: Column<object>) =>
    typeof column === 'string' ? String(item[column]) : column[1](item);
  if (groupOf === undefined) {
    const head = columns.map((column) => (typeof column === 'string' ? column : column[0]));
    const rows = items.map((item) => ({ cells: columns.map((column) => [cell(item, column)]) }));
    return { data: items, blocks: [{ table: { label: what, head, rows } }] };
  }
  const groups = [...groupBy(items, groupOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  const folds = groups.map(([fold, members]): Block => {
    const blocks = members.map((item) => ({ label: idOf(item), text: cell(item, columns[0]!) }));
    return { fold, count: members.length, blocks };
  });
  const intro = `${items.length} ${what}. \`countersign explain ID\` describes one of them.`;
  return { data: items, intro, blocks: folds };
}

/** A fact is a label with a text, or the name of a member of the item. Facts without a text are not printed. */
type Facts = readonly (string | readonly [label: string, text: string | undefined])[];
type Column<T> = (keyof T & string) | readonly [heading: string, cell: (item: T) => string];

interface Kind<T, More> {
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
  readonly columns: readonly Column<T>[];
  /** The heading under which an item is listed. A list with headings shows only the first column. */
  readonly groupOf?: (item: T) => string;
  /** Loads further data that only `explain` shows. */
  readonly more: (item: T) => More | Promise<More>;
  readonly facts: (item: T, more: More) => Facts;
}

/** Adds the default `idOf` and `more`. The cast is safe: the functions of a kind get only items of this kind. */
function kind<T extends object, More extends object>(
  definition: Omit<Kind<T, More>, 'idOf' | 'more'> & Partial<Kind<T, More>>,
): Kind<object, object> {
  const defaults = { idOf: (item: object) => (item as { id: string }).id, more: () => ({}) };
  return { ...defaults, ...definition } as unknown as Kind<object, object>;
}

/** The kinds of items, in the order in which `explain` searches them. The data of a kind is loaded on demand. */
const kinds = {
  requirements: async () => {
    const { requirements } = await import('../../../contracts/requirements/index.ts');
    const { openPointsOf } = await import('../../../contracts/open-points.ts');
    return kind({
      items: requirements as readonly Requirement[],
      columns: ['id', 'side', 'kind', 'dimension', 'section', 'statement'],
      more: proofOf,
      facts: (row, { provenBy, judgedInRecords }) => [
        'statement',
        'section',
        ['kind', `${row.kind}: ${kindTexts[row.kind]}`],
        ['side', `the ${row.side} must meet this requirement`],
        ['operation', formatOperation(row.operation)],
        'dimension',
        ['basis', formatBasis(row)],
        ['testable', row.untestable === undefined ? 'yes' : `no: ${row.untestable}`],
        'condition',
        'arises',
        'hint',
        'covers',
        ['on the mock', row.side === 'gateway' ? `assumes ${openPointsOf(row).join(', ')}` : undefined],
        ['proven by', provenBy.length > 0 ? provenBy.join(', ') : missingProof(row, judgedInRecords)],
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
        'question',
        'sections',
        ['observed', point.observation],
        ['probe', `${point.probe}: ${probes[point.probe]}`],
        ['answered by', answers.join(' ') || 'no profile'],
        'covers',
        ['mock', mock.join(' ') || undefined],
        ['variants', variants.join(', ') || undefined],
      ],
    });
  },
  hazards: async () => {
    const { hazards } = await import('../../../contracts/hazards.ts');
    const { profiles } = await import('../../../contracts/profiles.ts');
    const failingFlags = profiles.filter(({ hazardFails }) => hazardFails).map(({ name }) => `--profile ${name}`);
    return kind({
      items: hazards,
      columns: ['id', 'side', 'operation', 'statement'],
      facts: (hazard) => [
        'statement',
        'side',
        ['operation', formatOperation(hazard.operation)],
        'hint',
        ['weight', `changes no verdict; exit code 1 with ${[...failingFlags, '--fail-on hazard'].join(' or ')}`],
      ],
    });
  },
  defects: async () => {
    const { allDefects } = await import('../config/defects.ts');
    return kind({
      items: allDefects(),
      columns: ['summary'],
      groupOf: ({ side, operation, reach }) => {
        const operations = operation === 'both' ? 'both operations' : operation;
        return reach === 'stored' ? `${side}, ${operations}, only in stored records` : `${side}, ${operations}`;
      },
      facts: ({ id, side, reach }) => ['summary', 'side', 'operation', 'breaks', ['try it', howToTry(id, side, reach)]],
    });
  },
  variants: async () => {
    const { variants } = await import('../../faults/index.ts');
    return kind({
      items: variants.map(({ id, summary, openPoint }) => ({ id, summary, openPoint })),
      columns: ['id', ['open point', ({ openPoint }) => openPoint ?? '-'], 'summary'],
      facts: ({ id }) => ['summary', 'openPoint', ['try it', `countersign mock --variant ${id}`]],
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
        'summary',
        'includes',
        ['expected', `a broken expected requirement is ${profile.expectedIsJudged ? 'a failure' : 'a remark'}`],
        ...profile.answers.map(({ openPoint, answer }) => [`answers ${openPoint}`, answer] as const),
      ],
    });
  },
  deviations: async () => {
    const { deviations } = await import('../../autopsy/index.ts');
    return kind({
      items: deviations.map(({ id, stage, summary, developer, fix }) => ({ id, stage, summary, developer, fix })),
      columns: ['id', 'stage', ['what the client does', ({ developer }) => developer]],
      facts: () => ['summary', 'developer', 'fix', 'stage', ['find it', 'countersign autopsy FILE']],
    });
  },
};

function howToTry(id: string, side: 'client' | 'gateway', reach: string): string {
  if (reach === 'run') return `countersign ${side === 'gateway' ? 'mock' : 'client'} --defect ${id}`;
  return 'no run can show it: only a stored record shows the defect, and `npm run prove` judges this record';
}

async function repliesTo({ id }: { readonly id: string }) {
  const { profiles } = await import('../../../contracts/profiles.ts');
  const { assumptions } = await import('../../mock/assumptions.ts');
  const { variants } = await import('../../faults/index.ts');
  const isAbout = ({ openPoint }: { readonly openPoint?: string }) => openPoint === id;
  return {
    answers: profiles.flatMap(({ name, answers }) => answers.filter(isAbout).map(({ answer }) => `${name}: ${answer}`)),
    mock: assumptions.filter(isAbout).map(({ assumption }) => assumption),
    variants: variants.filter(isAbout).map((variant) => variant.id),
  };
}

const probes = {
  traffic: 'ordinary exchanges show the answer',
  twins: 'requests with an accepted twin show the answer',
  effect: 'if the configuration allows effects, requests with effects show the answer',
  none: 'no exchange shows the answer',
};

async function proofOf({ id: requirementId }: { readonly id: string }) {
  const { allDefects } = await import('../config/defects.ts');
  const breaking = allDefects().filter(({ breaks }) => breaks.includes(requirementId));
  const idsOf = (wanted: string) => breaking.filter(({ reach }) => reach === wanted).map(({ id }) => id);
  return { provenBy: idsOf('run'), judgedInRecords: idsOf('stored') };
}

const kindTexts: Record<Requirement['kind'], string> = {
  required: 'the run fails if the subject violates it',
  expected:
    'the interface document only shows it in an example, or requires it from the other side. A violation is a remark; under the profile strict it is a failure',
  probe: 'the document is silent. The answer is recorded, and judged only if the profile answers the question',
};

function formatBasis({ basis = 'document' }: Requirement): string {
  if (basis === 'document') return 'document: the interface document says it';
  return `${basis}: the interface document leaves this open, and the profile decides`;
}

function missingProof(row: Requirement, judgedInRecords: readonly string[]): string {
  if (row.untestable !== undefined) return 'nothing: it cannot be tested';
  if (judgedInRecords.length > 0) return 'no run: only stored records show a failure';
  return 'no defect yet';
}

function formatOperation(operation: string): string {
  return operation === 'both' ? 'close-day and process-recurring-payments' : operation;
}

async function answersOf(what: string, folder: string): Promise<Listing> {
  if (what === 'requirements') return compareWithMock(folder);
  refuseIf(what !== 'open-points')`--run is for open points and requirements, not for ${what}
    Write \`countersign list open-points --run DIR\`.`;
  const { openPoints: points } = await import('../../../contracts/open-points.ts');
  const { hypothesisOf } = await import('../../../contracts/hypotheses.ts');
  const { storedRuns } = await import('./history.ts');
  const { answeredPoints, openPointBlocks } = await import('../../report/open-points-text.ts');
  const runs = await storedRuns(folder);
  const data = answeredPoints(points, runs, (openPoint, value) => hypothesisOf(openPoint, value)?.name);
  const last = runs.at(-1)!.result;
  const intro = `These are the answers to the open points in the run of ${last.startedAt}. They are not judged.`;
  return { data, intro, blocks: openPointBlocks(data, last) };
}

async function compareWithMock(run: string): Promise<Listing> {
  const { withReplayable } = await import('../config/stored-runs.ts');
  const { fidelityOf } = await import('../compare-with-mock.ts');
  const data = await withReplayable(run, (cases) => fidelityOf(cases));
  const { compared, alike, requirements: rows } = data;
  const others = rows.filter(({ gateway, mock }) => gateway !== mock);
  const share = Math.floor((100 * alike) / Math.max(compared, 1));
  return {
    data,
    intro:
      `The mock got ${compared} requests of the run, and gave the same answer to ${alike} (${share} %). ` +
      `${rows.length - others.length} of ${rows.length} requirements have the same outcome on the mock.`,
    blocks: [{ list: others.map(({ id, gateway, mock }) => `${id}: ${gateway} on the gateway, ${mock} on the mock`) }],
  };
}
