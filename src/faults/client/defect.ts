/** Builds faults of the reference client from edits of its requests and of the answers that it decodes. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { type ClientAlteration, type Context, callGateway } from '../../peer/client/client.ts';
import {
  type CsvTable,
  isJsonObject,
  type JsonValue,
  type Pair,
  readJson,
  readPrivateKey,
  type SigningKey,
} from '../../protocol/index.ts';
import type { Decoded, DecodedGate, DecodedValue } from '../../record/case.ts';
import type { Exchange, Header, ReceivedResponse } from '../../record/exchange.ts';
import { type Defect, defectsOf } from '../defect.ts';

/** A fault of the reference client. If no input reveals the fault, `stored` has requests that reveal it. */
export type ClientDefect = Defect<'client', ClientAlteration, StoredRequest>;

/** A request that the client never sends in a run. Only those failures count that the defect adds. */
export interface StoredRequest {
  readonly operation: Operation;
  /** Request target, including the query. Default: the path of the operation. */
  readonly target?: string;
  readonly fields: readonly Pair[];
}

const clientDefectsOf = defectsOf<'client', ClientAlteration, StoredRequest, ClientEdit>('client', alterationOf, only);

export const auth = clientDefectsOf('authentication', 'both');
export const closeDayAuth = clientDefectsOf('authentication', 'close-day');
export const recurringAuth = clientDefectsOf('authentication', 'process-recurring-payments');
export const transport = clientDefectsOf('transport', 'both');
export const closeDay = clientDefectsOf('close-day', 'close-day');
export const recurring = clientDefectsOf('recurring', 'process-recurring-payments');

function only(operation: Operation, alteration: ClientAlteration): ClientAlteration {
  return when((context) => context.operation === operation, alteration);
}

type Edit<T> = (value: T, context: Context) => T;
type ByName<T> = Readonly<Record<string, T>>;
type Of<Kind extends Decoded['kind']> = Extract<Decoded, { readonly kind: Kind }>;

/** Changes to the signed request. An undefined header is removed. Content-Length is set to the new length. */
type RequestEdit = (done: Context['done']) => {
  readonly method?: string;
  readonly target?: string;
  readonly header?: ByName<string | undefined>;
  readonly body?: string;
};

export interface Answer {
  readonly kind: Decoded['kind'];
  readonly status: number;
  readonly response: ReceivedResponse;
  readonly text: string;
  /** Parameters of section 2.4, if the body has any. `param` returns the value of one parameter. */
  readonly params: readonly Pair[] | undefined;
  readonly param: (name: string) => string | undefined;
  readonly code: string | undefined;
  /** Facts about the close-day body; undefined if the body is not a JSON object. */
  readonly body: ReturnType<typeof closeDayFacts>;
}

