/** A defect is a deliberate fault of the mock or a client. A variant is another behaviour that the document permits. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import { type Operation, operations } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import { signerOf } from '../deviations/candidates.ts';
import { type DeviationId, deviationOf } from '../deviations/index.ts';
import { verifies } from '../mock/authentication.ts';
import { firstValue, type Reading, type Received } from '../mock/decode-request.ts';
import type { Alteration, StepName } from '../mock/gateway.ts';
import { publishedIdentity } from '../mock/identity.ts';
import { editBody, type Reply, withBody, withHeader, withoutHeader, withStatus } from '../mock/responses.ts';
import type { Decision, SignatureMaterial } from '../mock/step.ts';
import type { World } from '../mock/world.ts';
import {
  baseString,
  baseStringUri,
  collectParameters,
  decodeForm,
  encodeForm,
  normalizeParameters,
  type Pair,
  percentDecode,
  readPrivateKey,
  type SignatureMethod,
  type SigningKey,
  sign,
} from '../protocol/index.ts';
import { type Exchange, headerValues, type SentRequest } from '../record/exchange.ts';
import { fullIds, type InArea, row, type Suffix, type Tag } from '../record/row.ts';

type Side = 'client' | 'gateway';

export interface Defect<S extends Side, Altered, Stored> {
  /** `area/fault`. Never change an id, and never use the id of a removed defect again. */
  readonly id: string;
  readonly side: S;
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** The requirements that must fail, and no others. Choose them by the text of the requirements, not by a run. */
  readonly breaks: readonly TestableId<S>[];
  /** Set if the fault cannot occur in a run. Then the judges are tested with `stored`. */
  readonly reach?: 'stored';
  readonly stored?: readonly Stored[];
  readonly alteration: Altered;
}

/** A fault of the mock. If the mock cannot have the fault, `stored` contains example exchanges with it. */
export type GatewayDefect = Defect<'gateway', Alteration, Exchange>;

/** Ids of requirements. An id in the area of the defect may omit `area/`. */
type Breaks<S extends Side, A extends string> = OneOrMore<InArea<S, A>>;

type OneOrMore<T> = T | readonly T[];

/** For several defects that break the same requirements. */
export function breaking<R, E, D>(defect: (what: string, breaks: R, edit: E) => D, breaks: NoInfer<R>) {
  return (what: string, edit: E): D => defect(what, breaks, edit);
}

/** Builds functions that make defects. `alter` makes an alteration of an edit; `only` limits it to one operation. */
export function defectsOf<S extends Side, Altered, Stored, Edit>(
  side: S,
  alter: (edit: Edit) => Altered,
  only: (operation: Operation, alteration: Altered) => Altered,
) {
  return <A extends string>(area: A, operation: Operation | 'both') =>
    (what: string, breaks: Breaks<S, A>, edit: Edit) =>
      row<Defect<S, Altered, Stored>>((summary) => ({
        id: `${area}/${what}`,
        side,
        operation,
        summary,
        breaks: fullIds<S>(area, [breaks].flat() as string[]),
        alteration: operation === 'both' ? alter(edit) : only(operation, alter(edit)),
      }));
}

const gatewayDefectsOf = defectsOf<'gateway', Alteration, Exchange, GatewayEdit>('gateway', alterationOf, within);

export const closeDay = gatewayDefectsOf('close-day', 'close-day');
export const recurring = gatewayDefectsOf('recurring', 'process-recurring-payments');
export const bothOperations = gatewayDefectsOf('close-day', 'both');
export const transport = gatewayDefectsOf('transport', 'both');

/** The id of an authentication requirement, without `authentication/close-day-` or `authentication/recurring-`. */
type AuthRow = Suffix<TestableId<'gateway'>, 'authentication/close-day-'>;

function authDefectsOf(operation: Operation | 'both', ...areas: readonly ('close-day' | 'recurring')[]) {
  const defect = gatewayDefectsOf('authentication', operation);
  return (what: string, rows: OneOrMore<AuthRow>, edit: GatewayEdit) => {
    const breaks = [rows].flat().flatMap((one) => areas.map((area) => `authentication/${area}-${one}` as const));
    return defect(what, breaks, edit);
  };
}

