/** A matrix as a document: the changes, then a row for each implementation with a cell for each profile. Pure. */
import { pluralize } from '../../record/pluralize.ts';
import type { Outcome } from '../../record/result/result.ts';
import {
  type Block,
  type Document,
  fact,
  type Line,
  type Piece,
  type Row,
  type Section,
} from '../../report/document.ts';
import { html, type Markup } from '../../report/pages/markup.ts';
import { columns, likeOutcome } from '../../report/words.ts';
import type { Cell, CellChange, CellRun, CellState, Implementation, ImplementationMatrix, PairCell } from './matrix.ts';
import type { SubjectKind } from './matrix-plan.ts';

const looks: Readonly<Record<CellState, Outcome>> = { ...likeOutcome, unsupported: 'not-applicable' };

const meanings: Readonly<Record<CellState, string>> = {
  conformant: 'every requirement that binds was determined and holds',
  partial: 'no requirement failed, and something that binds could not be determined',
  'non-conformant': 'at least one requirement is broken',
  aborted: 'the run could not be done, which says nothing of the implementation',
  unsupported: 'it cannot be had on the machine of the matrix: no such program, or exit code 127',
};

const shownRuns = 24;
const shownChanges = 50;

export function implementationsDocument(matrix: ImplementationMatrix): Document {
  const { title, implementations, changes, news, pairs = [], suite, updatedAt } = matrix;
  const listed = implementations.filter(({ unlisted }) => unlisted !== true);
  const unlisted = implementations
    .filter((one) => one.unlisted === true)
    .map(({ kind, name, cells }): Line => [`${kind} `, { value: name }, { muted: ` ${lastSeen(cells)}` }]);
  const broken = pairs.filter(({ is }) => is === 'breaks').length;
  const runs = listed.flatMap(({ cells }) => cells.map((cell) => cell.runs.at(-1)));
  const last = runs.map((run) => run?.state);
  const partly = runs.filter((run) => run?.state === 'conformant' && run.concluded?.includes('exercised')).length;
  const conformant = last.filter((state) => state === 'conformant').length;
  // Red if the command exits with 1: a conformant client may still break with a gateway.
  const isRed = broken > 0 || last.includes('non-conformant');
  const words = [
    `${title}: ${conformant} of ${last.length} ${last.length === 1 ? 'cell is' : 'cells are'} conformant`,
    partly > 0 && `${partly} of them as far as exercised`,
    broken > 0 && `${broken} of ${pluralize(pairs.length, 'pair')} ${broken === 1 ? 'breaks' : 'break'}`,
  ];
  return {
    product: 'Countersign matrix',
    name: title,
    outcome: isRed ? 'fail' : last.length > 0 && conformant === last.length ? 'pass' : 'inconclusive',
    verdict: words.filter(Boolean).join(', '),
    head: [
      { text: `As of ${timeOf(updatedAt)} UTC, suite ${suite.version}` },
      { text: statesOf(last) },
      { card: newsCard(matrix) },
    ],
    sections: [
      tableSection('client', listed, matrix),
      tableSection('gateway', listed, matrix),
      pairSection(pairs),
      {
        anchor: 'changes',
        title: 'Changes',
        count: changes.length,
        only: 'page' as const,
        blocks:
          changes.length === 0
            ? []
            : [{ list: changes.slice(0, shownChanges).map((change, at) => changeLine(change, at < news)) }],
      },
      {
        anchor: 'unlisted',
        title: 'No longer in the file',
        count: unlisted.length,
        isFolded: true,
        blocks: unlisted.length === 0 ? [] : [{ list: unlisted }],
      },
      {
        anchor: 'words',
        title: 'What the words mean',
        only: 'page' as const,
        blocks: legend(matrix.pairs !== undefined),
      },
    ],
    rest: 'matrix.json has them all',
    foot: [
      'The same as data: ',
      link('matrix.json', 'matrix.json'),
      `. Times are UTC; ages are those of ${timeOf(updatedAt)}.`,
    ],
    style,
  };
}

function statesOf(last: readonly (CellState | undefined)[]): Line {
  const count = (state: CellState | undefined) => last.filter((one) => one === state).length;
  const states = (Object.keys(looks) as CellState[]).filter((state) => count(state) > 0);
  const waiting = count(undefined);
  return [
    ...states.flatMap((state): Line => [{ badge: looks[state], word: state }, ` ${count(state)} `]),
    ...(waiting === 0 ? [] : [{ badge: 'none', word: 'not run yet' } as const, ` ${waiting}`]),
  ].flat();
}

