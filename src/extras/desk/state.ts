/** The engagements of the desk, and the state file. Each event appends a JSON line to the file. */
import { appendFileSync, chmodSync, type Stats, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Operation } from '../../../contracts/operations.ts';
import { makeFolders, readRegularFile } from '../../record/disk/files.ts';
import { takeProcessLock } from '../../record/disk/processes.ts';
import { CodedError, errorTag, reasonOf, remedyOf } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';
import { fromJson, toJson } from '../../record/json.ts';
import { pluralize } from '../../record/pluralize.ts';
import { named } from '../../report/document.ts';

export interface Engagement {
  /** `e` and twelve hexadecimal digits: the last path segment of the base URL. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** The operations that the client supports. The plan has steps only for these operations. */
  readonly operations: readonly Operation[];
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly publicKeyPem: string;
  /** Absent if the owner of the client provided the public key and keeps the private key. */
  readonly privateKeyPem?: string;
}

export interface StoredExchange {
  /** Starts at 1 in each engagement. No number is used twice. */
  readonly number: number;
  readonly step?: string;
  readonly baseUrl: string;
  readonly exchange: Exchange;
}

/** `showed` and `did-not-show`: what a person saw. No verdict uses it. `repeat` discards the requests of the step. */
export const stepActions = ['showed', 'did-not-show', 'skip', 'repeat'] as const;

export type StepAction = (typeof stepActions)[number];

/** Certificates and key of the server, in PEM. They are stored, so that clients also trust the desk after a restart. */
export interface StoredCertificate {
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
  readonly issuedAt: number;
}

interface EventBase {
  readonly engagement: string;
  readonly at: number;
}

/** A line of the state file. Times are in milliseconds since the Unix epoch. */
export type DeskEvent =
  | { readonly t: 'engagement'; readonly engagement: Engagement }
  | ({ readonly t: 'exchange'; readonly engagement: string } & StoredExchange)
  | ({ readonly t: 'unread'; readonly reason: string } & EventBase)
  | ({ readonly t: 'step'; readonly step: string; readonly action: StepAction } & EventBase)
  /** The engagement starts again: its earlier exchanges no longer count. */
  | ({ readonly t: 'restart' } & EventBase)
  | ({ readonly t: 'private-key-given' } & EventBase)
  | { readonly t: 'certificate'; readonly certificate: StoredCertificate };

export type EngagementRecord = ReturnType<typeof newRecord>;

function newRecord(engagement: Engagement) {
  return {
    engagement,
    exchanges: [] as StoredExchange[],
    /** Numbers of the exchanges that `repeat` or `restart` discarded. The page shows them, but they are not judged. */
    superseded: new Set<number>(),
    reported: new Map<string, 'showed' | 'did-not-show'>(),
    skipped: new Set<string>(),
    /** Requests that were not recorded, because their body was cut off or too long. */
    unread: [] as { readonly at: number; readonly reason: string }[],
    privateKeyGiven: false,
    version: 1,
    lastNumber: 0,
  };
}

export function currentExchanges({ exchanges, superseded }: EngagementRecord): StoredExchange[] {
  return exchanges.filter(({ number }) => !superseded.has(number));
}

export class DeskState {
  certificate: StoredCertificate | undefined;
  readonly records = new Map<string, EngagementRecord>();

  /** Applies an event. If the event contradicts the state, changes nothing and returns the reason. */
  apply(event: DeskEvent): string | undefined {
    if (event.t === 'certificate') {
      this.certificate = event.certificate;
      return undefined;
    }
    if (event.t === 'engagement') {
      const { engagement } = event;
      if (this.records.has(engagement.id)) return `it creates the engagement ${engagement.id} a second time`;
      this.records.set(engagement.id, newRecord(engagement));
      return undefined;
    }
    const record = this.records.get(event.engagement);
    if (record === undefined) return 'it names an unknown engagement';
    const { exchanges, superseded, reported, skipped, unread, lastNumber } = record;
    const supersede = (targets: readonly StoredExchange[]) => {
      for (const { number } of targets) superseded.add(number);
    };
    if (event.t === 'exchange') {
      const { t: _, engagement: __, ...stored } = event;
      if (stored.number <= lastNumber)
        return `its exchange number ${stored.number} is not above the last number ${lastNumber}`;
      exchanges.push(stored);
      record.lastNumber = stored.number;
    } else if (event.t === 'unread') {
      unread.push(event);
    } else if (event.t === 'private-key-given') {
      record.privateKeyGiven = true;
    } else if (event.t === 'restart') {
      supersede(exchanges);
      reported.clear();
      skipped.clear();
    } else if (event.action === 'skip') {
      skipped.add(event.step);
    } else if (event.action === 'repeat') {
      supersede(exchanges.filter(({ step }) => step === event.step));
      reported.delete(event.step);
      skipped.delete(event.step);
    } else {
      reported.set(event.step, event.action);
    }
    record.version += 1;
    return undefined;
  }
}

export class DeskError extends CodedError<
  | 'state-in-use'
  | 'state-unwritable'
  | 'state-foreign'
  | 'state-full'
  | 'bad-request'
  | 'bad-public-key'
  | 'no-such-thing'
  | 'already-given'
  | 'too-many'
> {}

/** Returns a template tag that makes a DeskError from two lines: what is wrong, and what to do. */
export function deskError(code: DeskError['code'], cause?: unknown) {
  return errorTag((message, hint) => new DeskError(code, message, hint, cause));
}

