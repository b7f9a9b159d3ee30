/** Which ways to sign a gateway takes, from the answers to requests that were signed in named ways. Pure. */

import { type DeviationId, deviationOf, searchedDeviations } from '../autopsy/index.ts';
import type { Case } from '../record/case.ts';
import type { DialectCard, DialectEntry, Measured } from '../record/result/result.ts';
import { isTaken } from '../rules/answers/acceptance.ts';

type Signed = Case & { readonly label: { readonly signedAs: NonNullable<Case['label']['signedAs']> } };

export function dialectOf(
  measuring: readonly Case[],
  notSent: string | undefined,
  numberOf: (examined: Case) => number,
): Pick<Measured, 'dialect'> {
  const own = measuring.filter((examined): examined is Signed => examined.label.signedAs !== undefined);
  if (own.length === 0) return {};
  const follows = followedIn(own);
  if (follows === undefined) {
    const reason = notSent ?? 'the simplest request was not taken in any of the ways in which it was signed';
    const undetermined = searchedDeviations.map(({ id }) => id);
    return { dialect: { follows: [], takes: [], refuses: [], undetermined, reason, requests: own.length } };
  }
  const followed = new Set(follows.flat());
  const ends = new Map(own.map((examined) => [key(examined), isTaken(examined)]));
  // Only beside a request that is taken as it is does a refusal say something of the one deviation.
  const telling = own.filter(
    ({ label: { signedAs } }) =>
      signedAs.as.length > 0 &&
      JSON.stringify(signedAs.follows.map(first)) === JSON.stringify(follows.map(first)) &&
      ends.get(`${signedAs.probe} ${JSON.stringify(signedAs.follows.map(first))} `) === true,
  );
  const asked = askedOf(telling.filter((examined) => isTaken(examined) !== undefined));
  const refuses = [...asked].filter(([, seen]) => seen.some(({ taken }) => !taken)).map(([id]) => id);
  const taken = new Map([...asked].filter(([id]) => !refuses.includes(id) && !followed.has(id)));
  const takes = widest(taken);
  return {
    dialect: {
      follows: follows.map((some) =>
        entry(some, own.filter((one) => isTaken(one) && one.label.signedAs.as.includes(some[0]!)).map(numberOf)),
      ),
      takes: takes.map((some) =>
        entry(
          some,
          taken.get(some[0]!)!.map(({ examined }) => numberOf(examined)),
        ),
      ),
      refuses,
      undetermined: searchedDeviations.map(({ id }) => id).filter((id) => !followed.has(id) && !asked.has(id)),
      reason: notSent,
      requests: own.length,
    } satisfies DialectCard,
  };
}

/** The last request is the plainest one once more, signed with all that was found. */
function followedIn(own: readonly Signed[]): readonly (readonly string[])[] | undefined {
  const plain = own.filter(({ label: { signedAs } }) => signedAs.probe === own[0]!.label.signedAs.probe);
  const last = plain.findLast((examined) => examined.label.signedAs.as.length === 0 && isTaken(examined) === true);
  return last?.label.signedAs.follows;
}

interface Seen {
  readonly examined: Signed;
  readonly taken: boolean;
}

function askedOf(cases: readonly Signed[]): ReadonlyMap<string, readonly Seen[]> {
  const asked = new Map<string, Seen[]>();
  for (const examined of cases) {
    for (const id of examined.label.signedAs.as) {
      asked.set(id, [...(asked.get(id) ?? []), { examined, taken: isTaken(examined) === true }]);
    }
  }
  return asked;
}

/** Without those that are a part of another: taken with it wherever they show, and showing less often. Equals are together. */
function widest(taken: ReadonlyMap<string, readonly Seen[]>): string[][] {
  const within = (one: string, other: string) =>
    taken.get(one)!.every(({ examined }) => taken.get(other)!.some((seen) => seen.examined === examined));
  const ids = [...taken.keys()];
  const kept = ids.filter((one) => !ids.some((other) => other !== one && within(one, other) && !within(other, one)));
  const groups: string[][] = [];
  for (const id of kept) {
    const group = groups.find(([head]) => within(id, head!) && within(head!, id));
    if (group === undefined) groups.push([id]);
    else group.push(id);
  }
  return groups;
}

function entry([deviation = '', ...alternatives]: readonly string[], exchanges: readonly number[]): DialectEntry {
  const { developer } = deviationOf(deviation as DeviationId);
  return { deviation, ...(alternatives.length === 0 ? {} : { alternatives }), means: developer, exchanges };
}

function key({ label: { signedAs } }: Signed): string {
  return `${signedAs.probe} ${JSON.stringify(signedAs.follows.map(first))} ${signedAs.as[0] ?? ''}`;
}

function first(some: readonly string[]): string {
  return some[0]!;
}
