/** Makes a shareable copy of a record with pseudonyms, published keys and the same verdicts. Pure: the caller passes the salt. */
import { isIPv4, isIPv6 } from 'node:net';
import { credentialOf } from '../../autopsy/facts.ts';
import { type AnyCase, type Case, clientCase } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf, perScenario } from '../../record/run.ts';
import { editTexts, LeakError, manyTexts, redactorFor, type Secret, scannerFor } from '../../run/secrets/secret.ts';
import { publishedKeys } from '../../run/target/target.ts';
import { type ConcludedRun, type JudgedRecordings, judgeRecordings } from '../../verdict/conclude.ts';
import type { Recording } from '../../verdict/recordings/recording.ts';
import { editCall, editExchange, editTarget, prefixOf } from './edit.ts';
import { type Edit, latin1, throughEscapes } from './encodings.ts';
import { newPseudonyms, type Pseudonyms, publishedForm, type RecordedPlaces } from './pseudonyms.ts';
import { type SignedAgain, type SigningKeys, signAgain } from './sign-again.ts';

/** `salt` must be random and must not be stored: with the salt, a reader could test guessed ids against the pseudonyms. */
interface RekeyOptions extends SigningKeys {
  /** The secrets of the credentials. */
  readonly secrets: readonly Secret[];
  /** Texts of the suite. Words of these texts are not replaced everywhere. */
  readonly ownTexts?: string;
}

export interface Rekeyed {
  readonly recordings: readonly Recording[];
  readonly signed: Readonly<Record<SignedAgain, number>>;
  /** Secrets and replaced values that are long enough to search for in the copy. */
  readonly replaced: readonly Secret[];
  header(original: JudgedRecordings['header']): JudgedRecordings['header'];
}

export function rekeyRecordings(recordings: readonly Recording[], options: RekeyOptions): Rekeyed {
  const { salt, issued, secrets, ownTexts = '' } = options;
  const redactor = redactorFor(secrets);
  const clean = recordings.map((recording, index) => withoutFileName(redactor.anything(recording), index + 1));
  const originals = clean.flatMap(exchangesOf);
  const pseudonyms = newPseudonyms(salt, issued, placesIn(originals));
  const sweep = sweeper(pseudonyms);
  // Collect all values before replacing the first, because values also occur in unexpected places, such as error messages.
  const collect = inTexts((text) => throughEscapes(text, sweep));
  const macs = inTexts((text) => throughEscapes(text, (one) => one.replace(anyMac, pseudonyms.signature)));
  const withoutMacs = (exchange: Exchange) => ({ ...exchange, response: macs(exchange.response) });
  for (const recording of clean) {
    editRecording(recording, pseudonyms, (exchange) => collect(withoutMacs(exchange)), collect);
  }
  const replaced = pseudonyms.replaced(ownTexts);
  const known = redactorFor([...secrets, ...replaced.map(({ kind, pairs }) => manyTexts(kind, pairs))]);
  const withoutKnown = (text: string) => latin1(known.bytes(Buffer.from(text, 'latin1')));
  const edit = inTexts((text) => throughEscapes(text, (one) => sweep(withoutKnown(one))));
  const signed = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };
  // Do not search the copy for these new signatures: a new signature may equal an original value, such as a key.
  const reproduced = new Set<string>();
  const left = originals.values();
  const rekey = (exchange: Exchange): Exchange => {
    const edited = edit(withoutMacs(exchange));
    const again = signAgain(left.next().value!.request, edited.request, options);
    signed[again.signed] += 1;
    if (again.text !== undefined) reproduced.add(again.text);
    return { ...edited, request: again.request };
  };
  const rekeyed = clean.map((recording) => editRecording(recording, pseudonyms, rekey, edit));
  const sought = replaced.map(({ kind, pairs }) => ({ kind, pairs: pairs.filter(([one]) => !reproduced.has(one)) }));
  return {
    recordings: rekeyed,
    signed,
    replaced: [...secrets, ...sought.map(({ kind, pairs }) => manyTexts(kind, pairs))],
    header: (original) => ({
      ...original,
      subject: rekeyedSubject(redactor.anything(original.subject), pseudonyms, edit),
      startedAt: new Date(pseudonyms.time(Date.parse(original.startedAt))).toISOString(),
    }),
  };
}

type EditTexts = <T>(value: T) => T;

/** Applies an edit to all texts in a value, and to its bytes as Latin-1. A text with characters outside Latin-1 is edited as UTF-8. */
function inTexts(edit: Edit): EditTexts {
  const bytes = (value: Uint8Array): Uint8Array => {
    const before = latin1(value);
    const after = edit(before);
    return after === before ? value : Buffer.from(after, 'latin1');
  };
  const text = (value: string) =>
    /[^\0-\xff]/.test(value) ? Buffer.from(bytes(Buffer.from(value))).toString() : edit(value);
  return (value) => editTexts(value, { text, bytes });
}

