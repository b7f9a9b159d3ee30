/** A matrix as a document: the changes, then a row for each implementation with a cell for each profile. Pure. */
import { pluralize } from '../../record/pluralize.ts';
import type { Outcome } from '../../record/result/result.ts';
import {
  type Block,
  type Card,
  type Document,
  fact,
  type Line,
  type Piece,
  type Section,
} from '../../report/document.ts';
import { html, type Markup } from '../../report/pages/markup.ts';
import { columns, conclusionOutcomes } from '../../report/phrases.ts';
import type {
  Cell,
  CellChange,
  CellRun,
  CellState,
  Implementation,
  ImplementationMatrix,
  PairCell,
  SubjectKind,
} from './matrix.ts';

const stateBadges: Readonly<Record<CellState, Outcome>> = { ...conclusionOutcomes, unsupported: 'not-applicable' };

const meanings: Readonly<Record<CellState, string>> = {
  conformant: 'every binding requirement was tested and passed',
  partial: 'no requirement failed, but a binding requirement could not be tested',
  'non-conformant': 'at least one requirement is broken',
  aborted: 'the run could not be completed, so there is no verdict on the implementation',
  unsupported: 'the implementation cannot run on this machine: no such program, or exit code 127',
};

const maxShownRuns = 24;
const maxShownChanges = 50;

export function implementationsDocument(matrix: ImplementationMatrix): Document {
  const { title, implementations, changes, news, pairs = [], suite, updatedAt } = matrix;
  const listed = implementations.filter(({ unlisted }) => unlisted !== true);
  const unlisted = implementations
    .filter((one) => one.unlisted === true)
    .map(({ kind, name, cells }): Line => [`${kind} `, { value: name }, { muted: ` ${lastSeen(cells)}` }]);
  const lastRuns = listed.flatMap(({ cells }) => cells.map((cell) => cell.runs.at(-1)));
  const lastStates = lastRuns.map((run) => run?.state);
  const count = (state: CellState | undefined) => lastStates.filter((one) => one === state).length;
  const partly = lastRuns.filter((run) => run?.state === 'conformant' && run.concluded?.includes('exercised')).length;
  const conformant = count('conformant');
  const brokenPairs = pairs.filter(({ is }) => is === 'breaks').length;
  let outcome: Outcome = lastStates.length > 0 && conformant === lastStates.length ? 'pass' : 'inconclusive';
  // If a pair breaks, the exit code is 1. So show a failure, even if all cells are conformant.
  if (brokenPairs > 0 || lastStates.includes('non-conformant')) outcome = 'fail';
  const verdictParts = [
    `${title}: ${conformant} of ${lastStates.length} ${lastStates.length === 1 ? 'cell is' : 'cells are'} conformant`,
    partly > 0 && `${partly} of them as far as exercised`,
    brokenPairs > 0 && `${brokenPairs} of ${pluralize(pairs.length, 'pair')} ${brokenPairs === 1 ? 'breaks' : 'break'}`,
  ];
  const stateLine = [...(Object.keys(stateBadges) as CellState[]), undefined].flatMap((state): Line => {
    const badge = state === undefined ? notRun : { badge: stateBadges[state], word: state };
    return count(state) === 0 ? [] : [badge, ` ${count(state)} `];
  });
  return {
    product: 'Countersign matrix',
    name: title,
    outcome,
    verdict: verdictParts.filter(Boolean).join(', '),
    head: [
      { text: `As of ${timeOf(updatedAt)} UTC, suite ${suite.version}` },
      { text: stateLine },
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
        only: 'page',
        blocks: listOf(changes.slice(0, maxShownChanges).map((change, at) => changeLine(change, at < news))),
      },
      {
        anchor: 'unlisted',
        title: 'No longer in the file',
        count: unlisted.length,
        isFolded: true,
        blocks: listOf(unlisted),
      },
      { anchor: 'words', title: 'What the words mean', only: 'page', blocks: legend(matrix.pairs !== undefined) },
    ],
    moreHint: 'matrix.json has them all',
    foot: [
      'This page as data: ',
      link('matrix.json', 'matrix.json'),
      `. Times are UTC. Ages are as of ${timeOf(updatedAt)}.`,
    ],
    style,
  };
}

const notRun = { badge: 'none', word: 'not run yet' } as const;

function listOf(list: readonly Line[], more: { readonly only?: 'text' } = {}): Block[] {
  return list.length === 0 ? [] : [{ list, ...more }];
}

function newsCard({ changes, news }: ImplementationMatrix): Card {
  if (news === 0) {
    const none = { text: 'In each cell, the findings are the same as in its previous run.' };
    return { outcome: 'pass', title: 'Nothing changed in the last run', frame: 'first', blocks: [none] };
  }
  const newChanges = changes.slice(0, news);
  return {
    outcome: newChanges.some(({ is }) => is === 'worse') ? 'fail' : 'inconclusive',
    title: `${pluralize(news, 'cell')} changed in the last run`,
    frame: 'first',
    blocks: listOf(newChanges.map((change) => changeLine(change, false))),
  };
}

