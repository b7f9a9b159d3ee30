/** The worst that a request can do if the target accepts it, read from the very bytes that would be sent. Pure. */
import { type Operation, operationAt, operations } from '../../../contracts/operations.ts';
import { decodeCsv } from '../../protocol/csv.ts';
import { decodeForm, type Pair } from '../../protocol/form.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { madeOnce } from '../../record/made-once.ts';
import { ownOrder } from '../gateway/planned-cases.ts';
import { centsOf, mayBeSameEndpoint, mostOf, type Profiles, type Site } from '../target/site.ts';

/** `unknown`: at the endpoint that the configuration names as one that does not exist; then nothing of it should happen. */
export type WorstEffect =
  | { readonly effect: 'closes-day'; readonly endpointId: string; readonly unknown?: true }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      /** Sum of the payments. */
      readonly cents: number;
      readonly unknown?: true;
    };

export type WorstCase = { readonly effect: 'none' } | WorstEffect;

/**
 * `none` is what leads to neither operation. What cannot be read with certainty is forbidden: an effect that nobody can state
 * is one that nobody has allowed.
 *
 * @param request headers have no bearing but for one: whether it is signed, which counts as yes where that is not said
 */
export function worstCaseOf(
  request: Omit<SentRequest, 'headers'> & { readonly isSigned?: boolean },
  site: Site,
): WorstCase | Forbidden {
  if (request.scheme !== site.scheme || request.host !== site.host) return { forbidden: 'it leads to another host' };
  if (pathOf(request) === `${site.prefix}/` && request.method === 'GET') return { effect: 'none' };
  const place = placeOf(request, site);
  if (place === undefined) return { forbidden: 'it leads to another path than those of the two operations' };
  const { operation, endpointId } = place;
  const unknown = endpointId === site.unknownEndpointId;
  if (unknown && [...site.endpointIds].some((id) => mayBeSameEndpoint(id, endpointId))) {
    return { forbidden: `endpoint ${endpointId} may be one that exists, written in another way` };
  }
  if (!unknown && !site.endpointIds.has(endpointId)) {
    return { forbidden: `endpoint ${endpointId} is not in the configuration` };
  }
  // An id is only as unknown as the way in which the gateway reads ids: a signature that may be right goes to none.
  if (!site.integration && request.isSigned !== false) {
    return { forbidden: 'it is signed, and the environment is not one of integration' };
  }
  const marked = unknown ? ({ unknown } as const) : {};
  const { effect } = operations[operation];
  if (effect !== 'starts-payments') return { effect, endpointId, ...marked };
  const batch = worstBatch(request.body, site.profiles);
  return 'forbidden' in batch ? batch : { effect, endpointId, ...batch, ...marked };
}

/** Whether the request is signed, rightly or not, wherever the signature is (RFC 5849 3.5). */
export function isSigned({ headers, body, target }: Pick<SentRequest, 'headers' | 'body' | 'target'>): boolean {
  const elsewhere = [body, Buffer.from(target)].some((bytes) => /oauth_signature/i.test(unescaped(bytes)));
  return elsewhere || headerValues(headers, 'authorization').length > 0;
}

function unescaped(body: Uint8Array): string {
  const character = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(body)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, character);
}

