/** The most that a batch of recurring payments can charge: read as a lenient gateway might, and counted upwards (sections 2.3, 4.2). Pure. */
import { decodeCsv } from '../../protocol/csv.ts';
import { decodeForm } from '../../protocol/form.ts';
import { mostPayments } from '../payload-rows.ts';
import { ownOrder } from './chargeable.ts';
import { centsOf } from './money.ts';
import type { Forbidden } from './worst-case.ts';

export interface Batch {
  readonly count: number;
  readonly cents: number;
}

type Profiles = ReadonlyMap<string, number>;

const idColumn = 'recurring-payment-id';
const amountColumns = ['amount', 'amount-from', 'amount-to', 'amount-sequence'];
const columnNames = ['client-orderid', idColumn, ...amountColumns];

/**
 * Count and sum of the payments, at least one; forbidden where a profile is not listed, would be charged more than its
 * amount, or where that cannot be read with certainty.
 *
 * @param body as sent
 * @param profiles cents that may be charged at once, by recurring payment id
 */
export function worstBatch(body: Uint8Array, profiles: Profiles): Batch | Forbidden {
  const most = Math.max(0, ...profiles.values());
  const payloads = payloadsOf(body);
  if (payloads === undefined) return { forbidden: 'its body cannot be read' };
  let total: Batch = { count: 0, cents: 0 };
  for (const payload of payloads) {
    const read = worstPayload(payload, profiles, most);
    if ('forbidden' in read) return read;
    total = { count: total.count + read.count, cents: total.cents + read.cents };
  }
  // A gateway that accepts a batch without payments may have found one where we see none.
  return { count: Math.max(total.count, 1), cents: Math.max(total.cents, most) };
}

function payloadsOf(body: Uint8Array): readonly string[] | undefined {
  try {
    return decodeForm(body).flatMap(([name, value]) => (name.trim().toLowerCase() === 'payload' ? [value] : []));
  } catch {
    return undefined;
  }
}

/** The worst over all ways in which the payload may be unpacked. */
function worstPayload(payload: string, profiles: Profiles, most: number): Batch | Forbidden {
  const once = Buffer.from(payload, 'base64');
  const unpacked = [payload, text(once), text(Buffer.from(text(once), 'base64')), text(Buffer.from(payload, 'hex'))];
  const readings = unpacked.filter((csv) => isPlausible(csv, profiles)).map((csv) => worstCsv(csv, profiles, most));
  if (readings.length === 0) return { forbidden: 'its payload cannot be read, and so what it would charge' };
  const forbidden = readings.find((reading) => 'forbidden' in reading);
  if (forbidden !== undefined) return forbidden;
  const batches = readings as readonly Batch[];
  return {
    count: Math.max(...batches.map(({ count }) => count)),
    cents: Math.max(...batches.map(({ cents }) => cents)),
  };
}

function text(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** Whether somebody could find a payment in it: a name of a column, or a listed profile. */
function isPlausible(csv: string, profiles: Profiles): boolean {
  return linesOf(csv).some((cells) => cells.some((cell) => isName(cell) || profiles.has(cell)));
}

function worstCsv(csv: string, profiles: Profiles, most: number): Batch | Forbidden {
  const plain = csv.replace(/^\ufeff/, '');
  const rows = namedRows(plain) ?? guessedRows(plain, profiles);
  let cents = 0;
  for (const row of rows) {
    const read = worstRow(row, profiles, most);
    if ('forbidden' in read) return read;
    cents += read.cents;
  }
  // A line end inside a cell may count as the end of a row.
  const lines = mostPayments([['payload', Buffer.from(plain).toString('base64')]]);
  return { count: Math.max(rows.length, lines), cents: cents + Math.max(lines - rows.length, 0) * most };
}

/** The cells of one row that decide what it charges. */
interface Row {
  readonly ids: readonly string[];
  readonly amounts: readonly string[];
  /** Cells of which it is not known what they are. */
  readonly others: readonly string[];
}

function worstRow({ ids, amounts, others }: Row, profiles: Profiles, most: number): { cents: number } | Forbidden {
  const named = ids.filter((id) => id !== '');
  const strange = named.find((id) => !profiles.has(id));
  if (strange !== undefined) return { forbidden: 'it names a recurring payment that the configuration does not list' };
  if (others.some((cell) => /\p{N}/u.test(cell))) {
    return { forbidden: 'its CSV can be read in several ways, and so what it would charge' };
  }
  const limit = named.length === 0 ? most : Math.max(...named.map((id) => profiles.get(id)!));
  const charged = amounts.filter((amount) => /\p{N}/u.test(amount)).map(centsOf);
  if (charged.some((cents) => cents === undefined)) {
    return { forbidden: 'its amount can be read in several ways' };
  }
  const cents = charged.length === 0 ? limit : Math.max(...(charged as readonly number[]));
  return cents > limit ? { forbidden: 'it would charge more than the configuration lists' } : { cents };
}

/** Rows by the names of their columns; undefined where there is no such table. */
function namedRows(csv: string): Row[] | undefined {
  try {
    const { columns, rows } = decodeCsv(csv);
    if (!columns.includes('client-orderid') && !columns.includes(idColumn)) return undefined;
    return rows.map((cells) => ({
      ids: cells.filter((_, at) => columns[at] === idColumn),
      amounts: cells.filter((_, at) => amountColumns.includes(columns[at] ?? '')),
      others: [],
    }));
  } catch {
    return undefined;
  }
}

/** What each cell is, told by what it looks like. */
function guessedRows(csv: string, profiles: Profiles): Row[] {
  const isOrder = (cell: string) => new RegExp(`^${ownOrder}[0-9a-f]{10}-`).test(cell);
  const isId = (cell: string) => profiles.has(cell) || /^\d{10,}$/.test(cell);
  const isAmount = (cell: string) => !isId(cell) && /^\d+\.\d+$/.test(cell);
  return linesOf(csv)
    .filter((cells) => !cells.some(isName))
    .map((cells) => ({
      ids: cells.filter(isId),
      amounts: cells.filter(isAmount),
      others: cells.filter((cell) => !isOrder(cell) && !isId(cell) && !isAmount(cell)),
    }));
}

/** Lines cut at whatever may be a delimiter. */
function linesOf(csv: string): string[][] {
  const lines = csv
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.split(/[;,\t|"]+/).map((cell) => cell.trim()));
  return lines.map((cells) => cells.filter((cell) => cell !== '')).filter((cells) => cells.length > 0);
}

function isName(cell: string): boolean {
  return columnNames.includes(cell.toLowerCase());
}
