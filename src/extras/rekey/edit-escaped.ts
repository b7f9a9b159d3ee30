/** Changes characters of an encoded text where they are: what is not changed keeps its bytes, its escapes and its length. */

/** From what a text says to what it shall say, byte for byte of the same length. */
type Edit = (decoded: Buffer) => Uint8Array;

/** From a text to another one of as many bytes in the same charset. */
type TextEdit = (text: string) => string;

/** Percent-encoding, and `+` for a space where `plus` says so. A changed byte is written as the byte was that it replaces. */
export function editPercent(raw: Buffer, edit: Edit, plus = false): Buffer {
  const isPlain = !raw.includes('%') && !(plus && raw.includes('+'));
  const widthAt = (at: number) => (raw[at] === 0x25 && isHex(raw, at + 1) && isHex(raw, at + 2) ? 3 : 1);
  const byteAt = (at: number, width: number) => {
    if (width === 3) return byteOf(raw, at + 1);
    return plus && raw[at] === 0x2b ? 0x20 : raw[at]!;
  };
  return editSlots(raw, isPlain ? undefined : slotsOf(raw, widthAt, byteAt), edit, (out, at, width, byte) => {
    if (width === 1) out[at] = byte;
    else out.write(hexLike(raw.toString('latin1', at + 1, at + 3), byte), at + 1, 'latin1');
  });
}

/**
 * A JSON string without its quotes (RFC 8259 section 7); only characters that stand for themselves or as \u00XX change. Escaped
 * characters outside ASCII say nothing here: they are kept.
 */
export function editJsonString(raw: Buffer, edit: Edit): Buffer {
  const widthAt = (at: number) => {
    if (raw[at] !== 0x5c) return 1;
    if (/^\\u00[0-7][0-9A-Fa-f]/.test(raw.toString('latin1', at, at + 6))) return 6;
    return raw[at + 1] === 0x75 ? 7 : 2;
  };
  const byteAt = (at: number, width: number) => (width === 6 ? byteOf(raw, at + 4) : raw[at]!);
  const slots = raw.includes('\\') ? slotsOf(raw, widthAt, byteAt) : undefined;
  return editSlots(raw, slots, edit, (out, at, width, byte) => {
    if (width === 1) out[at] = byte;
    else if (width === 6) out.write(hexLike(raw.toString('latin1', at + 4, at + 6), byte), at + 4, 'latin1');
  });
}

/** The inside of a quoted CSV field, in which `""` is one quote (RFC 4180). */
export function editQuoted(raw: Buffer, edit: Edit): Buffer {
  const widthAt = (at: number) => (raw[at] === 0x22 && raw[at + 1] === 0x22 ? 2 : 1);
  const slots = raw.includes('""') ? slotsOf(raw, widthAt, (at) => raw[at]!) : undefined;
  return editSlots(raw, slots, edit, (out, at, _, byte) => {
    out[at] = byte;
  });
}

/** An edit of a text as it is, and of what it says as a form, percent-encoded twice, and in JSON. */
export function throughEscapes(text: string, edit: TextEdit): string {
  const once = edit(text);
  const [hasPercent, hasBackslash] = [once.includes('%'), once.includes('\\')];
  if (!hasPercent && !hasBackslash && !once.includes('+')) return once;
  // The bytes of a message are read as Latin-1.
  const charset = /[^\0-\xff]/.test(once) ? 'utf8' : 'latin1';
  const inner: Edit = (decoded) => Buffer.from(edit(decoded.toString(charset)), charset);
  let bytes = editPercent(Buffer.from(once, charset), inner, true);
  if (hasPercent) bytes = editPercent(bytes, (decoded) => editPercent(Buffer.from(decoded), inner, true), true);
  if (hasBackslash) bytes = editJsonString(bytes, inner);
  return bytes.toString(charset);
}

/** An edit of text as one of bytes: UTF-8, or Latin-1 where the bytes are none. */
export function textually(edit: TextEdit): Edit {
  return (decoded) => {
    const text = decoded.toString('utf8');
    const charset = Buffer.from(text, 'utf8').equals(decoded) ? 'utf8' : 'latin1';
    const edited = Buffer.from(edit(decoded.toString(charset)), charset);
    return edited.length === decoded.length ? edited : decoded;
  };
}

/** How a text with escapes is written. A text may have millions of bytes: each is an entry of a list, and no object. */
interface Slots {
  /** What the text says. */
  readonly decoded: Buffer;
  /** Where each byte of that is written, and the end behind the last one. */
  readonly places: Uint32Array;
}

function slotsOf(raw: Buffer, widthAt: (at: number) => number, byteAt: (at: number, width: number) => number): Slots {
  const [decoded, places] = [Buffer.allocUnsafe(raw.length), new Uint32Array(raw.length + 1)];
  let [at, count] = [0, 0];
  while (at < raw.length) {
    const width = widthAt(at);
    decoded[count] = byteAt(at, width);
    places[count] = at;
    count += 1;
    at += width;
  }
  places[count] = at;
  return { decoded: decoded.subarray(0, count), places };
}

/** Without slots each byte stands for itself. */
function editSlots(
  raw: Buffer,
  slots: Slots | undefined,
  edit: Edit,
  write: (out: Buffer, at: number, width: number, byte: number) => void,
): Buffer {
  const out = Buffer.from(raw);
  if (slots === undefined) {
    out.set(edit(raw).subarray(0, raw.length));
    return out;
  }
  const { decoded, places } = slots;
  const edited = edit(decoded);
  for (let index = 0; index < Math.min(edited.length, decoded.length); index += 1) {
    const [byte, at] = [edited[index]!, places[index]!];
    if (byte !== decoded[index]) write(out, at, places[index + 1]! - at, byte);
  }
  return out;
}

/** Two hexadecimal digits of a byte, in small letters where those that they replace have one. */
function hexLike(old: string, byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  return /[a-f]/.test(old) ? hex : hex.toUpperCase();
}

function isHex(bytes: Buffer, at: number): boolean {
  const byte = bytes[at] ?? 0;
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** Of two hexadecimal digits. */
function byteOf(bytes: Buffer, at: number): number {
  return Number.parseInt(bytes.toString('latin1', at, at + 2), 16);
}
