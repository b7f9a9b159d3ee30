/** What of NEW is asked about: its answers by what changed in them, and those in which nothing did. Pure. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Exchange } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { behaviourChanges } from '../../verdict/diff/behaviour-changes.ts';
import type { Change, ChangeClass, ComparedRun } from '../../verdict/diff/difference.ts';
import { type ComparedAnswer, commonAnswers } from '../../verdict/diff/message-features.ts';
import { classOf, type DiffPolicy } from '../../verdict/diff/policy.ts';
import { changeInWords } from '../../verdict/diff/verdict.ts';

/** Answers to one operation that show the same changes: a column of the matrix. */
export interface AnswerColumn {
  readonly operation: Operation;
  /** As the comparison names them; none where the answers have the form that they had. */
  readonly changes: readonly string[];
  /** The worst of the changes. */
  readonly class: ChangeClass;
  /** Exchanges of NEW with these changes. */
  readonly times: number;
  /** One for each form of them, the first few. */
  readonly samples: readonly AnswerPair[];
}

/** An answer of NEW, and what OLD answered to the same case. */
export interface AnswerPair {
  readonly fresh: NumberedExchange;
  readonly old: NumberedExchange;
  /** Other answers of OLD of the same kind: what of those is misread is due to a value, and not to a change. */
  readonly others: readonly NumberedExchange[];
}

export interface NumberedExchange {
  readonly number: number;
  readonly exchange: Exchange;
}

/** Samples of one column, and columns: every client is asked for each of them. */
const [mostSamples, mostColumns] = [4, 100];

/** Answers of OLD that a misreading is looked for in: values are drawn, and many show what few do not. */
const mostOthers = 16;

const order: readonly ChangeClass[] = ['forbidden', 'risky', 'allowed'];

/** Both runs have exchanges: whoever calls has refused others. Columns beyond the first hundred are left out, the worst come first. */
export function answerColumns(
  old: ComparedRun,
  fresh: ComparedRun,
  policy: DiffPolicy,
): { readonly columns: readonly AnswerColumn[]; readonly leftOut: number } {
  const [before, now] = commonAnswers(old.cases!, fresh.cases!, 'gateway');
  const changes = changesByExchange(behaviourChanges(before, now));
  const counterparts = groupBy(before, ({ key }) => key);
  const numbered = (run: ComparedRun, number: number) => ({ number, exchange: run.cases![number - 1]!.exchange });
  const others = new Map(
    [...groupBy(before, kindOf)].map(([kind, answers]) => [
      kind,
      samplesOf(answers, old, mostOthers).map(({ exchange }) => numbered(old, exchange)),
    ]),
  );
  const groups = groupBy(now, ({ operation, exchange }) => JSON.stringify([operation, kindsOf(changes.get(exchange))]));
  const columns = [...groups.values()].map((answers): AnswerColumn => {
    const [{ operation }] = answers as [ComparedAnswer];
    const shown = [...new Set(answers.flatMap(({ exchange }) => changes.get(exchange) ?? []))];
    const classes = shown.map((change) => classOf(change, operation, policy));
    return {
      operation,
      changes: namesOf(shown),
      class: classes.sort((a, b) => order.indexOf(a) - order.indexOf(b))[0] ?? 'allowed',
      times: answers.length,
      samples: samplesOf(answers, fresh, mostSamples).map((answer) => {
        const same = counterparts.get(answer.key)!;
        const then = same.find(({ meaning }) => meaning === answer.meaning) ?? same[0]!;
        return {
          fresh: numbered(fresh, answer.exchange),
          old: numbered(old, then.exchange),
          others: others.get(kindOf(then))!,
        };
      }),
    };
  });
  columns.sort((a, b) => rank(a) - rank(b));
  return { columns: columns.slice(0, mostColumns), leftOut: Math.max(0, columns.length - mostColumns) };
}

/** What changed comes first. */
function rank(column: AnswerColumn): number {
  return column.changes.length === 0 ? order.length : order.indexOf(column.class);
}

function namesOf(changes: readonly Change[] = []): string[] {
  return [...new Set(changes.map(changeInWords))].sort();
}

/** Headers change together, and which of them an answer has is no change. */
function kindsOf(changes: readonly Change[] = []): string[] {
  return [
    ...new Set(
      changes.map(({ change, name }) => (change.startsWith('header-') ? change : changeInWords({ change, name }))),
    ),
  ].sort();
}

/** Answers of one kind differ in values above all. */
function kindOf({ operation, meaning, status, features }: ComparedAnswer): string {
  return `${operation} ${meaning} ${status} ${features.body}`;
}

function changesByExchange(changes: readonly Change[]): Map<number, Change[]> {
  const found = new Map<number, Change[]>();
  for (const change of changes) {
    for (const exchange of change.exchanges) {
      const known = found.get(exchange);
      if (known === undefined) found.set(exchange, [change]);
      else known.push(change);
    }
  }
  return found;
}

/** One answer of each form, what means another thing first, and then others from all parts of the run. */
function samplesOf(answers: readonly ComparedAnswer[], { cases }: ComparedRun, most: number): ComparedAnswer[] {
  const digits = ({ exchange }: ComparedAnswer) => hasLongNumbers(cases![exchange - 1]!.exchange);
  const firstOf = (by: (answer: ComparedAnswer) => string) =>
    [...groupBy(answers, by).values()].map(([first]) => first!);
  const meanings = firstOf((one) => `${one.meaning} ${one.status} ${digits(one)}`);
  const forms = firstOf(({ meaning, status, features }) => JSON.stringify([meaning, status, features]));
  const step = Math.ceil(answers.length / most);
  const spread = answers.filter((_, at) => at % step === 0);
  return [...new Set([...meanings, ...forms, ...spread])].slice(0, most);
}

/** Numbers that no double holds have the form of any other number, and clients have broken over them. */
function hasLongNumbers({ response }: Exchange): boolean {
  return /[:[,]\s*-?\d{16}/.test(Buffer.from(response!.body.subarray(0, 65_536)).toString('latin1'));
}
