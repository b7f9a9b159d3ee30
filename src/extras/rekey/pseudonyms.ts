/** The pseudonyms of one copy: whatever is met again gets the same one again. */
import { isIPv6 } from 'node:net';
import { requirements } from '../../../contracts/requirements/index.ts';
import { isLoopback } from '../../record/hosts.ts';
import { hostAlias, idAlias } from './alias.ts';
import { identityBehind, issuedAlias } from './keys.ts';
import { offsetFrom, type Span, shiftTimes, shiftTimestamp } from './times.ts';

export interface Pseudonyms {
  /** Of an order, a payment, a request, an endpoint, a gate, an answer or a signature. */
  id(value: string, kind?: 'id' | 'signature'): string;
  /** The consumer key that the credentials belong to becomes the published one; another one stays another one. */
  consumerKey(value: string): string;
  /** Of a host name with or without a port; addresses of this machine stay. */
  host(authority: string): string;
  /** Whether a host name is under the domain of a target, and no pseudonym itself. */
  isSibling(name: string): boolean;
  /** Whether such a name may be in a text: a quick look. */
  namesSibling(text: string): boolean;
  /** Whether a segment is in front of the operation in the path of a request. */
  isPrefix(segment: string): boolean;
  /** Of an instant, in milliseconds since the Unix epoch: all are moved by the same offset. */
  time(at: number): number;
  /** Of `oauth_timestamp`. */
  timestamp(text: string): string;
  /** The text with its times moved, as far as they are of the record. */
  times(text: string): string;
  /** Whether the text is replaced wherever it is, since `replaced` was asked for. */
  isKnown(text: string): boolean;
  /** What was replaced so far and can be looked for anywhere, by what it was. */
  replaced(): readonly Replaced[];
}

export interface Replaced {
  /** What it was: completes a sentence. */
  readonly kind: string;
  readonly pairs: readonly (readonly [original: string, pseudonym: string])[];
}

/** What a record shows of its surroundings before it is edited. */
export interface RecordedPlaces {
  /** Hosts that requests went to. */
  readonly hosts: readonly string[];
  /** Segments of the paths in front of the operation. */
  readonly prefixes: ReadonlySet<string>;
  readonly span: Span;
}

const nothing: RecordedPlaces = { hosts: [], prefixes: new Set(), span: [0, 0] };

/** `salt` is random and not kept. `issued` is the consumer key of the credentials; published ones are kept. */
export function newPseudonyms(
  salt: string,
  issued: string | undefined,
  { prefixes, span, hosts: around }: RecordedPlaces = nothing,
): Pseudonyms {
  const [ids, signatures, hosts, keys] = [0, 1, 2, 3].map(() => new Map<string, string>()) as [
    Names,
    Names,
    Names,
    Names,
  ];
  // Those that a search for names, addresses and people could take for an original; and all times that were moved.
  const [made, moved] = [new Set<string>(), new Set<string>()];
  const domains = [...new Set(around.map(domainOf))];
  const noted = (names: Names, original: string, make: () => string): string => {
    if (made.has(original)) return original;
    const known = names.get(original);
    if (known !== undefined) return known;
    const pseudonym = make();
    names.set(original, pseudonym);
    if (names === hosts || names === signatures || /[^\w-]/.test(pseudonym)) made.add(pseudonym);
    return pseudonym;
  };
  const known = new Set<string>();
  const offset = offsetFrom(salt);
  const nameOf = (name: string) => noted(hosts, name, () => hostAlias(name, salt));
  return {
    id: (value, kind = 'id') => noted(kind === 'id' ? ids : signatures, value, () => idAlias(value, salt)),
    consumerKey: (value) =>
      identityBehind(value) === undefined
        ? noted(keys, value, () => issuedAlias(value, issued) ?? idAlias(value, salt))
        : value,
    host: (authority) => {
      if (isIPv6(authority)) return isLoopback(`[${authority}]`) ? authority : nameOf(authority);
      const [, name = '', port = ''] = /^(.*?)(:\d*)?$/.exec(authority)!;
      if (!URL.canParse(`http://${name}/`) || isLoopback(name)) return authority;
      const address = /^\[(.*)\]$/.exec(name)?.[1];
      return `${address === undefined ? nameOf(name) : `[${nameOf(address)}]`}${port}`;
    },
    isSibling: (name) => domains.includes(domainOf(name)) && !made.has(name),
    namesSibling: (text) => {
      const lower = text.toLowerCase();
      return domains.some((domain) => lower.includes(domain));
    },
    isPrefix: (segment) => prefixes.has(segment),
    time: (at) => {
      // A finding names the second.
      moved.add(String(Math.round((at + offset) / 1000)));
      return at + offset;
    },
    timestamp: (text) => {
      const told = shiftTimestamp(text, offset, span) ?? idAlias(text, salt);
      if (told !== text) moved.add(told);
      return told;
    },
    times: (text) => shiftTimes(text, offset, span),
    isKnown: (text) => known.has(text),
    replaced: () => {
      const all = [ids, signatures, hosts, keys];
      const madeUp = new Set([...moved, ...all.flatMap((names) => [...names.values()])]);
      const isSought = ([original, pseudonym]: readonly [string, string]) =>
        original !== pseudonym && isTelling(original) && !madeUp.has(original);
      const kinds = ['an id', 'a signature', 'a host name or an address', 'a consumer key'].map((what, at) => ({
        kind: `${what} of the original`,
        pairs: [...all[at]!].filter(isSought),
      }));
      for (const { pairs } of kinds) for (const [original] of pairs) known.add(original);
      return kinds;
    },
  };
}

type Names = Map<string, string>;

/** The part of a host name that one owner has, as far as the name shows it; the name itself where it has no dot. */
function domainOf(name: string): string {
  const labels = name.toLowerCase().replace(/:\d*$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}

const ownTexts = JSON.stringify([requirements, 'undefined']);

/** Characters; a shorter text turns up anywhere by chance, and so does one of few different characters. */
const [shortest, fewest] = [8, 5] as const;

/**
 * Whether a text can be looked for anywhere, without finding what a report says by itself: a word of a requirement, what a client makes
 * of a missing id, or characters that ascend (123456789), as the numbers of exchanges do in bytes.
 */
function isTelling(text: string): boolean {
  if (text.length < shortest || new Set(text.slice(0, 100)).size < fewest) return false;
  if ([...text].every((character, at) => at === 0 || character > text[at - 1]!)) return false;
  return !(/^[A-Za-z -]+$/.test(text) && ownTexts.includes(text));
}
