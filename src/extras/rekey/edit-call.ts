/** A call of a client with the same stand-ins as its requests: what it was asked, and what it made of the answer. */
import type { ClientCall } from '../../record/case.ts';
import type { Asked } from '../../record/client-case.ts';
import type { GivenCells } from './edit-csv.ts';
import { editTarget, namesAnId } from './edit-fields.ts';
import type { StandIns } from './stand-ins.ts';

/** The call without the client's own intermediate steps, which no verdict comes from. */
export function editCall<T extends ClientCall>(call: T, standIns: StandIns): T {
  const { asked, reply } = call;
  const { stages: _, ...told } = reply ?? { outcome: 'completed' };
  return {
    ...call,
    label: editNamed(call.label, standIns),
    asked: asked && {
      ...asked,
      baseUrl: editTarget(asked.baseUrl, standIns),
      endpointId: standIns.id(asked.endpointId),
      consumerKey: standIns.consumerKey(asked.consumerKey),
      inject: asked.inject && editInjected(asked.inject, standIns),
      input: 'columns' in asked.input ? editTable(asked.input, standIns) : editNamed(asked.input, standIns),
    },
    reply: reply && editNamed(told, standIns),
  };
}

function editInjected({ timestamp, nonce }: NonNullable<Asked['inject']>, standIns: StandIns): Asked['inject'] {
  return {
    ...(timestamp === undefined ? {} : { timestamp: standIns.timestamp(timestamp) }),
    ...(nonce === undefined ? {} : { nonce: standIns.id(nonce) }),
  };
}

/** The cells that the client was given, ids and others apart; undefined where it is not known. */
export function givenCells({ asked }: Pick<ClientCall, 'asked'>): GivenCells | undefined {
  if (asked === undefined || !('columns' in asked.input)) return undefined;
  const { columns, rows } = asked.input;
  const named = columns.map(namesAnId);
  const [ids, others] = [new Set<string>(), new Set<string>()];
  for (const row of rows) for (const [at, text] of row.entries()) (named[at] ? ids : others).add(text ?? '');
  return { ids, others };
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

function editTable({ columns, rows }: Table, { id, isKnown }: StandIns): Table {
  const named = columns.map(namesAnId);
  const cell = (text: string | null, at: number) => {
    if (text === null) return null;
    return named[at] || isKnown(text) ? id(text) : text;
  };
  return { columns, rows: rows.map((row) => row.map(cell)) };
}

/** Texts under a name of an id, at any depth; a pair of texts is a name and its value. */
function editNamed<T>(value: T, standIns: StandIns): T {
  if (Array.isArray(value)) {
    const [name, text] = value;
    if (value.length === 2 && typeof name === 'string' && typeof text === 'string') {
      return [name, namesAnId(name) ? standIns.id(text) : text] as T;
    }
    return value.map((member) => editNamed(member, standIns)) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    namesAnId(name) ? editLeaves(member, standIns) : editNamed(member, standIns),
  ]);
  return Object.fromEntries(members);
}

/** A long or a text may be one level deeper, under its type. */
function editLeaves(value: unknown, standIns: StandIns): unknown {
  if (typeof value === 'string') return standIns.id(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, editLeaves(member, standIns)]));
}