export const auth = authDefectsOf('both', 'close-day', 'recurring');
export const closeDayAuth = authDefectsOf('close-day', 'close-day');
export const recurringAuth = authDefectsOf('process-recurring-payments', 'recurring');

type ByName<T> = Readonly<Record<string, T>>;
type Pairs = readonly Pair[];
type Predicate = (reading: Reading, world: World) => boolean;

/** What changes in a gateway. `on` and `at` limit the change to answers with this decision or refusing step. */
export interface GatewayEdit extends Alteration {
  readonly of?: Operation;
  readonly on?: Decision | 'with-body';
  readonly at?: RegExp;
  readonly status?: number;
  readonly body?: string;
  readonly header?: ByName<string | undefined>;
  readonly text?: (body: string) => string;
  /** For each changed JSON member, a function that returns the new value, or undefined to remove the member. */
  readonly member?: ByName<(json: string) => string | undefined>;
  /** By authentication step: returns true to accept a request that the step refuses. */
  readonly acceptsAt?: Partial<Readonly<Record<StepName, Predicate>>>;
  readonly refusesIf?: Predicate;
  readonly refusesId?: (id: string) => boolean;
  readonly refusesCell?: ByName<(cell: string) => boolean>;
  readonly refusesName?: string;
  readonly csv?: (csv: string) => string;
}

export function alterationOf(edit: GatewayEdit, reason = 'the altered gateway refuses this request'): Alteration {
  const { of, on, at, status, body, header, text, member, acceptsAt, ...others } = edit;
  const { refusesIf, refusesId, refusesCell, refusesName, csv, ...hooks } = others;
  const writes: Alteration['writes'] = (original, context) => {
    const reply = hooks.writes?.(original, context) ?? original;
    const applies = on === undefined || (on === 'with-body' ? reply.body.length > 0 : context.decision === on);
    return applies && (at?.test(context.step ?? '') ?? true) ? editReply(reply, edit) : reply;
  };
  const isRefused = refusalPredicate(edit);
  const alteration: Alteration = {
    ...hooks,
    ...(csv && readsCsv(csv)),
    ...(acceptsAt && { accepts: (reading, step, world) => acceptsAt[step as StepName]?.(reading, world) === true }),
    ...(isRefused && { refuses: (reading, world) => (isRefused(reading, world) ? reason : undefined) }),
    ...((status ?? body ?? header ?? text ?? member) !== undefined && { writes }),
  };
  return of === undefined ? alteration : within(of, alteration);
}

function editReply(original: Reply, { status, body, header = {}, text, member = {} }: GatewayEdit): Reply {
  let reply = status === undefined ? original : withStatus(original, status);
  if (body !== undefined) reply = withBody(reply, body);
  for (const [name, value] of Object.entries(header))
    reply = value === undefined ? withoutHeader(reply, name) : withHeader(reply, name, value);
  if (reply.body.length === 0) return reply;
  if (text !== undefined) reply = editBody(reply, text);
  for (const [name, to] of Object.entries(member)) reply = editBody(reply, editMember(name, to));
  return reply;
}

function refusalPredicate({ refusesIf, refusesId, refusesCell, refusesName }: GatewayEdit): Predicate | undefined {
  if (refusesIf !== undefined) return refusesIf;
  if (refusesId !== undefined) return ({ form }) => refusesId(firstValue(form, 'day_close_request_id') ?? '');
  if (refusesName !== undefined) {
    return ({ operation, form, batch }) =>
      operation === 'close-day'
        ? form.some(([name]) => name === refusesName)
        : batch().header?.columns.includes(refusesName) === true;
  }
  if (refusesCell === undefined) return undefined;
  return ({ batch }) => {
    const isRefused = ([name, refuses]: [string, (cell: string) => boolean]) =>
      batch()
        .column(name)
        .some((cell) => cell !== undefined && refuses(cell));
    return Object.entries(refusesCell).some(isRefused);
  };
}

