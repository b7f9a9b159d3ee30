/** Makes a copy of a recording that can be shared, with pseudonyms, published keys and the same verdicts. Pure. */
import { constants, createHash, sign as cryptoSign, privateEncrypt } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { autopsyKeys, readRequest } from '../../autopsy/autopsy.ts';
import { credentialOf, readEvidence } from '../../autopsy/facts.ts';
import {
  candidatesFor,
  type Deviation,
  dialects,
  hostSpellings,
  type RequestEvidence,
  searchedDeviations,
} from '../../autopsy/index.ts';
import { encodings, type SignatureReading } from '../../autopsy/readings.ts';
import { allDeviationsOf, type FoundDeviations, trialOf } from '../../autopsy/search.ts';
import { type AnyCase, type Case, clientCase } from '../../record/case.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf, groupByScenario, type RecordedRun } from '../../record/run.ts';
import { percentEncodeLike } from '../../run/gateway/build-request.ts';
import { editTexts, LeakError, manyTexts, redactorFor, type Secret, scannerFor } from '../../run/secrets/secret.ts';
import { publishedConsumer, publishedCredentials } from '../../run/target/published.ts';
import { type Edit, editCall, editExchange, editNestedText, editTarget, latin1, prefixOf, withBody } from './edit.ts';
import { newPseudonyms, type Pseudonyms, publishedForm, type RecordedPlaces } from './pseudonyms.ts';

/** `salt` must be random and must not be stored: with it, readers could check which pseudonym a guessed id gets. */
interface RekeyOptions extends SigningKeys {
  readonly secrets: readonly Secret[];
  /** Texts that the suite writes. A value that is also a word in them is not replaced in messages and other texts. */
  readonly suiteTexts?: string;
}

type Recording = RecordedRun & { readonly isForeign?: true };

export function rekeyRecordings<R extends Recording>(recordings: readonly R[], options: RekeyOptions) {
  const { salt, issued, secrets, suiteTexts = '' } = options;
  const redactor = redactorFor(secrets);
  const redacted = recordings.map((recording, index) => withoutFileName(redactor.value(recording), index + 1));
  const originals = redacted.flatMap(exchangesOf);
  const pseudonyms = newPseudonyms(salt, issued, placesIn(originals));
  const replacer = newReplacer(pseudonyms);
  // First collect all values, then replace them, because values also occur in other texts, such as error messages.
  const collect = deepEdit((text) => editNestedText(text, replacer));
  const replaceMacs = deepEdit((text) => editNestedText(text, (one) => one.replace(macPattern, pseudonyms.signature)));
  const withoutMacs = (exchange: Exchange) => ({ ...exchange, response: replaceMacs(exchange.response) });
  for (const recording of redacted) {
    editRecording(recording, pseudonyms, (exchange) => collect(withoutMacs(exchange)), collect);
  }
  const replaced = pseudonyms.valuesToReplace(suiteTexts);
  const knownRedactor = redactorFor([...secrets, ...replaced.map(({ kind, pairs }) => manyTexts(kind, pairs))]);
  const replaceKnown = (text: string) => latin1(knownRedactor.bytes(Buffer.from(text, 'latin1')));
  const edit = deepEdit((text) => editNestedText(text, (one) => replacer(replaceKnown(one))));
  const signed: Record<SigningResult, number> = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };
  // A new signature can be equal to an original value. The copy may contain this value, so do not search for it.
  const reproduced = new Set<string>();
  const remaining = originals.values();
  const rekey = (exchange: Exchange): Exchange => {
    const edited = edit(withoutMacs(exchange));
    const result = signAgain(remaining.next().value!.request, edited.request, options);
    signed[result.signed] += 1;
    if (result.text !== undefined) reproduced.add(result.text);
    return { ...edited, request: result.request };
  };
  const rekeyed = redacted.map((recording) => editRecording(recording, pseudonyms, rekey, edit));
  const forbidden = replaced.map(({ kind, pairs }) => ({ kind, pairs: pairs.filter(([one]) => !reproduced.has(one)) }));
  return {
    recordings: rekeyed,
    signed,
    /** Secrets, and original values that must not occur in the copy. The caller can search the copy for them. */
    forbidden: [...secrets, ...forbidden.map(({ kind, pairs }) => manyTexts(kind, pairs))],
    header: <H extends Pick<Result, 'subject' | 'startedAt'>>(original: H): H => ({
      ...original,
      subject: rekeyedSubject(redactor.value(original.subject), pseudonyms, edit),
      startedAt: new Date(pseudonyms.time(Date.parse(original.startedAt))).toISOString(),
    }),
  };
}

type EditTexts = <T>(value: T) => T;

function deepEdit(edit: Edit): EditTexts {
  const bytes = (value: Uint8Array): Uint8Array => {
    const before = latin1(value);
    const after = edit(before);
    return after === before ? value : Buffer.from(after, 'latin1');
  };
  const text = (value: string) =>
    /[^\0-\xff]/.test(value) ? Buffer.from(bytes(Buffer.from(value))).toString() : edit(value);
  return (value) => editTexts(value, { text, bytes });
}