function newsCard({ changes, news }: ImplementationMatrix) {
  const fresh = changes.slice(0, news);
  const outcome: Outcome = fresh.some(({ is }) => is === 'worse') ? 'fail' : news > 0 ? 'inconclusive' : 'pass';
  const none: Block = { text: 'No cell found anything else than in the run before it, where there was one.' };
  return {
    outcome,
    title: news === 0 ? 'Nothing changed in the last run' : `${pluralize(news, 'cell')} changed in the last run`,
    frame: 'first' as const,
    blocks: news === 0 ? [none] : [{ list: fresh.map((change) => changeLine(change, false)) }],
  };
}

function tableSection(
  kind: SubjectKind,
  listed: readonly Implementation[],
  { profiles, changes, news, updatedAt }: ImplementationMatrix,
): Section {
  const mine = listed.filter((one) => one.kind === kind);
  const isNew = (name: string, profile: string) =>
    changes.slice(0, news).some((change) => change.kind === kind && change.name === name && change.profile === profile);
  const rows = mine.map((one): Row => {
    const version = one.cells.map(({ runs }) => runs.at(-1)?.version).find((text) => text !== undefined);
    const cells = profiles.map((profile) => {
      return cellOf(
        one.cells.find((cell) => cell.profile === profile),
        updatedAt,
        isNew(one.name, profile),
      );
    });
    const waits = one.waits === undefined ? [] : [one.waits];
    return {
      kind: worstOf(one),
      cells: [[{ strong: one.name }, ...(version === undefined ? [] : [version]), ...waits], ...cells],
    };
  });
  const waiting = mine.flatMap(({ name, waits }) => (waits === undefined ? [] : [`${name}: ${waits}`]));
  const title = kind === 'client' ? 'Clients' : 'Gateways';
  const head = ['Implementation', ...profiles.map((profile) => `Profile ${profile}`)];
  return {
    anchor: `${kind}s`,
    title,
    count: mine.length,
    blocks:
      mine.length === 0
        ? []
        : [{ table: { label: title, head, rows, filter: 'State', looks: 'cells' } }, ...notes(waiting)],
  };
}

const pairMeanings = {
  works: 'the client reads what the gateway answers, and a mock like the gateway takes what the client sends',
  breaks: 'it misreads an answer of that gateway alone, or its request is refused',
  unverified: 'not known, for the reason beside it',
} as const;

const pairLooks = { works: 'pass', breaks: 'fail', unverified: 'inconclusive' } as const;

function pairSection(pairs: readonly PairCell[]): Section {
  const [clients, gateways] = [unique(pairs.map(({ client }) => client)), unique(pairs.map(({ gateway }) => gateway))];
  const cell = (client: string, gateway: string): readonly Line[] => {
    const pair = pairs.find((one) => one.client === client && one.gateway === gateway);
    if (pair === undefined) return [''];
    const { is, reason, mock, at } = pair;
    const alike = mock === undefined ? '' : `mock alike in ${mock.alike} of ${mock.compared} answers, `;
    return [{ badge: pairLooks[is], word: is }, ...(reason === undefined ? [] : [reason]), `${alike}${timeOf(at)}`];
  };
  const rows = clients.map((client) => ({
    cells: [[{ strong: client }], ...gateways.map((gateway) => cell(client, gateway))],
  }));
  const table = { label: 'Clients beside gateways', head: ['Client', ...gateways], rows, looks: 'cells' };
  const list = pairs.flatMap(({ client, gateway, reason }) =>
    reason === undefined ? [] : [`${client} with ${gateway}: ${reason}`],
  );
  return {
    anchor: 'pairs',
    title: 'Clients beside gateways',
    count: pairs.length,
    blocks: pairs.length === 0 ? [] : [{ table }, ...notes(list)],
  };
}

