/** A deviation is one named way to violate RFC 5849. It changes one or more choices of a signer. */
import type { charsets, macs, orders, paths, secretForms, textCharsets } from './signing-options.ts';
import type { SnippetTopic } from './snippets.ts';

/** One bit for each part of signing. `arranged`: the parameters are encoded, sorted and joined. */
export const parts = { encoder: 1, parameters: 2, uri: 4, key: 8, whole: 16, collected: 32, arranged: 64 } as const;

const arranged = parts.arranged | parts.parameters;
const encoding = parts.encoder | arranged | parts.uri | parts.key;
const collected = parts.collected | parts.parameters;

function slot<T extends string>(right: T, parts: number): readonly [right: T, parts: number] {
  return [right, parts];
}

/** The choices of a signer. Each has the value that RFC 5849 requires, and the `parts` that the choice affects. */
const choices = {
  // Which parameters are collected, and with which values (RFC 5849 section 3.4.1.3.1).
  body: slot<'once' | 'left-out' | 'twice' | 'body-hash' | 'one-name' | 'any-type'>('once', collected),
  oauth: slot<'once' | 'left-out' | 'twice'>('once', collected),
  query: slot<'once' | 'left-out' | 'twice'>('once', collected),
  realm: slot<'left-out' | 'as-sent' | 'empty'>('left-out', collected),
  signature: slot<'left-out' | 'empty'>('left-out', collected),
  /** The name of a parameter that is sent but not signed. */
  omitted: slot<string>('', collected),
  /** Form-encoded parameters that are signed but not sent. */
  added: slot<string>('', collected),
  /** Form-encoded parameters that are signed with these values, but sent with other values. */
  altered: slot<string>('', collected),
  /** `joined` means that an `&` before an unknown name is part of the previous value. */
  pieces: slot<'each' | 'joined'>('each', collected),
  /** Text at the start of the body that is sent but not signed. */
  start: slot<string>('', collected),
  timestamp: slot<'as-sent' | 'second-before' | 'second-after' | 'in-seconds'>('as-sent', collected),
  /** How repeated parameters are signed. `[1, 2]` means that the values `a` and `b` are signed as `[a, b]`. */
  duplicates: slot<'kept' | 'first' | 'last' | 'copies-dropped' | 'bracketed' | 'indexed' | string>('kept', collected),
  empties: slot<'kept' | 'left-out' | 'without-equals'>('kept', collected | arranged),
  headerText: slot<'decoded' | 'raw' | 'decoded-twice'>('decoded', collected),
  bodyText: slot<'decoded' | 'raw' | 'plus-kept'>('decoded', collected),
  queryText: slot<'decoded' | 'raw' | 'plus-kept'>('decoded', collected),
  /** How a single value is signed. The pattern `[1, 2]` (see `duplicates`) turns the value `a` into `[a]`. */
  values: slot<'as-read' | 'decoded-again' | 'trimmed' | 'spaces-merged' | string>('as-read', collected),
  names: slot<'as-read' | 'lower-case'>('as-read', collected),
  lines: slot<'as-read' | 'crlf-to-lf' | 'lf-to-crlf' | 'removed'>('as-read', collected),
  payload: slot<'as-read' | 'base64-decoded' | 'unpadded' | 'url-safe'>('as-read', collected),
  ending: slot<'as-sent' | 'final-newline-cut'>('as-sent', collected),
  // How parameters, URI and key are encoded (RFC 5849 section 3.6).
  charset: slot<keyof typeof charsets | `windows-${number}` | `iso-8859-${number}` | 'koi8-r' | 'ibm866' | 'macintosh'>(
    'utf-8',
    encoding,
  ),
  composition: slot<'as-read' | 'nfc' | 'nfd'>('as-read', encoding),
  space: slot<'escaped' | 'plus'>('escaped', encoding),
  plus: slot<'escaped' | 'as-space' | 'left-bare'>('escaped', encoding),
  /** Which characters of `!*'()` stay unescaped. `later-ones`: all except the first `!` and the first `*`. */
  marks: slot<'' | 'later-ones' | string>('', encoding),
  reserved: slot<string>('', encoding),
  unreserved: slot<string>('', encoding),
  hex: slot<'upper' | 'lower' | 'lower-inside' | 'lower-outside' | 'unpadded'>('upper', encoding),
  escapes: slot<'escaped' | 'kept'>('escaped', encoding),
  /** Where a wrong encoding applies. `parameters`: only in names and values. `base-string`: not in the key. */
  reach: slot<'everywhere' | 'parameters' | 'base-string'>('everywhere', encoding),
  /** How often names and values are encoded before they are joined. */
  parameterEncoding: slot<'once' | 'none' | 'twice'>('once', arranged),
  headerEncoding: slot<'once' | 'none'>('once', arranged),
  nameEncoding: slot<'once' | 'none'>('once', arranged),
  order: slot<keyof typeof orders>('encoded', arranged),
  joined: slot<'encoded' | 'bare' | 'encoded-twice' | 'separators-bare'>('encoded', arranged),
  end: slot<'none' | 'ampersand'>('none', arranged),
  // The URI (RFC 5849 section 3.4.1.2).
  scheme: slot<'as-sent' | 'http' | 'https' | 'upper-case'>('as-sent', parts.uri),
  /** How the host is written. A pattern is as long as the host, and has `A` at the position of each capital. */
  hostCase: slot<'lower' | 'as-sent' | 'upper' | string>('lower', parts.uri),
  port: slot<'rfc' | 'as-sent' | 'always' | 'never' | 'cut'>('rfc', parts.uri),
  path: slot<keyof typeof paths>('as-sent', parts.uri),
  slash: slot<'as-sent' | 'added' | 'cut'>('as-sent', parts.uri),
  segments: slot<'all' | 'without-first' | 'without-last'>('all', parts.uri),
  uriQuery: slot<'left-out' | 'kept' | 'question-mark'>('left-out', parts.uri),
  /** A template with `{scheme}`, `{host}`, `{port}` (`:8443` or empty), `{path}` and `{query}`. */
  uriForm: slot<string>('{scheme}://{host}{port}{path}{query}', parts.uri),
  uriEncoding: slot<'once' | 'none' | 'twice'>('once', parts.uri),
  method: slot<'upper-case' | 'lower-case' | 'capitalized' | 'GET' | 'POST' | 'left-out'>('upper-case', parts.whole),
  // The base string as a whole (RFC 5849 section 3.4.1.1).
  whole: slot<'as-is' | 'lower-case' | 'encoded-again'>('as-is', parts.whole),
  /** A template of the text to hash, with `{}` for the base string. */
  message: slot<string>('{}', parts.whole),
  messageCharset: slot<'utf-8' | keyof typeof textCharsets>('utf-8', parts.whole),
  prehash: slot<'none' | 'bytes' | 'hex' | 'base64'>('none', parts.whole),
  // The key of an HMAC (RFC 5849 section 3.4.2).
  secret: slot<keyof typeof secretForms | `${string}{}${string}`>('{}', parts.key),
  /** How the encoded consumer secret `{secret}`, token secret `{token}` and consumer key `{key}` are joined. */
  keyForm: slot<string>('{secret}&{token}', parts.key),
  keyCharset: slot<'utf-8' | keyof typeof textCharsets>('utf-8', parts.key),
  secretEncoding: slot<'once' | 'none' | 'twice'>('once', parts.key),
  token: slot<'as-issued' | 'null' | '(null)' | 'undefined' | 'None' | 'left-out' | 'consumer-secret'>(
    'as-issued',
    parts.key,
  ),
  mac: slot<keyof typeof macs>('hmac', parts.whole),
};

