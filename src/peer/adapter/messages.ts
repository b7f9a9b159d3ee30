/** Writes and reads the messages of the adapter protocol (schemas in schemas/adapter). Defines the session types. */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { type SchemaFault, validate, validateClosed } from '../../../schemas/index.ts';
import { isJsonObject, readJson } from '../../protocol/json.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { utf8Text } from '../../protocol/utf8.ts';
import type { Call, ClientReply } from '../../record/case.ts';
import { adapterError } from './faults.ts';

const protocolVersion = 1;

/** Maximum line length in bytes, without the line feed. */
export const maxLineBytes = 8 * 1024 * 1024;

export interface TrustedAuthority {
  readonly file: string;
  readonly pem: string;
  /** A PKCS#12 file with the certificate of the authority, for runtimes that cannot read PEM. */
  readonly truststore?: { readonly file: string; readonly password: string };
}

interface Greeting {
  readonly suite: { readonly name: string; readonly version: string };
  readonly seed: string;
  readonly ca?: TrustedAuthority;
}

/** Returns the message as one line of valid UTF-8. JSON.stringify escapes lone surrogates and line feeds. */
export function lineOf(message: { readonly t: string; readonly [member: string]: unknown }): string {
  return `${JSON.stringify(message)}\n`;
}

export function helloLine({ suite, seed, ca }: Greeting): string {
  return lineOf({
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
  return lineOf({
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

/** A message of the protocol: the JSON object on a line. */
export interface Message {
  readonly t: string;
  readonly [member: string]: unknown;
}

type ParsedLine =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'blank' }
  /** A line that is not a message of the protocol, such as a warning. `likelyKind`: the answer that it resembles. */
  | { readonly kind: 'stray'; readonly likelyKind?: 'ready' | 'result' | undefined }
  /** A message that cannot be parsed. `where` is the error message of the parser. */
  | { readonly kind: 'broken'; readonly code: 'not-utf8' | 'not-json' | 'duplicate-key'; readonly where: string };

/** Parses a line from which the line end and the byte-order mark were removed. Never throws. */
export function readLine(bytes: Uint8Array): ParsedLine {
  const firstByte = bytes.find((byte) => byte !== 0x20 && byte !== 0x09);
  if (firstByte === undefined) return { kind: 'blank' };
  const beginning = Buffer.from(bytes.subarray(0, 100)).toString('latin1');
  const likelyKind = answerPattern.exec(beginning)?.[1] as 'ready' | 'result' | undefined;
  if (firstByte !== 0x7b) return { kind: 'stray', likelyKind };
  // A library may also log in JSON. So invalid JSON counts as a broken message only if its first member is `t`.
  const isMessage = /^\s*\{\s*"t"\s*:/.test(beginning);
  try {
    const text = utf8Text(bytes);
    // Call `readJson` first, because it refuses duplicate keys. JSON.parse accepts them.
    const value = readJson(text);
    if (!isJsonObject(value) || typeof value.t !== 'string') return { kind: 'stray', likelyKind };
    return { kind: 'message', message: JSON.parse(text) as Message };
  } catch (error) {
    if (!isMessage) return { kind: 'stray', likelyKind };
    if (!(error instanceof ProtocolError)) throw error;
    const where = error.message;
    if (error.code === 'invalid-utf8') return { kind: 'broken', code: 'not-utf8', where };
    return { kind: 'broken', code: error.code === 'duplicate-key' ? 'duplicate-key' : 'not-json', where };
  }
}

/** Finds an answer in a line that is not a message, for example half of an answer, or an answer after other text. */
const answerPattern = /"t\\?"\s*:\s*\\?"(ready|result)\\?"/;

/** Returns where a message breaks its schema. Unknown members are faults only if `strict` is true. */
export function faultsOf(message: Message, { strict = false } = {}): SchemaFault[] {
  const name = (['ready', 'result', 'progress', 'log', 'pong'] as const).find((known) => known === message.t);
  if (name === undefined) return [];
  return strict ? validateClosed(name, message) : validate(`adapter/${name}`, message);
}

const maxReasonCharacters = 10_000;
/** Maximum bytes of `decoded` and `stages` as JSON. Correct clients report at most half of this limit. */
const maxReportBytes = 256 * 1024;

/** Returns the reply of a `result` message without its null members, or why the message is invalid. */
export function replyOf(message: Message): { readonly reply: ClientReply } | { readonly fault: string } {
  const [fault] = faultsOf(message);
  if (fault !== undefined) return { fault: fault.sentence };
  const { outcome, decoded, stages, stage, reason, message: text } = message as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify({ decoded, stages })) > maxReportBytes) {
    return { fault: `decoded and stages have more than ${maxReportBytes} bytes; no call of the suite needs so many` };
  }
  const cut = (part: unknown) => (typeof part === 'string' ? part.slice(0, maxReasonCharacters) : part);
  return {
    reply: withoutNull({ outcome, decoded, stages, stage: cut(stage), reason: cut(reason ?? text) }) as ClientReply,
  };
}

/** Removes null, which many languages write for absent members. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(present.map(([name, member]) => [name, withoutNull(member)]));
}

interface Ready {
  readonly adapter?: { readonly name?: string; readonly version?: string };
  readonly client: { name: string; version?: string; language?: string; language_version?: string };
  readonly offers?: {
    readonly ops?: readonly string[];
    readonly stages?: readonly string[];
    readonly inject?: readonly string[];
    readonly max_in_flight?: number;
    readonly cancel?: boolean;
    readonly tls?: boolean;
  };
}

/** Reads the message `ready`. Throws AdapterError `wrong-version` or `protocol-violation`. */
export function parseReady(message: Message) {
  if (typeof message.protocol === 'number' && message.protocol !== protocolVersion) {
    throw adapterError('wrong-version')`
      The adapter speaks version ${message.protocol} of the protocol; this suite speaks version ${protocolVersion}.
      Answer hello with a version between its protocol.min and protocol.max.`;
  }
  const [fault] = faultsOf(message);
  if (fault !== undefined) {
    throw adapterError('protocol-violation')`
      The ready message of the adapter is invalid: ${fault.sentence}.
      Compare the message with schemas/adapter/ready.json, then run --check-adapter.`;
  }
  const { offers = {}, adapter, client } = message as unknown as Ready;
  const { name, version, language, language_version: languageVersion } = client;
  const introduction: Introduction = {
    adapter: { name: adapter?.name ?? `adapter of ${name}`, version: adapter?.version },
    client: { name, version, language, languageVersion },
    offers: {
      ops: operationNames.filter((operation) => offers.ops?.includes(operation) ?? true),
      stages: offers.stages ?? [],
      inject: (['timestamp', 'nonce'] as const).filter((value) => offers.inject?.includes(value)),
      // The suite never sends more than 64 cases at once.
      maxInFlight: Math.min(offers.max_in_flight ?? 1, 64),
      tls: offers.tls ?? true,
    },
  };
  const remarks = [
    ...faultsOf(message, { strict: true }).map(({ sentence }) => `In the ready message ${sentence}; it is ignored.`),
    ...(offers.ops ?? [])
      .filter((operation) => !(operationNames as readonly string[]).includes(operation))
      .map((operation) => `The adapter offers "${operation}", which is not an operation of this suite.`),
  ];
  return { introduction, cancel: offers.cancel ?? false, remarks };
}

/** Events of one kind during a session. */
export interface NoteGroup {
  readonly kind: string;
  readonly first: readonly string[];
  /** The number of events; absent for a kind that is noted only once. */
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
    readonly stages: readonly string[];
    readonly inject: readonly ('timestamp' | 'nonce')[];
    /** At least 1. */
    readonly maxInFlight: number;
    readonly tls: boolean;
  };
}

type CaseInput = NonNullable<Call['asked']>;

/** One call of the client. Its secret and its private key are published test keys. */
export interface SessionCase extends CaseInput {
  /** The name of the case for error messages. The suite does not send the name to the adapter. */
  readonly name?: string;
  readonly operation: Operation;
  readonly auth:
    | { readonly method: 'HMAC-SHA1'; readonly consumerKey: string; readonly secret: string }
    | { readonly method: 'RSA-SHA256'; readonly consumerKey: string; readonly privateKeyPem: string };
  readonly deadlineMs: number;
  /** True if the gateway's answer never ends. Then even an adapter in a debugger gets the normal deadline. */
  readonly isEndless?: boolean;
}

/** `repeated` is set if the adapter ended and the suite repeated the case. The request may have arrived twice. */
export type SessionReply =
  | { readonly reply: ClientReply; readonly fault?: undefined; readonly repeated?: true }
  | {
      readonly reply?: undefined;
      readonly fault: { readonly code: string; readonly message: string; readonly hint: string };
      readonly repeated?: true;
    };

export interface ClientSession {
  readonly introduction: Introduction;
  /** Never rejects. At most `maxInFlight` calls run at once. Slow pongs extend the deadline, up to fourfold. */
  perform(call: SessionCase): Promise<SessionReply>;
  /** Returns the events since the last call of `takeNotes`, such as unexpected lines, late answers and restarts. */
  takeNotes(): readonly NoteGroup[];
  close(): Promise<void>;
}

/** Credentials for the signature method of the operation (section 5). */
export function authFor(
  operation: Operation,
  identity: Readonly<Record<'consumerKey' | 'consumerSecret' | 'privateKeyPem', string>>,
): SessionCase['auth'] {
  const { consumerKey, consumerSecret: secret, privateKeyPem } = identity;
  const { signatureMethod: method } = operations[operation];
  return method === 'HMAC-SHA1' ? { method, consumerKey, secret } : { method, consumerKey, privateKeyPem };
}