/** Functions that turn an edit into hooks of the client. Edits of absent columns, fields and members do nothing. */
const toHooks = {
  cell: (edits: ByName<(cell: string, row: ByName<string>) => string>) =>
    editRows((rows, columns) =>
      rows.map((row) => {
        const cellsByName = Object.fromEntries(columns.map((name, at) => [name, row[at] ?? '']));
        return row.map((cell, at) => edits[columns[at]!]?.(cell, cellsByName) ?? cell);
      }),
    ),
  column: (edits: ByName<(cells: readonly string[]) => readonly string[]>) =>
    editRows((rows, columns) => {
      const changed = columns.map((name, at) => edits[name]?.(rows.map((row) => row[at] ?? '')));
      return rows.map((row, at) => row.map((cell, index) => changed[index]?.[at] ?? cell));
    }),
  rows: editRows,
  field: (edits: ByName<(value: string) => string>) => ({
    fields: (pairs) => pairs.map(([name, value]) => [name, edits[name]?.(value) ?? value]),
  }),
  target: (edit: Edit<string>) => ({ url: (url, context) => ({ ...url, target: edit(url.target, context) }) }),
  sent: (edit: RequestEdit) => ({
    request: (request, { done }) => {
      const { header = {}, body, ...requestLine } = edit(done);
      const bytes = body === undefined ? request.body : Buffer.from(body, 'utf8');
      const newHeaders = { 'Content-Length': String(bytes.length), ...header };
      const headers = request.headers.flatMap(([name, value]): Header[] => {
        const newValue = name in newHeaders ? newHeaders[name as keyof typeof newHeaders] : value;
        return newValue === undefined ? [] : [[name, newValue]];
      });
      return { ...request, ...requestLine, headers, body: bytes };
    },
  }),
  finished: (read: (decoded: Of<'finished'>, context: Context) => Decoded) => editAs('finished', read),
  error: (read: (decoded: Of<'error'>, context: Context) => Decoded) => editAs('error', read),
  gates,
  gate,
  gateText: (edits: ByName<Edit<string>>) =>
    gateValue(edits, (value, edit, context) => ('text' in value ? { text: edit(value.text, context) } : value)),
  gateLong: (edits: ByName<(digits: string) => bigint>) =>
    gateValue(edits, (value, edit) => ('long' in value ? { long: String(edit(value.long)) } : value)),
  serial: (edit: Edit<string>) => ({
    decoded: (one, context) => ('serial' in one && one.serial ? { ...one, serial: edit(one.serial, context) } : one),
  }),
  message: (edit: Edit<string>) =>
    editAs('error', (one, context) =>
      one.errorMessage === undefined ? one : { ...one, errorMessage: edit(one.errorMessage, context) },
    ),
  params,
  value: (edit: (value: string, name: string) => string) =>
    params((all) => all.map(([name, value]) => [name, edit(value, name)])),
  success: (condition: (answer: Answer) => boolean) =>
    editIf(condition, (decoded, { operation }) => {
      if (operation !== 'close-day') return { kind: 'accepted' };
      return { kind: 'finished', gates: [], ...('serial' in decoded ? { serial: decoded.serial } : {}) };
    }),
  refused: (condition: (answer: Answer) => boolean) =>
    editIf(condition, (_, { done }) => ({ kind: 'refused', http_status: done.response.status })),
  unread: (condition: (answer: Answer) => boolean) =>
    editIf(condition, () => ({ kind: 'undecodable', reason: 'another answer than expected' })),
} satisfies ByName<(edit: never) => ClientAlteration>;

type Edits = { readonly [P in keyof typeof toHooks]: Parameters<(typeof toHooks)[P]>[0] };

export interface ClientEdit extends Partial<Edits>, ClientAlteration {
  /** The edits apply only if this pattern matches an environment variable, such as `TZ=Europe/Berlin`. */
  readonly under?: RegExp;
  /** If the reference client refuses an input for a reason that matches, the faulty client still sends the request. */
  readonly ignoredRefusal?: RegExp;
}

export function alterationOf({ under, ignoredRefusal, ...edits }: ClientEdit): ClientAlteration {
  const parts = Object.entries(edits).map(([name, edit]) =>
    name in toHooks ? (toHooks[name as keyof Edits] as (edit: unknown) => ClientAlteration)(edit) : { [name]: edit },
  );
  const refusal: ClientAlteration['refusal'] = (one) => (one && ignoredRefusal?.test(one.reason) ? undefined : one);
  const alteration: ClientAlteration = Object.assign({}, ...parts, ignoredRefusal === undefined ? {} : { refusal });
  if (under === undefined) return alteration;
  return when(({ environment }) => Object.entries(environment).some((pair) => under.test(pair.join('='))), alteration);
}

type Hook = (value: unknown, context: Context) => unknown;

function when(condition: (context: Context) => boolean, alteration: ClientAlteration): ClientAlteration {
  const hooks = Object.entries(alteration as ByName<Hook>).map(([name, hook]) => [
    name,
    (value: unknown, context: Context) => (condition(context) ? hook(value, context) : value),
  ]);
  return Object.fromEntries(hooks);
}

function editRows(edit: (rows: CsvTable['rows'], columns: readonly string[]) => CsvTable['rows']): ClientAlteration {
  return { table: ({ columns, rows }) => ({ columns, rows: edit(rows, columns) }) };
}

