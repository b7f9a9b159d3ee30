/** Runs over time on a terminal: a line for each run, and under it what changed since the one before. */
import { countedWord } from '../../record/counted-word.ts';
import { field, painter } from '../../report/terminal.ts';
import { shortened, visible } from '../../report/visible.ts';
import { narrowedTo, subjectAt } from '../../report/words.ts';
import type { HistoricRun, History, SubjectHistory } from './history.ts';
import { answerLines } from './sections.ts';

/** Ids of one kind of change that are printed; the JSON has all of them. */
const mostIds = 8;

/** The text, with a line end at the end. */
export function historyText(history: History, options: { readonly colour: boolean; readonly width: number }): string {
  const paint = painter(options.colour);
  const width = Math.max(options.width, 40);
  const block = (label: string, text: string, indent: number) =>
    field(label, visible(shortened(text, 400)), { indent, labelWidth: label === '' ? 0 : 14, width }).map((line) =>
      line.trimEnd(),
    );
  const lines = history.subjects.flatMap((series) => [
    paint('bold', visible(headOf(series))),
    ...series.runs.flatMap((run, index) => [
      ...block('', runLine(run), 0),
      ...changeLines(run, index).flatMap(([label, text]) => block(label, text, 4)),
    ]),
    '',
  ]);
  const left = history.leftOut.flatMap(({ path, why }) => block('', `Left out: ${path}: ${why}`, 0));
  return `${[...lines, ...left].join('\n').trimEnd()}\n`;
}

function headOf({ subject, profile, only, runs }: SubjectHistory): string {
  const count = countedWord(runs.length, 'run');
  return `${subjectAt({ ...subject, version: undefined, language: undefined })}, profile ${profile}${only === undefined ? '' : `, narrowed to ${narrowedTo(only)}`}: ${count}`;
}

function runLine({ startedAt, conclusion, concluded, counts, version, labels = {}, path }: HistoricRun): string {
  const called = [...(version === undefined ? [] : [version]), ...Object.entries(labels).map((pair) => pair.join('='))];
  const found = (['fail', 'error', 'inconclusive', 'pass'] as const).filter((outcome) => counts[outcome] > 0);
  return [
    startedAt.slice(0, 16).replace('T', ' '),
    (concluded ?? conclusion).padEnd('non-conformant'.length),
    [...found.map((outcome) => `${counts[outcome]} ${outcome}`), ...called, path].join(', '),
  ].join('  ');
}

/** Nothing under a run that changed nothing. */
function changeLines({ changes, conclusion }: HistoricRun, index: number): [label: string, text: string][] {
  if (changes === undefined) {
    return index === 0 || conclusion !== 'aborted'
      ? []
      : [['aborted', 'not compared; the next run is, with the one before']];
  }
  const all: [string, readonly string[]][] = [
    ['broke', changes.newlyBroken],
    ['found broken', changes.foundBroken],
    ['fixed', changes.fixed],
    ['undetermined', changes.newlyUndetermined],
    ['determined', changes.newlyDetermined],
    ['added', changes.added],
    ['retired', changes.retired],
    ['renamed', changes.renamed.map(({ old, new: now }) => `${old} -> ${now}`)],
    ['kind changed', changes.kindChanged.map(({ id, old, new: now }) => `${id} ${old} -> ${now}`)],
    ['answers', answerLines(changes.answers).map(({ name, text }) => `${name}: ${text}`)],
  ];
  return all.filter(([, ids]) => ids.length > 0).map(([label, ids]) => [label, listed(ids)]);
}

function listed(ids: readonly string[]): string {
  const beyond = ids.length - mostIds;
  return `${ids.slice(0, mostIds).join(', ')}${beyond > 0 ? `, and ${beyond} more` : ''}`;
}
