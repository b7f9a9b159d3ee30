/** The pseudonyms in one copy. In a copy, the same value always gets the same pseudonym. */
import { createCipheriv, createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { isLoopback } from '../../record/hosts.ts';
import { consumerKeyLike, publishedConsumer } from '../../run/target/published.ts';

type Span = readonly [first: number, last: number];

/** Times up to two days before or after the recording are shifted too: a time zone or a clock may be wrong. */
const slack = 2 * 86_400_000;

/** Returns the shift of all times: a negative number of milliseconds, whole seconds, 30 days to about nine years. */
export function offsetFrom(salt: string): number {
  const seconds = createHash('sha256').update(`${salt}\0time`).digest().readUInt32BE(0) % (9 * 365 * 86_400);
  return -1000 * (seconds + 30 * 86_400);
}

/** Shifts a text that is a Unix time. In a longer text, shifts a Unix time near the recording. Undefined if none. */
export function shiftTimestamp(text: string, offset: number, span: Span): string | undefined {
  const isUsual = /^\d{10}(?:\d{3})?(?:\.\d*)?$/.test(text);
  for (const { index, 1: digits } of text.slice(0, 40).matchAll(/(?=(\d{10}))/g)) {
    if (!isUsual && !isNearRecording(1000 * Number(digits), span)) continue;
    const shifted = String(Number(digits) + offset / 1000).padStart(10, '0');
    return `${text.slice(0, index)}${shifted}${text.slice(index + 10)}`;
  }
  return undefined;
}

function isNearRecording(at: number, [first, last]: Span): boolean {
  return at >= first - slack && at <= last + slack;
}

const weekday = '([A-Z][a-z]{2})';
const month = '([A-Z][a-z]{2})';
const clock = String.raw`(\d\d:\d\d:\d\d)`;

const dateFormats: readonly (readonly [
  RegExp,
  (parts: readonly string[]) => string,
  (at: string[], parts: readonly string[]) => string,
])[] = [
  // Dates in HTTP headers (RFC 9110 section 5.6.7).
  [
    new RegExp(String.raw`${weekday}, (\d\d) ${month} (\d{4}) ${clock}`, 'g'),
    ([, d, m, y, time]) => `${d} ${m} ${y} ${time} GMT`,
    ([w, d, m, y, time]) => `${w} ${d} ${m} ${y} ${time}`,
  ],
  // ISO 8601 and RFC 3339, with a time of day.
  [
    new RegExp(String.raw`(?<!\d)(\d{4}-\d\d-\d\d)([T ])${clock}`, 'g'),
    ([date, , time]) => `${date}T${time}Z`,
    (at, [, separator]) => new Date(at.join(' ')).toISOString().slice(0, 19).replace('T', separator!),
  ],
  // `Date.toString` of Java.
  [
    new RegExp(String.raw`${weekday} ${month} (\d\d) ${clock}((?: [\w+-]{1,9})?) (\d{4})`, 'g'),
    ([, m, d, time, , y]) => `${d} ${m} ${y} ${time} GMT`,
    ([w, d, m, y, time], [, , , , zone]) => `${w!.slice(0, 3)} ${m} ${d} ${time}${zone} ${y}`,
  ],
];

function shiftTimes(text: string, offset: number, span: Span): string {
  return dateFormats.reduce(
    (shifted, [pattern, read, write]) =>
      shifted.replace(pattern, (all, ...parts: string[]) => {
        const at = Date.parse(read(parts));
        return isNearRecording(at, span) ? write(new Date(at + offset).toUTCString().split(' '), parts) : all;
      }),
    text,
  );
}

/** Replaces each letter and digit with another of its class. The choice depends on the salt and the text before it. */
export function idPseudonym(id: string, salt: string): string {
  const core = id.trim();
  const start = id.indexOf(core);
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(core);
  const fixedLength = fixedPrefixLength(core);
  const steps = stepsFor(core, salt);
  let out = id.slice(0, start);
  let step = 0;
  for (let at = 0; at < core.length; ) {
    const character = String.fromCodePoint(core.codePointAt(at)!);
    // A `?` may have been a character outside ASCII, because some charsets replace such characters with `?`.
    const isBeforeNonAscii = /^[?\x80-\uffff]/.test(core.slice(at + 1, at + 2));
    const all = at < fixedLength ? [] : choicesFor(character, isUuid, step === 0);
    const choices = character > '\x7f' || isBeforeNonAscii ? all.filter((one) => isSameInBase64(one, character)) : all;
    const place = choices.indexOf(character);
    out +=
      choices.length < 2 ? character : choices[(place + 1 + (steps[step]! % (choices.length - 1))) % choices.length]!;
    if (/[A-Za-z0-9]/.test(character)) step += 1;
    at += character.length;
  }
  return out + id.slice(start + core.length);
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const kinds = [/\p{Lu}/u, /\p{Ll}/u, /\p{Lo}/u, /\p{Nd}/u];

/** Returns the possible replacements: same class, same length in UTF-8. Empty if the character must stay. */
function choicesFor(character: string, isUuid: boolean, isFirst: boolean): readonly string[] {
  const letters = isUuid ? 'abcdef' : alphabet;
  if (/[a-z]/.test(character)) return [...letters];
  if (/[A-Z]/.test(character)) return [...letters.toUpperCase()];
  // A number must not gain or lose a leading 0.
  if (/[0-9]/.test(character)) {
    if (isUuid || !isFirst) return [...'0123456789'];
    return character === '0' ? ['0'] : [...'123456789'];
  }
  const kind = character > '\x7f' && kinds.find((one) => one.test(character));
  const block = character.codePointAt(0)! & ~63;
  return Array.from({ length: kind ? 64 : 0 }, (_, bits) => String.fromCodePoint(block | bits)).filter((one) =>
    (kind as RegExp).test(one),
  );
}

/** True if both have + and / at the same places in base64. Each is escaped (%2B, %2F), which changes the length. */
function isSameInBase64(one: string, other: string): boolean {
  const places = (character: string) => {
    const code = character.codePointAt(0)!;
    const last = code & 63;
    const narrow = code < 0x100 ? [code >> 4, code >= 0xf8 && code >> 2] : [];
    return [(last & 3) === 3, (last & 15) === 15, last >= 62 && last, ...narrow].join();
  };
  return places(one) === places(other);
}

/** One pseudorandom byte for each letter or digit and the end, from the text before (AES-CFB8, NIST SP 800-38A 6.3). */
function stepsFor(core: string, salt: string): Uint8Array {
  const plain = Buffer.from(`${core.replace(/[^A-Za-z0-9]/g, '')}\0`, 'latin1');
  const key = createHash('sha256').update(salt).digest();
  const steps = createCipheriv('aes-256-cfb8', key, Buffer.alloc(16)).update(plain);
  return steps.map((step, at) => step ^ plain[at]!);
}

const bounds: Readonly<Record<number, string>> = { 16: '9007', 19: '9223', 20: '1844' };

/** Returns how many leading characters must stay, so that a number does not cross 2^53, 2^63 or 2^64. */
function fixedPrefixLength(core: string): number {
  const digits = core.replace(/^-/, '');
  const bound = bounds[digits.length];
  if (bound === undefined || !/^[0-9]+$/.test(digits)) return 0;
  const differs = [...bound].findIndex((digit, at) => digits[at] !== digit);
  return differs === -1 ? core.length : core.length - digits.length + differs + 1;
}

/** Keeps length and letter case. A name with more than 5 characters gets a reserved domain (RFC 2606 section 2). */
function hostPseudonym(name: string, salt: string): string {
  if (/^[\d.]+$/.test(name) || name.includes(':')) return addressPseudonym(name, salt);
  const short = name.length > 5 ? '.test' : '';
  const end = name.length > 8 ? '.example' : short;
  const key = createHash('sha256').update(`${salt}\0host\0${name.toLowerCase()}`).digest('hex');
  const letters = Array.from(key.repeat(8), (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('');
  const pseudonym = `${letters.slice(0, name.length - end.length)}${end}`;
  return Array.from(pseudonym, (letter, at) => (/[A-Z]/.test(name[at]!) ? letter.toUpperCase() : letter)).join('');
}

/** Smallest value and number of values of an octet with 1, 2 or 3 digits. 64 to 127 also fit 100.64.0.0/10. */
const octets = [
  [0, 10],
  [64, 36],
  [100, 28],
] as const;

/** Keeps the length. The address is in 100.64.0.0/10, 10.0.0.0/8, 0.0.0.0/8 or fc00::/7 (RFC 6598 and RFC 6890). */
function addressPseudonym(address: string, salt: string): string {
  const key = createHash('sha256').update(`${salt}\0address\0${address.toLowerCase()}`).digest();
  let at = 0;
  if (address.includes(':')) {
    const digits = (group: string) => Array.from(group, () => 'abcdef'[key[at++ % 32]! % 6]).join('');
    return address.replace(/[0-9A-Fa-f]+/g, digits).replace(/^[a-f]{2}/, 'fd');
  }
  return address.replace(/\d+/g, (octet, place: number) => {
    if (place === 0) return ['0', '10', '100'][octet.length - 1]!;
    const [from, count] = octets[octet.length - 1]!;
    return String(from + (key[at++]! % count));
  });
}

export type Pseudonyms = ReturnType<typeof newPseudonyms>;

/** Hosts, path prefixes and times in the original recording. */
export interface RecordedPlaces {
  readonly hosts: readonly string[];
  readonly prefixes: ReadonlySet<string>;
  readonly span: Span;
}

/** `salt` must be random and must not be stored. `issued` is the consumer key that the published key replaces. */
export function newPseudonyms(
  salt: string,
  issued?: string,
  { prefixes, span, hosts: recorded }: RecordedPlaces = { hosts: [], prefixes: new Set(), span: [0, 0] },
) {
  const newTable = (kind: string) => ({ kind: `${kind} of the original`, pairs: new Map<string, string>() });
  const ids = newTable('an id');
  const signatures = newTable('a signature');
  const hosts = newTable('a host name or an address');
  const keys = newTable('a consumer key');
  /** Pseudonyms that a search in edited text may find again. They must not be replaced again. */
  const protectedTexts = new Set<string>();
  const shiftedTimes = new Set<string>();
  const domains = [...new Set(recorded.map(domainOf))];
  const pseudonymOf = (table: typeof ids, original: string, make: (text: string, salt: string) => string): string => {
    if (protectedTexts.has(original)) return original;
    const existing = table.pairs.get(original);
    if (existing !== undefined) return existing;
    const pseudonym = make(original, salt);
    table.pairs.set(original, pseudonym);
    if (table === hosts || table === signatures || /[^\w-]/.test(pseudonym)) protectedTexts.add(pseudonym);
    return pseudonym;
  };
  const replacedTexts = new Set<string>();
  const offset = offsetFrom(salt);
  const replaceHost = (name: string) => pseudonymOf(hosts, name, hostPseudonym);
  return {
    /** The pseudonym of an id of an order, payment, request, endpoint, gate or answer. */
    id: (value: string) => pseudonymOf(ids, value, idPseudonym),
    signature: (value: string) => pseudonymOf(signatures, value, idPseudonym),
    /** Replaces the issued key with the published key, and other keys with unknown keys. Published keys stay. */
    consumerKey: (value: string) => {
      if (value.includes(consumerKeyLike('')) || publishedForm(value) !== undefined) return value;
      return pseudonymOf(keys, value, value === issued ? consumerKeyLike : idPseudonym);
    },
    /** The pseudonym of a host, which may have a port. Loopback addresses stay. */
    host: (authority: string): string => {
      if (isIPv6(authority)) return isLoopback(`[${authority}]`) ? authority : replaceHost(authority);
      const [, name = '', port = ''] = /^(.*?)(:\d*)?$/.exec(authority)!;
      if (!URL.canParse(`http://${name}/`) || isLoopback(name)) return authority;
      const address = /^\[(.*)\]$/.exec(name)?.[1];
      return `${address === undefined ? replaceHost(name) : `[${replaceHost(address)}]`}${port}`;
    },
    /** True if the name has the domain of a recorded host, and is not a pseudonym. */
    isOwnDomain: (name: string) => domains.includes(domainOf(name)) && !protectedTexts.has(name),
    isPrefix: (segment: string) => prefixes.has(segment),
    /** Shifts a time in milliseconds since the Unix epoch. */
    time: (at: number) => {
      // Findings contain the shifted time in seconds. Store it, so that it does not count as an original value.
      shiftedTimes.add(String(Math.round((at + offset) / 1000)));
      return at + offset;
    },
    timestamp: (text: string) => {
      const shifted = shiftTimestamp(text, offset, span) ?? idPseudonym(text, salt);
      shiftedTimes.add(shifted);
      return shifted;
    },
    times: (text: string) => shiftTimes(text, offset, span),
    /** True if the text is replaced everywhere. Always false before the call of `valuesToReplace`. */
    isReplaced: (text: string) => replacedTexts.has(text),
    /** Returns the original values to replace everywhere. `suiteTexts` are texts of the suite that occur in reports. */
    valuesToReplace: (suiteTexts: string) => {
      const all = [ids, signatures, hosts, keys];
      const pseudonyms = new Set([...shiftedTimes, ...all.flatMap(({ pairs }) => [...pairs.values()])]);
      const mustReplace = ([original, pseudonym]: readonly [string, string]) =>
        original !== pseudonym && isSpecific(original, suiteTexts) && !pseudonyms.has(original);
      const found = all.map(({ kind, pairs }) => ({ kind, pairs: [...pairs].filter(mustReplace) }));
      for (const { pairs } of found) for (const [original] of pairs) replacedTexts.add(original);
      return found;
    },
  };
}

/** The published key, even if a client escaped it or wrote a lower-case key in capitals. Undefined for other keys. */
export function publishedForm(consumerKey: string): string | undefined {
  const once = urlDecode(consumerKey);
  const forms = [consumerKey, consumerKey.toLowerCase(), once, urlDecode(once)];
  return forms.find((one) => publishedConsumer(one) !== undefined);
}

function domainOf(name: string): string {
  const labels = name.toLowerCase().replace(/:\d*$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}

/** False for texts that can occur by chance, such as 123456789 or a word. They cannot be replaced everywhere. */
function isSpecific(text: string, suiteTexts: string): boolean {
  if (text.length < 8 || new Set(text.slice(0, 100)).size < 5) return false;
  if ([...text].every((character, at) => at === 0 || character > text[at - 1]!)) return false;
  return !(/^[A-Za-z -]+$/.test(text) && suiteTexts.includes(text));
}

/** Decodes a name or value of a form. If its encoding is invalid, returns it unchanged. */
export function urlDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