function tableSection(
  kind: SubjectKind,
  listed: readonly Implementation[],
  { profiles, changes, news, updatedAt }: ImplementationMatrix,
): Section {
  const implementations = listed.filter((one) => one.kind === kind);
  const isNew = (name: string, profile: string) =>
    changes.slice(0, news).some((change) => change.kind === kind && change.name === name && change.profile === profile);
  const rows = implementations.map((one) => {
    const { name, cells, waits } = one;
    const version = cells.map(({ runs }) => runs.at(-1)?.version).find((text) => text !== undefined);
    const profileCells = profiles.map((profile) => {
      const cell = cells.find((other) => other.profile === profile);
      return cellLines(cell, updatedAt, isNew(name, profile));
    });
    const about = [version, waits].filter((text) => text !== undefined);
    return { kind: worstOf(one), cells: [[{ strong: name }, ...about], ...profileCells] };
  });
  const waiting = implementations.flatMap(({ name, waits }) => (waits === undefined ? [] : [`${name}: ${waits}`]));
  const title = kind === 'client' ? 'Clients' : 'Gateways';
  const head = ['Implementation', ...profiles.map((profile) => `Profile ${profile}`)];
  const table = { label: title, head, rows, filter: 'State', looks: 'cells' };
  const blocks = implementations.length === 0 ? [] : [{ table }, ...listOf(waiting, { only: 'text' })];
  return { anchor: `${kind}s`, title, count: implementations.length, blocks };
}

const pairMeanings = {
  works: 'the client reads the answers of the gateway, and a mock that imitates the gateway accepts its requests',
  breaks:
    'the client misreads answers of the gateway but not of the mock, or a mock that imitates the gateway refuses its requests',
  unverified: 'not known; the reason is next to it',
} as const;

const pairBadges = { works: 'pass', breaks: 'fail', unverified: 'inconclusive' } as const;

function pairSection(pairs: readonly PairCell[]): Section {
  const clients = [...new Set(pairs.map(({ client }) => client))];
  const gateways = [...new Set(pairs.map(({ gateway }) => gateway))];
  const cell = (client: string, gateway: string): readonly Line[] => {
    const pair = pairs.find((one) => one.client === client && one.gateway === gateway);
    if (pair === undefined) return [''];
    const { is, reason, mock, at } = pair;
    const mockText =
      mock === undefined ? '' : `mock and gateway give equal answers to ${mock.alike} of ${mock.compared} requests, `;
    return [{ badge: pairBadges[is], word: is }, ...(reason === undefined ? [] : [reason]), `${mockText}${timeOf(at)}`];
  };
  const rows = clients.map((client) => ({
    cells: [[{ strong: client }], ...gateways.map((gateway) => cell(client, gateway))],
  }));
  const title = 'Clients with gateways';
  const table = { label: title, head: ['Client', ...gateways], rows, looks: 'cells' };
  const list = pairs.flatMap(({ client, gateway, reason }) =>
    reason === undefined ? [] : [`${client} with ${gateway}: ${reason}`],
  );
  const blocks = pairs.length === 0 ? [] : [{ table }, ...listOf(list, { only: 'text' })];
  return { anchor: 'pairs', title, count: pairs.length, blocks };
}

const worstFirst: readonly CellState[] = ['non-conformant', 'aborted', 'partial', 'unsupported', 'conformant'];

function worstOf({ cells }: Implementation): string {
  const states = cells.map(({ runs }) => runs.at(-1)?.state);
  return worstFirst.find((state) => states.includes(state)) ?? 'not run yet';
}

function cellLines(cell: Cell | undefined, updatedAt: string, isNew: boolean): readonly Line[] {
  const lastRun = cell?.runs.at(-1);
  if (cell === undefined || lastRun === undefined) return [notRun];
  const { state, concluded, run, reason, counts, hazards, only, at } = lastRun;
  const badge = hazards !== undefined && state === 'conformant' ? 'inconclusive' : stateBadges[state];
  const changed = isNew ? [' ', { badge: 'none', word: 'changed' } as const] : [];
  return [
    [{ badge, word: concluded ?? state }, ...changed, { picture: trend(cell.runs) }],
    ...[counts && countsOf(counts), reason, only && `only ${only.join(' ')}`].filter((text) => text !== undefined),
    [timeOf(at), ...ageOf(at, updatedAt), ...reportLink(run)],
  ];
}

function reportLink(run: string | undefined): Piece[] {
  return run === undefined ? [] : [link(`${run}/report.html`, 'report', ' · ')];
}

/** Draws a bar for each run, oldest first. Bars differ in colour and height, because some readers see no colours. */
function trend(runs: readonly CellRun[]): Markup {
  if (runs.length < 2) return null;
  const recentRuns = runs.slice(-maxShownRuns);
  const description = recentRuns.map(({ at, state }) => `${at.slice(0, 10)} ${state}`).join(', ');
  return html`<span class="runs-so-far" role="img" aria-label=${`Last ${pluralize(recentRuns.length, 'run')}: ${description}`} title=${description}>${recentRuns.map(({ state }) => html`<i class=${stateBadges[state]}></i>`)}</span>`;
}

function countsOf(counts: NonNullable<CellRun['counts']>): string {
  return columns
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ');
}

function changeLine({ at, kind, is, sentence, run, to }: CellChange, isNew: boolean): Line {
  const badge = { better: 'pass', worse: 'fail', other: stateBadges[to] }[is] as Outcome;
  return [
    { badge, word: is === 'other' ? 'changed' : is },
    ...(isNew ? [' ', { badge: 'none', word: 'last run' } as const] : []),
    `: ${kind} ${sentence} `,
    { muted: timeOf(at) },
    ...reportLink(run),
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
  const lastRuns = cells.map(({ profile, runs }) =>
    runs.slice(-1).map((last) => `${profile} ${last.state}, ${last.at.slice(0, 10)}`),
  );
  return lastRuns.flat().join('; ');
}

function legend(hasPairs: boolean): Block[] {
  const factsOf = (words: Readonly<Record<string, string>>) =>
    Object.entries(words).flatMap(([word, meaning]) => fact(word, meaning));
  return [
    ...factsOf(meanings),
    ...(hasPairs ? factsOf(pairMeanings) : []),
    {
      text: 'Each mark next to a state is an earlier run. The newest is on the right. Each report shows the exchanges and says what to fix.',
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
