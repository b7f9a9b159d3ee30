/** Which open points have another answer in NEW. Only a question that both runs asked has an answer in both. */
import type { Observation } from '../../record/result/result.ts';
import type { Change } from './difference.ts';

type AnswerChange = Omit<Change, 'operation'>;

/**
 * @param comparable the operation of an exchange of OLD, or of NEW, whose case is in the other run as well; undefined for others
 */
export function answerChanges(
  old: readonly Observation[],
  fresh: readonly Observation[],
  comparable: { readonly old: Comparable; readonly fresh: Comparable },
): AnswerChange[] {
  const before = byQuestion(old, comparable.old);
  return [...byQuestion(fresh, comparable.fresh)].flatMap(([id, now]) => {
    const then = before.get(id);
    if (then === undefined) return [];
    const news = [...now.answers].filter(([answer]) => !then.answers.has(answer));
    const gone = [...then.answers.keys()].filter((answer) => !now.answers.has(answer));
    // Where one run both accepted and refused the same, it was not what was asked that decided.
    const isDecided = gone.length === then.answers.size && news.length === now.answers.size;
    if (news.length === 0 || (!isDecided && isAcceptance(news[0]![0]))) return [];
    return [
      {
        change: 'open-answer' as const,
        name: now.openPoint,
        old: gone.map((answer) => asked(now.question, answer)),
        new: news.map(([answer]) => asked(now.question, answer)),
        exchanges: news.flatMap(([, exchanges]) => exchanges),
      },
    ];
  });
}

function isAcceptance(answer: string): boolean {
  return /^(?:accepted|refused|past-authentication|unclear)\b/.test(answer);
}

/** Each operation may answer a question in its own way. */
type Comparable = (exchange: number) => string | undefined;

interface Asked {
  readonly openPoint: string;
  readonly question: string;
  readonly answers: Map<string, number[]>;
}

function byQuestion(observations: readonly Observation[], operationOf: Comparable) {
  const questions = new Map<string, Asked>();
  for (const { openPoint, value, exchanges } of observations) {
    const { question, answer } = parted(withoutDrawn(value));
    if (answer.startsWith('undetermined')) continue;
    for (const exchange of exchanges) {
      const operation = operationOf(exchange);
      if (operation === undefined) continue;
      const id = `${openPoint} ${operation} ${question}`;
      const found = questions.get(id) ?? { openPoint, question, answers: new Map<string, number[]>() };
      const numbers = found.answers.get(answer);
      if (numbers === undefined) found.answers.set(answer, [exchange]);
      else numbers.push(exchange);
      questions.set(id, found);
    }
  }
  return questions;
}

/** What was asked stands before the last colon that is not quoted; without one the open point is the question. */
export function parted(value: string): { readonly question: string; readonly answer: string } {
  const quote = value.indexOf("'");
  const colon = value.lastIndexOf(': ', quote === -1 ? value.length : quote);
  if (colon === -1) return { question: '', answer: value };
  return { question: value.slice(0, colon), answer: value.slice(colon + 2) };
}

/** Words of a gateway may repeat what was sent, and a page has another length each time. */
function withoutDrawn(value: string): string {
  const plain = value.replace(/a body of \d+ bytes/g, 'a body');
  const quote = plain.indexOf("'");
  if (quote === -1 || !plain.endsWith("'")) return plain;
  return plain.slice(0, quote) + plain.slice(quote).replace(/[\da-f-]{8,}|\d+/gi, '…');
}

function asked(question: string, answer: string): string {
  return question === '' ? answer : `${question}: ${answer}`;
}
