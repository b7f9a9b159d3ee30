/** The usual rows of a batch, each taken in one pass over its bytes; csv-scan.ts looks at all others, which may break a rule. */
import type { newDecimalSum } from './decimal.ts';

/** The columns that section 2.3 has rules on, in its order; a kind of cell is a place in this list. */
export const ruledColumns: readonly string[] = [
  'client-orderid',
  'recurring-payment-id',
  'amount',
  'amount-from',
  'amount-to',
  'amount-sequence',
];

/** The rules on rows, by the steps that ask for them: `takePlainRows` takes no row that breaks one, and the scan says which was broken. */
export type RowRule =
  | 'csv-rows'
  | 'csv-cells'
  | 'client-orderid'
  | 'client-orderid-length'
  | 'recurring-payment-id'
  | 'recurring-payment-id-length'
  | 'amount'
  | 'amount-numeric'
  | 'amount-length'
  | 'profile';

export const [orderId, paymentId, amount, from, to, sequence] = [0, 1, 2, 3, 4, 5];
export const lengthRules = ['client-orderid-length', 'recurring-payment-id-length', 'amount-length'] as const;
export const longestOf = [128, 10, 10, ...Array(3).fill(Number.POSITIVE_INFINITY)];

export const [quote, semicolon, lineFeed, carriageReturn] = [0x22, 0x3b, 0x0a, 0x0d];
/** 1 where a cell without quotes may end. */
export const ends = new Uint8Array(256);
for (const byte of [quote, semicolon, lineFeed, carriageReturn]) ends[byte] = 1;

/** Where a cell without quotes ends that goes on at `from`. */
export function endOfBare(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && ends[bytes[at]!] === 0) at++;
  return at;
}

/** Takes whole rows that have neither quotes nor carriage returns and break no rule; where it stops, a row begins that may. */
export function takePlainRows(
  bytes: Uint8Array,
  start: number,
  columnKinds: readonly number[],
  sum: Pick<ReturnType<typeof newDecimalSum>, 'add'>,
): { readonly end: number; readonly rows: number } {
  const last = bytes.length;
  let row = start;
  let rows = 0;
  const taken = () => ({ end: row, rows });
  for (let at = row; ; row = at) {
    let some = 0;
    let units = 0;
    let decimals = 0;
    let cell = 0;
    for (let byte = 0; byte !== lineFeed; cell++, at++) {
      const begin = at;
      const kind = columnKinds[cell] ?? -1;
      if (kind === amount) {
        for (decimals = -1; at < last && ends[bytes[at]!] === 0; at++) {
          const digit = bytes[at]! - 0x30;
          if (digit >= 0 && digit <= 9) {
            units = units * 10 + digit;
            if (decimals !== -1) decimals++;
          } else if (digit === -2 && decimals === -1 && at > begin) decimals = 0;
          else return taken();
        }
        if (decimals === 0) return taken();
      } else while (at < last && ends[bytes[at]!] === 0) at++;
      if (at === last) return taken();
      byte = bytes[at]!;
      if (byte === quote || byte === carriageReturn) return taken();
      if (kind === -1) continue;
      // There are at least as many bytes as characters.
      if (at - begin > longestOf[kind]!) return taken();
      if (at > begin) some |= 1 << kind;
    }
    if (cell !== columnKinds.length || (some & bothIds) !== bothIds || !hasAmount(some)) return taken();
    if ((some & (1 << amount)) !== 0) sum.add(units, Math.max(decimals, 0));
    rows++;
  }
}

const bothIds = (1 << orderId) | (1 << paymentId);
const bothEnds = (1 << from) | (1 << to);

/** @param present the kinds of which a row has text, as bits */
export function hasAmount(present: number): boolean {
  return (present & ((1 << amount) | (1 << sequence))) !== 0 || (present & bothEnds) === bothEnds;
}
