/** Creates, changes and shows engagements. In the view of an engagement, only `credentials` contains secrets. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { operationNames } from '../../../contracts/operations.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { decodeForm, ProtocolError, readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { type CallInput, type Case, type ClientCase, clientCase } from '../../record/case.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { memoize, memoizeLast } from '../../record/memoize.ts';
import type { Cause, Result } from '../../record/result/result.ts';
import { causeGroups } from '../../report/cause-groups.ts';
import { shortened } from '../../report/visible.ts';
import { type DeskStep, operationOfRequest, progressOf, recognise, stepById, stepsFor } from './script.ts';
import {
  countingExchanges,
  DeskError,
  type DeskEvent,
  type DeskState,
  deskError,
  type Engagement,
  type EngagementRecord,
  type EventLog,
  type KeptExchange,
  type StepAction,
} from './state.ts';

// Return the same `keysOf` function each time, because judges cache verified signatures for each such function.
const keysFor = memoize(({ consumerKey, consumerSecret, publicKeyPem }: Engagement) => {
  const all: readonly VerifyingKey[] = [
    { method: 'HMAC-SHA1', consumerSecret },
    { method: 'RSA-SHA256', publicKey: readPublicKey(publicKeyPem) },
  ];
  return { hasKeys: true, keysOf: (key: string) => (key === consumerKey ? all : undefined) };
});

const notObservable: Readonly<Record<string, string>> = {
  'authentication/uri-host-case': 'the client wrote the host in lower case: use LocalHost in its base URL to test this',
  'authentication/uri-default-port': 'no base URL of the desk contains a default port, such as :443',
  'close-day/environment-independent': 'the desk cannot start the client with another time zone or locale',
  'recurring/environment-independent': 'the desk cannot start the client with another time zone or locale',
};

function callsOf(record: EngagementRecord) {
  const { engagement, version } = record;
  const { id, name, createdAt, operations } = engagement;
  const counting = countingExchanges(record);
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const last = counting.at(-1)?.exchange;
  const startedAt = counting[0]?.exchange.startedAt ?? createdAt;
  return {
    header: {
      subject: { kind: 'client' as const, name, target: 'desk' },
      runId: `${id}-${version}`,
      profile: 'rfc5849',
      seed: 'desk',
      startedAt: new Date(startedAt).toISOString(),
      durationMs: last === undefined ? 0 : Math.max(0, last.startedAt + last.durationMs - startedAt),
      reproduce: 'npx countersign desk',
      effects: { predicted: nothing, recorded: nothing },
      notes: notesOf(record),
    },
    calls: counting.map((kept) => caseOf(kept, engagement)),
    keys: keysFor(engagement),
    noVerdictReason: (row: Requirement) => {
      if (row.operation !== 'both' && !operations.includes(row.operation)) {
        return { outcome: 'not-applicable' as const, reason: `this engagement does not test ${row.operation}` };
      }
      const reason =
        row.dimension === 'response-decoding'
          ? 'the desk cannot see how the client decodes answers'
          : notObservable[row.id];
      if (reason === undefined && row.condition !== undefined) return undefined;
      const actual = reason ?? 'no request has tested this yet';
      return { outcome: 'inconclusive' as const, blame: 'configuration' as const, actual };
    },
  };
}

function caseOf(kept: KeptExchange, { operations, endpointId, consumerKey }: Engagement): ClientCase {
  const { number, exchange, baseUrl } = kept;
  const place = { scenario: 'desk', number, exchanges: [exchange] };
  const step = stepById(kept.step);
  if (step === undefined) {
    const operation = operationOfRequest(exchange.request) ?? operations[0] ?? 'close-day';
    return clientCase(place, { label: { operation, input: 'observed' } });
  }
  const { id, operation, kind: input = 'mandatory' } = step;
  return clientCase(place, {
    label: { operation, input, special: `step ${id}` },
    asked: { baseUrl, endpointId, consumerKey, input: inputOf(step, exchange) },
  });
}

function inputOf({ input, ownRequestId }: DeskStep, { request }: Exchange): CallInput {
  if (!ownRequestId) return input;
  const [, sent] = decodeForm(request.body).find(([name]) => name === 'day_close_request_id') ?? [];
  return sent !== undefined && /^[A-Za-z0-9]{8,32}$/.test(sent) ? { ...input, day_close_request_id: sent } : input;
}

function notesOf({ reported, skipped, superseded, unread }: EngagementRecord): readonly string[] {
  const list = (label: string, steps: readonly string[]) =>
    steps.length === 0 ? [] : [`${label} ${steps.join(', ')}.`];
  const byPerson = (what: string, label: string) => {
    const steps = [...reported].flatMap(([step, report]) => (report === what ? [step] : []));
    return list(`Reported by a person, not judged: the client ${label} the expected result in`, steps);
  };
  return [
    'The desk did not observe what the client understood of the answers.',
    ...byPerson('showed', 'showed'),
    ...byPerson('did-not-show', 'did not show'),
    ...list('Skipped steps:', [...skipped]),
    ...(superseded.size === 0 ? [] : [`Later requests replaced ${superseded.size} earlier requests.`]),
    ...unread.map(({ reason }) => `Not recorded: ${reason}.`),
  ];
}

/** The functions of the suite that the desk calls. */
export interface DeskCore {
  /** In milliseconds since the Unix epoch. */
  now(): number;
  judgeCalls(calls: ReturnType<typeof callsOf>): Judged;
  /** The signature base string of the request; undefined if the request cannot be signed. */
  baseStringOf(request: SentRequest): string | undefined;
  /** Returns a redactor that replaces the secrets, in the same encodings as in a test run. */
  redactorFor(secrets: readonly string[]): {
    text(text: string): string;
    exchange(exchange: Exchange): Exchange;
    anything<T>(value: T): T;
  };
}

