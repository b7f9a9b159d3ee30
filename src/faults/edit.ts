/** What a defect of a gateway edits: an answer or what is asked of a request, by a name of its own, or a hook of the mock. */
import type { Alteration, Decision } from '../mock/alteration.ts';
import { firstValue, type Reading } from '../mock/received.ts';
import { editBody, type Reply, withBody, withHeader, withoutHeader, withStatus } from '../mock/responses.ts';
import { readsPayload } from './readings.ts';

type Named<T> = Readonly<Record<string, T>>;

/** An answer is edited where it is to the decision `on`, and to a refusal by the step `at`. */
export interface GatewayEdit extends Alteration {
  readonly on?: Decision | 'with-body';
  readonly at?: RegExp;
  readonly status?: number;
  readonly body?: string;
  /** Headers to set, or to leave out (undefined). */
  readonly header?: Named<string | undefined>;
  readonly text?: (body: string) => string;
  /** Members of JSON anywhere in the body: what is written in place of the value, or undefined for none of it. */
  readonly member?: Named<(json: string) => string | undefined>;
  /** The reason for a refusal of close-day: what is wrong with its id. */
  readonly refusesId?: (id: string) => boolean;
  /** Cells of a batch by their column. */
  readonly refusesCell?: Named<(cell: string) => boolean>;
  /** A field of close-day, or a column of a batch. */
  readonly refusesName?: string;
  /** What is checked and acted on in place of the CSV that was signed. */
  readonly csv?: (csv: string) => string;
}

/** The hooks that an edit comes to. */
export function alterationOf(edit: GatewayEdit): Alteration {
  const { on, at, status, body, header, text, member, refusesId, refusesCell, refusesName, csv, ...hooks } = edit;
  const writes = (reply: Reply): Reply => {
    let written = status === undefined ? reply : withStatus(reply, status);
    if (body !== undefined) written = withBody(written, body);
    for (const [name, value] of Object.entries(header ?? {}))
      written = value === undefined ? withoutHeader(written, name) : withHeader(written, name, value);
    if (text !== undefined) written = editBody(written, text);
    return Object.entries(member ?? {}).reduce((one, [name, to]) => editBody(one, memberTo(name, to)), written);
  };
  const refuses = refusal(edit);
  return {
    ...hooks,
    ...(csv && readsPayload(csv)),
    ...(refuses && { refuses }),
    ...((status ?? body ?? header ?? text ?? member) !== undefined && {
      writes: (reply, { decision, step = '' }) => {
        const isMeant = on === undefined || (on === 'with-body' ? reply.body.length > 0 : decision === on);
        return isMeant && (at?.test(step) ?? true) ? writes(reply) : reply;
      },
    }),
  };
}

function refusal({ refusesId, refusesCell, refusesName }: GatewayEdit): Alteration['refuses'] {
  if (refusesId !== undefined)
    return ({ form }) => (refusesId(firstValue(form, 'day_close_request_id') ?? '') ? 'the id is refused' : undefined);
  if (refusesCell !== undefined)
    return (reading) => {
      const names = Object.entries(refusesCell).flatMap(([name, is]) =>
        reading
          .batch()
          .column(name)
          .some((cell) => cell !== undefined && is(cell))
          ? [name]
          : [],
      );
      return names.length > 0 ? `a cell of ${names.join()} is refused` : undefined;
    };
  if (refusesName === undefined) return undefined;
  return (reading) => (namesOf(reading).includes(refusesName) ? `${refusesName} is unknown` : undefined);
}

function namesOf(reading: Reading): readonly string[] {
  return reading.operation === 'close-day'
    ? reading.form.map(([name]) => name)
    : (reading.batch().header?.columns ?? []);
}

/** Without a value its comma goes too: the one after it, or that before the last member. */
function memberTo(name: string, to: (json: string) => string | undefined): (text: string) => string {
  const pattern = new RegExp(`(,?)("${name}":)("(?:[^"\\\\]|\\\\.)*"|[^,}]*)(,?)`, 'g');
  return (text) =>
    text.replace(pattern, (_, before, named, json, after) => {
      const value = to(json);
      return value === undefined ? before && after : before + named + value + after;
    });
}
