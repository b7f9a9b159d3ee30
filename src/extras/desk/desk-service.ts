/** The actions of the desk. An action resolves after its change was written to the state file. */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { decodeForm, ProtocolError, readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { type CallInput, type Case, type ClientCase, clientCase } from '../../record/case.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { memoize, memoizeLast } from '../../record/memoize.ts';
import type { Result } from '../../record/result/result.ts';
import { type DeskStep, operationOfRequest, recognise, stepById, stepsFor } from './script.ts';
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

/** Returns the same object for each call with an engagement, because judges memoize signatures by this object. */
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
  'close-day/environment-independent': 'the desk cannot start the client in another environment',
  'recurring/environment-independent': 'the desk cannot start the client in another environment',
};

/** The calls of an engagement, and the facts that judges need. */
function callsOf(record: EngagementRecord) {
  const { engagement, version } = record;
  const { id, name, createdAt, operations } = engagement;
  const calls = countingExchanges(record).map((kept) => caseOf(kept, engagement));
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const [first, last] = [calls[0], calls.at(-1)].map((call) => call?.exchanges[0]);
  const startedAt = first?.startedAt ?? createdAt;
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
    calls,
    keys: keysFor(engagement),
    noVerdictReason: (row: Requirement) => {
      if (row.operation !== 'both' && !operations.includes(row.operation)) {
        return { outcome: 'not-applicable' as const, reason: `the engagement does not include ${row.operation}` };
      }
      const reason = row.dimension === 'response-decoding' ? 'the desk cannot observe decoding' : notObservable[row.id];
      if (reason === undefined && row.condition !== undefined) return undefined;
      const actual = reason ?? 'no request has shown this yet';
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

/** The input of the step. If the client may choose its day_close_request_id, the input has the id that was sent. */
function inputOf({ input, ownRequestId }: DeskStep, { request }: Exchange): CallInput {
  if (!ownRequestId) return input;
  const [, sent] = decodeForm(request.body).find(([name]) => name === 'day_close_request_id') ?? [];
  return sent !== undefined && /^[A-Za-z0-9]{8,32}$/.test(sent) ? { ...input, day_close_request_id: sent } : input;
}

function notesOf({ reported, skipped, superseded, unread }: EngagementRecord): readonly string[] {
  const stepsWith = (what: string) => [...reported].flatMap(([step, report]) => (report === what ? [step] : []));
  const list = (label: string, steps: readonly string[]) =>
    steps.length === 0 ? [] : [`${label} ${steps.join(', ')}.`];
  return [
    'The desk did not observe what the client understood of the answers.',
    ...list('Reported by a person, not judged: the client showed what it should at', stepsWith('showed')),
    ...list('Reported by a person, not judged: the client did not show what it should at', stepsWith('did-not-show')),
    ...list('Skipped steps:', [...skipped]),
    ...(superseded.size === 0 ? [] : [`Later requests replaced ${superseded.size} earlier requests.`]),
    ...unread.map(({ reason }) => `Not recorded: ${reason}.`),
  ];
}

/** The functions of the suite that the desk calls. */
export interface DeskCore {
  judgeCalls(calls: ReturnType<typeof callsOf>): DeskVerdicts;
  /** The text that the client should have signed; undefined if the request cannot be signed. */
  baseStringOf(request: SentRequest): string | undefined;
  /** Returns a redactor that replaces these secrets, in every encoding that a run of the suite searches for. */
  redactorFor(secrets: readonly string[]): Redactor;
}

interface Redactor {
  text(text: string): string;
  exchange(exchange: Exchange): Exchange;
  anything<T>(value: T): T;
}

interface DeskVerdicts {
  readonly result: Result;
  readonly cases: readonly Case[];
}

interface DeskSurroundings extends DeskCore {
  readonly state: DeskState;
  readonly log: EventLog;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The base URL of an engagement without the id at its end. */
  readonly origin: () => string;
}

/** `changed` is the id of an engagement; undefined means any engagement. `exchange` is the number of a new exchange. */
type Watcher = (changed: string | undefined, exchange?: number) => void;

const maxEngagements = 100;
/** Limit for each engagement, so that a client in an endless loop does not fill disk and memory. */
const maxExchanges = 1_000;
const maxUnread = 20;
const maxLost = 10;

/** The methods throw DeskError. */
export class DeskService {
  readonly surroundings: DeskSurroundings;
  /** Lost requests and connections, latest first. `at` is in milliseconds since the Unix epoch. */
  readonly lost: { readonly at: number; readonly why: string }[] = [];
  private readonly watchers = new Set<Watcher>();
  private readonly judged = new Map<string, { readonly version: number; readonly judged: DeskVerdicts }>();

  /** Returns a redactor for the secrets of an engagement. */
  readonly redactorOf = memoizeLast(({ consumerSecret, privateKeyPem = '' }: Engagement) => {
    // Skip the first and the last line, which are public, and short lines, which may occur in other texts by chance.
    const keyLines = privateKeyPem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-'));
    return this.surroundings.redactorFor([consumerSecret, ...keyLines]);
  });

  constructor(surroundings: DeskSurroundings) {
    this.surroundings = surroundings;
  }

  all(): readonly EngagementRecord[] {
    return [...this.surroundings.state.records.values()];
  }

  /** Calls the watcher after each change, until the caller calls the returned function. */
  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Records why the desk lost a request or a connection. */
  lose(why: string): void {
    this.lost.unshift({ at: this.surroundings.now(), why });
    this.lost.splice(maxLost);
    this.notify(undefined);
  }

  find(id: string): EngagementRecord {
    const record = this.surroundings.state.records.get(id);
    if (record !== undefined) return record;
    throw deskError('no-such-thing')`
      no engagement has the id ${id}
      list the engagements with GET /desk/api/engagements`;
  }

  baseUrlOf({ engagement }: EngagementRecord): string {
    return `${this.surroundings.origin()}/${engagement.id}`;
  }

  /**
   * The verdicts so far, memoized until the engagement changes. The conclusion is never better than `partial`, because
   * the desk cannot see what the client understands. The result counts the exchanges from 1. `number` of a case is the
   * number that the desk gave to the exchange.
   */
  judge(record: EngagementRecord): DeskVerdicts {
    const { engagement, version } = record;
    const known = this.judged.get(engagement.id);
    if (known?.version === version) return known.judged;
    const judged = this.surroundings.judgeCalls(callsOf(record));
    this.judged.set(engagement.id, { version, judged });
    return judged;
  }

  /** @param input JSON members or form fields */
  async create(input: Readonly<Record<string, unknown>>): Promise<EngagementRecord> {
    const parsed = readNewEngagement(input);
    if (this.all().length >= maxEngagements) {
      throw deskError('too-many')`
        the desk already has ${maxEngagements} engagements, the maximum
        start the desk with another --state`;
    }
    const engagement = await issueEngagement(parsed, this.surroundings.now());
    await this.record({ t: 'engagement', engagement }, engagement.id);
    return this.find(engagement.id);
  }

  async act({ engagement: { id, operations } }: EngagementRecord, step: string, action: StepAction): Promise<void> {
    const steps = stepsFor(operations).map((planned) => planned.id);
    if (!steps.includes(step)) {
      throw new DeskError('no-such-thing', `the plan has no step ${step}`, `its steps are ${steps.join(', ')}`);
    }
    await this.record({ t: 'step', engagement: id, step, at: this.surroundings.now(), action }, id);
  }

  restart({ engagement: { id } }: EngagementRecord): Promise<void> {
    return this.record({ t: 'restart', engagement: id, at: this.surroundings.now() }, id);
  }

  /** Returns the private key that the desk made. A second call throws DeskError. */
  async givePrivateKey({ engagement, privateKeyGiven }: EngagementRecord): Promise<string> {
    const { id, privateKeyPem } = engagement;
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
    // Apply the event before the first await, so that only one of two parallel requests gets the key.
    const event: DeskEvent = { t: 'private-key-given', engagement: id, at: this.surroundings.now() };
    this.surroundings.state.apply(event);
    await this.surroundings.log.append(event);
    return privateKeyPem;
  }

  /** Resolves with the answer after request and answer were written to disk. */
  async receive(
    record: EngagementRecord,
    request: SentRequest,
    about: { readonly startedAt: number; readonly connection: string },
  ): Promise<NonNullable<Exchange['response']>> {
    const { state, log, now } = this.surroundings;
    const { exchanges, engagement } = record;
    if (exchanges.length >= maxExchanges) {
      throw deskError('too-many')`
        the engagement already has ${maxExchanges} exchanges, the maximum
        create a new engagement; the exchanges so far are kept`;
    }
    const { step, answer } = recognise(request, record);
    const response = { status: answer.status, reason: '', headers: answer.headers, body: answer.body };
    const number = record.lastNumber + 1;
    const event: DeskEvent = {
      t: 'exchange',
      engagement: engagement.id,
      number,
      step: step?.id,
      baseUrl: this.baseUrlOf(record),
      exchange: { request, response, durationMs: now() - about.startedAt, ...about },
    };
    // Apply the event before writing it, so that a parallel request already gets the next step.
    state.apply(event);
    try {
      await log.append(event);
    } catch (cause) {
      // Remove the exchange that was not written. The next exchange still gets a new number.
      const at = exchanges.findIndex((kept) => kept.number === number);
      exchanges.splice(at, 1);
      record.version += 1;
      throw cause;
    }
    this.notify(engagement.id, number);
    return response;
  }

  /** Notes a request that could not be read completely. */
  async noteUnread({ engagement: { id }, unread }: EngagementRecord, reason: string): Promise<void> {
    if (unread.length >= maxUnread) return;
    await this.record({ t: 'unread', engagement: id, at: this.surroundings.now(), reason }, id);
  }

  private async record(event: DeskEvent, id: string): Promise<void> {
    await this.surroundings.log.append(event);
    this.surroundings.state.apply(event);
    this.notify(id);
  }

  /** Calls the watchers after the answer was sent, so that a watcher that judges does not delay the answer. */
  private notify(...change: Parameters<Watcher>): void {
    for (const watcher of this.watchers) setImmediate(watcher, ...change);
  }
}

type NewEngagement = Pick<Engagement, 'name' | 'operations'> & Partial<Pick<Engagement, 'publicKeyPem'>>;

const maxNameLength = 80;

function readNewEngagement(input: Readonly<Record<string, unknown>>): NewEngagement {
  const { name: text, operations = 'both', publicKeyPem: pem = '' } = input;
  const unknown = Object.keys(input).find((member) => !['name', 'operations', 'publicKeyPem'].includes(member));
  if (unknown !== undefined) throw badRequest(`the member ${unknown} is unknown`);
  const name = typeof text === 'string' ? text.trim() : '';
  if (name === '' || [...name].length > maxNameLength || /\p{C}/u.test(name)) {
    throw badRequest(`name must be printable text of 1 to ${maxNameLength} characters`);
  }
  const wanted: readonly unknown[] = operations === 'both' ? operationNames : [operations].flat();
  const chosen: Operation[] = operationNames.filter((operation) => wanted.includes(operation));
  if (chosen.length === 0 || chosen.length !== wanted.length) {
    throw badRequest(`operations must be ${operationNames.join(' or ')}, or a list of both`);
  }
  if (typeof pem !== 'string') throw badRequest('publicKeyPem must be text');
  return { name, operations: chosen, publicKeyPem: pem.trim() === '' ? undefined : pem };
}

function badRequest(message: string): DeskError {
  return new DeskError('bad-request', message, 'send name; operations and publicKeyPem are optional');
}

async function issueEngagement({ publicKeyPem, ...input }: NewEngagement, now: number): Promise<Engagement> {
  const keys = publicKeyPem === undefined ? await newKeyPair() : { publicKeyPem: checkedPublicKey(publicKeyPem) };
  return {
    id: `e${randomBytes(6).toString('hex')}`,
    ...input,
    createdAt: now,
    endpointId: '1111',
    consumerKey: `Desk-${randomBytes(6).toString('hex')}`,
    // Use upper-case and lower-case letters, so that a client that changes the case gets a wrong signature.
    consumerSecret: randomBytes(48).toString('base64').replace(/[+/]/g, '').slice(0, 40),
    ...keys,
  };
}

async function newKeyPair() {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
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
