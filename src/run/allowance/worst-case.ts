/** Finds the worst effect that a request can have, from the bytes to send. Pure. */
import { operationAt, operations } from '../../../contracts/operations.ts';
import { orderPrefix } from '../../plan/requests.ts';
import { decodeForm } from '../../protocol/form.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import { centsOf, mayBeSameEndpoint, type Site } from '../target/site.ts';

/** `unknown` is set for a request to `unknownEndpointId`, which should have no effect. */
export type WorstEffect =
  | { readonly effect: 'closes-day'; readonly endpointId: string; readonly unknown?: true }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      readonly cents: number;
      readonly unknown?: true;
    };

export type WorstCase = { readonly effect: 'none' } | WorstEffect;

/** Returns the worst effect. Forbids a request that can be read in several ways. Default of `isSigned`: true. */
export function worstCaseOf(
  request: Omit<SentRequest, 'headers'> & { readonly isSigned?: boolean },
  site: Site,
): WorstCase | Unsent {
  if (request.scheme !== site.scheme || request.host !== site.host) return forbidden('the request is for another host');
  if (pathOf(request) === `${site.prefix}/` && request.method === 'GET') return { effect: 'none' };
  const place = placeOf(request, site);
  if (place === undefined) return forbidden('the path of the request leads to no operation');
  const { operation, endpointId } = place;
  const unknown = endpointId === site.unknownEndpointId;
  if (unknown && [...site.endpointIds].some((id) => mayBeSameEndpoint(id, endpointId))) {
    return forbidden(`endpoint ${endpointId} may be another spelling of a configured endpoint`);
  }
  if (!unknown && !site.endpointIds.has(endpointId)) {
    return forbidden(`endpoint ${endpointId} is not in the configuration`);
  }
  // Outside integration, forbid every signed request. A gateway may take even an unknown endpoint id for a real one.
  if (!site.integration && request.isSigned !== false) {
    return forbidden('the request is signed, and the environment is not integration');
  }
  const marked = unknown ? ({ unknown } as const) : {};
  const { effect } = operations[operation];
  if (effect !== 'starts-payments') return { effect, endpointId, ...marked };
  const batch = worstBatch(request.body, site);
  return isUnsent(batch) ? batch : { effect, endpointId, ...batch, ...marked };
}

function forbidden(reason: string): Unsent {
  return { why: 'forbidden', reason };
}

/** True if header, body or query has a signature, correct or not (RFC 5849 3.5). */
export function isSigned({ headers, body, target }: Pick<SentRequest, 'headers' | 'body' | 'target'>): boolean {
  const hasParameter = [body, Buffer.from(target)].some((bytes) => /oauth_signature/i.test(unescaped(bytes)));
  return hasParameter || headerValues(headers, 'authorization').length > 0;
}

function unescaped(body: Uint8Array): string {
  const character = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(body)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, character);
}

function placeOf(request: Pick<SentRequest, 'scheme' | 'host' | 'target'>, { prefix, versions }: Site) {
  // Forbid a payload in the query: it may be a second batch, whose charge is unknown.
  const [, path, query = ''] = /^([^?]*)\??(.*)$/s.exec(pathOf(request))!;
  if (/payload/i.test(unescaped(Buffer.from(query)))) return undefined;
  const place = operationAt(path!.startsWith(prefix) ? path!.slice(prefix.length) : '', versions);
  // Forbid an endpoint id with an escape or a fragment, because a gateway may read it as another endpoint.
  return place === undefined || /[#%]/.test(place.endpointId) ? undefined : place;
}

function pathOf({ scheme, host, target }: Pick<SentRequest, 'scheme' | 'host' | 'target'>): string {
  return target.replace(`${scheme}://${host}`, '');
}

/** Counts each line as a payment with the maximum charge. Forbids unlisted recurring payments and ambiguous batches. */
function worstBatch(body: Uint8Array, { profiles, maxCharge }: Site) {
  const payloads = payloadsIn(body);
  if (payloads === undefined) return forbidden('the body of the request cannot be read');
  const readingsByPayload = readingsOfEach(payloads, profiles);
  for (const readings of readingsByPayload.values()) {
    if (readings.length === 0) return forbidden('the payload cannot be read, so the charge is unknown');
    for (const lines of readings) {
      const reason = forbiddenReason(lines, profiles);
      if (reason !== undefined) return forbidden(reason);
    }
  }
  // Count at least one payment: a gateway that accepts a batch may have found a payment where the suite finds none.
  const count = Math.max(maxLines(payloads, readingsByPayload, profiles), 1);
  return { count, cents: count * maxCharge };
}

/** Maximum number of payments in any decoding of the batch. */
export function maxPayments(body: Uint8Array): number {
  const payloads = payloadsIn(body) ?? [];
  return maxLines(payloads, readingsOfEach(payloads, new Map()), new Map());
}

type Profiles = Site['profiles'];
type Readings = ReadonlyMap<string, readonly (readonly Line[])[]>;

function readingsOfEach(payloads: readonly (readonly string[])[], profiles: Profiles): Readings {
  return new Map(payloads.flat().map((payload) => [payload, readingsOf(payload, profiles)]));
}

function maxLines(payloads: readonly (readonly string[])[], readings: Readings, profiles: Profiles): number {
  const rowsIn = (lines: readonly Line[]) => lines.length - (headerOf(lines, profiles) === undefined ? 0 : 1);
  const maxIn = (payload: string) => Math.max(0, ...readings.get(payload)!.map(rowsIn));
  return Math.max(0, ...payloads.map((all) => all.reduce((total, payload) => total + maxIn(payload), 0)));
}

/** Reads the payloads twice: with the separator `&`, then with `&` and `;`. Undefined if the body is not a form. */
function payloadsIn(body: Uint8Array): readonly (readonly string[])[] | undefined {
  const text = Buffer.from(body).toString('latin1');
  try {
    return [text, text.replaceAll(';', '&')].map((form) =>
      decodeForm(Buffer.from(form, 'latin1'))
        .filter(([name, value]) => /^payloads?(?:\W.*)?$/is.test(name.trim()) && value !== '')
        .map(([, value]) => value),
    );
  } catch {
    return undefined;
  }
}

type Line = readonly string[];

function readingsOf(payload: string, profiles: Profiles): readonly (readonly Line[])[] {
  const isKnown = (cell: string) => isColumnName(cell) || isOrderId(cell) || profiles.has(cell);
  return decodingsOf(payload)
    .map(linesOf)
    .filter((lines) => lines.flat().some(isKnown));
}

/** The payload, and its decodings from base64, hexadecimal and escapes. A text may be encoded up to three times. */
function decodingsOf(payload: string): readonly string[] {
  let last = [payload];
  const all = new Set(last);
  for (let times = 0; times < 3; times += 1) {
    last = last
      .flatMap((text) => [fromBase64(text), Buffer.from(text, 'hex').toString('utf8'), withoutEscapes(text)])
      .filter((text) => text !== '' && !all.has(text));
    for (const text of last) all.add(text);
  }
  return [...all];
}

/** Reads a blank as `+`, because form decoding may have replaced `+`. Also decodes several padded texts in a row. */
function fromBase64(text: string): string {
  const parts = text.replaceAll(' ', '+').match(/[^=]+=*/g) ?? [];
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))).toString('utf8');
}

