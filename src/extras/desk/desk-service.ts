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
import { type DeskStep, operationOfRequest, progressOf, recognise, stepById, stepsFor } from './plan.ts';
import {
  currentExchanges,
  DeskError,
  type DeskEvent,
  type DeskState,
  deskError,
  type Engagement,
  type EngagementRecord,
  type EventLog,
  type StepAction,
  type StoredExchange,
} from './state.ts';

// Return the same `keysOf` function each time, because judges cache verified signatures for each such function.
const keysFor = memoize(({ consumerKey, consumerSecret, publicKeyPem }: Engagement) => {
  const keys: readonly VerifyingKey[] = [
    { method: 'HMAC-SHA1', consumerSecret },
    { method: 'RSA-SHA256', publicKey: readPublicKey(publicKeyPem) },
  ];
  return { hasKeys: true, keysOf: (key: string) => (key === consumerKey ? keys : undefined) };
});

const unobservableReasons: Readonly<Record<string, string>> = {
  'authentication/uri-host-case': 'the client wrote the host in lower case: use LocalHost in its base URL to test this',
  'authentication/uri-default-port': 'no base URL of the desk contains a default port, such as :443',
  'close-day/environment-independent': 'the desk cannot start the client with another time zone or locale',
  'recurring/environment-independent': 'the desk cannot start the client with another time zone or locale',
};

function judgeInputOf(record: EngagementRecord) {
  const { engagement, version } = record;
  const { id, name, createdAt, operations } = engagement;
  const current = currentExchanges(record);
  const noEffects = { 'closes-day': 0, 'starts-payments': 0 };
  const last = current.at(-1)?.exchange;
  const startedAt = current[0]?.exchange.startedAt ?? createdAt;
  return {
    header: {
      subject: { kind: 'client' as const, name, target: 'desk' },
      runId: `${id}-${version}`,
      profile: 'rfc5849',
      seed: 'desk',
      startedAt: new Date(startedAt).toISOString(),
      durationMs: last === undefined ? 0 : Math.max(0, last.startedAt + last.durationMs - startedAt),
      reproduce: 'npx countersign desk',
      effects: { predicted: noEffects, recorded: noEffects },
      notes: notesOf(record),
    },
    calls: current.map((stored) => caseOf(stored, engagement)),
    keys: keysFor(engagement),
    noVerdictOn: (row: Requirement) => {
      if (row.operation !== 'both' && !operations.includes(row.operation)) {
        return { outcome: 'not-applicable' as const, reason: `this engagement does not test ${row.operation}` };
      }
      const reason =
        row.dimension === 'response-decoding'
          ? 'the desk cannot see how the client decodes answers'
          : unobservableReasons[row.id];
      if (reason === undefined && row.condition !== undefined) return undefined;
      const actual = reason ?? 'no request has tested this yet';
      return { outcome: 'inconclusive' as const, blame: 'configuration' as const, actual };
    },
  };
}

function caseOf(stored: StoredExchange, { operations, endpointId, consumerKey }: Engagement): ClientCase {
  const { number, exchange, baseUrl } = stored;
  const place = { scenario: 'desk', number, exchanges: [exchange] };
  const step = stepById(stored.step);
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
  const reportedNotes = (action: string, label: string) => {
    const steps = [...reported].flatMap(([step, report]) => (report === action ? [step] : []));
    return list(`Reported by a person, not judged: the client ${label} the expected result in`, steps);
  };
  return [
    'The desk did not observe what the client understood of the answers.',
    ...reportedNotes('showed', 'showed'),
    ...reportedNotes('did-not-show', 'did not show'),
    ...list('Skipped steps:', [...skipped]),
    ...(superseded.size === 0 ? [] : [`Later requests replaced ${superseded.size} earlier requests.`]),
    ...unread.map(({ reason }) => `Not recorded: ${reason}.`),
  ];
}

/** The functions of the suite that the desk calls. */
export interface DeskCore {
  /** In milliseconds since the Unix epoch. */
  now(): number;
  judgeCalls(input: ReturnType<typeof judgeInputOf>): Judgement;
  /** The signature base string of the request; undefined if the request cannot be signed. */
  baseStringOf(request: SentRequest): string | undefined;
  /** Returns a redactor that replaces the secrets, in the same encodings as in a test run. */
  redactorFor(secrets: readonly string[]): {
    text(text: string): string;
    exchange(exchange: Exchange): Exchange;
    value<T>(value: T): T;
  };
}