function editAs<K extends Decoded['kind']>(kind: K, read: (one: Of<K>, context: Context) => Decoded): ClientAlteration {
  return { decoded: (one, context) => (one.kind === kind ? read(one as Of<K>, context) : one) };
}

function gates(edit: Edit<readonly DecodedGate[]>): ClientAlteration {
  return editAs('finished', (one, context) => (one.gates ? { ...one, gates: edit(one.gates, context) } : one));
}

function gate(edit: Edit<DecodedGate>): ClientAlteration {
  return gates((all, context) => all.map((one) => edit(one, context)));
}

function gateValue<E>(
  edits: ByName<E>,
  read: (value: DecodedValue, edit: E, context: Context) => DecodedValue,
): ClientAlteration {
  return gate((one, context) => {
    const members = Object.entries(one).map(([name, value]) => {
      const edit = edits[name];
      return [name, edit === undefined ? value : read(value, edit, context)];
    });
    return Object.fromEntries(members);
  });
}

function params(edit: Edit<readonly Pair[]>): ClientAlteration {
  return editAs('parameters', (one, context) => ({ ...one, params: edit(one.params, context) }));
}

function editIf(
  condition: (answer: Answer) => boolean,
  read: (decoded: Decoded, context: Context) => Decoded,
): ClientAlteration {
  return {
    decoded: (decoded, context) => {
      const { response } = context.done;
      const pairs = decoded.kind === 'parameters' ? decoded.params : undefined;
      const answer = {
        kind: decoded.kind,
        status: response.status,
        response,
        text: Buffer.from(response.body).toString('utf8'),
        params: pairs,
        param: (name: string) => pairs?.find(([one]) => one === name)?.[1],
        code: decoded.kind === 'error' ? decoded.errorCode : undefined,
        body: closeDayFacts(response.body),
      };
      return condition(answer) ? read(decoded, context) : decoded;
    },
  };
}

function closeDayFacts(body: Uint8Array) {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const outer = isJsonObject(value.response) ? value : (Object.values(value).find(isJsonObject) ?? value);
  const status = isJsonObject(outer.response) ? outer.response.status : undefined;
  return {
    status: typeof status === 'string' ? status : undefined,
    hasNonTextStatus: status !== undefined && typeof status !== 'string',
    /** `status` at the top level. Undefined if the body has an object `response`. */
    rootStatus: isJsonObject(outer.response) ? undefined : value.status,
    hasUnknownMembers: Object.keys(value).some((name) => name !== 'response' && name !== 'theRequestSerialNumber'),
  };
}

/** Returns the exchanges of the reference client for a stored request. Sends nothing: each answer is an empty 200. */
export async function performStored(
  { operation, target, fields }: StoredRequest,
  alterations: readonly ClientAlteration[],
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const storedSteps: ClientAlteration = {
    refusal: () => undefined,
    fields: () => fields,
    ...(target === undefined ? {} : { url: (url) => ({ ...url, target }) }),
  };
  const { consumerKey, consumerSecret, privateKeyPem } = publishedIdentity;
  const method = operations[operation].signatureMethod;
  const key: SigningKey =
    method === 'HMAC-SHA1' ? { method, consumerSecret } : { method, privateKey: readPrivateKey(privateKeyPem) };
  const startedAt = 1_800_000_000_000;
  // `storedSteps` sets the fields of the request, so the CSV may be empty.
  await callGateway(
    operation,
    { columns: [], rows: [] },
    {
      baseUrl: 'https://127.0.0.1:8443',
      endpointId: '1111',
      credentials: { consumerKey, key },
      send: async (request) => {
        const headers: Header[] = [['Content-Length', '0']];
        const response = { status: 200, reason: 'OK', headers, body: new Uint8Array() };
        exchanges.push({ request, response, startedAt, durationMs: 1 });
        return { response };
      },
      clock: () => startedAt,
      nonce: () => `stored${exchanges.length}`,
      alterations: [storedSteps, ...alterations],
    },
  );
  return exchanges;
}
