/** The few lines of DER (X.690) that a public key needs. */

export interface Der {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The values one after the other in `bytes`. Throws where one is cut off. */
export function partsOf(bytes: Uint8Array): Der[] {
  const parts: Der[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!;
    let length = bytes[at + 1] ?? 0;
    at += 2;
    if (length > 0x80) {
      const digits = bytes.subarray(at, at + (length & 0x7f));
      at += digits.length;
      length = digits.reduce((total, digit) => total * 256 + digit, 0);
    }
    if (at + length > bytes.length) throw new Error('DER that is cut off');
    parts.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return parts;
}

/** What is in the one value that `bytes` are. */
export function contentOf(bytes: Uint8Array): Uint8Array {
  const [only] = partsOf(bytes);
  if (only === undefined) throw new Error('no DER');
  return only.content;
}