/** Edits a JSON member. If the member is removed, one comma is removed too, so that the body stays valid JSON. */
function editMember(name: string, edit: (json: string) => string | undefined): (text: string) => string {
  const pattern = new RegExp(`(,?)("${name}":)("(?:[^"\\\\]|\\\\.)*"|[^,}]*)(,?)`, 'g');
  return (text) =>
    text.replace(pattern, (_, before, key, json, after) => {
      const value = edit(json);
      return value === undefined ? before && after : before + key + value + after;
    });
}

function within(operation: Operation, alteration: Alteration): Alteration {
  const { accepts, refuses, writes } = alteration;
  return {
    ...alteration,
    ...(accepts && {
      accepts: (reading, step, world) => reading.operation === operation && accepts(reading, step, world),
    }),
    ...(refuses && {
      refuses: (reading, world) => (reading.operation === operation ? refuses(reading, world) : undefined),
    }),
    ...(writes && { writes: (reply, context) => (context.operation === operation ? writes(reply, context) : reply) }),
  };
}

/** The gateway processes a changed CSV, but verifies the signature of the received CSV. */
function readsCsv(change: (csv: string) => string): Alteration {
  const changePair = ([name, value]: Pair): Pair => [
    name,
    name === 'payload' ? Buffer.from(change(Buffer.from(value, 'base64').toString())).toString('base64') : value,
  ];
  const csvOf = (pairs: readonly Pair[]) => pairs.map(([, value]) => Buffer.from(value, 'base64').toString()).join();
  return {
    reads: (request) => {
      const form = decodeForm(request.body);
      return change(csvOf(form)) === csvOf(form)
        ? request
        : { ...request, body: Buffer.from(encodeForm(form.map(changePair))) };
    },
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  };
}

/** A permitted behaviour that differs from the mock. No requirement may fail. */
export interface Variant {
  /** Never change an id, and never use the id of a removed variant again. */
  readonly id: string;
  readonly summary: string;
  readonly openPoint?: OpenPointId;
  /** Why the difference does not matter. Set only if no report of a run can mention the difference. */
  readonly meaningless?: string;
  readonly alteration: Alteration;
}

export function variant(id: string, openPoint: OpenPointId | undefined, edit: GatewayEdit): Tag<Variant> {
  return row((summary) => ({ id, summary, ...(openPoint && { openPoint }), alteration: alterationOf(edit, summary) }));
}

export function authorizationLine(request: SentRequest): string {
  return headerValues(request.headers, 'authorization')[0] ?? '';
}

export function oauthValue({ oauth }: Reading, name: string): string {
  return firstValue(oauth, `oauth_${name}`) ?? '';
}

export function signatureBytes(reading: Reading): Buffer {
  return Buffer.from(oauthValue(reading, 'signature'), 'base64');
}

/** The base string of the request as received (RFC 5849 section 3.4.1). */
export function baseStringOf({ request, oauth, form, query }: Reading): string {
  const parameters = collectParameters({ authorization: [...oauth], body: [...form], query: [...query] });
  return baseString(request.method, baseStringUri(request), normalizeParameters(parameters));
}

const { consumerKey, consumerSecret, privateKeyPem } = publishedIdentity;
const keys: Readonly<Record<SignatureMethod, SigningKey>> = {
  'HMAC-SHA1': { method: 'HMAC-SHA1', consumerSecret },
  'RSA-SHA256': { method: 'RSA-SHA256', privateKey: readPrivateKey(privateKeyPem) },
};

export function rightSignature(reading: Reading): string {
  return sign(baseStringOf(reading), keys[operations[reading.operation].signatureMethod]);
}

type AuthDefect = typeof auth;
type MaterialChange = (right: SignatureMaterial, original: Received) => Partial<SignatureMaterial>;