/** The value of a signature parameter, even with a misspelt name. A bare value never ends at a space, which may be a decoded plus sign. */
const anySignature =
  /(?<=\boauth[_.-]signature?s?(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?)(?:(?<=["'])[^"'\\]+(?=\\*["'])|[^"',;&\s}\\]+(?=[,;&}\\]|$))/gi;

/** Base64 of 20 bytes, the length of an HMAC-SHA1. A gateway may report the signature that it expected. */
const anyMac = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{27}=(?![A-Za-z0-9+/=])/g;

/** Returns an edit that replaces what identifies somebody, wherever it is in a text. */
function sweeper({ host, id, signature, isSibling, isPrefix, times }: Pseudonyms): Edit {
  const ipv6 = (found: string) => {
    const address = found.replace(/(?<!:):$|\.$/, '');
    return isIPv6(address) ? `${host(address)}${found.slice(address.length)}` : found;
  };
  const sweeps: readonly (readonly [found: RegExp, replace: Edit])[] = [
    [anySignature, signature],
    [/(?<![A-Za-z0-9-])(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9]{1,63}/g, (name) => (isSibling(name) ? host(name) : name)],
    [/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, (found) => (isIPv4(found) ? host(found) : found)],
    [/(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g, ipv6],
    // Names of people: in e-mail addresses, in the user part of URLs, and in paths of home folders.
    [/(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, id],
    [/(?<=:\/\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, id],
    [/(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, id],
    // Path prefixes in URLs. A client run has a prefix for each call, too many for one search each.
    [/(?<=\/)[\w.~-]{1,64}(?=[/?]|[\s"'<>),;]|$)/g, (segment) => (isPrefix(segment) ? id(segment) : segment)],
  ];
  return (text) => times(sweeps.reduce((edited, [found, replace]) => edited.replace(found, replace), text));
}

export function exchangesOf(recording: Recording): readonly Exchange[] {
  return casesOf(recording).flatMap(({ exchanges }) => exchanges);
}

/** The most frequent consumer key that is not a published one; undefined if there is none. */
export function issuedConsumerKey(recordings: readonly Recording[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { request } of recordings.flatMap(exchangesOf)) {
    const key = credentialOf(request, 'oauth_consumer_key');
    if (key) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [frequent = ''] = [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
  return frequent === '' || publishedForm(frequent) ? undefined : frequent;
}

/** Replaces the scenario of a foreign recording, because the scenario is the name of the file. */
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
  edit: EditTexts,
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

/** Judges the copy as `countersign judge` does without keys. `different`: ids with another outcome than in `before`. */
export function judgeRekeyed(
  original: JudgedRecordings,
  before: Pick<Result, 'results'>,
  { header, recordings }: Pick<Rekeyed, 'header' | 'recordings'>,
): { readonly copy: ConcludedRun; readonly different: readonly string[] } {
  const keys = { hasKeys: original.keys.hasKeys, keysOf: publishedKeys };
  const copy = judgeRecordings({ ...original, header: header(original.header), recordings, keys });
  const outcomes = new Map(before.results.map(({ id, outcome }) => [id, outcome]));
  const different = copy.result.results.filter(({ id, outcome }) => outcomes.get(id) !== outcome);
  return { copy, different: different.map(({ id }) => id) };
}

function rekeyedSubject(subject: Result['subject'], pseudonyms: Pseudonyms, edit: EditTexts): Result['subject'] {
  const { kind, name, target } = subject;
  // Replace the name of a recording, because it is the name of the file.
  if (target === 'recording') return { ...subject, name: target };
  const isUrl = /^https?:\/\//.test(target);
  return {
    ...subject,
    name: kind === 'gateway' && isUrl ? pseudonyms.host(name) : edit(name),
    target: edit(isUrl ? editTarget(target, pseudonyms) : target),
  };
}

/** Adds the place of the secret in the copy to the error. `cases` must be in the order of their numbers. */
export function leakInCopy(cause: LeakError, cases: readonly Case[], secrets: readonly Secret[]): LeakError {
  const leaksIn = scannerFor(secrets);
  for (const [index, { exchanges, ...noted }] of cases.entries()) {
    const { request, response, ...about } = exchanges[0];
    for (const [name, value] of Object.entries({ request, answer: response, notes: { ...noted, about } })) {
      const leaks: string[] = [];
      const search = <T extends string | Uint8Array>(text: T): T => {
        leaks.push(...leaksIn({ name, bytes: Buffer.from(text) }).map(({ secret }) => secret));
        return text;
      };
      editTexts(value, { text: search, bytes: search });
      if (leaks.length === 0) continue;
      return new LeakError(
        cause.code,
        `the copy would contain ${leaks[0]}, in the ${name} of exchange ${index + 1}, so nothing is written`,
        'rekey cannot replace this form of the value. Remove the value or the whole exchange from the recording.',
        cause,
      );
    }
  }
  return cause;
}
