/** Makes a shareable copy of a record with pseudonyms, published keys and the same verdicts. Pure: takes the salt. */
import { isIPv4, isIPv6 } from 'node:net';
import { type AnyCase, type Case, clientCase } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import { casesOf, perScenario } from '../../record/run.ts';
import {
  editTexts,
  LeakError,
  manyTexts,
  type Redactor,
  redactorFor,
  type Secret,
  scannerFor,
} from '../../run/secrets/secret.ts';
import { publishedKeys } from '../../run/target/target.ts';
import { type ConcludedRun, type JudgedRecordings, judgeRecordings } from '../../verdict/conclude.ts';
import type { Recording } from '../../verdict/recordings/recording.ts';
import { editCall, editExchange, editTarget, latin1, prefixOf } from './edit.ts';
import { throughEscapes } from './encodings.ts';
import { exchangesOf } from './keys.ts';
import { newPseudonyms, type Pseudonyms, type RecordedPlaces } from './pseudonyms.ts';
import { KnownFaults, type SignedAgain, type SigningKeys, signAgain } from './sign-again.ts';

/** Applies an edit to all texts in a value, and to its bytes as Latin-1. */
function inTexts(text: (text: string) => string): <T>(value: T) => T {
  const bytes = (value: Uint8Array): Uint8Array => {
    const before = latin1(value);
    const after = text(before);
    return after === before ? value : Buffer.from(after, 'latin1');
  };
  return (value) => editTexts(value, { text, bytes });
}