interface Judged {
  readonly result: Result;
  readonly cases: readonly Case[];
}

type DeskSurroundings = DeskCore & { readonly state: DeskState; readonly log: EventLog };

const maxEngagements = 100;
/** Maximum for each engagement, so that a client in an endless loop does not fill the disk and the memory. */
const maxExchanges = 1_000;

/** If a method changes an engagement, it also writes the change to the state file. Methods throw DeskError. */
export class DeskService {
  readonly surroundings: DeskSurroundings;
  /** The base URL of an engagement is `origin`, a slash and the id of the engagement. */
  origin = '';
  /** Failed connections and unrecorded requests: the last 10, latest first. `at` is a Unix time in milliseconds. */
  readonly lost: { readonly at: number; readonly why: string }[] = [];
  /** Reports a change of engagement `id`, or of all if undefined. `exchange`: number of its new exchange, if any. */
  readonly changes = new EventEmitter<{ change: [id: string | undefined, exchange?: number] }>().setMaxListeners(0);
  private readonly judged = new Map<string, Judged & { readonly version: number }>();

  readonly redactorOf = memoizeLast(({ consumerSecret, privateKeyPem = '' }: Engagement) => {
    // Skip the first and the last line, which are public. Skip short lines, which other texts may contain by chance.
    const keyLines = privateKeyPem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
    return this.surroundings.redactorFor([consumerSecret, ...keyLines]);
  });

  constructor(surroundings: DeskSurroundings) {
    this.surroundings = surroundings;
  }

  all(): readonly EngagementRecord[] {
    return [...this.surroundings.state.records.values()];
  }

  lose(why: string): void {
    this.lost.unshift({ at: this.surroundings.now(), why });
    this.lost.splice(10);
    this.changes.emit('change', undefined);
  }

  find(id: string): EngagementRecord {
    const record = this.surroundings.state.records.get(id);
    if (record !== undefined) return record;
    throw deskError('no-such-thing')`
      no engagement has the id ${id}
      list the engagements with GET /desk/api/engagements`;
  }

  baseUrlOf({ engagement }: EngagementRecord): string {
    return `${this.origin}/${engagement.id}`;
  }

  /** Judges an engagement, and caches the verdicts. Removes secrets. Exchange n of `result` is in `cases[n - 1]`. */
  judge(record: EngagementRecord): Judged {
    const { engagement, version } = record;
    const known = this.judged.get(engagement.id);
    if (known?.version === version) return known;
    const { result, cases } = this.surroundings.judgeCalls(callsOf(record));
    const redaction = this.redactorOf(engagement);
    const redacted = cases.map((one) => ({ ...one, exchanges: [redaction.exchange(one.exchanges[0])] as const }));
    const judged = { version, result: redaction.anything(result), cases: redacted };
    this.judged.set(engagement.id, judged);
    return judged;
  }

  /** @param input the members of a JSON object, or the fields of a form */
  create(input: Readonly<Record<string, unknown>>): EngagementRecord {
    if (this.all().length >= maxEngagements) {
      throw deskError('too-many')`
        the desk already has ${maxEngagements} engagements, the maximum
        start the desk with another --state`;
    }
    const engagement = newEngagement(input, this.surroundings.now());
    this.record({ t: 'engagement', engagement }, engagement.id);
    return this.find(engagement.id);
  }

  act({ engagement: { id, operations } }: EngagementRecord, step: string, action: StepAction): void {
    const steps = stepsFor(operations).map((planned) => planned.id);
    if (!steps.includes(step)) {
      throw new DeskError('no-such-thing', `the plan has no step ${step}`, `its steps are ${steps.join(', ')}`);
    }
    this.record({ t: 'step', engagement: id, step, at: this.surroundings.now(), action }, id);
  }

