/** Builds alterations of the mock from named edits, for gateway defects and for variants. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import type { Operation } from '../../contracts/operations.ts';
import type { Alteration } from '../mock/alteration.ts';
import { firstValue, type Reading, type Received } from '../mock/received.ts';
import { editBody, type Reply, withBody, withHeader, withoutHeader, withStatus } from '../mock/responses.ts';
import type { Decision } from '../mock/step.ts';
import type { World } from '../mock/world.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import { headerValues } from '../record/exchange.ts';
import { type Row, row } from '../record/row.ts';

type Named<T> = Readonly<Record<string, T>>;

/** Result of JSON.parse, but gateId and epntId are strings that start with `mark`. */
export type Json = Record<string, unknown>;

/** Edits of the answer apply only if the decision on the request is `on`, and the step that refused it matches `at`. */
export interface GatewayEdit extends Alteration {
  readonly of?: Operation;
  readonly on?: Decision | 'with-body';
  readonly at?: RegExp;
  readonly status?: number;
  readonly body?: string;
  readonly header?: Named<string | undefined>;
  readonly text?: (body: string) => string;
  readonly json?: (body: Json) => unknown;
  /** For a JSON member anywhere in the body: a function from its old to its new value. Undefined removes the member. */
  readonly member?: Named<(json: string) => string | undefined>;
  readonly refusesIf?: (reading: Reading, world: World) => boolean;
  readonly refusesId?: (id: string) => boolean;
  readonly refusesCell?: Named<(cell: string) => boolean>;
  readonly refusesName?: string;
  readonly csv?: (csv: string) => string;
}

export function alterationOf(edit: GatewayEdit, reason = 'the altered gateway refuses this request'): Alteration {
  const { of, on, at, status, body, header, text, json, member, ...others } = edit;
  const { refusesIf, refusesId, refusesCell, refusesName, csv, ...hooks } = others;
  const edits: ((reply: Reply) => Reply)[] = [
    ...(status === undefined ? [] : [(reply: Reply) => withStatus(reply, status)]),
    ...(body === undefined ? [] : [(reply: Reply) => withBody(reply, body)]),
    ...Object.entries(header ?? {}).map(
      ([name, value]) =>
        (reply: Reply) =>
          value === undefined ? withoutHeader(reply, name) : withHeader(reply, name, value),
    ),
    ...[
      ...(text ? [text] : []),
      ...(json ? [jsonTo(json)] : []),
      ...Object.entries(member ?? {}).map(([name, to]) => memberTo(name, to)),
    ].map((change) => (reply: Reply) => (reply.body.length > 0 ? editBody(reply, change) : reply)),
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

const mark = 'long:';

/** Edits a JSON body. JavaScript numbers would round gateId and epntId, so `change` gets both as strings. */
export function jsonTo(change: (body: Json) => unknown, indent?: number): (text: string) => string {
  return (text) => {
    const body: Json = JSON.parse(text.replace(/"(gateId|epntId)":(\d+)/g, `"$1":"${mark}$2"`));
    return JSON.stringify(change(body), undefined, indent).replace(new RegExp(`"${mark}(\\d+)"`, 'g'), '$1');
  };
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

/** Limits an alteration to one operation, except `reads` and `signs`, which run before the operation is known. */
export function within(operation: Operation, alteration: Alteration): Alteration {
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

export function readsAnyType(operation: Operation): Alteration {
  return { reads: (request) => (request.target.includes(`/${operation}/`) ? asForm(request) : request) };
}

function asForm(request: Received): Received {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  return { ...request, headers: [...others, ['Content-Type', 'application/x-www-form-urlencoded']] };
}

/** Reads the members of a JSON body as fields, which need not be signed (RFC 5849 section 3.4.1.3.1). */
export const readsJson: Alteration = {
  reads: (request) => {
    const members = jsonMembers(request);
    return members === undefined
      ? request
      : { ...asForm(request), body: Buffer.from(encodeForm(Object.entries(members))) };
  },
  signs: (material, original) => (jsonMembers(original) === undefined ? material : { ...material, body: [] }),
};

function jsonMembers({ headers, body }: Received): Readonly<Record<string, string>> | undefined {
  if (!headerValues(headers, 'content-type').includes('application/json')) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The gateway processes a changed CSV, but verifies the signature over the received CSV. */
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
  /** An id never changes, and no other variant gets it later. */
  readonly id: string;
  readonly summary: string;
  readonly openPoint?: OpenPointId;
  /** The rule that makes the difference meaningless. Set it only if no report can show the variant. */
  readonly meaningless?: string;
  readonly alteration: Alteration;
}

export function variant(id: string, openPoint: OpenPointId | undefined, edit: GatewayEdit): Row<Variant> {
  return row((summary) => ({ id, summary, ...(openPoint && { openPoint }), alteration: alterationOf(edit, summary) }));
}

export function meaningless(id: string, rule: string, edit: GatewayEdit): Row<Variant> {
  return row((summary) => ({ id, summary, meaningless: rule, alteration: alterationOf(edit, summary) }));
}
