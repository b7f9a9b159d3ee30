/** Exchanges that stay in their file: each is read when it is asked for, so that a record may be longer than the memory. */
import type { Exchange } from './exchange.ts';

/** Gives an exchange by its place among those of one file. */
export type ExchangesInFile = (place: number) => Pick<Exchange, 'request' | 'response'>;

/** Asked for the same one several times in a row, it is read once. */
export function lastRead(read: ExchangesInFile): ExchangesInFile {
  let last: { readonly place: number; readonly exchange: ReturnType<ExchangesInFile> } | undefined;
  return (place) => {
    if (last?.place !== place) last = { place, exchange: read(place) };
    return last.exchange;
  };
}

/** The exchange with messages that are read on each access. A copy of it, made with `...`, has them in memory. */
export function laterExchange(exchange: Exchange, file: ExchangesInFile, place: number): Exchange {
  return new LaterExchange(exchange, file, place) as unknown as Exchange;
}

/** A hundred thousand of them have one shape, which takes a tenth of what getters of their own would. */
class LaterExchange {
  readonly #file: ExchangesInFile;
  readonly #place: number;

  constructor({ request: _, response: __, ...head }: Exchange, file: ExchangesInFile, place: number) {
    this.#file = file;
    this.#place = place;
    Object.assign(this, head);
    Object.defineProperties(this, messages);
  }

  static read(later: LaterExchange): ReturnType<ExchangesInFile> {
    return later.#file(later.#place);
  }
}

const messages = {
  request: { enumerable: true, get: requestOf },
  response: { enumerable: true, get: responseOf },
};

function requestOf(this: LaterExchange): Exchange['request'] {
  return LaterExchange.read(this).request;
}

function responseOf(this: LaterExchange): Exchange['response'] {
  return LaterExchange.read(this).response;
}
