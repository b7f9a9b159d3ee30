/** Turns losslessly read JSON into plain values; for validation only the type of a number counts. */

/** A number token of a lossless JSON reader: an instance of a class with its digits as `text`. */
interface NumberToken {
  readonly text: string;
}

/** Replaces each number token by a JavaScript number. Whole numbers stay whole and fractions stay fractions, whatever their size. */
export function plainJson(value: unknown): unknown {
  return withNumbers(value, nearest);
}

/** The same for validation: a number written with a fraction or an exponent, such as 1.0, is none that JSON writes for a whole one. */
export function typedJson(value: unknown): unknown {
  return withNumbers(value, (text) => {
    const number = nearest(text);
    return whole.test(text) || !Number.isInteger(number) ? number : 0.5;
  });
}

const whole = /^-?\d+$/;

/** Nothing of ours is a tenth as deep, and a check of a schema calls itself for each list and object. */
const deepest = 500;

/** What the RangeError says that a value which is too deep throws: a sentence without a full stop. */
export const tooDeep = `more than ${deepest} lists or objects are in one another`;

function withNumbers(value: unknown, numberOf: (text: string) => number, depth = 0): unknown {
  // Bytes have a member for each of them, a million times.
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (isNumberToken(value)) return numberOf(value.text);
  if (depth === deepest) throw new RangeError(tooDeep);
  // Hardly any value holds one: a copy is made where the first is met.
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = (value as Record<string | number, unknown>)[name];
    if (typeof member !== 'object') continue;
    const plain = withNumbers(member, numberOf, depth + 1);
    if (Object.is(plain, member)) continue;
    // Defined, so that a member named __proto__ stays one.
    copy ??= Array.isArray(value) ? [...value] : Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
    Object.defineProperty(copy, name, { value: plain, enumerable: true, writable: true, configurable: true });
  }
  return copy ?? value;
}

function isNumberToken(value: object): value is NumberToken {
  const prototype = Object.getPrototypeOf(value);
  // Objects of such a reader may have a shape in common, which inherits nothing.
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
