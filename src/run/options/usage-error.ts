/** Wrong use or wrong configuration: something that the person at the keyboard can put right. Ends with exit code 2. */

import { nearestName } from '../../../schemas/nearest.ts';
import { inTwoLines } from '../../record/errors.ts';
import { LiveError } from '../allowance/ledger.ts';

/** The message says in one sentence what is wrong and names the file, option or host; the hint says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;
  readonly code: 'wrong-use' | 'nothing-recorded';

  constructor(message: string, hint?: string, cause?: unknown, code: UsageError['code'] = 'wrong-use') {
    super(message, { cause });
    this.hint = hint;
    this.code = code;
  }
}

/** The error of a template with two lines: what is wrong, and what to do, which may be left out. */
export function usageError(cause?: unknown, code?: UsageError['code']) {
  return inTwoLines((message, hint) => new UsageError(message, hint || undefined, cause, code));
}

/** Throws the error of such a template where something `isWrong`. */
export function refuseIf(isWrong: boolean | undefined) {
  return (...text: Parameters<ReturnType<typeof usageError>>): void => {
    if (isWrong) throw usageError()(...text);
  };
}

/** What hinders a live run is a mistake of whoever starts it. Once it `goesOn`, a lost ledger is a fault of the surroundings: exit code 3. */
export function hindered(cause: unknown, goesOn: boolean): unknown {
  if (goesOn || !(cause instanceof LiveError)) return cause;
  return new UsageError(cause.message, cause.hint, cause);
}

const mostNamed = 100;

/** The word for use in a sentence: in quotes where it would be invisible or break the line, and its start where it is long. */
export function named(word: string): string {
  const start = word.length > mostNamed ? `${word.slice(0, mostNamed)}…` : word;
  return start.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(start) ? JSON.stringify(start) : start;
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const names = nearestName(word, candidates);
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}

export function unknown(what: string, given: string, known: readonly string[], otherwise: string): UsageError {
  return new UsageError(`there is no ${what} ${named(given)}`, didYouMean(given, known) ?? `${otherwise}.`);
}

/** A sentence that repeats what was given, without the user and password of a URL in it. A word of megabytes is gone through once. */
export function withoutPasswords(sentence: string): string {
  return sentence.replace(/(?<![^\s"'])[^\s"']*@(?=\S)/g, (word) => word.replace(credentialsInUrl, '$1…@'));
}

const credentialsInUrl = /(?:(?<=^|[(=])([a-z][\w+.-]*:\/\/)[^:]*:|(?<=^|[:/][^:/(=]*[(=])[^:/]*:(?!\/\/)).*/i;
