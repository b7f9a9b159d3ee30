/** Steps 2 and 4 as clients do them: encoded, sorted, joined, encoded once more (RFC 5849 sections 3.4.1.3.2 and 3.4.1.1). */
import { mapOnce } from '../../protocol/once-each.ts';
import type { CollectedParameter } from './collect.ts';
import type { Encoded, Encoder } from './encoder.ts';
import { type Sortable, sorted } from './order.ts';
import type { Recipe } from './recipe.ts';

interface Piece extends Sortable {
  readonly name: Encoded;
  readonly value: Encoded;
}

/** The parameters as written in the base string. */
export function joinParameters(parameters: readonly CollectedParameter[], recipe: Recipe, encoder: Encoder): string {
  const pieces = sorted(
    mapOnce(parameters, (parameter) => pieceOf(parameter, recipe, encoder)),
    recipe.order,
  );
  const bareEmpties = recipe.empties === 'without-equals';
  const join = (part: (text: Encoded) => string, equals: string, ampersand: string): string => {
    const pairs = mapOnce(pieces, ({ name, value }) =>
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

function pieceOf(parameter: CollectedParameter, recipe: Recipe, encoder: Encoder): Piece {
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