  restart({ engagement: { id } }: EngagementRecord): void {
    this.record({ t: 'restart', engagement: id, at: this.surroundings.now() }, id);
  }

  /** Returns the private key. Throws DeskError at the second call, and if the desk did not generate the key. */
  givePrivateKey({ engagement: { id, privateKeyPem }, privateKeyGiven }: EngagementRecord): string {
    if (privateKeyPem === undefined) {
      throw deskError('no-such-thing')`
        the desk does not have the private key of this engagement
        ask the owner of the client, who provided the public key`;
    }
    if (privateKeyGiven) {
      throw deskError('already-given')`
        the private key was already downloaded
        create a new engagement`;
    }
    this.record({ t: 'private-key-given', engagement: id, at: this.surroundings.now() }, id);
    return privateKeyPem;
  }

  /** Returns the answer to a request. First writes the exchange to the state file. */
  receive(
    record: EngagementRecord,
    request: SentRequest,
    about: { readonly startedAt: number; readonly connection: string },
  ): NonNullable<Exchange['response']> {
    if (record.exchanges.length >= maxExchanges) {
      throw deskError('too-many')`
        the engagement already has ${maxExchanges} exchanges, the maximum
        create a new engagement; the exchanges so far are kept`;
    }
    const { id } = record.engagement;
    const { step, answer } = recognise(request, record);
    const response = { status: answer.status, reason: '', headers: answer.headers, body: answer.body };
    const exchange = { request, response, durationMs: this.surroundings.now() - about.startedAt, ...about };
    const kept = { number: record.lastNumber + 1, step: step?.id, baseUrl: this.baseUrlOf(record), exchange };
    this.record({ t: 'exchange', engagement: id, ...kept }, id, kept.number);
    return response;
  }

  noteUnread({ engagement: { id }, unread }: EngagementRecord, reason: string): void {
    if (unread.length < 20) this.record({ t: 'unread', engagement: id, at: this.surroundings.now(), reason }, id);
  }

  private record(event: DeskEvent, id: string, exchange?: number): void {
    this.surroundings.log.append(event);
    this.surroundings.state.apply(event);
    // Listeners may run the judges, which takes time. So call the listeners after the answer was sent.
    setImmediate(() => this.changes.emit('change', id, exchange));
  }
}

const maxNameLength = 80;

function newEngagement(input: Readonly<Record<string, unknown>>, now: number): Engagement {
  const { name: text, operations = 'both', publicKeyPem: pem = '' } = input;
  const badRequest = (what: string) =>
    new DeskError('bad-request', what, 'send name; operations and publicKeyPem are optional');
  const unknown = Object.keys(input).find((member) => !['name', 'operations', 'publicKeyPem'].includes(member));
  if (unknown !== undefined) throw badRequest(`the member ${unknown} is unknown`);
  const name = typeof text === 'string' ? text.trim() : '';
  if (name === '' || [...name].length > maxNameLength || /\p{C}/u.test(name)) {
    throw badRequest(`name must be printable text of 1 to ${maxNameLength} characters`);
  }
  const wanted: readonly unknown[] = operations === 'both' ? operationNames : [operations].flat();
  const chosen = operationNames.filter((operation) => wanted.includes(operation));
  if (chosen.length === 0 || chosen.length !== wanted.length) {
    throw badRequest(`operations must be ${operationNames.join(' or ')}, or a list of both`);
  }
  if (typeof pem !== 'string') throw badRequest('publicKeyPem must be text');
  return {
    id: `e${randomBytes(6).toString('hex')}`,
    name,
    operations: chosen,
    createdAt: now,
    endpointId: '1111',
    consumerKey: `Desk-${randomBytes(6).toString('hex')}`,
    // Use upper and lower case. Then a client that changes the case of the secret makes a wrong signature.
    consumerSecret: randomBytes(48).toString('base64').replace(/[+/]/g, '').slice(0, 40),
    ...(pem.trim() === '' ? newKeyPair() : { publicKeyPem: checkedPublicKey(pem) }),
  };
}

function newKeyPair() {
  const { publicKey: publicKeyPem, privateKey: privateKeyPem } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKeyPem, privateKeyPem };
}

function checkedPublicKey(pem: string): string {
  try {
    return String(readPublicKey(pem).export({ type: 'spki', format: 'pem' }));
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    const hint = cause.hint ?? 'send the public half of an RSA key of at least 2048 bits, as PEM';
    throw new DeskError('bad-public-key', cause.message, hint, cause);
  }
}

export type EngagementView = ReturnType<typeof viewOf>;

/** What the client did wrong, for the person who fixes the client. `id` is the id of the failed requirement. */
interface Mistake {
  readonly id: string;
  readonly sentence: string;
  readonly fix?: string | undefined;
}