/** Also finds misspelt names: the value is a signature anyway. A blank after it may be a decoded plus sign. */
const anySignature =
  /(?<=\boauth[_.-]signature?s?(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?)(?:(?<=["'])[^"'\\]+(?=\\*["'])|[^"',;&\s}\\]+(?=[,;&}\\]|$))/gi;

/** Base64 of 20 bytes, as of an HMAC-SHA1: a gateway may report the signature that it expected. */
const anyMac = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{27}=(?![A-Za-z0-9+/=])/g;

/** A replacement in all texts: a fast check first, since most texts have no match. */
type Sweep = readonly [quick: RegExp, found: RegExp, replace: (found: string) => string];

/** Returns an edit of texts; in answers it also replaces possible MACs. */
function sweeper(pseudonyms: Pseudonyms): (text: string, isAnswer: boolean) => string {
  const { host, id, isSibling, namesSibling, isPrefix, times } = pseudonyms;
  const signature = (found: string) => id(found, 'signature');
  const person = (found: string) => id(found);
  const start = (found: string, name: string, alias: string) => `${alias}${found.slice(name.length)}`;
  const signatures: Sweep = [/oauth.signature?s?\b/i, anySignature, signature];
  const macs: Sweep = [/[A-Za-z0-9+/]{27}=/, anyMac, signature];
  const sibling = (token: string) => {
    const name = token.replace(/(?<![.-])[.-]+$/, '');
    return isSibling(name) ? start(token, name, host(name)) : token;
  };
  const siblings: Sweep = [/[A-Za-z0-9]/, /[A-Za-z0-9][A-Za-z0-9.-]*/g, sibling];
  const ipv4 = (found: string) => (isIPv4(found) && !isLoopback(found) ? host(found) : found);
  const ipv6 = (found: string) => {
    const address = found.replace(/(?<!:):$|\.$/, '');
    return isIPv6(address) && !isLoopback(`[${address}]`) ? start(found, address, host(address)) : found;
  };
  const others: readonly Sweep[] = [
    [/\d\.\d{1,3}\.\d{1,3}\.\d/, /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, ipv4],
    // An IPv6 address has at least two colons.
    [/:[0-9A-Fa-f.]*:/, /(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g, ipv6],
    // People: in e-mail addresses, in the user part of URLs, and in paths of home folders.
    [/@/, /(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, person],
    [/@/, /(?<=:\/\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, person],
    [/home|Users/, /(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, person],
    // Path prefixes in URLs. A client run has one for each call, too many to search for each.
    [/\//, /(?<=\/)[\w.~-]{1,64}(?=[/?]|[\s"'<>),;]|$)/g, (segment) => (isPrefix(segment) ? id(segment) : segment)],
  ];
  const apply = (text: string, [quick, found, replace]: Sweep) =>
    quick.test(text) ? text.replace(found, replace) : text;
  return (text, isAnswer) => {
    let edited = apply(text, signatures);
    if (isAnswer) edited = apply(edited, macs);
    if (namesSibling(edited)) edited = apply(edited, siblings);
    edited = others.reduce(apply, edited);
    return /\d:\d\d:\d/.test(edited) ? times(edited) : edited;
  };
}

/** `salt` must be random and not kept: with it, guessed ids could be tested against pseudonyms. */
interface RekeyOptions extends SigningKeys {
  /** Other secrets, removed first. */
  readonly secrets: readonly Secret[];
  /** Called after each exchange, because a long recording takes time. */
  progress?(done: number, of: number): void;
}

export interface Rekeyed {
  readonly recordings: readonly Recording[];
  readonly signed: Readonly<Record<SignedAgain, number>>;
  /** Number of signatures without a complete search for faults. */
  readonly unsearched: number;
  /** Secrets and replaced values that are long enough to search for, as one list to save memory. */
  readonly replaced: readonly Secret[];
  /** Replaces values in other texts, such as a note. */
  text(text: string): string;
  host(authority: string): string;
  target(url: string): string;
  /** An instant, in milliseconds since the Unix epoch. */
  time(at: number): number;
}

export function rekeyRecordings(recordings: readonly Recording[], options: RekeyOptions): Rekeyed {
  const { salt, issued, secrets, progress } = options;
  const redactor = redactorFor(secrets);
  const clean = recordings.map((recording, index) => withoutFileName(redactor.anything(recording), index + 1));
  const originals = clean.flatMap(exchangesOf);
  const pseudonyms = newPseudonyms(salt, issued, placesIn(originals));
  const sweep = sweeper(pseudonyms);
  /** Edits of texts: known values first, then what the sweeps find. In answers they also replace possible MACs. */
  const editsOf = (known?: Redactor) => {
    const inner = (text: string, isAnswer: boolean) =>
      sweep(known === undefined ? text : latin1(known.bytes(Buffer.from(text, 'latin1'))), isAnswer);
    const [other, answer] = [false, true].map((isAnswer) =>
      inTexts((text) => asBytes(text, (raw) => throughEscapes(raw, (one) => inner(one, isAnswer)))),
    );
    return { other: other!, answer: answer! };
  };
  // All values are collected before any is replaced, since they also occur in unexpected places such as error messages.
  const collect = editsOf();
  for (const recording of clean) {
    const exchanged = (exchange: Exchange) => {
      collect.answer(exchange.response);
      return collect.other(exchange);
    };
    editRecording(recording, pseudonyms, exchanged, collect.other);
  }
  const replaced = pseudonyms.replaced();
  const edits = editsOf(redactorFor([...secrets, ...replaced.map(({ kind, pairs }) => manyTexts(kind, pairs))]));
  const signed = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };
  const faults = new KnownFaults();
  // Some values are reproduced unchanged, such as a key sent as a signature.
  const reproduced = new Set<string>();
  let done = 0;
  const rekey = (exchange: Exchange): Exchange => {
    const edited = edits.other(exchange);
    const again = signAgain(originals[done]!.request, edited.request, options, faults);
    signed[again.signed] += 1;
    if (again.text !== undefined) reproduced.add(again.text);
    done += 1;
    progress?.(done, originals.length);
    return { ...edited, request: again.request, response: collect.answer(edited.response) };
  };
  const rekeyed = clean.map((recording) => editRecording(recording, pseudonyms, rekey, edits.other));
  const sought = replaced.map(({ kind, pairs }) => ({ kind, pairs: pairs.filter(([one]) => !reproduced.has(one)) }));
  return {
    recordings: rekeyed,
    signed,
    unsearched: faults.unsearched,
    replaced: [...secrets, ...sought.map(({ kind, pairs }) => manyTexts(kind, pairs))],
    text: (text) => edits.other(redactor.text(text)),
    host: pseudonyms.host,
    target: (url) => edits.other(editTarget(url, pseudonyms)),
    time: pseudonyms.time,
  };
}

/** Edits the bytes of a text: UTF-8, unless each character is a byte. */
function asBytes(text: string, edit: (raw: string) => string): string {
  const isWide = /[^\0-\xff]/.test(text);
  const raw = isWide ? Buffer.from(text).toString('latin1') : text;
  const edited = edit(raw);
  if (edited === raw) return text;
  return isWide ? Buffer.from(edited, 'latin1').toString('utf8') : edited;
}

/** The scenario of a foreign recording is the name of its file. */
function withoutFileName(recording: Recording, number: number): Recording {
  if (!recording.isForeign) return recording;
  const scenario = `recording ${number}`;
  return { ...recording, records: perScenario(casesOf(recording).map((one) => ({ ...one, scenario }))) };
}

function placesIn(exchanges: readonly Exchange[]): RecordedPlaces {
  const [hosts, prefixes] = [new Set<string>(), new Set<string>()];
  let span: RecordedPlaces['span'] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, request } of exchanges) {
    hosts.add(request.host);
    for (const segment of prefixOf(request.target)) prefixes.add(segment);
    span = [Math.min(span[0], startedAt), Math.max(span[1], startedAt)];
  }
  return { hosts: [...hosts].filter((host) => !isLoopback(host)), prefixes, span };
}

function editRecording(
  { records, ...about }: Recording,
  pseudonyms: Pseudonyms,
  editOne: (exchange: Exchange) => Exchange,
  edit: <T>(value: T) => T,
): Recording {
  const edited = ({ exchanges, call, ...one }: AnyCase): AnyCase => {
    const copies = exchanges.map((exchange) => editOne(editExchange(exchange, pseudonyms, call)));
    if (call === undefined) return { ...edit(one), exchanges: copies };
    const { scenario, number } = one;
    return clientCase({ ...edit({ scenario, number }), exchanges: copies }, edit(editCall(call, pseudonyms)));
  };
  return {
    ...edit(about),
    records: records.map(({ cases, ...rest }) => ({ ...edit(rest), cases: cases.map(edited) })),
  };
}

interface RekeyedRun {
  /** The copy with the verdicts of `countersign judge` without keys. */
  readonly copy: ConcludedRun;
  /** Ids of the rows with another outcome than in the original. */
  readonly different: readonly string[];
}

type Outcomes = ReadonlyMap<string, ResultRow['outcome']>;

export function originalOutcomes(original: JudgedRecordings): Outcomes {
  const { result } = judgeRecordings(original);
  return new Map(result.results.map(({ id, outcome }) => [id, outcome]));
}

export function judgeRekeyed(original: JudgedRecordings, outcomes: Outcomes, rekeyed: Rekeyed): RekeyedRun {
  const copy = judgeRecordings({
    ...original,
    header: {
      ...original.header,
      subject: rekeyedSubject(original.header.subject, rekeyed),
      startedAt: new Date(rekeyed.time(Date.parse(original.header.startedAt))).toISOString(),
    },
    recordings: rekeyed.recordings,
    keys: { hasKeys: original.keys.hasKeys, keysOf: publishedKeys },
  });
  return {
    copy,
    different: copy.result.results.flatMap(({ id, outcome }) => (outcomes.get(id) === outcome ? [] : [id])),
  };
}

function rekeyedSubject(subject: Result['subject'], { text, host, target: url }: Rekeyed): Result['subject'] {
  const target = /^https?:\/\//.test(subject.target) ? url(subject.target) : subject.target;
  // The name of a recording is that of its file.
  if (target === 'recording') return { ...subject, name: target };
  const name = subject.kind === 'gateway' && target !== subject.target ? host(subject.name) : text(subject.name);
  return { ...subject, name, target: text(target) };
}

/** The same error with the place in the copy. `cases` are in the order of their numbers. */
export function leakInCopy(cause: LeakError, cases: readonly Case[], secrets: readonly Secret[]): LeakError {
  const leaksIn = scannerFor(secrets);
  for (const [index, { exchanges, ...noted }] of cases.entries()) {
    const { request, response, ...about } = exchanges[0];
    for (const [part, value] of Object.entries({ request, answer: response, notes: { ...noted, about } })) {
      for (const text of textsIn(value)) {
        const [leak] = leaksIn({ name: part, bytes: typeof text === 'string' ? Buffer.from(text) : text });
        if (leak === undefined) continue;
        return new LeakError(
          cause.code,
          `the copy would contain ${leak.secret}, in the ${part} of exchange ${index + 1}, so nothing is written`,
          'It is in a form that rekey cannot replace. Remove it from the recording, or remove that exchange.',
          cause,
        );
      }
    }
  }
  return cause;
}

/** Names of headers too: they are texts in pairs. */
function* textsIn(value: unknown): Generator<string | Uint8Array> {
  if (typeof value === 'string' || value instanceof Uint8Array) yield value;
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* textsIn(one);
}
