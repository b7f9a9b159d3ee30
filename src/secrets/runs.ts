/** Runs of bytes of one class, found without a look at most of the bytes: a long run covers each of a few places. */

/** Which bytes are of a class: 1 at their place. */
export type ByteClass = Uint8Array;

/** Those of these characters of Latin-1. */
export function byteClass(characters: RegExp): ByteClass {
  return Uint8Array.from({ length: 256 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Start and end of each run that is long enough, one after the other; the end is behind the run. */
export function runsOf(bytes: Uint8Array, isOf: ByteClass, shortest: number): readonly number[] {
  let found: number[] | undefined;
  // Nothing in front of it is part of a run that goes on here.
  let start = 0;
  while (start + shortest <= bytes.length) {
    let at = start + shortest - 1;
    while (at >= start && isOf[bytes[at]!] === 1) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    const end = endOfRun(bytes, isOf, start + shortest);
    found ??= [];
    found.push(start, end);
    start = end + 1;
  }
  return found ?? none;
}

const none: readonly number[] = [];

/** What each of such runs says in Latin-1, and where it starts. */
export function textsOf(bytes: Buffer, runs: readonly number[]): { readonly text: string; readonly at: number }[] {
  const texts = [];
  for (let one = 0; one < runs.length; one += 2) {
    texts.push({ text: bytes.toString('latin1', runs[one], runs[one + 1]), at: runs[one]! });
  }
  return texts;
}

/** Whether there is one. */
export function hasRun(bytes: Uint8Array, isOf: ByteClass, shortest: number): boolean {
  for (let start = 0; start + shortest <= bytes.length; ) {
    let at = start + shortest - 1;
    while (at >= start && isOf[bytes[at]!] === 1) at -= 1;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

/** The first place from there on whose byte is not of the class. */
export function endOfRun(bytes: Uint8Array, isOf: ByteClass, from: number): number {
  let end = from;
  while (end < bytes.length && isOf[bytes[end]!] === 1) end += 1;
  return end;
}

/** Whether a byte is of the class. */
export function holdsAny(bytes: Uint8Array, isOf: ByteClass): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (isOf[bytes[at]!] === 1) return true;
  return false;
}
