/** The inputs that the client was given, if the suite knows them. */
import type { ClientCase, CloseDayInput, RecurringInput } from '../../record/case.ts';
import { groupBy } from '../../record/group-by.ts';
import { type Finding, inconclusive } from '../judge.ts';

export function closeDayInput({ label, call: { asked } }: ClientCase): CloseDayInput | undefined {
  return label.operation === 'close-day' ? (asked?.input as CloseDayInput | undefined) : undefined;
}

export function recurringInput({ label, call: { asked } }: ClientCase): RecurringInput | undefined {
  return label.operation === 'process-recurring-payments' ? (asked?.input as RecurringInput | undefined) : undefined;
}

export function unknownInput(): Finding {
  return inconclusive('the input of the client is not known', 'configuration');
}

/** Scheme, authority and path of the base URL. The path has no trailing slash. */
export function splitBaseUrl(baseUrl: string): { scheme: string; authority: string; prefix: string } {
  const [, scheme = '', authority = '', path = ''] = /^([A-Za-z]+):\/\/([^/?#]*)([^?#]*)/.exec(baseUrl) ?? [];
  return { scheme: scheme.toLowerCase(), authority, prefix: path.replace(/(?<!\/)\/+$/, '') };
}

/** True if both totals are the same number in any notation, or if both are empty. */
export function isSameTotal(given: string | undefined, sent: string | undefined): boolean {
  return given && sent ? given === sent || sameNumber(given, sent) : !given && !sent;
}

/** True for digits with an optional decimal point, which every parser accepts. */
export function isPlainNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

export function sameNumber(a: string, b: string): boolean {
  const [x, y] = [plainNumber(a), plainNumber(b)];
  return x !== undefined && x === y;
}

/** The significant digits and the power of ten. Undefined if the text is not a number. */
function plainNumber(text: string): string | undefined {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found ?? [];
  if (whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const counting = digits.replace(/(?<!0)0+$/, '');
  if (counting === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - counting.length;
  return `${sign === '-' ? '-' : ''}${counting}e${power}`;
}

type SentRow = readonly string[] | undefined;

/** Columns that the input and the request share, with their places in both. If a name occurs twice, only the first counts. */
export function sharedColumns(columns: readonly string[], input: RecurringInput) {
  return input.columns.flatMap((column, from) => {
    const to = columns.indexOf(column);
    return to === -1 || input.columns.indexOf(column) !== from ? [] : [{ column, from, to }];
  });
}

/** Sorts rows as in the input: pairs equal rows first, then rows with equal numbers, then rows with equal order ids. */
export function inGivenOrder(
  columns: readonly string[],
  rows: readonly SentRow[],
  input: RecurringInput | undefined,
): readonly SentRow[] {
  if (input === undefined || rows.length !== input.rows.length) return rows;
  const shared = sharedColumns(columns, input);
  const taken = new Map<number, number>();
  const free = new Set(rows.keys());
  const ids = shared.filter(({ column }) => column === 'client-orderid');
  const asWritten = (_: string, text: string) => text;
  // Compare amounts by value, because one number has several notations.
  const asNumber = (column: string, text: string) => (column.startsWith('amount') ? (plainNumber(text) ?? text) : text);
  for (const [compared, read] of [
    [shared, asWritten] as const,
    [shared, asNumber] as const,
    [ids, asWritten] as const,
  ]) {
    if (compared.length === 0) continue;
    // Reverse the rows, because `pop` is faster than `shift` for a long array.
    const waiting = groupBy([...free].reverse(), (at) => keyOf(compared, rows[at], 'to', read));
    for (const [index, given] of input.rows.entries()) {
      const at = taken.has(index) ? undefined : waiting.get(keyOf(compared, given, 'from', read))?.pop();
      if (at === undefined) continue;
      taken.set(index, at);
      free.delete(at);
    }
  }
  const rest = [...free].reverse();
  return input.rows.map((_, index) => rows[taken.get(index) ?? rest.pop()!]);
}

function keyOf(
  compared: ReturnType<typeof sharedColumns>,
  cells: readonly (string | null)[] | undefined,
  side: 'from' | 'to',
  read: (column: string, text: string) => string,
): string {
  return cells === undefined ? '' : JSON.stringify(compared.map((one) => read(one.column, cells[one[side]] ?? '')));
}
