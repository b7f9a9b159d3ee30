/**
 * Re-keyed evidence: a record in which every personal value is a stand-in and every signature is made with published keys,
 * so that it can be shown to anybody and is still judged alike. Pure: the salt is given.
 */
import type { Exchange } from '../../exchange/exchange.ts';
import { type Redactor, redactorFor } from '../../redaction/redactor.ts';
import { type Secret, secretText } from '../../redaction/secret.ts';
import type { Recording, Side } from '../judge/recording.ts';
import { editCall, givenCells } from './edit-call.ts';
import type { GivenCells } from './edit-csv.ts';
import { editExchange } from './edit-exchange.ts';
import { type SignedAgain, type SigningAgain, signAgain } from './sign-again.ts';
import { newStandIns, type StandIns } from './stand-ins.ts';

/**
 * `salt` is random and kept by nobody: with it, stand-ins could be told from guessed ids. The issued consumer key becomes
 * the published one.
 */
export interface RekeyOptions extends SigningAgain {
  /** Whose part of the recordings is wanted. */
  readonly side: Side;
  /** What may not stand in the bundle besides: taken out before anything else. */
  readonly secrets: readonly Secret[];
}

export interface Rekeyed {
  readonly recordings: readonly Recording[];
  /** Number of exchanges by what became of their signature. */
  readonly signed: Readonly<Record<SignedAgain, number>>;
  /** The values that were replaced, as far as they are long enough to be looked for. */
  readonly replaced: readonly Secret[];
  /** A text, such as a note, with the same stand-ins. */
  text(text: string): string;
  /** A host name, with or without a port. */
  host(authority: string): string;
}

/** All recordings together: equal values get equal stand-ins everywhere. */
export function rekeyRecordings(recordings: readonly Recording[], options: RekeyOptions): Rekeyed {
  const { salt, issued, secrets, side } = options;
  const learning = newStandIns(salt, issued);
  const clean = recordings.map((recording) => redactorFor(secrets).anything(recording));
  // Once to learn which values there are: they also stand where nobody looks for them, such as in an error message.
  for (const recording of clean)
    edit(recording, side, learning, (exchange, given) => editExchange(exchange, learning, given));
  const pairs = telling(learning.replaced());
  const standIns = newStandIns(salt, issued, new Set(pairs.map(([original]) => original)));
  const elsewhere = redactorFor(pairs.map(([original, standIn]) => secretText('', original, { standIn, depth: 1 })));
  const signed = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };
  const rekey = (exchange: Exchange, given?: GivenCells): Exchange => {
    const edited = elsewhere.exchange(editExchange(exchange, standIns, given));
    const again = signAgain(exchange.request, edited.request, options);
    signed[again.signed] += 1;
    return { ...edited, request: again.request };
  };
  return {
    recordings: clean.map((recording) => edit(recording, side, standIns, rekey, elsewhere)),
    signed,
    replaced: pairs.map(([original]) => secretText('an id of the original', original, { depth: 1 })),
    text: (text) => elsewhere.text(redactorFor(secrets).text(text)),
    host: standIns.host,
  };
}

/** The part of a recording that is judged for that side; the other part is left out. */
function edit(
  { client, cases, gateway, ...rest }: Recording,
  side: Side,
  standIns: StandIns,
  editOne: (exchange: Exchange, given?: GivenCells) => Exchange,
  elsewhere: Redactor = redactorFor([]),
): Recording {
  if (side === 'gateway') {
    const edited = cases.map(({ label, exchange, ...place }) => ({
      ...place,
      label: elsewhere.anything(label),
      exchange: editOne(exchange),
    }));
    return { ...rest, ...elsewhere.anything({ gateway }), client: { calls: [], skipped: [] }, cases: edited };
  }
  const calls = client.calls.map(({ wire, ...call }) => ({
    ...elsewhere.anything(editCall(call, standIns)),
    wire: wire.map((exchange) => editOne(exchange, givenCells(call))),
  }));
  const edited = { ...client, calls, skipped: elsewhere.anything(client.skipped) };
  return { ...rest, client: edited, cases: [] };
}

/** Characters; a shorter text turns up anywhere by chance, and so does one of few different characters. */
const [shortest, fewest] = [8, 5] as const;

/** Those that can be looked for in any text, without finding what was put there in their place. */
function telling(replaced: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  const standIns = new Set(replaced.map(([, standIn]) => standIn));
  return replaced.filter(
    ([original]) => original.length >= shortest && new Set(original).size >= fewest && !standIns.has(original),
  );
}
