/** The base URL of a target: checked, and written in one way, so that what is checked is what is called. */
import { UsageError } from './usage-error.ts';

/** `mock`, or the base URL without a slash at its end. `name` is what it was given with. Throws UsageError. */
export function checkedTarget(text: string, name: string): string {
  if (text === 'mock') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError('bad-url', `${name} is not a base URL`, {
      hint: 'Write it with its scheme, such as https://gateway.example/paynet, or mock.',
    });
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new UsageError('bad-url', `${name} has more than scheme, host, port and path`, {
      hint: 'Give the base URL that stands before /api/.',
    });
  }
  if (/\/api(?:\/|$)/.test(url.pathname)) {
    throw new UsageError('bad-url', `${name} goes down to /api/`, {
      hint: 'Give the base URL that stands before /api/: the suite appends the rest itself.',
    });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** A sentence that repeats what was given, without the user and password of a URL in it. */
export function withoutPasswords(sentence: string): string {
  return sentence.replace(
    /(?<=^|[\s"'(=])(?:([a-z][\w+.-]*:\/\/)[^\s"']*:|[^\s"':/]*:(?!\/\/))[^\s"']*@(?=\S)/gi,
    (_, scheme = '') => `${scheme}…@`,
  );
}
