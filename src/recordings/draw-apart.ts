/** Stand-ins that spell no original: those that do are drawn again, together with those of all ids that start alike. Pure. */
import { formFinder } from '../secrets/find-forms.ts';
import { manyTexts } from '../secrets/secret.ts';
import { type FurtherSteps, longestKey, plainCharacters, prefixAlias } from './prefix-alias.ts';

/** Where there are so many originals that most texts spell one, some are left after all of them. */
const mostRounds = 12;

/**
 * Changes `standIns`, which are by their ids, as long as one of them holds one of the `originals`. Returns the steps that were
 * taken for that, without those in `further`: ids that come later need them too.
 */
export function drawApart(standIns: Map<string, string>, originals: readonly string[], salt: string): FurtherSteps {
  const { any } = formFinder([manyTexts('', alone(originals))]);
  const further = new Map<string, number>();
  let drawn: Iterable<readonly [id: string, standIn: string]> = standIns;
  for (let round = 0; round < mostRounds; round += 1) {
    const turned = new Set<string>();
    for (const [id, standIn] of drawn) {
      const found = id === standIn ? undefined : any(Buffer.from(standIn));
      if (found === undefined) continue;
      const until = Buffer.from(standIn).toString('latin1', 0, found.at + found.length);
      // The last letter or digit of what is spelt; where that cannot move, the one before it, and so on.
      const place = plainCharacters(until).length - 1 - Math.floor(round / 3);
      if (place >= 0 && place <= longestKey) turned.add(plainCharacters(id).slice(0, place));
    }
    if (turned.size === 0) break;
    for (const key of turned) further.set(key, (further.get(key) ?? 0) + 1);
    drawn = drawnAgain(standIns, turned, (id) => prefixAlias(id, salt, further));
  }
  return further;
}

/** Nothing is to be in their place. */
function alone(texts: readonly string[]): Iterable<readonly [string, string]> {
  return {
    *[Symbol.iterator]() {
      for (const text of texts) yield [text, text] as const;
    },
  };
}

/** Those of ids that start with one of the keys. */
function drawnAgain(
  standIns: Map<string, string>,
  turned: ReadonlySet<string>,
  draw: (id: string) => string,
): readonly (readonly [id: string, standIn: string])[] {
  const lengths = [...new Set(Array.from(turned, ({ length }) => length))];
  const again: string[] = [];
  for (const id of standIns.keys()) {
    const read = plainCharacters(id);
    if (lengths.some((length) => length < read.length && turned.has(read.slice(0, length)))) again.push(id);
  }
  return again.map((id) => {
    const standIn = draw(id);
    standIns.set(id, standIn);
    return [id, standIn] as const;
  });
}