function notes(list: readonly string[]): Block[] {
  return list.length === 0 ? [] : [{ list, only: 'text' }];
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function worstOf({ cells }: Implementation): string {
  const order: readonly (CellState | undefined)[] = [
    'non-conformant',
    'aborted',
    'partial',
    'unsupported',
    'conformant',
  ];
  const states = cells.map(({ runs }) => runs.at(-1)?.state);
  return order.find((state) => states.includes(state)) ?? 'not run yet';
}

function cellOf(cell: Cell | undefined, updatedAt: string, isNew: boolean): readonly Line[] {
  const last = cell?.runs.at(-1);
  if (cell === undefined || last === undefined) return [{ badge: 'none', word: 'not run yet' }];
  const { state, concluded, run, reason, counts, hazards, only, at } = last;
  const badge = hazards !== undefined && state === 'conformant' ? 'inconclusive' : looks[state];
  const report = run === undefined ? [] : [link(`${run}/report.html`, 'report', ' · ')];
  return [
    [
      { badge, word: concluded ?? state },
      ...(isNew ? [' ', { badge: 'none', word: 'changed' } as const] : []),
      { picture: trend(cell.runs) },
    ],
    ...[counts && countsOf(counts), reason, only && `only ${only.join(' ')}`].filter((text) => text !== undefined),
    [timeOf(at), ...ageOf(at, updatedAt), ...report],
  ];
}

/** Oldest first, one mark for each run. The marks also differ in height, so that colour is not needed. */
function trend(runs: readonly CellRun[]): Markup {
  if (runs.length < 2) return null;
  const shown = runs.slice(-shownRuns);
  const said = shown.map(({ at, state }) => `${at.slice(0, 10)} ${state}`).join(', ');
  return html`<span class="runs-so-far" role="img" aria-label=${`Last ${pluralize(shown.length, 'run')}: ${said}`} title=${said}>${shown.map(({ state }) => html`<i class=${looks[state]}></i>`)}</span>`;
}

function countsOf(counts: NonNullable<CellRun['counts']>): string {
  return columns
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ');
}

function changeLine({ at, kind, is, sentence, run, to }: CellChange, isNew: boolean): Line {
  const badge = { better: 'pass', worse: 'fail', other: looks[to] }[is] as Outcome;
  return [
    { badge, word: is === 'other' ? 'changed' : is },
    ...(isNew ? [' ', { badge: 'none', word: 'last run' } as const] : []),
    `: ${kind} ${sentence} `,
    { muted: timeOf(at) },
    ...(run === undefined ? [] : [link(`${run}/report.html`, 'report', ' · ')]),
  ];
}

function link(to: string, text: string, before = '') {
  return { picture: html`${before}<a href=${to}>${text}</a>` };
}

function timeOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

function ageOf(at: string, updatedAt: string): Piece[] {
  const days = Math.floor((Date.parse(updatedAt) - Date.parse(at)) / 86_400_000);
  if (days < 1) return [];
  const word = days === 1 ? '1 day old' : `${days} days old`;
  return days < 7 ? [{ muted: `, ${word}` }] : [{ muted: ', ' }, { badge: 'none', word }];
}

function lastSeen(cells: readonly Cell[]): string {
  const seen = cells.flatMap(({ profile, runs }) => {
    const last = runs.at(-1);
    return last === undefined ? [] : [`${profile} ${last.state}, ${last.at.slice(0, 10)}`];
  });
  return seen.join('; ');
}

function legend(hasPairs: boolean): Block[] {
  const of = (words: Readonly<Record<string, string>>) =>
    Object.entries(words).flatMap(([word, meaning]) => fact(word, meaning));
  return [
    ...of(meanings),
    ...(hasPairs ? of(pairMeanings) : []),
    {
      text: 'Each mark beside a state is an earlier run, the newest on the right. A report has the evidence: what was sent, what came back, and what to mend.',
    },
  ];
}

const style = `
.cells th[scope='row'] { width: 16rem; overflow-wrap: anywhere; } .figures { display: block; font-weight: 400; font-size: .82rem; color: var(--muted); overflow-wrap: anywhere; }
.runs-so-far { display: inline-flex; margin-left: .4rem; align-items: flex-end; gap: 2px; height: 1.1rem; }
.runs-so-far i { width: 5px; height: 35%; border-radius: 1px; background: var(--none); } .runs-so-far .pass { height: 100%; background: var(--pass); }
.runs-so-far .inconclusive { height: 70%; background: var(--inconclusive); } .runs-so-far .fail { height: 45%; background: var(--fail); } .runs-so-far .error { height: 20%; background: var(--error); }
@media (max-width: 46rem) {
  .cells thead { display: none; } .cells, .cells tbody, .cells tr, .cells th, .cells td { display: block; width: auto !important; }
  .cells tr + tr { border-top: 1px solid var(--line); } .cells th, .cells td { border: 0; padding: .3rem .75rem; } .cells tr { padding: .4rem 0; }
  .cells td::before { content: attr(data-of); display: block; font-size: .75rem; color: var(--muted); }
}
`;
