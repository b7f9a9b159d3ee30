/** Parts of a record that stay in its file: each is read when it is asked for, so that a record may be longer than the memory. */
import type { ClientCall } from './case.ts';
import type { Exchange } from './exchange.ts';

/** Gives what a file has at a place. */
export type InFile<T> = (place: number) => T;

/** Asked for the same place several times in a row, it is read once. */
export function lastRead<T>(read: InFile<T>): InFile<T> {
  let last: { readonly place: number; readonly found: T } | undefined;
  return (place) => {
    if (last?.place !== place) last = { place, found: read(place) };
    return last.found;
  };
}

/** The exchange with messages that are read on each access. A copy of it, made with `...`, has them in memory. */
export function laterExchange(
  exchange: Exchange,
  file: InFile<{ readonly exchange: Messages }>,
  place: number,
): Exchange {
  const { request, response, ...head } = exchange;
  return laterMembers({ ...head, request, response }, ['request', 'response'], { file, place, part: exchangeOf });
}

type Messages = Pick<Exchange, 'request' | 'response'>;

/** The call with what it was given and the steps of its client read on each access: a table may have a million cells, and steps are as long. */
export function laterCall<T extends ClientCall>(
  call: T,
  file: InFile<{ readonly call: ClientCall }>,
  place: number,
): T {
  const { asked, reply } = call;
  return {
    ...call,
    asked: asked && laterMembers(asked, ['input'], { file, place, part: askedOf }),
    reply: reply && laterMembers(reply, ['stages'], { file, place, part: replyOf }),
  };
}

function exchangeOf({ exchange }: { readonly exchange: Messages }): Messages {
  return exchange;
}

function askedOf({ call }: { readonly call: ClientCall }): object {
  return call.asked!;
}

function replyOf({ call }: { readonly call: ClientCall }): object {
  return call.reply!;
}

/** Where members are, and the object that has them of what is found there. */
interface Place<T> {
  readonly file: InFile<T>;
  readonly place: number;
  readonly part: (found: T) => object;
}

/** The object with these of its members read on each access, as far as it has them. */
export function laterMembers<T extends object, Found>(whole: T, names: readonly (keyof T)[], place: Place<Found>): T {
  return new LaterMembers(whole, names, place as Place<unknown>) as unknown as T;
}

/** A hundred thousand of them have one shape, which takes a tenth of what getters of their own would. */
class LaterMembers {
  readonly #file: InFile<unknown>;
  readonly #place: number;
  readonly #part: (found: unknown) => object;

  constructor(whole: object, names: readonly PropertyKey[], { file, place, part }: Place<unknown>) {
    this.#file = file;
    this.#place = place;
    this.#part = part;
    for (const name of Object.keys(whole)) {
      if (names.includes(name)) Object.defineProperty(this, name, getterOf(name));
      else Object.assign(this, { [name]: whole[name as keyof typeof whole] });
    }
  }

  static read(later: LaterMembers): object {
    return later.#part(later.#file(later.#place));
  }
}

const getters = new Map<string, PropertyDescriptor>();

/** One for each name: with others the objects would have other shapes. */
function getterOf(name: string): PropertyDescriptor {
  const known = getters.get(name);
  if (known !== undefined) return known;
  const getter: PropertyDescriptor = {
    enumerable: true,
    get(this: LaterMembers) {
      return (LaterMembers.read(this) as Readonly<Record<string, unknown>>)[name];
    },
  };
  getters.set(name, getter);
  return getter;
}
