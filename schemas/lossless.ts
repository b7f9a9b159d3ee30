/** Converts losslessly read JSON to plain values. For validation only the type of a number matters. */

/** A number of a lossless JSON reader: an instance of a class with the digits in `text`. */
interface NumberToken {
  readonly text: string;
}

/** Replaces each number token by a JavaScript number. Whole numbers stay whole and fractions stay fractions, whatever their size. */
export function plainJson(value: unknown): unknown {
  return withNumbers(value, nearest);
}

/** For validation. A number with a fraction or an exponent, such as 1.0, does not become a whole number. */
export function typedJson(value: unknown): unknown {
  return withNumbers(value, (text) => {
    const number = nearest(text);
    return whole.test(text) || !Number.isInteger(number) ? number : 0.5;
  });
}

const whole = /^-?\d+$/;

/** Our data has less than a tenth of this depth. A schema check recurses for each list and object. */
const deepest = 500;

/** Message of the RangeError for a value that is too deep: a sentence without a full stop. */
export const tooDeep = `more than ${deepest} lists or objects are in one another`;

function withNumbers(value: unknown, numberOf: (text: string) => number, depth = 0): unknown {
  // Bytes would have a member for each byte.
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (isNumberToken(value)) return numberOf(value.text);
  if (depth === deepest) throw new RangeError(tooDeep);
  // Most values contain none, so copy only when the first one is found.
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = (value as Record<string | number, unknown>)[name];
    if (typeof member !== 'object') continue;
    const plain = withNumbers(member, numberOf, depth + 1);
    if (Object.is(plain, member)) continue;
    // defineProperty keeps a member named __proto__.
    copy ??= Array.isArray(value) ? [...value] : Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
    Object.defineProperty(copy, name, { value: plain, enumerable: true, writable: true, configurable: true });
  }
  return copy ?? value;
}

function isNumberToken(value: object): value is NumberToken {
  const prototype = Object.getPrototypeOf(value);
  // Objects of such a reader may share a prototype that itself has none.
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null || Array.isArray(value);
  return !plain && 'text' in value && typeof value.text === 'string';
}

function nearest(text: string): number {
  const number = Number(text);
  if (whole.test(text)) return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_SAFE_INTEGER;
  if (!Number.isFinite(number)) return Math.sign(number) * Number.MAX_VALUE;
  const fraction = /^-?\d+\.(\d+)$/.exec(text)?.[1];
  const roundedAway = fraction !== undefined && /[1-9]/.test(fraction) && Number.isInteger(number);
  return roundedAway ? 0.5 : number;
}
