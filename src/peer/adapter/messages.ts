/** The lines of the adapter protocol in both directions (documented in schemas/adapter), and the types of a session. */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { type AdapterMessageName, type SchemaFault, validate, validateClosed } from '../../../schemas/index.ts';
import { isJsonObject, readJson } from '../../protocol/json.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { utf8Text } from '../../protocol/utf8.ts';
import type { Asked, ClientReply } from '../../record/case.ts';
import { type AdapterError, adapterError } from './channel.ts';

const protocolVersion = 1;

/** Maximum line length in bytes, without the line feed. */
export const maxLineBytes = 8 * 1024 * 1024;

export interface TrustedAuthority {
  readonly file: string;
  readonly pem: string;
  /** PKCS#12 file with the same certificate, for runtimes that cannot read PEM. */
  readonly truststore?: { readonly file: string; readonly password: string };
}

export interface Greeting {
  readonly suite: { readonly name: string; readonly version: string };
  readonly seed: string;
  readonly ca?: TrustedAuthority;
}

export function helloLine({ suite, seed, ca }: Greeting): string {
  return line({
    t: 'hello',
    protocol: { min: protocolVersion, max: protocolVersion },
    suite,
    seed,
    limits: { max_line_bytes: maxLineBytes },
    must_understand: [],
    ca_file: ca?.file,
    ca_pem: ca?.pem,
    ca_truststore: ca?.truststore && { type: 'PKCS12', ...ca.truststore },
  });
}

export function caseLine(id: string, call: SessionCase, offers: Introduction['offers'], deadlineMs: number): string {
  const { method, consumerKey } = call.auth;
  const key =
    call.auth.method === 'HMAC-SHA1' ? { secret: call.auth.secret } : { private_key_pem: call.auth.privateKeyPem };
  const inject = Object.entries(call.inject ?? {}).filter(([name]) => (offers.inject as string[]).includes(name));
  return line({
    t: 'case',
    id,
    op: call.operation,
    base_url: call.baseUrl,
    endpoint_id: call.endpointId,
    auth: { method, consumer_key: consumerKey, ...key },
    input: call.input,
    ...(inject.length === 0 ? {} : { inject: Object.fromEntries(inject) }),
    want: offers.stages.length === 0 ? ['decoded'] : ['decoded', 'stages'],
    deadline_ms: Math.ceil(deadlineMs),
  });
}

export const cancelLine = (id: string): string => line({ t: 'cancel', id });
export const pingLine = (n: number): string => line({ t: 'ping', n });
export const byeLine = (): string => line({ t: 'bye' });

/** The JSON object of a line. Numbers are safe up to 2^31, as the protocol requires. */
export interface Message {
  readonly t: string;
  readonly [member: string]: unknown;
}

export type Read =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'blank' }
  /** Outside the protocol: a banner, a log line, a warning. `meant` is the answer named in it, if any. */
  | { readonly kind: 'stray'; readonly meant?: 'ready' | 'result' | undefined }
  /** A message that cannot be read. `where` describes the error. */
  | {
      readonly kind: 'broken';
      readonly code: 'not-utf8' | 'not-json' | 'duplicate-key';
      readonly where: string;
    };

/** Parses a line without its line feed, its CR and the byte-order mark of the stream. Never throws. */
export function readLine(bytes: Uint8Array): Read {
  const start = bytes.find((byte) => byte !== 0x20 && byte !== 0x09);
  if (start === undefined) return { kind: 'blank' };
  const meant = answerNamed.exec(beginning(bytes))?.[1] as 'ready' | 'result' | undefined;
  if (start !== 0x7b) return { kind: 'stray', meant };
  // Some libraries log in JSON too; the member `t` identifies the protocol.
  const isMessage = looksLikeMessage(bytes);
  try {
    const text = utf8Text(bytes);
    // Stricter than JSON.parse, which takes a name twice.
    const value = readJson(text);
    if (!isJsonObject(value) || typeof value.t !== 'string') return { kind: 'stray', meant };
    return { kind: 'message', message: JSON.parse(text) as Message };
  } catch (error) {
    if (!isMessage) return { kind: 'stray', meant };
    if (!(error instanceof ProtocolError)) throw error;
    const code =
      error.code === 'invalid-utf8' ? 'not-utf8' : error.code === 'duplicate-key' ? 'duplicate-key' : 'not-json';
    return { kind: 'broken', code, where: error.message };
  }
}