interface Judgement {
  readonly result: Result;
  readonly cases: readonly Case[];
}

type DeskContext = DeskCore & { readonly state: DeskState; readonly log: EventLog };

const maxEngagements = 100;
/** Maximum for each engagement, so that a client in an endless loop does not fill the disk and the memory. */
const maxExchanges = 1_000;

/** If a method changes an engagement, it also writes the change to the state file. Methods throw DeskError. */
export class DeskService {
  readonly context: DeskContext;
  /** The base URL of an engagement is `origin`, a slash and the id of the engagement. */
  origin = '';
  /** Failed connections and unrecorded requests: the last 10, latest first. `at` is a Unix time in milliseconds. */
  readonly failures: { readonly at: number; readonly why: string }[] = [];
  /** Reports a change of engagement `id`, or of all if undefined. `exchange`: number of its new exchange, if any. */
  readonly changes = new EventEmitter<{ change: [id: string | undefined, exchange?: number] }>().setMaxListeners(0);
  private readonly judgements = new Map<string, Judgement & { readonly version: number }>();

  readonly redactorOf = memoizeLast(({ consumerSecret, privateKeyPem = '' }: Engagement) => {
    // Skip the first and the last line, which are public. Skip short lines, which other texts may contain by chance.
    const keyLines = privateKeyPem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
    return this.context.redactorFor([consumerSecret, ...keyLines]);
  });

  constructor(context: DeskContext) {
    this.context = context;
  }

  all(): readonly EngagementRecord[] {
    return [...this.context.state.records.values()];
  }

  noteFailure(reason: string): void {
    this.failures.unshift({ at: this.context.now(), why: reason });
    this.failures.splice(10);
    this.changes.emit('change', undefined);
  }

  find(id: string): EngagementRecord {
    const record = this.context.state.records.get(id);
    if (record !== undefined) return record;
    throw deskError('no-such-thing')`
      no engagement has the id ${id}
      list the engagements with GET /desk/api/engagements`;
  }

  baseUrlOf({ engagement }: EngagementRecord): string {
    return `${this.origin}/${engagement.id}`;
  }

  /** Judges an engagement, and caches the verdicts. Removes secrets. Exchange n of `result` is in `cases[n - 1]`. */
  judge(record: EngagementRecord): Judgement {
    const { engagement, version } = record;
    const cached = this.judgements.get(engagement.id);
    if (cached?.version === version) return cached;
    const { result, cases } = this.context.judgeCalls(judgeInputOf(record));
    const redaction = this.redactorOf(engagement);
    const redacted = cases.map((one) => ({ ...one, exchanges: [redaction.exchange(one.exchanges[0])] as const }));
    const judgement = { version, result: redaction.value(result), cases: redacted };
    this.judgements.set(engagement.id, judgement);
    return judgement;
  }

  /** @param input the members of a JSON object, or the fields of a form */
  create(input: Readonly<Record<string, unknown>>): EngagementRecord {
    if (this.all().length >= maxEngagements) {
      throw deskError('too-many')`
        the desk already has ${maxEngagements} engagements, the maximum
        start the desk with another --state`;
    }
    const engagement = newEngagement(input, this.context.now());
    this.record({ t: 'engagement', engagement }, engagement.id);
    return this.find(engagement.id);
  }

  act({ engagement: { id, operations } }: EngagementRecord, step: string, action: StepAction): void {
    const steps = stepsFor(operations).map((planned) => planned.id);
    if (!steps.includes(step)) {
      throw new DeskError('no-such-thing', `the plan has no step ${step}`, `its steps are ${steps.join(', ')}`);
    }
    this.record({ t: 'step', engagement: id, step, at: this.context.now(), action }, id);
  }

  restart({ engagement: { id } }: EngagementRecord): void {
    this.record({ t: 'restart', engagement: id, at: this.context.now() }, id);
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
    this.record({ t: 'private-key-given', engagement: id, at: this.context.now() }, id);
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
    const exchange = { request, response, durationMs: this.context.now() - about.startedAt, ...about };
    const stored = { number: record.lastNumber + 1, step: step?.id, baseUrl: this.baseUrlOf(record), exchange };
    this.record({ t: 'exchange', engagement: id, ...stored }, id, stored.number);
    return response;
  }

