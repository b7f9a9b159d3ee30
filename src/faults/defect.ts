/**
 * A defect is a deliberate fault of the mock or a client. Exactly the requirements in `breaks` must fail. This proves
 * their judges. A variant is another behaviour of the mock that the document permits: no requirement may fail.
 */
import type { OpenPointId } from '../../contracts/open-points.ts';
import type { Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Alteration } from '../mock/gateway.ts';
import { firstValue, type Reading } from '../mock/received.ts';
import { editBody, type Reply, withBody, withHeader, withoutHeader, withStatus } from '../mock/responses.ts';
import type { Decision } from '../mock/step.ts';
import type { World } from '../mock/world.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import type { Exchange } from '../record/exchange.ts';
import { fullIds, type InArea, type Row, row, type Suffix } from '../record/row.ts';

type Side = 'client' | 'gateway';

export interface Defect<S extends Side, Altered, Stored> {
  /** `area/fault`. An id never changes and is never used again. */
  readonly id: string;
  readonly side: S;
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Requirements that the defect breaks. Find them by reading all statements, before the first run. */
  readonly breaks: readonly TestableId<S>[];
  /** `stored`: no run can have the fault. The judges get only the messages in `stored`. That is no proof. */
  readonly reach?: 'stored';
  readonly stored?: readonly Stored[];
  readonly alteration: Altered;
}

/** A fault of the mock. If the mock cannot have the fault, `stored` has exchanges of another gateway with the fault. */
export type GatewayDefect = Defect<'gateway', Alteration, Exchange>;

/** Ids of requirements. An id in the area of the defect may omit `area/`. */
export type Breaks<S extends Side, A extends string> = OneOrMore<InArea<S, A>>;

type OneOrMore<T> = T | readonly T[];

/** Returns a function that makes defects. Each of these defects breaks the requirements in `breaks`. */
export function breaking<R, E, D>(defect: (what: string, breaks: R, edit: E) => D, breaks: NoInfer<R>) {
  return (what: string, edit: E): D => defect(what, breaks, edit);
}

function gatewayDefectsOf<A extends string>(area: A, operation: Operation | 'both') {
  return (what: string, breaks: Breaks<'gateway', A>, edit: GatewayEdit) =>
    row<GatewayDefect>((summary) => ({
      id: `${area}/${what}`,
      side: 'gateway',
      operation,
      summary,
      breaks: fullIds<'gateway'>(area, [breaks].flat()),
      alteration: operation === 'both' ? alterationOf(edit) : within(operation, alterationOf(edit)),
    }));
}

export const closeDay = gatewayDefectsOf('close-day', 'close-day');
export const recurring = gatewayDefectsOf('recurring', 'process-recurring-payments');
export const bothOperations = gatewayDefectsOf('close-day', 'both');
export const transport = gatewayDefectsOf('transport', 'both');

/** The end of the id of a signature requirement, after `authentication/close-day-` or `authentication/recurring-`. */
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

type Named<T> = Readonly<Record<string, T>>;

/** If `on` or `at` is set, the answer changes only if the decision is `on`, and the refusing step matches `at`. */
export interface GatewayEdit extends Alteration {
  readonly of?: Operation;
  readonly on?: Decision | 'with-body';
  readonly at?: RegExp;
  readonly status?: number;
  readonly body?: string;
  readonly header?: Named<string | undefined>;
  readonly text?: (body: string) => string;
  /** For each name of a JSON member: returns the new value of the member. Undefined removes the member. */
  readonly member?: Named<(json: string) => string | undefined>;
  readonly refusesIf?: (reading: Reading, world: World) => boolean;
  readonly refusesId?: (id: string) => boolean;
  readonly refusesCell?: Named<(cell: string) => boolean>;
  readonly refusesName?: string;
  readonly csv?: (csv: string) => string;
}