/** The value of a parameter with a name like `oauth_signature`. It may contain spaces, which are decoded plus signs. */
const signaturePattern =
  /(?<=\boauth[_.-]signature?s?(?:\\*["'])?[ \t]*[=:][ \t]*(?:\\*["'])?)(?:(?<=["'])[^"'\\]+(?=\\*["'])|[^"',;&\s}\\]+(?=[,;&}\\]|$))/gi;

/** An HMAC-SHA1 in base64 (20 bytes). An answer may quote the signature that the gateway expected. */
const macPattern = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{27}=(?![A-Za-z0-9+/=])/g;

function newReplacer({ host, id, signature, isOwnDomain, isPrefix, times }: Pseudonyms): Edit {
  const ipv6 = (found: string) => {
    const address = found.replace(/(?<!:):$|\.$/, '');
    return isIPv6(address) ? `${host(address)}${found.slice(address.length)}` : found;
  };
  const patterns: readonly (readonly [found: RegExp, replace: Edit])[] = [
    [signaturePattern, signature],
    [/(?<![A-Za-z0-9-])(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9]{1,63}/g, (name) => (isOwnDomain(name) ? host(name) : name)],
    [/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, (found) => (isIPv4(found) ? host(found) : found)],
    [/(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,42}/g, ipv6],
    // Names of people: in e-mail addresses, in the user part of URLs, and in paths of home folders.
    [/(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g, id],
    [/(?<=:\/\/)[^\s/?#@"'<>\\]{1,128}(?=@)/g, id],
    [/(?<=[\\/](?:home|Users)[\\/]{1,2})[\w.-]{1,64}/g, id],
    // Path prefixes in URLs. A client run has one for each call, so a single pattern must find them all.
    [/(?<=\/)[\w.~-]{1,64}(?=[/?]|[\s"'<>),;]|$)/g, (segment) => (isPrefix(segment) ? id(segment) : segment)],
  ];
  return (text) => times(patterns.reduce((edited, [pattern, replace]) => edited.replace(pattern, replace), text));
}

export function exchangesOf(recording: Recording): readonly Exchange[] {
  return casesOf(recording).flatMap(({ exchanges }) => exchanges);
}

/** Returns the most frequent consumer key. Undefined if this key is published, or if no request has a key. */
export function issuedConsumerKey(recordings: readonly Recording[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { request } of recordings.flatMap(exchangesOf)) {
    const key = credentialOf(request, 'oauth_consumer_key');
    if (key) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [frequent = ''] = [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
  return frequent === '' || publishedForm(frequent) ? undefined : frequent;
}

function withoutFileName<R extends Recording>(recording: R, number: number): R {
  if (!recording.isForeign) return recording;
  const scenario = `recording ${number}`;
  return { ...recording, records: groupByScenario(casesOf(recording).map((one) => ({ ...one, scenario }))) };
}

function placesIn(exchanges: readonly Exchange[]): RecordedPlaces {
  const hosts = new Set<string>();
  const prefixes = new Set<string>();
  let span: RecordedPlaces['span'] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, request } of exchanges) {
    hosts.add(request.host);
    for (const segment of prefixOf(request.target)) prefixes.add(segment);
    span = [Math.min(span[0], startedAt), Math.max(span[1], startedAt)];
  }
  return { hosts: [...hosts].filter((host) => !isLoopback(host)), prefixes, span };
}

function editRecording<R extends Recording>(
  recording: R,
  pseudonyms: Pseudonyms,
  editOne: (exchange: Exchange) => Exchange,
  edit: EditTexts,
): R {
  const { records, ...about } = recording;
  const edited = ({ exchanges, call, ...one }: AnyCase): AnyCase => {
    const copies = exchanges.map((exchange) => editOne(editExchange(exchange, pseudonyms, call)));
    if (call === undefined) return { ...edit(one), exchanges: copies };
    const { scenario, number } = one;
    return clientCase({ ...edit({ scenario, number }), exchanges: copies }, edit(editCall(call, pseudonyms)));
  };
  return {
    ...recording,
    ...edit(about),
    records: records.map(({ cases, ...rest }) => ({ ...edit(rest), cases: cases.map(edited) })),
  };
}

function rekeyedSubject(subject: Result['subject'], pseudonyms: Pseudonyms, edit: EditTexts): Result['subject'] {
  const { kind, name, target } = subject;
  // Replace the name of a recording, because it is the name of a file of the user.
  if (target === 'recording') return { ...subject, name: target };
  const isUrl = /^https?:\/\//.test(target);
  return {
    ...subject,
    name: kind === 'gateway' && isUrl ? pseudonyms.host(name) : edit(name),
    target: edit(isUrl ? editTarget(target, pseudonyms) : target),
  };
}

/** Returns an error that says where the copy would contain a secret. `cases` must be sorted by number. */
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

/** `same-fault`: with the fault of the original. `other-fault`: random, because the fault could not be repeated. */
export type SigningResult = 'right' | 'same-fault' | 'other-fault' | 'unsigned';

interface SigningKeys {
  keysOf(consumerKey: string): Parameters<typeof autopsyKeys>[1] | undefined;
  readonly issued?: string;
  readonly salt: string;
  /** Sets of deviation ids that explained signatures of the run. They are tried before other deviations. */
  readonly explained?: readonly (readonly string[])[];
}

export function signAgain(
  original: SentRequest,
  edited: SentRequest,
  { keysOf, issued, salt, explained = [] }: SigningKeys,
): { readonly request: SentRequest; readonly text?: string; readonly signed: SigningResult } {
  const { consumerKey: defaultKey } = publishedCredentials().credentials;
  const consumerKey = credentialOf(original, 'oauth_consumer_key') ?? '';
  // A client may change the letter case of its key. So if the key is unknown, try the issued key.
  const keys = keysOf(publishedForm(consumerKey) ?? consumerKey) ?? keysOf(issued ?? defaultKey) ?? [];
  const { evidence, candidates, text: before, read } = readRequest(original, autopsyKeys(consumerKey, keys));
  if (before === '') return { request: edited, signed: 'unsigned' };
  const trial = trialOf(candidates, read.readings, maxWork);
  for (const sets of [[[]], knownFaults(original, explained)]) {
    if (trial.found.length > 0) break;
    for (const set of sets) trial.attempt(set);
    trial.allowAll();
  }
  const [found] = [...trial.found].sort((a, b) => allDeviationsOf(a).length - allDeviationsOf(b).length);
  const text = found && signLike(readEvidence(edited), found);
  const request = withSignature(edited, evidence, text ?? wrongSignature(before, salt));
  if (found === undefined || text === undefined) return { request, signed: 'other-fault' };
  return { request, text, signed: allDeviationsOf(found).length === 0 ? 'right' : 'same-fault' };
}

const maxWork = 60_000_000;

function knownFaults(request: SentRequest, explained: readonly (readonly string[])[]): (readonly Deviation[])[] {
  const spellings = explained.some((ids) => ids.includes('host-case-changed')) ? hostSpellings(request) : [];
  return [
    ...explained.map((ids) => searchedDeviations.filter(({ id }) => ids.includes(id))),
    ...[...searchedDeviations, ...spellings].map((one) => [one]),
    ...dialects.map(({ deviations }) => deviations),
  ];
}

/** Returns the signature that the client would write for the edited request. Undefined if it cannot be computed. */
function signLike(evidence: RequestEvidence, { deviations, reading }: FoundDeviations): string | undefined {
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const { consumerSecret } = publishedConsumer(publishedForm(consumerKey) ?? '') ?? publishedCredentials().credentials;
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret: '' });
  if (reading.kind === 'plaintext') return candidates.keyText(deviations);
  const { write } = encodings.find(({ id }) => id !== undefined && reading.ids.includes(id)) ?? encodings[0]!;
  if (reading.kind === 'hmac') return write(Buffer.from(candidates.mac(deviations, reading.hash), 'hex'));
  const message = Buffer.from(candidates.baseString(deviations));
  const digest = createHash(reading.hash).update(message).digest();
  // Some deviations sign another text than the base string. Such a signature cannot be computed here.
  if (digest.toString('hex') !== candidates.digest(deviations, reading.hash)) return undefined;
  return write(rsaSignature(message, digest, reading));
}

function rsaSignature(message: Buffer, digest: Buffer, { hash, ids }: SignatureReading): Buffer {
  const { privateKey: key } = publishedCredentials().credentials;
  if (ids.includes('digest-info-missing')) return privateEncrypt(key, digest);
  const padding = ids.includes('pss-padding') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  return cryptoSign(hash, message, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
}

/** Makes a random signature. The original must not stay: with it, a reader could check a guessed secret. */
function wrongSignature(value: string, salt: string): string {
  const form = encodings.find(({ read, write }) => read(value).length > 0 && write(read(value)) === value);
  const outputLength = form?.read(value).length ?? value.length;
  const random = createHash('shake256', { outputLength }).update(`${salt}\0${value}`).digest();
  return form === undefined ? random.toString('base64').slice(0, value.length) : form.write(random);
}

function withSignature(request: SentRequest, { credentialsIn, signature }: RequestEvidence, text: string): SentRequest {
  const { writtenValue } = signature!;
  const replaceSignature = (all: string) =>
    all.replace(/(\boauth_signature[ \t]*=[ \t]*["']?)([^"',&\s]*)/i, (_, before: string) => {
      return `${before}${percentEncodeLike(writtenValue, text)}`;
    });
  if (credentialsIn === 'query') return { ...request, target: replaceSignature(request.target) };
  if (credentialsIn === 'body') return withBody(request, replaceSignature(latin1(request.body)));
  const headers = request.headers.map(
    ([name, header]): Header => [name, /^authorization$/i.test(name) ? replaceSignature(header) : header],
  );
  return { ...request, headers };
}