export type Recipe = { readonly [Name in keyof typeof choices]: (typeof choices)[Name][0] };

/** The recipe of a signer that follows RFC 5849. */
export const plainRecipe = Object.fromEntries(
  Object.entries(choices).map(([name, [right]]) => [name, right]),
) as unknown as Recipe;

type Stage = 'collect' | 'encode' | 'sort' | 'join' | 'uri' | 'method' | 'key' | 'hash' | 'output';

export interface Deviation {
  readonly id: string;
  readonly stage: Stage;
  /** The choices that the deviation changes. Empty if the signature itself shows the deviation. */
  readonly change: Partial<Recipe>;
  readonly summary: string;
  readonly developer: string;
  readonly fix: string;
  readonly snippet?: SnippetTopic;
  readonly client?: NamedDefect;
  readonly gateway?: NamedDefect;
}

interface NamedDefect {
  readonly defect: string;
  readonly summary: string;
}

/** Makes deviations of one stage. The lines of a text are `summary`, `developer` and `fix`, except any in `shared`. */
export function inStage(
  stage: Stage,
  snippet?: SnippetTopic,
  shared: Partial<Pick<Deviation, 'summary' | 'fix'>> = {},
): <const Id extends string>(
  id: Id,
  change?: Partial<Recipe>,
) => (text: TemplateStringsArray, ...values: readonly string[]) => Deviation & { readonly id: Id } {
  return (id, change = {}) =>
    (text, ...values) => {
      const lines = String.raw({ raw: text }, ...values)
        .trim()
        .split(/\n */);
      const next = (): string => lines.shift() ?? '';
      const words = { summary: shared.summary ?? next(), developer: next(), fix: shared.fix ?? next() };
      // A further line `ID: summary` is a defect of clients. A line `gateway ID: summary` is a defect of gateways.
      const defects = lines.flatMap((line) => {
        const [, side = 'client', defect, defectSummary] = /^(?:(gateway) )?([a-z0-9-]+): (.*)$/.exec(line) ?? [];
        return defectSummary === undefined ? [] : [[side, { defect, summary: defectSummary }]];
      });
      return { id, stage, ...(snippet && { snippet }), change, ...words, ...Object.fromEntries(defects) };
    };
}

export function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ['other'];
  return words.join('-');
}

/** True if these deviations can be combined, because no two of them change the same choice. */
export function canCombine(deviations: readonly Deviation[]): boolean {
  const changed = deviations.flatMap(({ change }) => Object.keys(change));
  return new Set(changed).size === changed.length;
}

/** Calls `visit` with each allowed set of `size` items, in order. If `visit` returns false, stops and returns false. */
export function everySubset<T>(
  items: readonly T[],
  size: number,
  visit: (chosen: readonly T[]) => boolean,
  allowed: (chosen: readonly T[]) => boolean = () => true,
  chosen: readonly T[] = [],
  from = 0,
): boolean {
  if (chosen.length === size) return visit(chosen);
  for (let index = from; index <= items.length - (size - chosen.length); index += 1) {
    const next = [...chosen, items[index]!];
    if (allowed(next) && !everySubset(items, size, visit, allowed, next, index + 1)) return false;
  }
  return true;
}

const cachedTraits = new WeakMap<Deviation, { readonly index: number; readonly parts: number }>();
let count = 0;

/** Returns the unique number of a deviation, and the bits of the `parts` that it affects. */
export function traitsOf(deviation: Deviation) {
  let traits = cachedTraits.get(deviation);
  if (traits === undefined) {
    const names = Object.keys(deviation.change) as (keyof Recipe)[];
    traits = { index: ++count, parts: names.reduce((bits, name) => bits | choices[name][1], 0) };
    cachedTraits.set(deviation, traits);
  }
  return traits;
}
