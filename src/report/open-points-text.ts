/** Prints how runs answered the open points: hypotheses, changes between runs, and measurements. */
import type { OpenPoint } from '../../contracts/open-points.ts';
import { groupBy } from '../record/group-by.ts';
import {
  type DialectCard,
  formatInterval,
  type Measured,
  type Observation,
  type Result,
} from '../record/result/result.ts';
import type { Block } from './document.ts';
import { visible } from './visible.ts';

type AnsweredPoint = ReturnType<typeof answeredPoints>[number];

/**
 * For each open point: the answers of the last run (highest confidence first), and the changes between the runs.
 * `runs` must start with the oldest run.
 */
export function answeredPoints(
  points: readonly Pick<OpenPoint, 'id' | 'question' | 'probe'>[],
  runs: readonly { readonly path: string; readonly result: Result }[],
  hypothesisOf: (openPoint: string, value: string) => string | undefined,
) {
  const last = runs.at(-1)!.result;
  return points.map(({ id, question, probe }) => ({
    id,
    question,
    probe,
    answers: last.observations
      .filter(({ openPoint }) => openPoint === id)
      .map((one) => ({ ...one, hypothesis: hypothesisOf(id, one.value) }))
      .sort((a, b) => ranks.indexOf(b.confidence) - ranks.indexOf(a.confidence)),
    history: runs.slice(1).flatMap(({ path, result }, at) => {
      const before = valuesOf(runs[at]!.result, id);
      const now = valuesOf(result, id);
      const came = now.filter((one) => !before.includes(one));
      const went = before.filter((one) => !now.includes(one));
      return came.length + went.length === 0 ? [] : [{ run: path, startedAt: result.startedAt, came, went }];
    }),
  }));
}

export function openPointBlocks(points: readonly AnsweredPoint[], { measured }: Result): Block[] {
  const [title = '', ...lines] = measured === undefined ? [] : measuredLines(measured);
  return [
    ...points.map((point) => ({ fold: `${point.id}  ${point.question}`, blocks: [{ list: pointLines(point) }] })),
    ...(measured === undefined ? [] : [{ fold: title, blocks: [{ code: lines.join('\n') }] }]),
  ];
}

const maxShown = 3;

function pointLines({ probe, answers, history }: AnsweredPoint): string[] {
  const groups = groupBy(answers, ({ hypothesis }) => hypothesis ?? 'no known hypothesis');
  const noAnswer = probe === 'none' ? 'no request can answer this: ask the operator' : 'no answer in this run';
  return [
    ...(answers.length === 0 ? [noAnswer] : []),
    ...[...groups].map(([name, some]) => {
      const values = some.slice(0, maxShown).map(({ value }) => value.slice(0, 80));
      const more = some.length > maxShown ? `, and ${some.length - maxShown} more` : '';
      return `${name} (${confidencesOf(some)}): ${values.join('; ')}${more}`;
    }),
    ...history.map(({ run, came, went }) => {
      const changes = [
        ...came.slice(0, maxShown).map((one) => `+ ${one}`),
        ...went.slice(0, maxShown).map((one) => `- ${one}`),
      ];
      return `changed in ${run}: ${changes.join('; ')}${came.length + went.length > 2 * maxShown ? '; …' : ''}`;
    }),
  ];
}

const ranks: readonly Observation['confidence'][] = ['none', 'low', 'medium', 'high'];

function confidencesOf(some: readonly Observation[]): string {
  return [...groupBy(some, ({ confidence = 'of unknown confidence' }) => confidence)]
    .map(([name, group]) => `${group.length} ${name}`)
    .join(', ');
}

function valuesOf({ observations }: Result, id: string): readonly string[] {
  return observations.filter(({ openPoint }) => openPoint === id).map(({ value }) => value);
}

/** Lines about the measured limits, and about the signing deviations that the gateway accepts. */
export function measuredLines({ limits, dialect, requests }: Measured): string[] {
  const width = Math.max(...limits.map(({ unit }) => unit.length));
  return [
    `Measured with ${requests} requests, and not judged`,
    ...limits.map((one) => {
      const unit = one.unit.padEnd(width);
      const reason = one.reason && visible(one.reason);
      const isKnown = one.least !== undefined || one.most !== undefined;
      if (!isKnown) return `  ${unit}  not known${reason ? `: ${reason}` : ''}`;
      return `  ${unit}  ${formatInterval(one)}${reason ? ` (${reason})` : ''}, in ${one.requests} requests`;
    }),
    ...(dialect === undefined ? [] : ['', ...cardLines(dialect)]),
  ];
}

function cardLines({ follows, takes, refuses, undetermined, reason, requests }: DialectCard): string[] {
  const title = `How the gateway builds the signature base string (section 5 of the interface document), from ${requests} close-day requests`;
  if (reason !== undefined && refuses.length + follows.length + takes.length === 0) {
    return [title, `  Not known: ${visible(reason)}.`];
  }
  const exceptions = follows.length === 0 ? '.' : ', except for this:';
  return [
    title,
    `  The base string and the HMAC-SHA1 signature are those of RFC 5849 sections 3.4.1 and 3.4.2${exceptions}`,
    ...follows.flatMap(entryLines),
    ...(takes.length === 0
      ? []
      : ['  The gateway also accepts a signature that differs in this:', ...takes.flatMap(entryLines)]),
    `  Other ways to sign: the gateway refuses ${refuses.length}. ${undetermined.length} more are not known, because no accepted request shows them.`,
    ...(reason === undefined ? [] : [`  Incomplete: ${visible(reason)}.`]),
  ];
}

function entryLines({ deviation, alternatives = [], means, exchanges }: DialectCard['follows'][number]): string[] {
  const others = alternatives.length === 0 ? '' : `, or ${alternatives.map(visible).join(', or ')}`;
  return [`  - ${visible(means)} (${visible(deviation)}${others}; exchange ${exchanges.slice(0, 3).join(', ')})`];
}
