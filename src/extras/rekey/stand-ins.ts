/** The stand-ins of one bundle: whatever is met again gets the same one again. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Identity, publishedIdentities, publishedIdentity, reservedIdentity } from '../../mock/identity.ts';
import { percentEncode } from '../../protocol/index.ts';
import { isLoopback } from '../../record/hosts.ts';
import { publishedConsumer } from '../../run/target/published.ts';
import { prefixAlias } from './prefix-alias.ts';
import { offsetFrom, type Span, shiftTimes, shiftTimestamp } from './shift-times.ts';

export interface StandIns {
  /** Of an order, a payment, a request, an endpoint, a gate or an answer. */
  id(value: string): string;
  /** The consumer key that the credentials belong to becomes the published one; another one stays another one. */
  consumerKey(value: string): string;
  /** Of a host name with or without a port; addresses of this machine stay. */
  host(authority: string): string;
  /** Whether a host name is under the domain of a target, and no stand-in itself. */
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
  /** Whether the text is replaced everywhere. */
  isKnown(text: string): boolean;
  /** Whether the text is a stand-in that looks like something else which is replaced: nothing in it is of the original. */
  isStandIn(text: string): boolean;
  /** Everything that was replaced when it is walked through, with its stand-in. */
  replaced(): readonly Replaced[];
  /** All that was made up so far: stand-ins, and times in seconds that were moved. */
  madeUp(): Iterable<string>;
}

