/** Steps 2 and 4 as clients do them: encoded, sorted, joined, encoded once more (RFC 5849 sections 3.4.1.3.2 and 3.4.1.1). */
import type { Source } from '../evidence.ts';
import type { CollectedParameter } from './collect.ts';
import type { Encoded, Encoder } from './encoder.ts';
import type { Order, Recipe } from './recipe.ts';

/** The parameters as written in the base string. */
export function joinParameters(parameters: readonly CollectedParameter[], recipe: Recipe, encoder: Encoder): string {
  const pieces = parameters.map((parameter) => pieceOf(parameter, recipe, encoder)).sort(orders[recipe.order]);
  const bareEmpties = recipe.empties === 'without-equals';
  const join = (part: (text: Encoded) => string, equals: string, ampersand: string): string => {
    const pairs = pieces.map(({ name, value }) =>
      bareEmpties && value.once === '' ? part(name) : `${part(name)}${equals}${part(value)}`,
    );
    return pairs.join(ampersand) + (recipe.end === 'ampersand' ? ampersand : '');
  };
  const joined = (): string => join(({ once }) => once, '=', '&');
  switch (recipe.joined) {
    case 'bare':
      return joined();
    case 'separators-bare':
      return join(({ twice }) => twice, '=', '&');
    case 'encoded-twice':
      return encoder.encodeOutside(encoder.encodeOutside(joined()));
    case 'encoded':
      // In pieces, since a payload of megabytes is then encoded once for all candidates.
      return encoder.wholeOnly
        ? encoder.encodeOutside(joined())
        : join(({ twice }) => twice, encoder.encodeOutside('='), encoder.encodeOutside('&'));
  }
}

function pieceOf(parameter: CollectedParameter, recipe: Recipe, encoder: Encoder): Sortable {
  const bare = parameter.source === 'header' && recipe.headerEncoding === 'none';
  const encode = (text: string, how: Recipe['parameterEncoding']): Encoded => {
    if (how === 'none') return { once: text, twice: encoder.encodeOutside(text) };
    return encoder.both(how === 'twice' ? encoder.encode(text) : text);
  };
  return {
    parameter,
    name: encode(parameter.name, recipe.nameEncoding === 'none' ? 'none' : recipe.parameterEncoding),
    value: encode(parameter.value, bare ? 'none' : recipe.parameterEncoding),
  };
}

interface Sortable {
  readonly parameter: CollectedParameter;
  readonly name: Encoded;
  readonly value: Encoded;
}

type Compare = (a: Sortable, b: Sortable) => number;

const byEncoded: Compare = (a, b) => compare(a.name.once, b.name.once) || compare(a.value.once, b.value.once);
const natural = new Intl.Collator('en', { numeric: true });
const locale = new Intl.Collator('en');

/** What compares equal keeps the order header, query, body. */
const orders: Readonly<Record<Order, Compare>> = {
  encoded: byEncoded,
  'header-first': () => 0,
  'query-first': bySource(['query', 'header', 'body']),
  'body-first': bySource(['body', 'query', 'header']),
  'each-source': (a, b) => bySource(['header', 'query', 'body'])(a, b) || byEncoded(a, b),
  'each-source-body-first': (a, b) => bySource(['body', 'query', 'header'])(a, b) || byEncoded(a, b),
  'before-encoding': (a, b) =>
    compare(a.parameter.name, b.parameter.name) || compare(a.parameter.value, b.parameter.value),
  'as-joined': (a, b) => compare(`${a.name.once}=${a.value.once}`, `${b.name.once}=${b.value.once}`),
  'name-only': (a, b) => compare(a.name.once, b.name.once),
  'case-insensitive': (a, b) =>
    compare(a.name.once.toLowerCase(), b.name.once.toLowerCase()) ||
    compare(a.value.once.toLowerCase(), b.value.once.toLowerCase()),
  natural: (a, b) => natural.compare(a.name.once, b.name.once) || natural.compare(a.value.once, b.value.once),
  locale: (a, b) => locale.compare(a.name.once, b.name.once) || locale.compare(a.value.once, b.value.once),
  descending: (a, b) => byEncoded(b, a),
};

function bySource(wanted: readonly Source[]): Compare {
  return (a, b) => wanted.indexOf(a.parameter.source) - wanted.indexOf(b.parameter.source);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
