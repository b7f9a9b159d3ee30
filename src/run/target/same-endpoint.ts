/** Whether two endpoint ids that are written differently may be one to a gateway. Pure. */

/** As texts without case, blanks, width and leading zeros; and as the numbers that they may be read as. */
export function mayBeSameEndpoint(one: string, other: string): boolean {
  if (canonicalEndpoint(one) === canonicalEndpoint(other)) return true;
  const numbers = new Set(numbersOf(plain(one)));
  return numbersOf(plain(other)).some((number) => numbers.has(number));
}

/** One spelling for all that differ in escapes, case, blanks, width, script of the digits and leading zeros. */
export function canonicalEndpoint(id: string): string {
  return plain(id).replace(/^0+(?=.)/, '');
}

function plain(id: string): string {
  return decoded(id)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cf}\p{Cc}]+/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit);
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Digits of every script begin at their zero, ten in a row. */
function asciiDigit(digit: string): string {
  let zero = digit.codePointAt(0)!;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero -= 1;
  return String(digit.codePointAt(0)! - zero);
}

/**
 * What parsers of whole numbers make of it: all of it, with marks between its digits or without, what precedes a strange character,
 * octal digits behind a zero, its lowest 32 and 64 bits.
 */
function numbersOf(id: string): string[] {
  const texts = [id, id.replace(/(?<=[\da-fox])[_,'](?=[\da-f])/gi, '')];
  const wholes = texts.flatMap((text) => /^[+-]?(\d+)/.exec(text)?.[1] ?? []);
  const octals = texts.flatMap((text) => /^[+-]?0([0-7]+)/.exec(text)?.[1] ?? []);
  const floats = texts.map(Number).filter(Number.isSafeInteger);
  const values = [
    ...wholes.map(BigInt),
    ...octals.map((digits) => BigInt(`0o${digits}`)),
    ...floats.map((float) => BigInt(Math.abs(float))),
  ];
  return values.flatMap((value) => [value, BigInt.asUintN(64, value), BigInt.asUintN(32, value)].map(String));
}
