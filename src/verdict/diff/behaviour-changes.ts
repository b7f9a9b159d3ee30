/** What a gateway does otherwise in the cases that both runs have, although no requirement names it. */
import type { ComparedAnswer } from './compared-answer.ts';
import type { Change, ChangeName } from './difference.ts';
import { classChanges } from './form-changes.ts';

export function behaviourChanges(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): Change[] {
  return [...caseChanges(old, fresh), ...groupChanges(old, fresh)];
}

function groupChanges(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): Change[] {
  const before = grouped(old, groupOf);
  return [...grouped(fresh, groupOf)].flatMap(([group, now]) => {
    const then = before.get(group);
    return then === undefined ? [] : classChanges(then, now);
  });
}

/** Answers that mean the same to the same operation have the same form. */
function groupOf({ operation, meaning }: ComparedAnswer): string {
  return `${operation} ${meaning}`;
}

/** Status, body and meaning of the same case: what NEW shows there and OLD never did. */
function caseChanges(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): Change[] {
  const before = grouped(old, ({ key }) => key);
  return [...grouped(fresh, ({ key }) => key)].flatMap(([key, now]) => {
    const then = before.get(key)!;
    const found: Change[] = [];
    const add = (change: ChangeName, answers: readonly ComparedAnswer[], show: (answer: ComparedAnswer) => string) => {
      const shown = new Set(then.map(show));
      const news = answers.filter((answer) => !shown.has(show(answer)));
      if (news.length === 0) return;
      found.push({
        change,
        operation: now[0]!.operation,
        old: [...shown].sort(),
        new: [...new Set(news.map(show))].sort(),
        exchanges: news.map(({ exchange }) => exchange),
      });
    };
    // What a gateway says where the document is silent is an answer to the open point.
    if (now[0]!.openPoint === undefined) add('meaning', now, ({ meaning }) => meaning);
    const meanings = new Set(then.map(({ meaning }) => meaning));
    const alike = now.filter(({ meaning }) => meanings.has(meaning));
    add('status', alike, ({ meaning, status }) => `${meaning} with HTTP ${status}`);
    const wasEmpty = then.every(({ features }) => features.body === 'an empty body');
    add(
      wasEmpty ? 'body-where-empty' : 'body-kind',
      alike,
      ({ meaning, features }) => `${meaning} with ${features.body}`,
    );
    return found;
  });
}

/** By any name that two answers may share, in the order of the first of each. */
export function grouped(
  answers: readonly ComparedAnswer[],
  by: (answer: ComparedAnswer) => string,
): Map<string, ComparedAnswer[]> {
  const groups = new Map<string, ComparedAnswer[]>();
  for (const answer of answers) {
    const group = groups.get(by(answer));
    if (group === undefined) groups.set(by(answer), [answer]);
    else group.push(answer);
  }
  return groups;
}