export function viewOf(record: EngagementRecord, desk: DeskService) {
  const { engagement, version } = record;
  const { id, name, createdAt, operations, privateKeyPem } = engagement;
  const { endpointId, consumerKey, consumerSecret, publicKeyPem } = engagement;
  const result = shownResult(record, desk);
  const { conclusion, dimensions, results, hazards = [] } = result;
  const redaction = desk.redactorOf(engagement);
  const followers = causeGroups(result, 'fail').flatMap((group) => (group.followers ?? []).map((row) => row.id));
  const counting = countingExchanges(record).map(({ number }) => number);
  const exchangeView = ({ number, step, exchange }: KeptExchange) => {
    const counts = counting.includes(number);
    const causes = counts ? mistakesAt([number], result) : [];
    const failing = idsOf(causes);
    const isSignature = failing.some((failed) => failed.startsWith('authentication/'));
    const text = isSignature ? desk.surroundings.baseStringOf(exchange.request) : undefined;
    // Shorten the base strings: 50 base strings of several megabytes would exhaust the memory.
    const baseString = text && redaction.text(shortened(text, 20_000));
    const at = new Date(exchange.startedAt).toISOString();
    return { number, step, counts, at, failing, causes, baseString, exchange: redaction.exchange(exchange) };
  };
  const ownKey = record.privateKeyGiven ? ('given' as const) : ('ready' as const);
  const privateKey = privateKeyPem === undefined ? ('kept-by-its-owner' as const) : ownKey;
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    operations,
    version,
    baseUrl: desk.baseUrlOf(record),
    credentials: { endpointId, consumerKey, consumerSecret, publicKeyPem, privateKey },
    conclusion,
    hazards,
    dimensions,
    plan: progressOf(record).map((progress) => stepView(progress, result)),
    rows: results.map(({ provenBy: _, ...row }) => row),
    exchangeCount: record.exchanges.length,
    countingCount: counting.length,
    exchanges: record.exchanges.slice(-50).reverse().map(exchangeView),
    /** Only mistakes that do not follow from another mistake. */
    causes: mistakesAt(counting, result).filter((cause) => !followers.includes(cause.id)),
    lost: desk.lost,
    unread: record.unread.map(({ at, reason }) => ({ at: new Date(at).toISOString(), reason })),
  };
}

export function stepView(progress: ReturnType<typeof progressOf>[number], result?: Result) {
  const { step, number, state, exchanges, reported } = progress;
  const { answer: _, kind: __, ...shown } = step;
  const numbers = exchanges.map((kept) => kept.number);
  const causes = result === undefined ? [] : mistakesAt(numbers, result);
  return { ...shown, number, state, exchanges: numbers, failing: idsOf(causes), causes, reportedByPerson: reported };
}

function idsOf(causes: readonly Mistake[]): string[] {
  return [...new Set(causes.map(({ id }) => id))];
}

/** Returns the result of `judge`, but with the exchange numbers that the pages show. */
export function shownResult(record: EngagementRecord, desk: DeskService): Result {
  const { result, cases } = desk.judge(record);
  const numberOf = (number: number) => cases[number - 1]!.number;
  return JSON.parse(JSON.stringify(result), (name, value) => {
    if (name === 'exchange') return numberOf(value);
    return name === 'exchanges' && Array.isArray(value) ? value.map(numberOf) : value;
  });
}

/** Returns the mistakes in the exchanges `numbers`. Also uses explanations of other exchanges with the same cause. */
export function mistakesAt(
  numbers: readonly number[],
  { results, causes = [] }: Pick<Result, 'results' | 'causes'>,
): Mistake[] {
  const wanted = new Set(numbers);
  const isWanted = (number: number) => wanted.has(number);
  return results.flatMap(({ id, outcome, exchanges, explanations = [], statement = id, actual, hint }): Mistake[] => {
    if (outcome !== 'fail' || !exchanges.some(isWanted)) return [];
    const isConcerned = ({ deviations = [], ...cause }: Cause) =>
      deviations.length > 0 && cause.requirements.includes(id) && cause.exchanges.some(isWanted);
    const concerned = new Set([...numbers, ...causes.filter(isConcerned).flatMap((cause) => cause.exchanges)]);
    const here = explanations.filter(({ exchange }) => concerned.has(exchange));
    const named = here.flatMap(({ deviations }) => deviations);
    if (named.length > 0) {
      const fixes = new Map(named.map((one) => [`${one.summary.replace(/\.$/, '')} (${one.id}).`, one.fix]));
      return [...fixes].map(([sentence, fix]) => ({ id, sentence, fix }));
    }
    // Show `actual` only with the first exchange of the result, because it describes only this exchange.
    const received = actual !== undefined && isWanted(exchanges[0]!) ? [`Received: ${actual}.`] : [];
    const facts = here.flatMap((explanation) => explanation.facts);
    return [{ id, sentence: [`Broken: ${statement}`, ...received, ...facts].join(' '), fix: hint }];
  });
}
