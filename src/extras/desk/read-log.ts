/** The lines of the state file, each checked: one that cannot be used is named and set aside, and the rest lives. */
import { createSecureContext } from 'node:tls';
import { validate } from '../../../schemas/index.ts';
import { readPrivateKey, readPublicKey } from '../../protocol/index.ts';
import { fromJson } from '../../record/json.ts';
import { DeskError } from './desk-error.ts';
import type { DeskEvent } from './events.ts';

export const header = '{"t":"desk","format":"countersign-desk","formatVersion":1}\n';
/** Bytes of one line, its end included. */
export const largestLine = 16 * 1024 * 1024;
/** A file with more is not damaged in places: it is another file, or its disk is failing. */
const mostFaults = 1_000;
/** So many are named one by one. */
const mostNamed = 10;

export interface LineFault {
  /** From 1. */
  readonly line: number;
  /** Without a full stop; secrets are not quoted. */
  readonly why: string;
}

interface ReadEvents {
  readonly events: readonly DeskEvent[];
  /** The line of each event, from 1. */
  readonly lines: readonly number[];
  readonly faults: readonly LineFault[];
  /** Bytes up to the end of the last whole line. */
  readonly whole: number;
  readonly torn: number;
}

/** What is in the bytes of the file. Throws DeskError `state-foreign` or `state-damaged`. */
export function readEvents(bytes: Buffer, path: string): ReadEvents {
  const whole = bytes.lastIndexOf(0x0a) + 1;
  const torn = bytes.length - whole;
  const [events, lines, faults]: [DeskEvent[], number[], LineFault[]] = [[], [], []];
  if (whole === 0 && header.startsWith(bytes.toString('latin1'))) return { events, lines, faults, whole, torn };
  if (!bytes.subarray(0, header.length).equals(Buffer.from(header))) throw foreign(bytes, path);
  for (let start = header.length, line = 2; start < whole; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const read = readLine(bytes.subarray(start, end));
    if ('why' in read) {
      faults.push({ line, why: read.why });
      if (faults.length > mostFaults) throw damaged(path, faults);
    } else {
      events.push(read.event);
      lines.push(line);
    }
    start = end + 1;
  }
  return { events, lines, faults, whole, torn };
}

/** One sentence that names the lines; undefined where there are none. */
export function setAside(faults: readonly LineFault[]): string | undefined {
  if (faults.length === 0) return undefined;
  const what = faults.length === 1 ? '1 line of the state file is' : `${faults.length} lines of the state file are`;
  return `${what} set aside and ignored: ${named(faults)}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readLine(bytes: Buffer): { readonly event: DeskEvent } | { readonly why: string } {
  if (bytes.length >= largestLine) return { why: `it is longer than ${largestLine / 1024 / 1024} MB` };
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    const [fault] = validate('desk-line', value);
    if (fault !== undefined) return { why: fault.sentence };
    const event = value as DeskEvent;
    const key = unreadableKey(event);
    if (key !== undefined) return { why: `${key} cannot be read` };
    return { event: event.t === 'exchange' ? fromJson<DeskEvent>(text) : event };
  } catch {
    return { why: 'it is not JSON' };
  }
}

/** Found out now: later it would be a request of somebody that fails, or the start of the server. */
function unreadableKey(event: DeskEvent): string | undefined {
  const fails = (read: () => unknown) => {
    try {
      read();
      return false;
    } catch {
      return true;
    }
  };
  if (event.t === 'certificate') {
    const { cert, key } = event.certificate;
    return fails(() => createSecureContext({ cert, key })) ? 'the key of the certificate' : undefined;
  }
  if (event.t !== 'engagement') return undefined;
  const { publicKeyPem, privateKeyPem } = event.engagement;
  if (fails(() => readPublicKey(publicKeyPem))) return 'engagement.publicKeyPem';
  if (privateKeyPem !== undefined && fails(() => readPrivateKey(privateKeyPem))) return 'engagement.privateKeyPem';
  return undefined;
}

function named(faults: readonly LineFault[]): string {
  const first = [...faults].sort((a, b) => a.line - b.line).slice(0, mostNamed);
  const more = faults.length - first.length;
  return `${first.map(({ line, why }) => `line ${line} (${why})`).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

function foreign(bytes: Buffer, path: string): DeskError {
  const hint = 'name another file with --state; nothing was changed in this one';
  const version = versionIn(bytes.subarray(0, 1024).toString('utf8').split('\n', 1)[0]!);
  const what =
    version === undefined
      ? 'is not a state file of the desk'
      : `was written in version ${version} of the format, and this desk reads version 1`;
  return new DeskError('state-foreign', `${path} ${what}`, hint);
}

/** The version that the first line of another desk names. */
function versionIn(line: string): number | undefined {
  try {
    const { format, formatVersion } = JSON.parse(line);
    return format === 'countersign-desk' && Number.isSafeInteger(formatVersion) ? formatVersion : undefined;
  } catch {
    return undefined;
  }
}

function damaged(path: string, faults: readonly LineFault[]): DeskError {
  const what = `more than ${mostFaults} lines of ${path} cannot be used: ${named(faults)}`;
  return new DeskError('state-damaged', what, 'restore the file from a copy, or name another one with --state');
}