  noteUnread({ engagement: { id }, unread }: EngagementRecord, reason: string): void {
    if (unread.length < 20) this.record({ t: 'unread', engagement: id, at: this.context.now(), reason }, id);
  }

  private record(event: DeskEvent, id: string, exchange?: number): void {
    this.context.log.append(event);
    this.context.state.apply(event);
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
    ...(pem.trim() === '' ? newKeyPair() : { publicKeyPem: validatePublicKey(pem) }),
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

function validatePublicKey(pem: string): string {
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
  const result = renumberedResult(record, desk);
  const { conclusion, dimensions, results, hazards = [] } = result;
  const redaction = desk.redactorOf(engagement);
  const followers = causeGroups(result, 'fail').flatMap((group) => (group.followers ?? []).map((row) => row.id));
  const currentNumbers = currentExchanges(record).map(({ number }) => number);
  const exchangeView = ({ number, step, exchange }: StoredExchange) => {
    const counts = currentNumbers.includes(number);
    const causes = counts ? mistakesAt([number], result) : [];
    const failing = idsOf(causes);
    const isSignature = failing.some((failed) => failed.startsWith('authentication/'));
    const unredacted = isSignature ? desk.context.baseStringOf(exchange.request) : undefined;
    // Shorten the base strings: 50 base strings of several megabytes would exhaust the memory.
    const baseString = unredacted && redaction.text(shortened(unredacted, 20_000));
    const at = new Date(exchange.startedAt).toISOString();
    return { number, step, counts, at, failing, causes, baseString, exchange: redaction.exchange(exchange) };
  };
  const generatedKey = record.privateKeyGiven ? ('given' as const) : ('ready' as const);
  const privateKey = privateKeyPem === undefined ? ('kept-by-its-owner' as const) : generatedKey;
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
    countingCount: currentNumbers.length,
    exchanges: record.exchanges.slice(-50).reverse().map(exchangeView),
    /** Only mistakes that do not follow from another mistake. */
    causes: mistakesAt(currentNumbers, result).filter((cause) => !followers.includes(cause.id)),
    lost: desk.failures,
    unread: record.unread.map(({ at, reason }) => ({ at: new Date(at).toISOString(), reason })),
  };
}

export function stepView(progress: ReturnType<typeof progressOf>[number], result?: Result) {
  const { step, number, state, exchanges, reported } = progress;
  const { answer: _, kind: __, ...fields } = step;
  const numbers = exchanges.map((stored) => stored.number);
  const causes = result === undefined ? [] : mistakesAt(numbers, result);
  return { ...fields, number, state, exchanges: numbers, failing: idsOf(causes), causes, reportedByPerson: reported };
}

function idsOf(causes: readonly Mistake[]): string[] {
  return [...new Set(causes.map(({ id }) => id))];
}

/** Returns the result of `judge`, but with the exchange numbers that the pages show. */
export function renumberedResult(record: EngagementRecord, desk: DeskService): Result {
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
  const selected = new Set(numbers);
  const isSelected = (number: number) => selected.has(number);
  return results.flatMap(({ id, outcome, exchanges, explanations = [], statement = id, actual, hint }): Mistake[] => {
    if (outcome !== 'fail' || !exchanges.some(isSelected)) return [];
    const isSharedCause = ({ deviations = [], ...cause }: Cause) =>
      deviations.length > 0 && cause.requirements.includes(id) && cause.exchanges.some(isSelected);
    const relatedNumbers = new Set([...numbers, ...causes.filter(isSharedCause).flatMap((cause) => cause.exchanges)]);
    const related = explanations.filter(({ exchange }) => relatedNumbers.has(exchange));
    const deviationsFound = related.flatMap(({ deviations }) => deviations);
    if (deviationsFound.length > 0) {
      const fixes = new Map(deviationsFound.map((one) => [`${one.summary.replace(/\.$/, '')} (${one.id}).`, one.fix]));
      return [...fixes].map(([sentence, fix]) => ({ id, sentence, fix }));
    }
    // Show `actual` only with the first exchange of the result, because it describes only this exchange.
    const received = actual !== undefined && isSelected(exchanges[0]!) ? [`Received: ${actual}.`] : [];
    const facts = related.flatMap((explanation) => explanation.facts);
    return [{ id, sentence: [`Broken: ${statement}`, ...received, ...facts].join(' '), fix: hint }];
  });
}
