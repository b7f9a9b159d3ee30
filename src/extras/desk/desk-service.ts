/** The operations of the desk: each change is written to the state file before it is confirmed. */

import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { decodeForm, ProtocolError, readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { type CallInput, type Case, type ClientCase, clientCase } from '../../record/case.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import {
  countingExchanges,
  DeskError,
  type DeskEvent,
  type DeskState,
  deskError,
  type Engagement,
  type EngagementRecord,
  type KeptExchange,
  type StepAction,
} from './engagement.ts';
import type { EventLog } from './log.ts';
import { type DeskStep, operationOfRequest, recognise, stepById, stepsFor } from './script.ts';

interface EngagementKeys {
  readonly hasKeys: true;
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
}

/** The keys of an engagement, parsed once. Judges memoize their verifications by this object. */
export const keysFor = memoize(({ consumerKey, consumerSecret, publicKeyPem }: Engagement): EngagementKeys => {
  const all: readonly VerifyingKey[] = [
    { method: 'HMAC-SHA1', consumerSecret },
    { method: 'RSA-SHA256', publicKey: readPublicKey(publicKeyPem) },
  ];
  return { hasKeys: true, keysOf: (key) => (key === consumerKey ? all : undefined) };
});

interface EngagementRun {
  readonly header: Pick<
    Result,
    'subject' | 'runId' | 'profile' | 'seed' | 'startedAt' | 'durationMs' | 'reproduce' | 'effects' | 'notes'
  >;
  readonly calls: readonly ClientCase[];
  readonly keys: EngagementKeys;
  noVerdictReason(row: Requirement): Pick<ResultRow, 'outcome' | 'blame' | 'reason' | 'actual'> | undefined;
}

interface Judged {
  readonly result: Result;
  /** In the order of the result's numbers. The number of a case is that of its exchange at the desk. */
  readonly cases: readonly Case[];
}

/** The best conclusion is `partial`, because the desk cannot see what the client understands. */
type JudgeClient = (run: EngagementRun) => Judged;

const unseen: Readonly<Record<string, string>> = {
  'authentication/uri-host-case':
    'the host was never written with capital letters: point the client at LocalHost to show it',
  'authentication/uri-default-port': 'the base URL of an engagement names no default port',
  'close-day/environment-independent': 'the desk cannot start the client in another environment',
  'recurring/environment-independent': 'the desk cannot start the client in another environment',
};