/** Finds the type of an answer that is spread over lines, in a list, prefixed, or quoted in a JSON string. */
const answerNamed = /"t\\?"\s*:\s*\\?"(ready|result)\\?"/;

function looksLikeMessage(bytes: Uint8Array): boolean {
  return /^\s*\{\s*"t"\s*:/.test(beginning(bytes));
}

function beginning(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 100)).toString('latin1');
}

/** Schema faults of a message. Unknown members count only if `strict`. */
export function faultsOf(message: Message, { strict = false } = {}): SchemaFault[] {
  if (!isKnown(message.t)) return [];
  return strict ? validateClosed(message.t, message) : validate(`adapter/${message.t}`, message);
}

const fromAdapter = ['ready', 'result', 'progress', 'log', 'pong'] as const satisfies AdapterMessageName[];

export function isKnown(t: string): t is (typeof fromAdapter)[number] {
  return (fromAdapter as readonly string[]).includes(t);
}

/** JSON.stringify escapes lone surrogates and line feeds, so any text is one line of valid UTF-8. */
function line(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** Maximum characters: each case keeps its reason, and a longer one helps no reader. */
const maxReasonLength = 10_000;
/** Maximum bytes of `decoded` and `stages` as JSON, twice what correct clients report. Hundreds are kept. */
const maxReportBytes = 256 * 1024;

/** The reply without null members, or the schema fault. */
export function replyOf(message: Message): { readonly reply: ClientReply } | { readonly fault: string } {
  const [fault] = faultsOf(message);
  if (fault !== undefined) return { fault: fault.sentence };
  const { outcome, decoded, stages, stage, reason, message: text } = message as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify({ decoded, stages })) > maxReportBytes) {
    return {
      fault: `decoded and stages have more than ${maxReportBytes} bytes; no call of the suite needs as many`,
    };
  }
  const reply = { outcome, decoded, stages, stage: shortText(stage), reason: shortText(reason ?? text) };
  return { reply: kept(reply) as ClientReply };
}

function shortText(text: unknown): unknown {
  return typeof text === 'string' ? text.slice(0, maxReasonLength) : text;
}

/** Removes null, which many languages write for absent members. */
function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kept);
  if (typeof value !== 'object' || value === null) return value;
  const there = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(there.map(([name, member]) => [name, kept(member)]));
}

export interface Introduced {
  readonly introduction: Introduction;
  readonly cancel: boolean;
  readonly remarks: readonly string[];
}

interface Ready {
  readonly protocol: number;
  readonly adapter?: { readonly name?: string; readonly version?: string };
  readonly client: { name: string; version?: string; language?: string; language_version?: string };
  readonly offers?: {
    readonly ops?: readonly string[];
    readonly signature_methods?: readonly string[];
    readonly stages?: readonly string[];
    readonly inject?: readonly string[];
    readonly max_in_flight?: number;
    readonly cancel?: boolean;
    readonly tls?: boolean;
  };
}

