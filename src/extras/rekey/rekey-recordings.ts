/**
 * Re-keyed evidence: a record in which every personal value is a stand-in and every signature is made with published keys,
 * so that it can be shared, with the same verdicts. Pure: the salt is given.
 */
import { requirements } from '../../../contracts/requirements/index.ts';
import type { Exchange } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import { redactorFor } from '../../run/secrets/redactor.ts';
import { manyTexts, type Secret } from '../../run/secrets/secret.ts';
import { newKnownFaults } from '../../verdict/recordings/known-faults.ts';
import type { Recording, Side } from '../../verdict/recordings/recording.ts';
import { withoutEchoes } from './echoed-signatures.ts';
import { editCall, givenCells } from './edit-call.ts';
import type { GivenCells } from './edit-csv.ts';
import { throughEscapes } from './edit-escaped.ts';
import { editExchange } from './edit-exchange.ts';
import { editTarget, prefixOf } from './edit-fields.ts';
import { sweeps, textEditor } from './edit-texts.ts';
import { exchangesOf } from './original-keys.ts';
import { type SignedAgain, type SigningAgain, signAgain } from './sign-again.ts';
import { newStandIns, type RecordedPlaces, type Replaced, type StandIns } from './stand-ins.ts';

/**
 * `salt` is random and not kept: with it, guessed ids could be compared with stand-ins. The issued consumer key becomes
 * the published one.
 */
interface RekeyOptions extends SigningAgain {
  /** Whose part of the recordings is wanted. */
  readonly side: Side;
  /** What else may not be in the bundle: taken out before anything else. */
  readonly secrets: readonly Secret[];
  /** Called after each exchange: a long recording takes time. */
  progress?(done: number, of: number): void;
}

export interface Rekeyed {
  readonly recordings: readonly Recording[];
  /** Number of exchanges by what became of their signature. */
  readonly signed: Readonly<Record<SignedAgain, number>>;
  /** Number of signatures that were not searched for every fault. */
  readonly unsearched: number;
  /** The secrets, and the values that were replaced, as far as they are long enough to be looked for: one list, since to prepare the search of a million takes memory. */
  readonly replaced: readonly Secret[];
  /** A text, such as a note, with the same stand-ins. */
  text(text: string): string;
  /** A host name, with or without a port. */
  host(authority: string): string;
  /** A URL. */
  target(url: string): string;
  /** An instant, in milliseconds since the Unix epoch. */
  time(at: number): number;
}

/** What replaces: fields, texts, and the values of fields wherever else they are. */
export const replacing = {
  fields: newStandIns,
  texts: Object.values(sweeps),
  elsewhere: redactorFor,
} as const;

/** All recordings together: equal values get equal stand-ins everywhere. */
export function rekeyRecordings(recordings: readonly Recording[], options: RekeyOptions): Rekeyed {
  return rekeyBy(replacing, recordings, options);
}

/** By those replacements. */
export function rekeyBy(by: typeof replacing, recordings: readonly Recording[], options: RekeyOptions): Rekeyed {
  const { salt, issued, secrets, side } = options;
  const redactor = redactorFor(secrets);
  const clean = recordings.map((recording, index) => withoutFileName(redactor.anything(recording), index + 1));
  const around = surroundingsOf(clean, side);
  // Which values there are is found before any is replaced: they are also in unexpected places, such as an error message.
  const everywhere = new Set<string>();
  const standIns = by.fields(salt, issued, everywhere, around);
  const told = textEditor(standIns, by.texts);
  learn(clean, side, standIns, told);
  const kinds = standIns.replaced();
  telling(kinds, standIns.madeUp(), everywhere);
  const replaced = [...secrets, ...kinds.map(({ kind, pairs }) => manyTexts(kind, ofThose(everywhere, pairs)))];
  const known = by.elsewhere(replaced);
  const elsewhere = textEditor(standIns, [(text) => throughEscapes(text, known.text), ...by.texts]);
  const signed = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };
  const faults = newKnownFaults();
  const count = clean.reduce((sum, recording) => sum + exchangesOf(recording, side).length, 0);
  let done = 0;
  const rekey = (exchange: Exchange, given?: GivenCells): Exchange => {
    const edited = elsewhere(editExchange(exchange, standIns, given));
    const again = signAgain(exchange.request, edited.request, options, faults);
    signed[again.signed] += 1;
    const response = edited.response && withoutEchoes(edited.response, exchange.request, salt);
    done += 1;
    options.progress?.(done, count);
    return { ...edited, request: again.request, response };
  };
  const rekeyed = clean.map((recording) => edit(recording, side, standIns, rekey, elsewhere));
  return {
    recordings: rekeyed,
    signed,
    unsearched: faults.unsearched,
    replaced,
    text: (text) => elsewhere(redactor.text(text)),
    host: standIns.host,
    target: (url) => elsewhere(editTarget(url, standIns)),
    time: standIns.time,
  };
}

