/** Makes a shareable copy of a record with pseudonyms, published keys and the same verdicts. Pure: takes the salt. */
import { isIPv4, isIPv6 } from 'node:net';
import { type AnyCase, type Case, clientCase } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import { casesOf, perScenario } from '../../record/run.ts';
import { editTexts, LeakError, redactorFor, scannerFor } from '../../run/secrets/scan.ts';
import { manyTexts, type Secret } from '../../run/secrets/secret.ts';
import { publishedKeys } from '../../run/target/published.ts';
import { type ConcludedRun, type JudgedRecordings, judgeRecordings } from '../../verdict/conclude.ts';
import type { Recording } from '../../verdict/recordings/recording.ts';
import { editCall, editExchange, editTarget, latin1, prefixOf } from './edit.ts';
import { throughEscapes } from './encodings.ts';
import { exchangesOf } from './keys.ts';
import { newPseudonyms, type Pseudonyms, type RecordedPlaces } from './pseudonyms.ts';
import { KnownFaults, type SignedAgain, type SigningAgain, signAgain } from './sign-again.ts';

/** Applies an edit to all texts in a value, and to its bytes as Latin-1. */
function inTexts(text: (text: string) => string): <T>(value: T) => T {
  const bytes = (value: Uint8Array): Uint8Array => {
    const before = latin1(value);
    const told = text(before);
    return told === before ? value : Buffer.from(told, 'latin1');
  };
  return (value) => editTexts(value, { text, bytes });
}