const header = '{"t":"desk","format":"countersign-desk","formatVersion":1}\n';
/** Limit of the state file in bytes, because the desk keeps all exchanges in memory. */
export const maxStateBytes = 32 * 1024 * 1024;
const maxNamedLines = 10;

/** Locks the state file. If its folder is missing, creates it with access only for this user. Throws DeskError. */
export function takeDeskLock(stateFile: string): ReturnType<typeof takeProcessLock> {
  try {
    makeFolders(dirname(stateFile), 0o700);
  } catch (cause) {
    throw unwritableError(stateFile, cause);
  }
  const path = `${stateFile}.lock`;
  return takeProcessLock(path, (refusal) => {
    if (refusal.reason === 'unwritable') return unwritableError(path, refusal.cause);
    const holder = refusal.reason === 'held' ? `process ${refusal.holder}` : 'another process';
    return deskError('state-in-use')`
      the state file ${stateFile} is in use by another desk, ${holder}
      stop that desk, or name another file with --state; if that process is not a desk, remove ${path}`;
  });
}

/** Reads the locked file into `state`. `faultOf` returns why a line is invalid, without secrets. Throws DeskError. */
export async function openLog(
  path: string,
  state: DeskState,
  faultOf: (value: unknown) => string | undefined,
  maxBytes = maxStateBytes,
) {
  const found = await readRegularFile(path, maxStateBytes);
  if ('unreadable' in found && found.unreadable !== 'does not exist') {
    if (found.reason === 'failed' || found.reason === 'rights') throw unwritableError(path, found.cause);
    throw new DeskError('state-unwritable', `${path} ${found.unreadable}`, unchangedHint, found.cause);
  }
  const bytes = 'bytes' in found ? found.bytes : Buffer.of();
  const textEnd = bytes.lastIndexOf(0x0a) + 1;
  const excess = bytes.length - textEnd;
  const [first = '', ...lines] = bytes.toString('utf8', 0, textEnd).split('\n').slice(0, -1);
  if (textEnd === 0 ? !header.startsWith(bytes.toString('latin1')) : `${first}\n` !== header) {
    const [, version] = /^\{"t":"desk","format":"countersign-desk","formatVersion":(\d+)\}$/.exec(first) ?? [];
    const otherVersion = `has version ${version} of the format, but this desk reads only version 1`;
    const problem = version === undefined ? 'is not a state file of the desk' : otherVersion;
    throw new DeskError('state-foreign', `${path} ${problem}`, unchangedHint);
  }
  const faults = lines.flatMap((line, at) => {
    const fault = applyLine(line, state, faultOf);
    return fault === undefined ? [] : [`line ${at + 2} (${fault})`];
  });
  const remarks: string[] = [];
  if (excess > 0) remarks.push(`the last line of the state file was incomplete; its ${excess} bytes were removed`);
  if (faults.length > 0) {
    const summary = `${pluralize(faults.length, 'line')} of the state file cannot be used and will be ignored`;
    remarks.push(`${summary}: ${named(faults, maxNamedLines)}`);
  }
  try {
    if (excess > 0) truncateSync(path, textEnd);
    appendFileSync(path, textEnd === 0 ? header : '', { flush: true, mode: 0o600 });
    // Do not change the permissions earlier: only the checks above prove that the file belongs to the desk.
    chmodSync(path, 0o600);
    return { log: newLog(path, statSync(path), maxBytes), remarks };
  } catch (cause) {
    throw unwritableError(path, cause);
  }
}

function applyLine(line: string, state: DeskState, faultOf: (value: unknown) => string | undefined) {
  let value: DeskEvent;
  try {
    value = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  return faultOf(value) ?? state.apply(value.t === 'exchange' ? fromJson<DeskEvent>(line) : value);
}

export type EventLog = ReturnType<typeof newLog>;

function newLog(path: string, { ino, dev, size: start }: Stats, maxBytes: number) {
  let size = start;
  return {
    /** Returns after the event is on disk. Throws DeskError with the code `state-full` or `state-unwritable`. */
    append: (event: DeskEvent): void => {
      const line = Buffer.from(`${toJson(event)}\n`);
      if (size + line.length > maxBytes) {
        throw deskError('state-full')`
          the state file ${path} has reached its limit of ${maxBytes} bytes
          stop the desk and start it with another --state; this file is not changed`;
      }
      let current: Stats | undefined;
      try {
        current = statSync(path);
      } catch {}
      if (current?.ino !== ino || current.dev !== dev || current.size !== size) {
        throw deskError('state-unwritable')`
          the state file ${path} was removed, replaced or changed by another program
          stop the desk, put the file back, and start the desk again`;
      }
      try {
        appendFileSync(path, line, { flush: true });
      } catch (cause) {
        // Remove an incomplete line. If this fails too, the next call finds another file size and throws.
        try {
          truncateSync(path, size);
        } catch {}
        throw unwritableError(path, cause);
      }
      size += line.length;
    },
  };
}

const unchangedHint = 'name another file with --state; this file was not changed';

/** Returns the error for a file that cannot be written. Its hint fits the cause, for example a full disk. */
export function unwritableError(path: string, cause: unknown): DeskError {
  const remedy = remedyOf(cause)?.replace(/^.|\.$/g, (end) => (end === '.' ? '' : end.toLowerCase()));
  const hint = remedy ?? 'with --state, name a file that you may write to';
  return new DeskError('state-unwritable', `${path} cannot be written (${reasonOf(cause)})`, hint, cause);
}