/** Nothing is kept of the edited texts but the stand-ins. */
function learn(recordings: readonly Recording[], side: Side, standIns: StandIns, told: <T>(value: T) => T): void {
  const note = <T>(value: T): T => {
    told(value);
    return value;
  };
  const noteIn = (exchange: Exchange, given?: GivenCells): Exchange => {
    note(editExchange(exchange, standIns, given));
    return exchange;
  };
  for (const recording of recordings) edit(recording, side, standIns, noteIn, note);
}

/** A recording of another tool is called after its file. */
function withoutFileName(recording: Recording, number: number): Recording {
  if (recording.examined !== undefined) return recording;
  const { client, cases } = recording;
  const scenario = `recording ${number}`;
  return {
    ...recording,
    client: { ...client, calls: client.calls.map((call) => ({ ...call, scenario })) },
    cases: cases.map((one) => ({ ...one, scenario })),
  };
}

function surroundingsOf(recordings: readonly Recording[], side: Side): RecordedPlaces {
  const [hosts, prefixes] = [new Set<string>(), new Set<string>()];
  let span: readonly [first: number, last: number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, request } of recordings.flatMap((recording) => exchangesOf(recording, side))) {
    hosts.add(request.host);
    for (const segment of prefixOf(request.target)) prefixes.add(segment);
    span = [Math.min(span[0], startedAt), Math.max(span[1], startedAt)];
  }
  return { hosts: [...hosts].filter((host) => !isLoopback(host)), prefixes, span };
}

/** The part of a recording that is judged for that side; the other part is left out. */
function edit(
  { client, cases, gateway, ...rest }: Recording,
  side: Side,
  standIns: StandIns,
  editOne: (exchange: Exchange, given?: GivenCells) => Exchange,
  elsewhere: <T>(value: T) => T,
): Recording {
  if (side === 'gateway') {
    const edited = cases.map(({ label, exchange, ...place }) => ({
      ...elsewhere(place),
      label: elsewhere(label),
      exchange: editOne(exchange),
    }));
    return { ...rest, ...elsewhere({ gateway }), client: { calls: [], skipped: [] }, cases: edited };
  }
  const calls = client.calls.map(({ wire, ...call }) => ({
    ...elsewhere(editCall(call, standIns)),
    wire: wire.map((exchange) => editOne(exchange, givenCells(call))),
  }));
  const { calls: _, ...about } = client;
  const edited = { ...elsewhere(about), calls };
  return { ...rest, client: edited, cases: [] };
}

const ownTexts = JSON.stringify([requirements, 'undefined']);

/** Characters; a shorter text turns up anywhere by chance, and so does one of few different characters. */
const [shortest, fewest] = [8, 5] as const;

/**
 * Whether a text can be looked for anywhere, without finding what a report says by itself: a word of a requirement, what a client makes
 * of a missing id and the script of the page has too, or characters that ascend (123456789), as the numbers of exchanges do in bytes.
 */
function isTelling(text: string): boolean {
  // The start is looked up, since there may be a million texts.
  ownStarts ??= new Set(Array.from(ownTexts, (_, at) => ownTexts.slice(at, at + shortest)));
  const isOwn = ownStarts.has(text.slice(0, shortest)) && ownTexts.includes(text);
  return text.length >= shortest && !isOfFew(text) && !ascends(text) && !isOwn;
}

let ownStarts: ReadonlySet<string> | undefined;

/** Originals that are looked for, put into a set; one that was also made up is replaced in the fields with ids only. */
export function telling(
  replaced: readonly Pick<Replaced, 'pairs'>[],
  madeUp: Iterable<string>,
  found = new Set<string>(),
): Set<string> {
  for (const { pairs } of replaced) for (const [original] of pairs) if (isTelling(original)) found.add(original);
  for (const text of madeUp) found.delete(text);
  return found;
}

function ofThose(originals: ReadonlySet<string>, pairs: Replaced['pairs']): Replaced['pairs'] {
  return {
    *[Symbol.iterator]() {
      for (const pair of pairs) if (originals.has(pair[0])) yield pair;
    },
  };
}

/** Whether it has fewer different characters than `fewest`. There may be a million texts: none is taken apart. */
function isOfFew(text: string): boolean {
  let [met, at] = ['', 0];
  for (; at < text.length && met.length < fewest; at += 1) if (!met.includes(text[at]!)) met += text[at];
  return met.length < fewest;
}

function ascends(text: string): boolean {
  for (let at = 1; at < text.length; at += 1) if (text[at]! <= text[at - 1]!) return false;
  return true;
}
