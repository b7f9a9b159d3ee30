/** The reference client. It performs an operation in named steps, from the business input to the decoded answer. */
import { randomBytes } from 'node:crypto';
import { type Operation, operationNames, pathTo } from '../../../contracts/operations.ts';
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import {
  baseString,
  baseStringUri,
  buildCloseDay,
  type CsvTable,
  collectParameters,
  decodeCloseDayResponse,
  decodeForm,
  decodeRecurringResponse,
  encodeBase64,
  encodeCsv,
  encodeForm,
  type Gate,
  normalizeParameters,
  type Pair,
  ProtocolError,
  percentEncode,
  printAuthorization,
  queryOf,
  type RequestUrl,
  readPrivateKey,
  type SigningKey,
  sign,
  utf8Bytes,
} from '../../protocol/index.ts';
import type {
  CallInput,
  ClientReply,
  CloseDayInput,
  Decoded,
  DecodedGate,
  DecodedValue,
  RecurringInput,
} from '../../record/case.ts';
import type { Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import type { ClientSession, Introduction, SessionCase, SessionReply } from '../adapter/messages.ts';
import type { LocalGateway } from '../local-gateway/local-gateway.ts';

interface OperationSteps {
  readonly refusal: (input: CallInput) => ClientRefusal | undefined;
  readonly fields: (run: RunStep, input: CallInput) => readonly Pair[];
  readonly read: (response: ReceivedResponse) => Decoded;
}

export const operationSteps: Readonly<Record<Operation, OperationSteps>> = {
  'close-day': {
    refusal: (input) => closeDayRefusal(input as CloseDayInput),
    fields: (run, input) => run('fields', () => buildCloseDay(input as CloseDayInput)),
    read: reader(readCloseDay),
  },
  'process-recurring-payments': {
    refusal: (input) => batchRefusal(input as RecurringInput),
    fields: (run, input) => batchFields(run, input as RecurringInput),
    read: reader(readBatchAnswer),
  },
};

function batchFields(run: RunStep, { columns, rows }: RecurringInput): readonly Pair[] {
  const table = run('table', () => ({ columns, rows: rows.map((row) => row.map((cell) => cell ?? '')) }));
  const csv = run('csv', () => encodeCsv(table));
  const bytes = run('csvBytes', () => utf8Bytes(csv));
  const payload = run('payload', () => encodeBase64(bytes));
  return run('fields', () => [['payload', payload]]);
}

function closeDayRefusal({ day_close_request_id: id }: CloseDayInput): ClientRefusal | undefined {
  const refuse = (reason: string): ClientRefusal => ({ stage: 'fields', reason: `day_close_request_id ${reason}` });
  if (id === undefined) return refuse('is missing');
  const length = countCharacters(id);
  if (length < 8 || length > 32) return refuse(`has ${length} characters, 8 to 32 are allowed`);
  if (!/^[A-Za-z0-9]+$/.test(id)) return refuse('has characters other than letters and digits');
  return undefined;
}

function batchRefusal({ columns, rows }: RecurringInput): ClientRefusal | undefined {
  const refuse = (reason: string): ClientRefusal => ({ stage: 'csv', reason });
  if (new Set(columns).size < columns.length) return refuse('a column occurs twice');
  for (const [index, row] of rows.entries()) {
    const cell = (name: string) => row[columns.indexOf(name)] ?? '';
    const fault = row.length === columns.length ? rowFault(cell) : 'has more or fewer cells than there are columns';
    if (fault !== undefined) return refuse(`row ${index + 1}: ${fault}`);
  }
  return undefined;
}

/** CSV cannot express that a cell is absent. So an empty cell counts as missing. */
function rowFault(cell: (name: string) => string): string | undefined {
  const amount = cell('amount');
  const hasOtherAmount = (cell('amount-from') !== '' && cell('amount-to') !== '') || cell('amount-sequence') !== '';
  if (amount === '' && !hasOtherAmount) return 'amount is missing';
  if (amount !== '' && !/^[0-9]+(?:\.[0-9]+)?$/.test(amount)) return 'amount is not a number such as 1 or 1.50';
  return (
    lengthFault('client-orderid', cell('client-orderid'), 128) ??
    lengthFault('recurring-payment-id', cell('recurring-payment-id'), 10) ??
    (countCharacters(amount) > 10 ? 'amount has more than 10 characters' : undefined)
  );
}

function lengthFault(name: string, value: string, limit: number): string | undefined {
  if (value === '') return `${name} is missing`;
  return countCharacters(value) > limit ? `${name} has more than ${limit} characters` : undefined;
}

function countCharacters(text: string): number {
  return [...text].length;
}

function reader(read: OperationSteps['read']): OperationSteps['read'] {
  return (response) => {
    try {
      return read(response);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { kind: 'undecodable', reason: error.message };
    }
  };
}

function readCloseDay(response: ReceivedResponse): Decoded {
  const answer = decodeCloseDayResponse(response);
  if (answer.kind === 'refused') return { kind: 'refused', http_status: answer.httpStatus };
  const { wrapped: _, ...answerMembers } = answer;
  return answerMembers.kind === 'finished'
    ? { ...answerMembers, gates: answerMembers.gates.map(decodeGate) }
    : answerMembers;
}

function readBatchAnswer(response: ReceivedResponse): Decoded {
  const answer = decodeRecurringResponse(response);
  if (answer.kind === 'refused') return { kind: 'refused', http_status: answer.httpStatus };
  return answer.kind === 'accepted' ? answer : { kind: 'parameters', params: answer.params };
}

function decodeGate(gate: Gate): DecodedGate {
  const members = Object.values(gateResultFields).map(({ member, type }): [string, DecodedValue] => {
    const value = gate[member];
    if (typeof value === 'boolean') return [member, { bool: value }];
    return [member, type === 'long' ? { long: value } : { text: value }];
  });
  return Object.fromEntries(members);
}

interface ReferenceClientOptions {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly credentials: { readonly consumerKey: string; readonly key: SigningKey };
  readonly send: Send;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** Returns a new nonce for each call (RFC 5849 section 3.3). */
  readonly nonce: () => string;
  /** The deadline of one exchange in milliseconds; default 10 000. */
  readonly deadlineMs?: number;
  /** Defects of the client, in the order in which they are applied. */
  readonly alterations?: readonly ClientAlteration[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface ClientAnswer extends ClientReply {
  readonly request?: SentRequest;
}

/** Makes one call. If the network or the gateway fails, does not reject: the answer contains the error. */
export async function callGateway(
  operation: Operation,
  callInput: CallInput,
  options: ReferenceClientOptions,
): Promise<ClientAnswer> {
  const { baseUrl, endpointId, environment = {}, deadlineMs = 10_000, alterations = [] } = options;
  const done: Partial<Steps> = {};
  const context = { operation, baseUrl, endpointId, environment, time: options.clock(), done } as Context;
  let step: ClientStepName = 'input';
  const run: RunStep = (name, make) => {
    step = name;
    let value = make();
    for (const { [name]: hook } of alterations) if (hook !== undefined) value = hook(value, context);
    (done as Record<ClientStepName, unknown>)[name] = value;
    return value;
  };

  const input = run('input', () => callInput);
  run('credentials', () => options.credentials);
  const refusal = run('refusal', () => operationSteps[operation].refusal(input));
  if (refusal !== undefined) return { outcome: 'refused_locally', ...refusal };
  let request: SentRequest;
  try {
    request = buildClientRequest(run, context, options.nonce);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { outcome: 'refused_locally', stage: step, reason: error.message };
  }

  const stages = stagesOf(context.done);
  const connection = run('connection', () => ({ acceptAnyCertificate: false, deadlineMs }));
  const { response, failure } = await run('send', () => options.send)(request, connection);
  if (failure !== undefined) {
    return { outcome: 'transport_error', reason: `${failure.kind}: ${failure.message}`, request, stages };
  }
  return { outcome: 'completed', request, decoded: decode(response, run, operation), stages };
}

function decode(answer: ReceivedResponse, run: RunStep, operation: Operation): Decoded {
  try {
    const response = run('response', () => answer);
    return run('decoded', () => operationSteps[operation].read(response));
  } catch (error) {
    return { kind: 'undecodable', reason: error instanceof Error ? error.message : String(error) };
  }
}

const method = 'POST';

/** Performs the steps up to `request`. Throws ProtocolError if a text cannot be encoded or the base URL is wrong. */
function buildClientRequest(run: RunStep, context: Context, nonce: () => string): SentRequest {
  const fields = operationSteps[context.operation].fields(run, context.done.input);
  const form = run('form', () => encodeForm(fields));
  const body = run('body', () => utf8Bytes(form));
  const url = run('url', () => requestUrl(context.baseUrl, context.operation, context.endpointId));
  const authorization = authorize(run, context, nonce);
  const headers = run('headers', () => [
    ['Host', url.host],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Length', String(body.length)],
    ['Authorization', authorization],
  ]);
  return run('request', () => ({ method, ...url, headers, body }) as SentRequest);
}

function authorize(run: RunStep, { done, time }: Context, newNonce: () => string): string {
  const { consumerKey, key } = done.credentials;
  const fresh = run('fresh', () => ({ timestamp: String(Math.floor(time / 1000)), nonce: newNonce() }));
  const unsigned = run('unsigned', () => [
    ['oauth_consumer_key', consumerKey],
    ['oauth_signature_method', key.method],
    ['oauth_timestamp', fresh.timestamp],
    ['oauth_nonce', fresh.nonce],
    ['oauth_version', '1.0'],
  ]);
  const query = decodeForm(queryOf(done.url.target));
  const parameters = run('parameters', () => collectParameters({ authorization: unsigned, body: done.fields, query }));
  const normalized = run('normalized', () => normalizeParameters(parameters));
  const uri = run('baseStringUri', () => baseStringUri(done.url));
  const base = run('baseString', () => baseString(method, uri, normalized));
  const signature = run('signature', () => sign(base, key));
  const signed = run('signed', () => [...unsigned, ['oauth_signature', signature]]);
  return run('authorization', () => printAuthorization(signed));
}

function requestUrl(baseUrl: string, operation: Operation, endpointId: string): RequestUrl {
  const parts = /^(https?):\/\/([^/?#\s]+)(\/[^?#\s]*)?$/i.exec(baseUrl.trim());
  if (parts === null) {
    throw new ProtocolError(
      'malformed-target',
      'the base URL must start with http:// or https://, and have only a host and a path',
    );
  }
  const prefix = (parts[3] ?? '').replace(/\/+$/, '');
  const target = `${prefix}${pathTo(operation)}${percentEncode(endpointId)}`;
  return { scheme: parts[1]!.toLowerCase(), host: parts[2]!, target };
}

/** The step values that the client reports. `…_b64` values are bytes in base64; `parameters` is form-encoded. */
function stagesOf(done: Steps): Readonly<Record<string, string>> {
  const batch: Record<string, string> =
    done.csvBytes === undefined ? {} : { csv_b64: encodeBase64(done.csvBytes), payload: done.payload };
  return {
    ...batch,
    body_b64: encodeBase64(done.body),
    parameters: encodeForm(done.parameters),
    normalized: done.normalized,
    base_string: done.baseString,
    signature: done.signature,
    authorization: done.authorization,
  };
}

interface ClientRefusal {
  readonly stage: string;
  readonly reason: string;
}

/** Sends a request once. If the network or the gateway fails, does not reject: the outcome contains the error. */
export type Send = LocalGateway['handle'];

interface Steps {
  readonly input: CallInput;
  readonly credentials: { readonly consumerKey: string; readonly key: SigningKey };
  readonly refusal: ClientRefusal | undefined;
  /** Only process-recurring-payments has `table`, `csv`, `csvBytes` and `payload`. */
  readonly table: CsvTable;
  readonly csv: string;
  readonly csvBytes: Uint8Array;
  readonly payload: string;
  readonly fields: readonly Pair[];
  readonly form: string;
  readonly body: Uint8Array;
  readonly url: RequestUrl;
  readonly fresh: { readonly timestamp: string; readonly nonce: string };
  readonly unsigned: readonly Pair[];
  /** The parameters that are signed, see RFC 5849 section 3.4.1.3.1. */
  readonly parameters: readonly Pair[];
  /** The normalized parameters, see RFC 5849 section 3.4.1.3.2. */
  readonly normalized: string;
  /** The URI in the base string, see RFC 5849 section 3.4.1.2. */
  readonly baseStringUri: string;
  readonly baseString: string;
  readonly signature: string;
  readonly signed: readonly Pair[];
  readonly authorization: string;
  readonly headers: readonly Header[];
  readonly request: SentRequest;
  readonly connection: Parameters<Send>[1];
  readonly send: Send;
  readonly response: ReceivedResponse;
  readonly decoded: Decoded;
}

type ClientStepName = keyof Steps;

/** Performs a step: computes its value, applies the alterations, and keeps the result for later steps. */
type RunStep = <Name extends ClientStepName>(name: Name, make: () => Steps[Name]) => Steps[Name];

export interface Context {
  readonly operation: Operation;
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** The values of the steps so far. Values of later steps, and of steps of the other operation, are undefined. */
  readonly done: Steps;
}

/** Functions that replace the values of steps. If a function throws, the call fails. */
export type ClientAlteration = {
  readonly [Name in ClientStepName]?: (value: Steps[Name], context: Context) => Steps[Name];
};

interface InProcessOptions {
  readonly gateway: Pick<LocalGateway, 'handle'>;
  readonly alterations?: readonly ClientAlteration[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch; default: the clock of the machine. */
  readonly clock?: () => number;
  /** Returns the nonce of a call; default: a random nonce. */
  readonly nonce?: (call: SessionCase) => string;
  /** Signatures of earlier sessions. The client reuses a signature for the same base string. */
  readonly signatureCache?: Map<string, string>;
}

/** A session with the reference client, without an adapter. */
export function openInProcessSession(options: InProcessOptions): ClientSession {
  const keyOf = keyCache(options.signatureCache);
  return {
    introduction,
    perform: async (call) => {
      try {
        return { reply: await perform(call, keyOf(call.auth), options) };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { reply: { outcome: 'adapter_error', reason } } satisfies SessionReply;
      }
    },
    takeNotes: () => [],
    close: () => Promise.resolve(),
  };
}

const introduction: Introduction = {
  adapter: { name: 'in-process' },
  client: { name: 'Countersign reference client', language: 'TypeScript', languageVersion: process.versions.node },
  offers: {
    ops: operationNames,
    stages: 'csv payload body parameters normalized base_string signature authorization'.split(' '),
    inject: ['timestamp', 'nonce'],
    maxInFlight: 16,
    tls: true,
  },
};

async function perform(call: SessionCase, key: SigningKey, options: InProcessOptions): Promise<ClientReply> {
  const { clock = Date.now, nonce = () => randomBytes(16).toString('hex'), environment, alterations } = options;
  const { timestamp, nonce: injectedNonce } = call.inject ?? {};
  const { request: _, ...reply } = await callGateway(call.operation, call.input, {
    baseUrl: call.baseUrl,
    endpointId: call.endpointId,
    credentials: { consumerKey: call.auth.consumerKey, key },
    send: (request, connection) => options.gateway.handle(request, connection),
    clock: timestamp === undefined ? clock : () => Number(timestamp) * 1000,
    nonce: () => injectedNonce ?? nonce(call),
    // Stop before the deadline of the case, so that the client can still report the timeout.
    deadlineMs: call.deadlineMs * 0.8,
    alterations,
    environment: { ...environment, ...call.environment },
  });
  return reply;
}

/** Parses each private key once, because parsing takes longer than signing. */
function keyCache(signatureCache: Map<string, string> | undefined): (auth: SessionCase['auth']) => SigningKey {
  const parsed = new Map<string, ReturnType<typeof readPrivateKey>>();
  return (auth) => {
    if (auth.method === 'HMAC-SHA1') return { method: auth.method, consumerSecret: auth.secret };
    const privateKey = parsed.get(auth.privateKeyPem) ?? readPrivateKey(auth.privateKeyPem);
    parsed.set(auth.privateKeyPem, privateKey);
    return { method: auth.method, privateKey, ...(signatureCache && { cache: signatureCache }) };
  };
}