function engagementRun(record: EngagementRecord): EngagementRun {
  const { engagement, version } = record;
  const { id, name, createdAt, operations } = engagement;
  const calls = clientCases(record);
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const [first, last] = [calls[0], calls.at(-1)].map((call) => call?.exchanges[0]);
  const startedAt = first?.startedAt ?? createdAt;
  return {
    header: {
      subject: { kind: 'client', name, target: 'desk' },
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
    noVerdictReason: (row) => {
      if (row.operation !== 'both' && !operations.includes(row.operation)) {
        return { outcome: 'not-applicable', reason: `the engagement is not about ${row.operation}` };
      }
      const reason = row.dimension === 'response-decoding' ? 'decoding is not observed at the desk' : unseen[row.id];
      if (reason === undefined && row.condition !== undefined) return undefined;
      const actual = reason ?? 'no request has shown it yet';
      return { outcome: 'inconclusive', blame: 'configuration', actual };
    },
  };
}

function clientCases(record: EngagementRecord): ClientCase[] {
  return countingExchanges(record).map((kept) => caseOf(kept, record.engagement));
}

function caseOf(kept: KeptExchange, { operations, endpointId, consumerKey }: Engagement): ClientCase {
  const { number, exchange, baseUrl } = kept;
  const place = { scenario: 'desk', number, exchanges: [exchange] };
  const step = stepById(kept.step);
  if (step === undefined) {
    const operation = operationOfRequest(exchange.request) ?? operations[0] ?? 'close-day';
    return clientCase(place, { label: { operation, input: 'observed' } });
  }
  const { id, operation, kind: input = 'mandatory', about } = step;
  return clientCase(place, {
    label: { operation, input, about, special: `step ${id}` },
    asked: { baseUrl, endpointId, consumerKey, input: inputOf(step, kept) },
  });
}

/** Many clients generate the id of a close-day request themselves: then the received id is the intended one. */
function inputOf({ input, ownRequestId }: DeskStep, { exchange }: KeptExchange): CallInput {
  if (ownRequestId !== true) return input;
  const [, sent] = decodeForm(exchange.request.body).find(([name]) => name === 'day_close_request_id') ?? [];
  return sent !== undefined && /^[A-Za-z0-9]{8,32}$/.test(sent) ? { ...input, day_close_request_id: sent } : input;
}

function notesOf({ reported, skipped, superseded, unread }: EngagementRecord): readonly string[] {
  const said = (what: string) => [...reported].filter(([, one]) => one === what).map(([step]) => step);
  const [showed, not] = [said('showed'), said('did-not-show')];
  return [
    'What the client understood of the answers was not observed.',
    ...(showed.length === 0 ? [] : [`Reported by the person, not judged: shown at ${showed.join(', ')}.`]),
    ...(not.length === 0 ? [] : [`Reported by the person, not judged: not shown at ${not.join(', ')}.`]),
    ...(skipped.size === 0 ? [] : [`Steps that were skipped: ${[...skipped].join(', ')}.`]),
    ...(superseded.size === 0 ? [] : [`${superseded.size} earlier exchanges were replaced by later ones.`]),
    ...unread.map(({ reason }) => `Not recorded: ${reason}.`),
  ];
}

export interface DeskSurroundings {
  readonly state: DeskState;
  readonly log: EventLog;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly judge: JudgeClient;
  /** The base string to sign; undefined if the Authorization header cannot be parsed. */
  readonly baseStringOf: (request: SentRequest) => string | undefined;
  /** Scheme, authority and prefix before the segment of an engagement. */
  readonly origin: () => string;
}

export interface Lost {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly why: string;
}

/** The id of the changed engagement; undefined if all are concerned. */
type Changed = string | undefined;

const maxEngagements = 100;
/** Protects disk and memory against a client in a loop. */
const maxExchanges = 1_000;
const maxUnread = 20;
const maxCallers = 10;

export class DeskService {
  readonly surroundings: DeskSurroundings;
  /** Method and path of requests for no engagement, latest first. */
  readonly strangers: string[] = [];
  /** Latest first. */
  readonly lost: Lost[] = [];
  private readonly watching = new Set<(changed: Changed, exchange?: number) => void>();
  private readonly judged = new Map<string, { readonly version: number; readonly judged: Judged }>();

  constructor(surroundings: DeskSurroundings) {
    this.surroundings = surroundings;
  }

  all(): readonly EngagementRecord[] {
    return this.surroundings.state.all();
  }

  /** Calls `told` for each change, with the number of a new exchange. Returns the function that stops it. */
  watch(told: (changed: Changed, exchange?: number) => void): () => void {
    this.watching.add(told);
    return () => this.watching.delete(told);
  }

  addStranger(line: string): void {
    this.strangers.unshift(line);
    this.strangers.length = Math.min(this.strangers.length, maxCallers);
  }

  lose(why: string): void {
    this.lost.unshift({ at: this.surroundings.now(), why });
    this.lost.length = Math.min(this.lost.length, maxCallers);
    this.tell(undefined);
  }

  /** Throws DeskError `no-such-thing`. */
  find(id: string): EngagementRecord {
    const record = this.surroundings.state.find(id);
    if (record !== undefined) return record;
    throw deskError('no-such-thing')`
      no engagement has the id ${id}
      GET /desk/api/engagements lists them`;
  }

  baseUrlOf({ engagement }: EngagementRecord): string {
    return `${this.surroundings.origin()}/${engagement.id}`;
  }

  /** The verdicts so far, memoized until the engagement changes. */
  judge(record: EngagementRecord): Judged {
    const { engagement, version } = record;
    const known = this.judged.get(engagement.id);
    if (known?.version === version) return known.judged;
    const judged = this.surroundings.judge(engagementRun(record));
    this.judged.set(engagement.id, { version, judged });
    return judged;
  }

  /** Maps each engagement in order. Yields to the event loop before each one that must be judged. */
  async judgeAll<Told>(tell: (record: EngagementRecord, judged: Judged) => Told): Promise<Told[]> {
    const told: Told[] = [];
    for (const record of this.all()) {
      if (this.judged.get(record.engagement.id)?.version !== record.version) {
        await new Promise<void>((done) => setImmediate(done));
      }
      told.push(tell(record, this.judge(record)));
    }
    return told;
  }

  /** @param asked JSON members or form fields. Throws DeskError `bad-request`, `bad-public-key` or `too-many`. */
  async create(asked: Readonly<Record<string, unknown>>): Promise<EngagementRecord> {
    const wanted = readNewEngagement(asked);
    if (this.all().length >= maxEngagements) {
      throw deskError('too-many')`
        the desk has ${maxEngagements} engagements, and no room for more
        start the desk with another --state`;
    }
    const engagement = await issueEngagement(wanted, this.surroundings.now());
    await this.record({ t: 'engagement', engagement });
    return this.find(engagement.id);
  }

  /** Throws DeskError `no-such-thing`. */
  async act({ engagement: { id, operations } }: EngagementRecord, stepId: string, action: StepAction): Promise<void> {
    const steps = stepsFor(operations).map((step) => step.id);
    if (!steps.includes(stepId)) {
      throw new DeskError('no-such-thing', `the plan has no step ${stepId}`, `its steps are ${steps.join(', ')}`);
    }
    await this.record({ t: 'step', engagement: id, step: stepId, at: this.surroundings.now(), action });
  }

  restart({ engagement: { id } }: EngagementRecord): Promise<void> {
    return this.record({ t: 'restart', engagement: id, at: this.surroundings.now() });
  }

  /** The private key that the desk made, returned only once. Throws DeskError `already-given` or `no-such-thing`. */
  async givePrivateKey({ engagement, privateKeyGiven }: EngagementRecord): Promise<string> {
    const { id, privateKeyPem } = engagement;
    if (privateKeyPem === undefined) {
      throw deskError('no-such-thing')`
        the desk has no private key of this engagement
        the owner of the client gave the public key and has the private one`;
    }
    if (privateKeyGiven)
      throw deskError('already-given')`the private key was given already
      make a new engagement`;
    // Applied before the first await, so that only one of two parallel requests gets the key.
    const event: DeskEvent = { t: 'private-key-given', engagement: id, at: this.surroundings.now() };
    this.surroundings.state.apply(event);
    await this.surroundings.log.append(event);
    return privateKeyPem;
  }

  /** Resolves once request and answer are on disk. Throws DeskError `too-many`, `state-full` or `state-unwritable`. */
  async receive(
    record: EngagementRecord,
    request: SentRequest,
    about: { readonly startedAt: number; readonly connection: string },
  ): Promise<NonNullable<Exchange['response']>> {
    const { state, log, now } = this.surroundings;
    const { id } = record.engagement;
    if (record.exchanges.length >= maxExchanges) {
      const hint = 'make a new engagement; this one is unchanged';
      throw new DeskError('too-many', `the engagement holds ${maxExchanges} exchanges, and no room for more`, hint);
    }
    const { step, answer } = recognise(request, record);
    const response = { status: answer.status, reason: '', headers: answer.headers, body: answer.body };
    const number = record.lastNumber + 1;
    const event: DeskEvent = {
      t: 'exchange',
      engagement: id,
      number,
      step: step?.id,
      baseUrl: this.baseUrlOf(record),
      exchange: { request, response, durationMs: now() - about.startedAt, ...about },
    };
    // Applied before the write, so that a parallel request gets the next step.
    state.apply(event);
    try {
      await log.append(event);
    } catch (cause) {
      state.withdraw(record, number);
      throw cause;
    }
    this.tell(id, number);
    return response;
  }

  /** Notes a request that could not be read completely. */
  async noteUnread({ engagement, unread }: EngagementRecord, reason: string): Promise<void> {
    if (unread.length >= maxUnread) return;
    await this.record({ t: 'unread', engagement: engagement.id, at: this.surroundings.now(), reason });
  }

  private async record(event: DeskEvent): Promise<void> {
    await this.surroundings.log.append(event);
    this.surroundings.state.apply(event);
    this.tell('engagement' in event && typeof event.engagement === 'string' ? event.engagement : undefined);
  }

  /** Deferred until the answer is sent, because a watcher may judge. */
  private tell(changed: Changed, exchange?: number): void {
    for (const told of this.watching) setImmediate(told, changed, exchange);
  }
}

type NewEngagement = Pick<Engagement, 'name' | 'operations'> & Partial<Pick<Engagement, 'publicKeyPem'>>;

const maxNameLength = 80;

function readNewEngagement(asked: Readonly<Record<string, unknown>>): NewEngagement {
  const { name: text, operations = 'both', publicKeyPem: pem = '' } = asked;
  const unknown = Object.keys(asked).find((member) => !['name', 'operations', 'publicKeyPem'].includes(member));
  if (unknown !== undefined) throw badRequest(`${unknown} is not known here`);
  const name = typeof text === 'string' ? text.trim() : '';
  if (name === '' || [...name].length > maxNameLength || /\p{C}/u.test(name)) {
    throw badRequest(`the name has to be a printable text of 1 to ${maxNameLength} characters`);
  }
  const wanted: readonly unknown[] =
    operations === 'both' ? operationNames : Array.isArray(operations) ? operations : [operations];
  const chosen: Operation[] = operationNames.filter((operation) => wanted.includes(operation));
  if (chosen.length === 0 || chosen.length !== wanted.length) {
    throw badRequest(`operations are ${operationNames.join(' or ')}`);
  }
  if (typeof pem !== 'string') throw badRequest('publicKeyPem has to be a text');
  return { name, operations: chosen, publicKeyPem: pem.trim() === '' ? undefined : pem };
}

function badRequest(message: string): DeskError {
  return new DeskError('bad-request', message, 'give name, and if you like operations and publicKeyPem');
}

async function issueEngagement({ publicKeyPem, ...asked }: NewEngagement, now: number): Promise<Engagement> {
  const keys = publicKeyPem === undefined ? await newKeys() : { publicKeyPem: checkedPublicKey(publicKeyPem) };
  return {
    id: `e${randomBytes(6).toString('hex')}`,
    ...asked,
    createdAt: now,
    endpointId: '1111',
    consumerKey: `Desk-${randomBytes(6).toString('hex')}`,
    consumerSecret: newSecret(),
    ...keys,
  };
}

/** 40 letters and digits in both cases, so that a client that changes the case signs wrongly. */
function newSecret(): string {
  return randomBytes(48)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 40);
}

async function newKeys(): Promise<Pick<Engagement, 'publicKeyPem' | 'privateKeyPem'>> {
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
    const hint = cause.hint ?? 'Give the public half of an RSA key of at least 2048 bits, as PEM.';
    throw new DeskError('bad-public-key', cause.message, hint, cause);
  }
}
