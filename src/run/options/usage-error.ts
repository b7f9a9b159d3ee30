/** Errors of use or configuration that the user can fix. They end with exit code 2. */
import { nearestNames } from '../../../schemas/nearest.ts';
import { errorTag } from '../../record/errors.ts';

/** The message is one sentence: it says what is wrong, and names the file, option or host. The hint says what to do. */
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

/** The first line of the template is the message. An optional second line is the hint. */
export function usageError(cause?: unknown, code?: UsageError['code']) {
  return errorTag((message, hint) => new UsageError(message, hint || undefined, cause, code));
}

export function refuseIf(isWrong: boolean | undefined) {
  return (...text: Parameters<ReturnType<typeof usageError>>): void => {
    if (isWrong) throw usageError()(...text);
  };
}

const maxWordLength = 100;

/** Shortens a long word. Quotes a word that is blank or has control characters. */
export function formatWord(word: string): string {
  const start = word.length > maxWordLength ? `${word.slice(0, maxWordLength)}…` : word;
  return start.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(start) ? JSON.stringify(start) : start;
}

/** Returns `Did you mean a or b?`, or undefined if no candidate is similar to the word. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const names = nearestNames(word, candidates);
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}

export function unknownName(what: string, name: string, known: readonly string[], hint: string): UsageError {
  return new UsageError(`there is no ${what} ${formatWord(name)}`, didYouMean(name, known) ?? `${hint}.`);
}

/** Removes user and password from URLs in a sentence. Takes linear time, even for words of megabytes. */
export function withoutPasswords(sentence: string): string {
  return sentence.replace(/(?<![^\s"'])[^\s"']*@(?=\S)/g, (word) => word.replace(credentialsInUrl, '$1…@'));
}

const credentialsInUrl = /(?:(?<=^|[(=])([a-z][\w+.-]*:\/\/)[^:]*:|(?<=^|[:/][^:/(=]*[(=])[^:/]*:(?!\/\/)).*/i;