/** Throws `wrong-version` or `protocol-violation`. */
export function introduced(message: Message): Introduced {
  if (typeof message.protocol === 'number' && message.protocol !== protocolVersion)
    throw wrongVersion(message.protocol);
  const [fault] = faultsOf(message);
  if (fault !== undefined) {
    throw adapterError('protocol-violation')`
      The ready message of the adapter is wrong: ${fault.sentence}.
      Compare it with schemas/adapter/ready.json; --check-adapter lists all its faults.`;
  }
  const ready = message as unknown as Ready;
  const { offers = {}, client } = ready;
  const known = new Set<string>(operationNames);
  const { name } = client;
  return {
    introduction: {
      adapter: {
        name: ready.adapter?.name ?? `adapter of ${name}`,
        version: ready.adapter?.version,
      },
      client: {
        name,
        version: client.version,
        language: client.language,
        languageVersion: client.language_version,
      },
      offers: {
        ops: operationNames.filter((operation) => offers.ops?.includes(operation) ?? true),
        signatureMethods: offers.signature_methods ?? ['HMAC-SHA1', 'RSA-SHA256'],
        stages: offers.stages ?? [],
        inject: (['timestamp', 'nonce'] as const).filter((name) => offers.inject?.includes(name)),
        // The suite never sends more at once.
        maxInFlight: Math.min(offers.max_in_flight ?? 1, 64),
        tls: offers.tls ?? true,
      },
    },
    cancel: offers.cancel ?? false,
    remarks: [
      ...faultsOf(message, { strict: true }).map(({ sentence }) => `In the ready message ${sentence}; it is ignored.`),
      ...(offers.ops ?? [])
        .filter((operation) => !known.has(operation))
        .map((operation) => `The adapter offers "${operation}", which is not an operation of this suite.`),
    ],
  };
}

function wrongVersion(version: number): AdapterError {
  return adapterError('wrong-version')`
    The adapter speaks version ${version} of the protocol; this suite speaks version ${protocolVersion}.
    Answer hello with a version between its protocol.min and protocol.max.`;
}

export interface Noted {
  readonly kind: string;
  readonly first: readonly string[];
  /** The total, including those not kept; absent if the kind is counted only once. */
  readonly count?: number;
}

export interface Introduction {
  readonly adapter: { readonly name: string; readonly version?: string };
  readonly client: {
    readonly name: string;
    readonly version?: string;
    readonly language?: string;
    readonly languageVersion?: string;
  };
  readonly offers: {
    readonly ops: readonly Operation[];
    readonly signatureMethods: readonly string[];
    readonly stages: readonly string[];
    readonly inject: readonly ('timestamp' | 'nonce')[];
    /** At least 1. */
    readonly maxInFlight: number;
    readonly tls: boolean;
  };
}

/** One call. The secret belongs to an identity that the suite publishes. */
export interface SessionCase extends Asked {
  /** For messages only; the adapter does not receive it. */
  readonly name?: string;
  readonly operation: Operation;
  readonly auth:
    | { readonly method: 'HMAC-SHA1'; readonly consumerKey: string; readonly secret: string }
    | { readonly method: 'RSA-SHA256'; readonly consumerKey: string; readonly privateKeyPem: string };
  readonly deadlineMs: number;
  /** The answer never ends: an adapter in a debugger then gets the ordinary deadline instead of one hour. */
  readonly isEndless?: boolean;
}

/** `repeated`: the adapter ended during the case. It was sent again alone, so its request may have been sent twice. */
export type SessionReply =
  | { readonly reply: ClientReply; readonly fault?: undefined; readonly repeated?: true }
  | {
      readonly reply?: undefined;
      readonly fault: { readonly code: string; readonly message: string; readonly hint: string };
      readonly repeated?: true;
    };

export interface ClientSession {
  readonly introduction: Introduction;
  /** Never rejects. The deadline grows with slow pings, up to four times. Allows `maxInFlight` calls at once. */
  perform(call: SessionCase): Promise<SessionReply>;
  /** Events other than results since the last call: noise on stdout, late or repeated answers, restarts. */
  takeNotes(): readonly Noted[];
  close(): Promise<void>;
}

/** Credentials for the signature method of the operation (section 5). */
export function authFor(
  operation: Operation,
  {
    consumerKey,
    consumerSecret: secret,
    privateKeyPem,
  }: Readonly<Record<'consumerKey' | 'consumerSecret' | 'privateKeyPem', string>>,
): SessionCase['auth'] {
  const { signatureMethod: method } = operations[operation];
  return method === 'HMAC-SHA1' ? { method, consumerKey, secret } : { method, consumerKey, privateKeyPem };
}