function placeOf(
  request: Pick<SentRequest, 'scheme' | 'host' | 'target'>,
  { prefix, versions }: Site,
): { operation: Operation; endpointId: string } | undefined {
  // A payload in the query may be a batch beside that of the body: what it would charge is not known.
  const [, path, query = ''] = /^([^?]*)\??(.*)$/s.exec(pathOf(request))!;
  if (/payload/i.test(unescaped(Buffer.from(query)))) return undefined;
  const place = operationAt(path!.startsWith(prefix) ? path!.slice(prefix.length) : '', versions);
  // An endpoint id that is escaped, or followed by a fragment, may be read as that of another endpoint.
  return place === undefined || /[#%]/.test(place.endpointId) ? undefined : place;
}

function pathOf({ scheme, host, target }: Pick<SentRequest, 'scheme' | 'host' | 'target'>): string {
  return target.replace(`${scheme}://${host}`, '');
}

/** A request that may not be sent to this target, whatever is allowed. */
export interface Forbidden {
  readonly forbidden: string;
}

export interface BookedBatch {
  readonly count: number;
  readonly cents: number;
}

const idColumn = 'recurringpaymentid';
const amountColumns = ['amount', 'amountfrom', 'amountto', 'amountsequence'];
const columnNames = ['clientorderid', idColumn, ...amountColumns];

/**
 * Count and sum of the payments, at least one; forbidden where a profile is not listed, would be charged more than its
 * amount, or where that cannot be read with certainty.
 *
 * @param body as sent
 */
export function worstBatch(body: Uint8Array, profiles: Profiles): BookedBatch | Forbidden {
  const key = `${listedIn(profiles)}${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
  const known = worst.get(key);
  if (known !== undefined) return known;
  const read = readWorst(body, profiles);
  kept += key.length;
  if (kept > mostKept) {
    worst.clear();
    kept = key.length;
  }
  worst.set(key, read);
  return read;
}

/** By profiles and body: a run is planned, forecast and sent, and meets the same bodies each time. */
const worst = new Map<string, BookedBatch | Forbidden>();
const listedIn = madeOnce((profiles: Profiles) => JSON.stringify([...profiles]));

/** Characters. */
const mostKept = 16 * 1024 * 1024;
let kept = 0;

function readWorst(body: Uint8Array, profiles: Profiles): BookedBatch | Forbidden {
  const readings = readPayloads(body);
  if (readings === undefined) return { forbidden: 'its body cannot be read' };
  const read = dearest(
    readings.map((payloads) => together(payloads.filter(Boolean).map((payload) => worstPayload(payload, profiles)))),
  );
  if ('forbidden' in read) return read;
  // A gateway that accepts a batch without payments may have found one where we see none.
  return { count: Math.max(read.count, 1), cents: Math.max(read.cents, mostOf(profiles)) };
}

function together(payloads: readonly (BookedBatch | Forbidden)[]): BookedBatch | Forbidden {
  let total: BookedBatch = { count: 0, cents: 0 };
  for (const read of payloads) {
    if ('forbidden' in read) return read;
    total = { count: total.count + read.count, cents: total.cents + read.cents };
  }
  return total;
}

function readPayloads(body: Uint8Array): ReturnType<typeof payloadsIn> | undefined {
  try {
    return payloadsIn(body);
  } catch {
    return undefined;
  }
}

/** The worst over all ways in which the payload may be unpacked. */
function worstPayload(payload: string, profiles: Profiles): BookedBatch | Forbidden {
  const once = fromBase64(payload);
  const unpacked = [payload, once, fromBase64(once), Buffer.from(payload, 'hex').toString('utf8')];
  const readings = unpacked.filter((csv) => isPlausible(csv, profiles)).map((csv) => worstCsv(csv, profiles));
  if (readings.length === 0) return { forbidden: 'its payload cannot be read, and so what it would charge' };
  return dearest(readings);
}

function dearest(readings: readonly (BookedBatch | Forbidden)[]): BookedBatch | Forbidden {
  const forbidden = readings.find((reading) => 'forbidden' in reading);
  if (forbidden !== undefined) return forbidden;
  const batches = readings as readonly BookedBatch[];
  return {
    count: Math.max(...batches.map(({ count }) => count)),
    cents: Math.max(...batches.map(({ cents }) => cents)),
  };
}

/** A form may have made a blank of each plus, and texts that end with padding may follow one another. */
function fromBase64(text: string): string {
  const parts = text.replaceAll(' ', '+').match(/[^=]+=*/g) ?? [];
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))).toString('utf8');
}

/** Whether a payment could be found in it: a name of a column, or a listed profile. */
function isPlausible(csv: string, profiles: Profiles): boolean {
  return linesOf(csv).some((cells) => cells.some((cell) => isName(cell) || profiles.has(cell)));
}

function worstCsv(csv: string, profiles: Profiles): BookedBatch | Forbidden {
  const plain = csv.replace(/^\ufeff/, '');
  const rows = namedRows(plain) ?? guessedRows(plain, profiles);
  const doubt = naiveRows(plain, profiles)
    .map((row) => worstRow(row, profiles))
    .find((read) => 'forbidden' in read);
  if (doubt !== undefined) return doubt as Forbidden;
  let cents = 0;
  for (const row of rows) {
    const read = worstRow(row, profiles);
    if ('forbidden' in read) return read;
    cents += read.cents;
  }
  // A line end inside a cell may count as the end of a row.
  const lines = mostPayments([['payload', Buffer.from(plain).toString('base64')]]);
  const more = Math.max(lines - rows.length, 0);
  return { count: rows.length + more, cents: cents + more * mostOf(profiles) };
}

/** The cells of one row that decide what it charges. */
interface Row {
  readonly ids: readonly string[];
  /** Of the column `amount`. */
  readonly amounts: readonly string[];
  /** Of the other columns that can be charged; a gateway that knows none of them falls back on what the profile has saved. */
  readonly otherAmounts: readonly string[];
  /** Cells of which it is not known what they are. */
  readonly others: readonly string[];
}

function worstRow({ ids, amounts, otherAmounts, others }: Row, profiles: Profiles): { cents: number } | Forbidden {
  const named = ids.filter((id) => id !== '');
  const strange = named.find((id) => !profiles.has(id));
  if (strange !== undefined) return { forbidden: 'it names a recurring payment that the configuration does not list' };
  if (others.some(hasDigit)) {
    return { forbidden: 'its CSV can be read in several ways, and so what it would charge' };
  }
  const charged = [...amounts, ...otherAmounts].filter(hasDigit).map(centsOf);
  if (charged.some((cents) => cents === undefined) || [...amounts, ...otherAmounts].some(isGrouped)) {
    return { forbidden: 'its amount can be read in several ways' };
  }
  const candidates = named.length === 0 ? [...profiles.values()] : named.map((id) => profiles.get(id)!);
  const limit = Math.max(0, ...candidates.map(({ amount }) => amount));
  const cents = Math.max(0, ...(charged as readonly number[]));
  if (cents > limit) return { forbidden: 'it would charge more than the configuration lists' };
  if (amounts.length > 0 && amounts.every(hasDigit)) return { cents };
  const saved = candidates.map((profile) => profile.saved);
  if (saved.some((amount) => amount === undefined)) {
    return { forbidden: 'a row names no amount, and the configuration has no savedAmount of its recurring payment' };
  }
  return { cents: Math.max(limit, ...(saved as readonly number[])) };
}

function hasDigit(cell: string): boolean {
  return /\p{N}/u.test(cell);
}

/** Some read the point as a mark between thousands. */
function isGrouped(amount: string): boolean {
  return /^\d{1,3}(?:\.\d{3})+$/.test(amount.trim());
}

/** Rows by the names of their columns; undefined where there is no such table. */
function namedRows(csv: string): Row[] | undefined {
  try {
    const { columns, rows } = decodeCsv(csv);
    const names = columns.map(nameOf);
    if (!names.includes('clientorderid') && !names.includes(idColumn)) return undefined;
    return rows.map((cells) => rowBy(columns, cells));
  } catch {
    return undefined;
  }
}

function rowBy(columns: readonly string[], cells: readonly string[]): Row {
  const under = (isMeant: (column: string) => boolean) => cells.filter((_, at) => isMeant(columns[at] ?? ''));
  return {
    ids: under((column) => nameOf(column) === idColumn),
    // Written in another way it is a column that a strict gateway does not know.
    amounts: under((column) => column === 'amount'),
    otherAmounts: under((column) => column !== 'amount' && amountColumns.includes(nameOf(column))),
    others: [],
  };
}

/**
 * What those see who know no quotes, or go by the place of a cell instead of its name: rows in which they find a listed
 * profile. Elsewhere they find no profile to charge.
 */
function naiveRows(csv: string, profiles: Profiles): Row[] {
  const bare = (cell: string) =>
    cell
      .trim()
      .replace(/^"+|"+$/g, '')
      .trim();
  const [header = [], ...lines] = csv
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(';').map(bare));
  return lines
    .flatMap((cells) => [
      rowBy(header, cells),
      { ids: cells.slice(1, 2), amounts: cells.slice(2, 3), otherAmounts: [], others: [] },
    ])
    .filter(({ ids, amounts }) => ids.length > 0 && ids.every((id) => profiles.has(id)) && amounts.some(hasDigit));
}

/** What each cell is, judging by its looks. */
function guessedRows(csv: string, profiles: Profiles): Row[] {
  const isOrder = (cell: string) => new RegExp(`^${ownOrder}[0-9a-f]{10}-`).test(cell);
  const isId = (cell: string) => profiles.has(cell) || /^\d{10,}$/.test(cell);
  const isAmount = (cell: string) => !isId(cell) && /^\d+\.\d+$/.test(cell);
  return linesOf(csv)
    .filter((cells) => !cells.some(isName))
    .map((cells) => ({
      ids: cells.filter(isId),
      amounts: cells.filter(isAmount),
      otherAmounts: [],
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
  return columnNames.includes(nameOf(cell));
}

/** A name of a column as those compare it who are not strict. */
function nameOf(cell: string): string {
  return cell.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/**
 * Lines of the payload that may be payments, in the body's form pairs or as sent. Read leniently and counted upwards: a
 * gateway may take a CSV or a base64 text that the document does not have, and charge for it.
 */
export function mostPayments(body: readonly Pair[] | Uint8Array): number {
  const rows = payloadsIn(body).map((payloads) =>
    payloads
      .map((payload) => Buffer.from(payload, 'base64').toString('utf8'))
      .map((csv) => csv.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length - 1)
      .reduce((total, lines) => total + Math.max(lines, 0), 0),
  );
  return Math.max(...rows);
}

/** Rows of the payload as sections 2.3 and 4.2 read it; 0 where they give no reading. */
export const writtenPayments = madeOnce(countWritten);

function countWritten(body: Uint8Array): number {
  const [payload, ...more] = decodeForm(body).filter(([name]) => name === 'payload');
  if (payload === undefined || more.length > 0) return 0;
  try {
    return decodeCsv(Buffer.from(payload[1], 'base64').toString('utf8')).rows.length;
  } catch (cause) {
    if (cause instanceof ProtocolError) return 0;
    throw cause;
  }
}

/**
 * Values that may be taken for payloads, under names in any case and with an index behind them: one list for each way in which
 * parameters may be parted, by `&` alone and by `;` too. Throws where the body is not a form.
 */
export function payloadsIn(body: readonly Pair[] | Uint8Array): readonly (readonly string[])[] {
  const isPayload = (name: string) => /^payloads?(?:\W.*)?$/is.test(name.trim());
  const pairs = body instanceof Uint8Array ? decodeForm(body) : body;
  const whole = pairs.filter(([name]) => isPayload(name)).map(([, value]) => value);
  const parted = whole.flatMap((value) => {
    const [first = '', ...more] = value.split(';');
    const others = more.map((part) => part.split(/=(.*)/s)).filter(([name = '']) => isPayload(name));
    return others.length === 0 ? [value] : [first, ...others.map(([, rest = '']) => rest)];
  });
  return parted.length === whole.length ? [whole] : [whole, parted];
}