/** Also finds misspelt names: the value is a signature anyway. A blank after it may be a decoded plus sign. */
const anySignature =
  /(?<=\boauth[_.-]signature?s?(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?)(?:(?<=["'])[^"'\\]+(?=\\*["'])|[^"',;&\s}\\]+(?=[,;&}\\]|$))/gi;

/** Base64 of 20 bytes, as of an HMAC-SHA1: a gateway may report the signature that it expected. */
const anyMac = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{27}=(?![A-Za-z0-9+/=])/g;

/** A replacement in all texts: a fast check first, since most texts have no match. */
type Sweep = readonly [quick: RegExp, found: RegExp, to: (found: string) => string];

/** Returns an edit of texts; in answers it also replaces possible MACs. */
function sweeper(pseudonyms: Pseudonyms): (text: string, isAnswer?: boolean) => string {
  const { host, id, isSibling, namesSibling, isPrefix, times } = pseudonyms;
  const signature = (found: string) => id(found, 'signature');
  const person = (found: string) => id(found);
  const start = (found: string, name: string, alias: string) => `${alias}${found.slice(name.length)}`;
  const ofAnswers: Sweep = [/[A-Za-z0-9+/]{27}=/, anyMac, signature];
  const names: Sweep = [
    /[A-Za-z0-9]/,
    /[A-Za-z0-9][A-Za-z0-9.-]*/g,
    (token) => {
      const name = token.replace(/(?<![.-])[.-]+$/, '');
      return isSibling(name) ? start(token, name, host(name)) : token;
    },
  ];
  const others: readonly Sweep[] = [
    [
      /\d\.\d{1,3}\.\d{1,3}\.\d/,
      /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g,
      (found) => (isIPv4(found) && !isLoopback(found) ? host(found) : found),
    ],
    [
      // An IPv6 address has at least two colons.
      /:[0-9A-Fa-f.]*:/,
      /(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g,
      (found) => {
        const address = found.replace(/(?<!:):$|\.$/, '');
        return isIPv6(address) && !isLoopback(`[${address}]`) ? start(found, address, host(address)) : found;
      },
    ],
    // People: in e-mail addresses, in the user part of URLs, and in paths of home folders.
    [/@/, /(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, person],
    [/@/, /(?<=:\/\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, person],
    [/home|Users/, /(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, person],
    // Path prefixes in URLs. A client run has one for each call, too many to search for each.
    [/\//, /(?<=\/)[\w.~-]{1,64}(?=[/?]|[\s"'<>),;]|$)/g, (segment) => (isPrefix(segment) ? id(segment) : segment)],
  ];
  const apply = (text: string, [quick, found, to]: Sweep) => (quick.test(text) ? text.replace(found, to) : text);
  return (text, isAnswer = false) => {
    let told = apply(text, [/oauth.signature?s?\b/i, anySignature, signature]);
    if (isAnswer) told = apply(told, ofAnswers);
    if (namesSibling(told)) told = apply(told, names);
    told = others.reduce(apply, told);
    return /\d:\d\d:\d/.test(told) ? times(told) : told;
  };
}

/** `salt` must be random and not kept: with it, guessed ids could be tested against pseudonyms. */
interface RekeyOptions extends SigningAgain {
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
  const { salt, issued, secrets } = options;
  const redactor = redactorFor(secrets);
  const clean = recordings.map((recording, index) => withoutFileName(redactor.anything(recording), index + 1));
  const originals = clean.flatMap(exchangesOf);
  const pseudonyms = newPseudonyms(salt, issued, surroundingsOf(originals));
  const swept = sweeper(pseudonyms);
  const sweep = (text: string, isAnswer = false) =>
    asBytes(text, (raw) => throughEscapes(raw, (inner) => swept(inner, isAnswer)));
  const sweptAnswer = inTexts((text) => sweep(text, true));
  // All values are collected before any is replaced, since they also occur in unexpected places such as error messages.
  const collect = inTexts((text) => sweep(text));
  for (const recording of clean) {
    const exchanged = (exchange: Exchange) => {
      const told = collect(exchange);
      sweptAnswer(told.response);
      return told;
    };
    editRecording(recording, pseudonyms, exchanged, collect);
  }
  const replaced = pseudonyms.replaced();
  const known = redactorFor([...secrets, ...replaced.map(({ kind, pairs }) => manyTexts(kind, pairs))]);
  const withoutKnown = (raw: string) => latin1(known.bytes(Buffer.from(raw, 'latin1')));
  const everywhere = (raw: string) => throughEscapes(raw, (inner) => swept(withoutKnown(inner)));
  const elsewhere = inTexts((text) => asBytes(text, everywhere));
  const signed = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };
  const faults = new KnownFaults();
  // Some values are reproduced unchanged, such as a key sent as a signature.
  const made = new Set<string>();
  let done = 0;
  const rekey = (exchange: Exchange): Exchange => {
    const told = elsewhere(exchange);
    const again = signAgain(originals[done]!.request, told.request, options, faults);
    signed[again.signed] += 1;
    if (again.text !== undefined) made.add(again.text);
    done += 1;
    options.progress?.(done, originals.length);
    return { ...told, request: again.request, response: sweptAnswer(told.response) };
  };
  const rekeyed = clean.map((recording) => editRecording(recording, pseudonyms, rekey, elsewhere));
  return {
    recordings: rekeyed,
    signed,
    unsearched: faults.unsearched,
    replaced: [
      ...secrets,
      ...replaced.map(({ kind, pairs }) =>
        manyTexts(
          kind,
          pairs.filter(([original]) => !made.has(original)),
        ),
      ),
    ],
    text: (text) => elsewhere(redactor.text(text)),
    host: pseudonyms.host,
    target: (url) => elsewhere(editTarget(url, pseudonyms)),
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

function surroundingsOf(exchanges: readonly Exchange[]): RecordedPlaces {
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
  exchanged: (exchange: Exchange) => Exchange,
  told: <T>(value: T) => T,
): Recording {
  const edited = ({ exchanges, call, ...one }: AnyCase): AnyCase => {
    const copies = exchanges.map((exchange) => exchanged(editExchange(exchange, pseudonyms, call)));
    if (call === undefined) return { ...told(one), exchanges: copies };
    const { scenario, number } = one;
    return clientCase({ ...told({ scenario, number }), exchanges: copies }, told(editCall(call, pseudonyms)));
  };
  return {
    ...told(about),
    records: records.map(({ cases, ...rest }) => ({ ...told(rest), cases: cases.map(edited) })),
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

/** The same error with the values of the copy. `cases` are in the order of their numbers. */
export function leakInCopy(cause: LeakError, cases: readonly Case[], secrets: readonly Secret[]): LeakError {
  const place = placeIn(cases, secrets);
  if (place === undefined) return cause;
  return new LeakError(
    cause.code,
    `the copy would hold ${place}, so nothing is written`,
    'It is there in a form that rekey does not replace: take it out of the recording, or leave that exchange out.',
    cause,
  );
}

function placeIn(cases: readonly Case[], secrets: readonly Secret[]): string | undefined {
  const leaksIn = scannerFor(secrets);
  for (const [index, one] of cases.entries()) {
    for (const [place, value] of partsOf(one)) {
      const bytes = value instanceof Uint8Array ? value : Buffer.from(value);
      const [leak] = leaksIn({ name: place, bytes });
      if (leak !== undefined) return `${leak.secret}, in ${place} of exchange ${index + 1}`;
    }
  }
  return undefined;
}

function* partsOf({ exchanges: [exchange], ...noted }: Case): Generator<readonly [string, string | Uint8Array]> {
  const { request, response, failure } = exchange;
  yield ['the method, the host or the URL of the request', `${request.method} ${request.host} ${request.target}`];
  for (const [of, message] of Object.entries({ request, answer: response })) {
    for (const [index, [name, value]] of (message?.headers ?? []).entries()) {
      // The name of a header may be the leak.
      yield [`the name of header ${index + 1} of the ${of}`, name];
      yield [`the header ${name} of the ${of}`, value];
    }
    yield [`the body of the ${of}`, message?.body ?? ''];
  }
  yield ['the status line of the answer', response?.reason ?? ''];
  yield ['what is noted', JSON.stringify([noted, failure, exchange.connection])];
}