export function alterationOf(edit: GatewayEdit, reason = 'the altered gateway refuses this request'): Alteration {
  const { of, on, at, status, body, header, text, member, ...others } = edit;
  const { refusesIf, refusesId, refusesCell, refusesName, csv, ...hooks } = others;
  const edits: ((reply: Reply) => Reply)[] = [
    ...(status === undefined ? [] : [(reply: Reply) => withStatus(reply, status)]),
    ...(body === undefined ? [] : [(reply: Reply) => withBody(reply, body)]),
    ...Object.entries(header ?? {}).map(
      ([name, value]) =>
        (reply: Reply) =>
          value === undefined ? withoutHeader(reply, name) : withHeader(reply, name, value),
    ),
    ...[...(text ? [text] : []), ...Object.entries(member ?? {}).map(([name, to]) => memberTo(name, to))].map(
      (change) => (reply: Reply) => (reply.body.length > 0 ? editBody(reply, change) : reply),
    ),
  ];
  const writes: Alteration['writes'] = (original, about) => {
    const reply = hooks.writes?.(original, about) ?? original;
    const isMeant = on === undefined || (on === 'with-body' ? reply.body.length > 0 : about.decision === on);
    return isMeant && (at?.test(about.step ?? '') ?? true) ? edits.reduce((one, change) => change(one), reply) : reply;
  };
  const isRefused = refused(edit);
  const alteration = {
    ...hooks,
    ...(csv && readsPayload(csv)),
    ...(isRefused && {
      refuses: (reading: Reading, world: World) => (isRefused(reading, world) ? reason : undefined),
    }),
    ...(edits.length > 0 && { writes }),
  };
  return of === undefined ? alteration : within(of, alteration);
}

function refused({ refusesIf, refusesId, refusesCell, refusesName }: GatewayEdit): GatewayEdit['refusesIf'] {
  if (refusesIf !== undefined) return refusesIf;
  if (refusesId !== undefined) return ({ form }) => refusesId(firstValue(form, 'day_close_request_id') ?? '');
  if (refusesName !== undefined) return (reading) => namesOf(reading).includes(refusesName);
  if (refusesCell === undefined) return undefined;
  return (reading) =>
    Object.entries(refusesCell).some(([name, is]) =>
      reading
        .batch()
        .column(name)
        .some((cell) => cell !== undefined && is(cell)),
    );
}

function namesOf(reading: Reading): readonly string[] {
  return reading.operation === 'close-day'
    ? reading.form.map(([name]) => name)
    : (reading.batch().header?.columns ?? []);
}

/** Edits a JSON member. If the member is removed, one comma is removed too, so that the body stays valid JSON. */
function memberTo(name: string, to: (json: string) => string | undefined): (text: string) => string {
  const pattern = new RegExp(`(,?)("${name}":)("(?:[^"\\\\]|\\\\.)*"|[^,}]*)(,?)`, 'g');
  return (text) =>
    text.replace(pattern, (_, before, named, json, after) => {
      const value = to(json);
      return value === undefined ? before && after : before + named + value + after;
    });
}

/** Limits the hooks `takes`, `refuses` and `writes` of an alteration to one operation. */
function within(operation: Operation, alteration: Alteration): Alteration {
  const { takes, refuses, writes } = alteration;
  return {
    ...alteration,
    ...(takes && { takes: (reading, step, world) => reading.operation === operation && takes(reading, step, world) }),
    ...(refuses && {
      refuses: (reading, world) => (reading.operation === operation ? refuses(reading, world) : undefined),
    }),
    ...(writes && { writes: (reply, about) => (about.operation === operation ? writes(reply, about) : reply) }),
  };
}

/** The gateway processes a changed CSV, but verifies the signature of the received CSV. */
function readsPayload(change: (csv: string) => string): Alteration {
  const changed = ([name, value]: Pair): Pair => [
    name,
    name === 'payload' ? Buffer.from(change(Buffer.from(value, 'base64').toString())).toString('base64') : value,
  ];
  const csvOf = (pairs: readonly Pair[]) => pairs.map(([, value]) => Buffer.from(value, 'base64').toString()).join();
  return {
    reads: (request) => {
      const form = decodeForm(request.body);
      return change(csvOf(form)) === csvOf(form)
        ? request
        : { ...request, body: Buffer.from(encodeForm(form.map(changed))) };
    },
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  };
}

export interface Variant {
  /** An id never changes and is never used again. */
  readonly id: string;
  readonly summary: string;
  readonly openPoint?: OpenPointId;
  /** Why the difference has no meaning. Set only if no report can mention the difference. */
  readonly meaningless?: string;
  readonly alteration: Alteration;
}

export function variant(id: string, openPoint: OpenPointId | undefined, edit: GatewayEdit): Row<Variant> {
  return row((summary) => ({ id, summary, ...(openPoint && { openPoint }), alteration: alterationOf(edit, summary) }));
}
