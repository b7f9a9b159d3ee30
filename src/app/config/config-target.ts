/** The base URL of a target: checked, and written in one way, so that what is checked is what is called. */
import { UsageError } from '../usage-error.ts';

/** `mock`, or the base URL without a slash at its end. `name` is what it was given with. Throws UsageError. */
export function checkedTarget(text: string, name: string): string {
  if (text === 'mock') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // As in schemas/files/config.json.
  if (text.length > 2048) {
    throw new UsageError('bad-url', `the base URL has ${text.length} characters`, { hint: 'It has 2048 at most.' });
  }
  // A URL parser takes what follows any number of slashes for the host.
  if (url === undefined || !/^https?:\/\/[^/\\]/i.test(text)) {
    throw new UsageError('bad-url', `${name} is not a base URL`, {
      hint: 'Write it with its scheme, such as https://gateway.example/paynet, or mock.',
    });
  }
  if (!mayBeHost(url)) {
    throw new UsageError('bad-url', `${name} names an impossible host or port`, {
      hint: 'Write a host name, an IPv4 address, or an IPv6 address in brackets, and a port from 1 to 65535.',
    });
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new UsageError('bad-url', `${name} has more than scheme, host, port and path`, {
      hint: 'Give the base URL, the part before /api/.',
    });
  }
  if (/\/api(?:\/|$)/.test(url.pathname)) {
    throw new UsageError('bad-url', `${name} includes /api/`, {
      hint: 'Give the base URL, the part before /api/: the suite appends the rest itself.',
    });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/**
 * Whether a name server can have such a name (RFC 1035 section 2.3.4; underscores are seen in practice), or it is the address
 * of one machine. What a URL parser takes is far more.
 */
function mayBeHost({ hostname, port }: URL): boolean {
  if (port === '0' || hostname === '0.0.0.0' || hostname === '[::]') return false;
  if (hostname.startsWith('[')) return true;
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => /^(?!-)[\w-]{1,63}(?<!-)$/.test(label));
}

/** A sentence that repeats what was given, without the user and password of a URL in it. A word of megabytes is gone through once. */
export function withoutPasswords(sentence: string): string {
  return sentence.replace(/(?<![^\s"'])[^\s"']*@(?=\S)/g, (word) => word.replace(named, '$1…@'));
}

const named = /(?:(?<=^|[(=])([a-z][\w+.-]*:\/\/)[^:]*:|(?<=^|[:/][^:/(=]*[(=])[^:/]*:(?!\/\/)).*/i;