export interface Replaced {
  /** What it was: completes a sentence. */
  readonly kind: string;
  readonly pairs: Iterable<readonly [original: string, standIn: string]>;
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

/** `salt` is random and not kept. `issued` is the consumer key of the credentials; published ones are kept. `known` are texts that are replaced everywhere; more may be added. */
export function newStandIns(
  salt: string,
  issued: string | undefined,
  known: ReadonlySet<string> = new Set(),
  { prefixes, span, ...around }: RecordedPlaces = nothing,
): StandIns {
  const [ids, hosts, keys] = [0, 1, 2].map(() => new Map<string, string>()) as [Names, Names, Names];
  const [made, moved] = [new Set<string>(), new Set<string>()];
  const noted = (names: Names, original: string, make: () => string): string => {
    let standIn = names.get(original);
    if (standIn === undefined) {
      standIn = make();
      names.set(original, standIn);
      if (mayBeEdited(names, standIn)) made.add(standIn);
    }
    return standIn;
  };
  const domains = [...new Set(around.hosts.map(domainOf))];
  // A million ids of letters and digits are no names, addresses, people or times, and need not be known from them.
  const mayBeEdited = (names: Names, standIn: string) =>
    names !== ids || /[^\w-]/.test(standIn) || domains.includes(standIn.toLowerCase());
  const offset = offsetFrom(salt);
  const nameOf = (name: string) => (made.has(name) ? name : noted(hosts, name, () => hostAlias(name, salt)));
  return {
    id: (value) => noted(ids, value, () => prefixAlias(value, salt)),
    consumerKey: (value) =>
      identityBehind(value) === undefined
        ? noted(keys, value, () => issuedAlias(value, issued) ?? prefixAlias(value, salt))
        : value,
    host: (authority) => {
      if (isIPv6(authority)) return isLoopback(`[${authority}]`) ? authority : nameOf(authority);
      const [, name = '', port = ''] = /^(.*?)(:\d*)?$/.exec(authority)!;
      if (isHere(name)) return authority;
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
      const told = shiftTimestamp(text, offset, span);
      if (told !== text) moved.add(told);
      return told;
    },
    times: (text) => shiftTimes(text, offset, span),
    isKnown: (text) => known.has(text),
    isStandIn: (text) => made.has(text),
    replaced: () => [
      { kind: 'an id of the original', pairs: changed(ids) },
      { kind: 'a host name or an address of the original', pairs: changed(hosts) },
      { kind: 'a consumer key of the original', pairs: changed(keys) },
    ],
    *madeUp() {
      for (const names of [ids, hosts, keys]) yield* names.values();
      yield* moved;
    },
  };
}

type Names = Map<string, string>;

/** There may be a million: nothing is made of them but what is asked for. */
function changed(names: Names): Replaced['pairs'] {
  return {
    *[Symbol.iterator]() {
      for (const pair of names) if (pair[0] !== pair[1]) yield pair;
    },
  };
}

/** The part of a host name that one owner has, as far as the name shows it; the name itself where it has no dot. */
function domainOf(name: string): string {
  const labels = name.toLowerCase().replace(/:\d*$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}

/** The published identity whose consumer key the text is, whatever a client made of that; undefined where it is none. */
export function identityBehind(consumerKey: string): Identity | undefined {
  const published = publishedIdentities.find((one) => variantOf(consumerKey, one.consumerKey) !== undefined);
  return published ?? publishedConsumer(consumerKey);
}

/** The consumer key that the text is, whatever a client made of that: the issued one or a published one. */
export function issuedKeyBehind(consumerKey: string, issued: string | undefined): string | undefined {
  if (issued !== undefined && variantOf(consumerKey, issued) !== undefined) return issued;
  return identityBehind(consumerKey)?.consumerKey;
}

/** The published key in the form of the issued one in the text; undefined for another key. */
function issuedAlias(value: string, issued: string | undefined): string | undefined {
  const variant = issued === undefined ? undefined : variantOf(value, issued);
  if (variant === undefined) return undefined;
  // Only a key with reserved characters can show what became of them.
  const { consumerKey } = /[^A-Za-z0-9\-._~]/.test(issued!) ? reservedIdentity : publishedIdentity;
  return variant(consumerKey);
}

/** What was done to a key to get that text: nothing, letter case, or percent-encoding. */
function variantOf(text: string, key: string): ((key: string) => string) | undefined {
  const variants = [
    (one: string) => one,
    upper,
    lower,
    percentEncode,
    (one: string) => percentEncode(percentEncode(one)),
  ];
  return variants.find((variant) => variant(key) === text);
}

function upper(text: string): string {
  return text.toUpperCase();
}

function lower(text: string): string {
  return text.toLowerCase();
}

function isHere(name: string): boolean {
  return !URL.canParse(`http://${name}/`) || isLoopback(name);
}

/** As long, in the same letter case, and under a reserved name (RFC 2606 section 2). */
function hostAlias(name: string, salt: string): string {
  if (/^[\d.]+$/.test(name) || name.includes(':')) return addressAlias(name, salt);
  const end = name.length > 8 ? '.example' : name.length > 5 ? '.test' : '';
  const key = createHash('sha256').update(`${salt}\0host\0${name.toLowerCase()}`).digest('hex');
  const letters = Array.from(key.repeat(8), (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('');
  const alias = `${letters.slice(0, name.length - end.length)}${end}`;
  return Array.from(alias, (letter, at) => (/[A-Z]/.test(name[at]!) ? letter.toUpperCase() : letter)).join('');
}

/** As long, in reserved blocks: 100.64.0.0/10, 10.0.0.0/8 and 0.0.0.0/8, and fc00::/7 (RFC 6598, 6890). */
function addressAlias(address: string, salt: string): string {
  const key = createHash('sha256').update(`${salt}\0address\0${address.toLowerCase()}`).digest();
  let at = 0;
  if (address.includes(':')) {
    const digits = (group: string) => Array.from(group, () => 'abcdef'[key[at++ % 32]! % 6]).join('');
    return address.replace(/[0-9A-Fa-f]+/g, digits).replace(/^[a-f]{2}/, 'fd');
  }
  return address.replace(/\d+/g, (octet, place: number) => {
    if (place === 0) return ['0', '10', '100'][octet.length - 1]!;
    const [from, count] = [
      [0, 10],
      [64, 36],
      [100, 28],
    ][octet.length - 1] as [number, number];
    return String(from + (key[at++]! % count));
  });
}