function withoutEscapes(text: string): string {
  const bytes = text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return bytes.replace(/\\([rn])/g, (_, letter) => (letter === 'r' ? '\r' : '\n'));
}

function linesOf(csv: string): readonly Line[] {
  return csv
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(/[;,\t|]/).map((cell) => cell.replaceAll('"', '').trim()));
}

function headerOf(lines: readonly Line[], profiles: Profiles): Line | undefined {
  const first = lines.find((cells) => cells.some(isColumnName));
  return first?.some((cell) => profiles.has(cell)) ? undefined : first;
}

const orderColumn = 'clientorderid';
const idColumn = 'recurringpaymentid';
const amountColumns = ['amount', 'amountfrom', 'amountto', 'amountsequence'];

function isColumnName(cell: string): boolean {
  return [orderColumn, idColumn, ...amountColumns].includes(nameOf(cell));
}

function nameOf(cell: string): string {
  return cell.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isOrderId(cell: string): boolean {
  return cell.search(orderPrefix) === 0;
}

/** False for three decimals, because some parsers read the point before them as a thousands separator. */
function isAmount(cell: string): boolean {
  return /^\d{1,13}\.\d{1,2}$/.test(cell);
}

function hasDigit(cell: string): boolean {
  return /\p{N}/u.test(cell);
}

function forbiddenReason(lines: readonly Line[], profiles: Profiles): string | undefined {
  const header = headerOf(lines, profiles);
  const names = header?.map(nameOf) ?? [orderColumn, idColumn, 'amount'];
  const idsInRow = names.filter((name) => name === idColumn).length;
  for (const cells of lines) {
    if (cells === header) continue;
    const ids = cells.filter((cell) => profiles.has(cell));
    // A first cell with digits may be an unlisted recurring payment, unless the row has a listed one.
    const isOrderFirst = header !== undefined && names[0] === orderColumn && (ids.length > 0 || !hasDigit(cells[0]!));
    // An order id may contain a line end. Then its first part is a line with a single cell: skip this line.
    if (isOrderFirst && cells.length === 1) continue;
    const others = cells.filter(
      (cell, at) => cell !== '' && !profiles.has(cell) && !isOrderId(cell) && !(at === 0 && isOrderFirst),
    );
    const amounts = others.filter(isAmount);
    const texts = others.filter((cell) => !isAmount(cell));
    if (texts.some((cell) => /^\p{N}+$/u.test(cell)) || (texts.length > 0 && ids.length < Math.min(idsInRow, 1))) {
      return 'the batch names a recurring payment that the configuration does not list';
    }
    // Forbid an additional payment id or another cell with digits, because a gateway may read it as an amount.
    if (ids.length > idsInRow || texts.some(hasDigit)) {
      return 'the CSV can be read in several ways, so the charge is unknown';
    }
    const candidates = ids.length === 0 ? [...profiles.values()] : ids.map((id) => profiles.get(id)!);
    const limit = Math.max(0, ...candidates.map(({ amount }) => amount));
    if (amounts.some((amount) => centsOf(amount)! > limit)) return 'a row charges more than the configured amount';
    // Require the exact name `amount`: a strict gateway ignores another spelling, and charges the saved amount.
    const hasAmounts = names.every((name, at) => !amountColumns.includes(name) || isAmount(cells[at] ?? ''));
    if (hasAmounts && (header === undefined || header.includes('amount'))) continue;
    if (candidates.some(({ saved }) => saved === undefined)) {
      return 'a row has no amount, and the configuration has no saved-amount for its recurring payment';
    }
  }
  return undefined;
}
