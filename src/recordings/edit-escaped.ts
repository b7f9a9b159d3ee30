/** Changes characters of an encoded text where they are: what is not changed keeps its bytes, its escapes and its length. */

/** From what a text says to what it shall say, byte for byte of the same length. */
export type Edit = (decoded: Buffer) => Uint8Array;

/** From a text to another one of as many bytes in the same charset. */
export type TextEdit = (text: string) => string;

/** One byte of what a text says, and how it is written. */
interface Slot {
  readonly byte: number;
  readonly at: number;
  readonly width: number;
}

/** Percent-encoding, and `+` for a space where `plus` says so. A changed byte is written as the byte was that it replaces. */
export function editPercent(raw: Buffer, edit: Edit, plus = false): Buffer {
  return editSlots(raw, percentSlots(raw, plus), edit, (out, { at, width }, byte) => {
    if (width === 1) out[at] = byte;
    else out.write(hexLike(raw.toString('latin1', at + 1, at + 3), byte), at + 1, 'latin1');
  });
}

/** A JSON string without its quotes (RFC 8259 section 7); only characters that stand for themselves or as \u00XX change. */
export function editJsonString(raw: Buffer, edit: Edit): Buffer {
  return editSlots(raw, jsonSlots(raw), edit, (out, { at, width }, byte) => {
    if (width === 1) out[at] = byte;
    else if (width === 6) out.write(hexLike(raw.toString('latin1', at + 4, at + 6), byte), at + 4, 'latin1');
  });
}

/** The inside of a quoted CSV field, in which `""` is one quote (RFC 4180). */
export function editQuoted(raw: Buffer, edit: Edit): Buffer {
  const slots: Slot[] = [];
  for (let at = 0; at < raw.length; at += slots.at(-1)!.width) {
    slots.push({ byte: raw[at]!, at, width: raw[at] === 0x22 && raw[at + 1] === 0x22 ? 2 : 1 });
  }
  return editSlots(raw, slots, edit, (out, { at }, byte) => {
    out[at] = byte;
  });
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

function editSlots(
  raw: Buffer,
  slots: readonly Slot[],
  edit: Edit,
  write: (out: Buffer, slot: Slot, byte: number) => void,
): Buffer {
  const edited = edit(Buffer.from(slots.map(({ byte }) => byte)));
  const out = Buffer.from(raw);
  slots.forEach((slot, index) => {
    const byte = edited[index] ?? slot.byte;
    if (byte !== slot.byte) write(out, slot, byte);
  });
  return out;
}

function percentSlots(raw: Buffer, plus: boolean): Slot[] {
  const slots: Slot[] = [];
  for (let at = 0; at < raw.length; at += slots.at(-1)!.width) {
    const digits = raw[at] === 0x25 ? raw.toString('latin1', at + 1, at + 3) : '';
    if (/^[0-9A-Fa-f]{2}$/.test(digits)) slots.push({ byte: Number.parseInt(digits, 16), at, width: 3 });
    else slots.push({ byte: plus && raw[at] === 0x2b ? 0x20 : raw[at]!, at, width: 1 });
  }
  return slots;
}

/** Escaped characters outside ASCII say nothing here: they are kept. */
function jsonSlots(raw: Buffer): Slot[] {
  const slots: Slot[] = [];
  for (let at = 0; at < raw.length; at += slots.at(-1)!.width) {
    if (raw[at] !== 0x5c) {
      slots.push({ byte: raw[at]!, at, width: 1 });
      continue;
    }
    const code = /^\\u00([0-7][0-9A-Fa-f])/.exec(raw.toString('latin1', at, at + 6));
    if (code !== null) slots.push({ byte: Number.parseInt(code[1]!, 16), at, width: 6 });
    else slots.push({ byte: 0x5c, at, width: raw[at + 1] === 0x75 ? 7 : 2 });
  }
  return slots;
}

function hexLike(old: string, byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  return /[a-f]/.test(old) ? hex : hex.toUpperCase();
}
