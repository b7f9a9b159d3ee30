/**
 * The base string (RFC 5849 section 3.4.1) with what is the same from call to call worked out once.
 *
 * It is that of the reference: the second encoding only turns `%` into `%25`, and `%` sorts before every character that encoded text
 * has, so texts encoded twice sort as texts encoded once. Names that are all different sort the same whatever their values are.
 */
import type { Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';
import { baseStringUri, type RequestUrl } from './base-string-uri.ts';

/** The parameters of a usual Authorization header; all but the last are signed. */
export const oauthNames = ['consumer_key', 'signature_method', 'timestamp', 'nonce', 'version', 'signature'].map(
  (name) => `oauth_${name}`,
);

type Call = RequestUrl & { readonly method: string };

/** A maker of base strings from decoded parameters; throws what `baseString` and its steps throw. */
export function newBaseStrings(): (request: Call, parameters: readonly Pair[]) => string {
  const normalize = newNormalizer();
  const headOf = newHeads();
  return (request, parameters) => {
    const names = parameters.map(([name]) => encodeTwice(name));
    const values = parameters.map(([, value]) => encodeTwice(value));
    return (headOf(request) ?? firstParts(request)) + normalize(names, values);
  };
}

/** Method and URI, encoded, each with its `&`. Throws `malformed-target`. */
export function firstParts(request: Call): string {
  return `${percentEncode(request.method.toUpperCase())}&${percentEncode(baseStringUri(request))}&`;
}

/** Remembers these; undefined for a target that makes no URL. A client that invents URLs must not fill the memory. */
export function newHeads(): (request: Call) => string | undefined {
  const heads = new Map<string, string>();
  let last: Call & { readonly head?: string } = { method: '', scheme: '', host: '', target: '' };
  return (request) => {
    const { method, scheme, host, target } = request;
    const isLast = target === last.target && host === last.host && method === last.method && scheme === last.scheme;
    if (!isLast) last = { method, scheme, host, target, head: headOf(request) };
    return last.head;
  };

  function headOf(request: Call): string | undefined {
    const { method, scheme, host, target } = request;
    const call = `${method} ${scheme} ${host} ${target}`;
    const known = heads.get(call);
    if (known !== undefined || target.length > 500) return known;
    try {
      const head = firstParts(request);
      if (heads.size < 1000) heads.set(call, head);
      return head;
    } catch {
      return undefined;
    }
  }
}

/** Joins names and values, encoded twice, in their order; remembers the order of the last names where all of them differ. */
export function newNormalizer(): (names: readonly string[], values: readonly string[]) => string {
  let known: readonly string[] = [];
  let order: number[] = [];
  return (names, values) => {
    if (!isSame(names, known)) {
      order = names.map((_, at) => at).sort((a, b) => compare(names[a]!, names[b]!) || compare(values[a]!, values[b]!));
      known = new Set(names).size === names.length ? names : [];
    }
    let text = '';
    for (let at = 0; at < order.length; at++) {
      const place = order[at]!;
      text += `${at === 0 ? '' : '%26'}${names[place]!}%3D${values[place]!}`;
    }
    return text;
  };
}

function isSame(names: readonly string[], known: readonly string[]): boolean {
  if (names.length !== known.length) return false;
  for (let at = 0; at < names.length; at++) if (names[at] !== known[at]) return false;
  return true;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a text is in the base string: encoded, and encoded again with all of it. Throws `not-text`. */
export function encodeTwice(text: string): string {
  return isPlain(text) ? text : percentEncode(text).replaceAll('%', '%25');
}

/** Whether encoding changes nothing. */
export function isPlain(text: string): boolean {
  return !/[^\w\-.~]/.test(text);
}