/** Makes a gateway that also accepts a signature if it is correct for the input that `change` changed. */
export function signedOver(
  build: AuthDefect,
  what: string,
  rows: Parameters<AuthDefect>[1],
  change: MaterialChange,
  skips: Alteration['skips'] = [],
): Tag<GatewayDefect> {
  const signs: Alteration['signs'] = (right, original) =>
    verifies(right) ? right : { ...right, ...change(right, original) };
  return build(what, rows, { skips, signs });
}

/** For each signing mistake in `ids`: a gateway that also accepts signatures with this mistake. */
export function acceptDeviations(build: AuthDefect, rows: Parameters<AuthDefect>[1], ...ids: readonly DeviationId[]) {
  return ids.map((id): GatewayDefect => {
    const deviation = deviationOf(id);
    const change: MaterialChange = ({ key, steps }, original) => {
      const secret = key.method === 'HMAC-SHA1' ? key.consumerSecret : '';
      const signer = signerOf(original, { consumerKey, consumerSecret: secret });
      if (deviation.stage !== 'key') return { steps: { ...steps, base: () => signer.baseString([deviation]) } };
      const [keyText = ''] = signer.keyText([deviation]).split('&');
      return { key: { method: 'HMAC-SHA1', consumerSecret: percentDecode(keyText) } };
    };
    return signedOver(build, deviation.gateway!.defect, rows, change)`${deviation.gateway!.summary}`;
  });
}

export function overBody(
  build: AuthDefect,
  what: string,
  body: (sent: Pairs) => Pairs,
  skips: Alteration['skips'] = [],
): Tag<GatewayDefect> {
  return signedOver(build, what, 'altered-body-refused', (sent) => ({ body: body(sent.body) }), skips);
}

export function overValues(
  build: AuthDefect,
  what: string,
  change: (value: string, name: string) => string,
): Tag<GatewayDefect> {
  return overBody(build, what, (body) => body.map(([name, value]) => [name, change(value, name)]));
}

export function overQuery(what: string, query: (sent: Pairs) => Pairs): Tag<GatewayDefect> {
  return signedOver(auth, what, 'altered-uri-refused', (sent) => ({ query: query(sent.query) }));
}

type Url = SignatureMaterial['url'];

export function overUrl(what: string, url: (sent: Url) => Partial<Url>): Tag<GatewayDefect> {
  return signedOver(auth, what, 'altered-uri-refused', (sent) => ({ url: { ...sent.url, ...url(sent.url) } }));
}

export function overTarget(what: string, signed: (target: string) => string): Tag<GatewayDefect> {
  return overUrl(what, ({ target }) => ({ target: signed(target) }));
}

function acceptsAtStep(step: 'version' | 'timestamp' | 'signature-method', rows: Parameters<AuthDefect>[1]) {
  return (what: string, isAccepted: (sent: string, reading: Reading) => boolean): Tag<GatewayDefect> =>
    auth(what, rows, {
      acceptsAt: { [step]: (reading: Reading) => isAccepted(oauthValue(reading, step.replace('-', '_')), reading) },
    });
}

export const version = acceptsAtStep('version', 'wrong-version-refused');
export const timestamp = acceptsAtStep('timestamp', 'malformed-timestamp-refused');
export const methodName = acceptsAtStep('signature-method', 'other-method-refused');

export function acceptsKey(what: string, isAccepted: (key: string) => boolean): Tag<GatewayDefect> {
  return auth(`consumer-key-${what}`, 'unknown-consumer-refused', {
    acceptsAt: { consumer: (reading) => isAccepted(oauthValue(reading, 'consumer_key')) },
  });
}

export function acceptsKeyAs(what: string, change: (key: string) => string): Tag<GatewayDefect> {
  return acceptsKey(what, (key) => change(key) === consumerKey);
}

/** Returns a function that changes the lines of the CSV in a payload. */
export function editLines(change: (lines: readonly string[]) => readonly string[]): (payload: string) => string {
  return (payload) => {
    const lines = Buffer.from(payload, 'base64').toString().replace(/\n$/, '').split('\n');
    return Buffer.from(`${change(lines).join('\n')}\n`).toString('base64');
  };
}
