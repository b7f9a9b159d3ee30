/** Base32 in a text (RFC 4648 section 6): where it may be, what it says, and how that is written. */
import { byteClass, runsOf } from './runs.ts';

const [isUpper, isLower] = [byteClass(/[A-Z2-7]/), byteClass(/[a-z2-7]/)];

/** Start and end of runs of upper or lower case, from the first to the last; the digits belong to both. */
export function base32Runs(bytes: Buffer): readonly number[] {
  const shortest = 10;
  const both = [runsOf(bytes, isUpper, shortest), runsOf(bytes, isLower, shortest)] as const;
  const next = [0, 0] as [number, number];
  const found: number[] = [];
  let end = 0;
  // Behind what was found before: Infinity where too little of it is left, or nothing.
  const startOf = (letters: 0 | 1): number => {
    const runs = both[letters];
    while (next[letters] < runs.length && runs[next[letters] + 1]! - Math.max(runs[next[letters]]!, end) < shortest) {
      next[letters] += 2;
    }
    return next[letters] < runs.length ? Math.max(runs[next[letters]]!, end) : Number.POSITIVE_INFINITY;
  };
  for (;;) {
    const starts = [startOf(0), startOf(1)] as const;
    const first = starts[0] <= starts[1] ? 0 : 1;
    if (starts[first] === Number.POSITIVE_INFINITY) return found;
    end = both[first][next[first] + 1]!;
    found.push(starts[first], end);
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 section 6; bits that fill no byte are left out. */
export function fromBase32(run: string): Buffer {
  const letters = Buffer.from(run.toUpperCase(), 'latin1');
  return regrouped(letters.map((letter) => fives[letter]!) as Buffer, 5, 8);
}

const fives = Uint8Array.from({ length: 128 }, (_, letter) =>
  Math.max(0, alphabet.indexOf(String.fromCharCode(letter))),
);

/** Written like that run, without its padding. */
export function base32(decoded: Buffer, run: string): string {
  const rest = Buffer.alloc((8 * decoded.length) % 5 === 0 ? 0 : 1);
  const text = Array.from(regrouped(Buffer.concat([decoded, rest]), 8, 5), (five) => alphabet[five]).join('');
  return /[a-z]/.test(run) ? text.toLowerCase() : text;
}

/** Numbers of one width of bits as numbers of another; what is too little for one is left out. Bytes: a run may have megabytes. */
function regrouped(numbers: Uint8Array, from: number, to: number): Buffer {
  const out = Buffer.alloc(Math.floor((numbers.length * from) / to));
  let [bits, value, length] = [0, 0, 0];
  for (const number of numbers) {
    value = ((value << from) | number) & 0xfff;
    for (bits += from; bits >= to; bits -= to) out[length++] = (value >> (bits - to)) & ((1 << to) - 1);
  }
  return out;
}
