/** Puts stand-ins into the payload of a batch: through its base64, or whatever else the client made of the CSV. */
import { editCsv, type GivenCells, looksLikeCsv } from './edit-csv.ts';
import { editPercent } from './edit-escaped.ts';
import type { StandIns } from './stand-ins.ts';

/** Layers of encoding that are looked through. */
const mostLayers = 4;

/** The payload as decoded from the form. It keeps its length, its padding and its line breaks. */
export function editPayload(payload: Buffer, standIns: StandIns, given?: GivenCells, layers = mostLayers): Buffer {
  const text = payload.toString('latin1');
  if (layers === 0 || payload.length === 0) return payload;
  if (/^[A-Za-z0-9+/=_%\s-]+$/.test(text)) {
    const inner = (decoded: Buffer) => editPayload(decoded, standIns, given, layers - 1);
    if (/%[0-9A-Fa-f]{2}/.test(text)) return editPercent(payload, inner);
    if (/^(?:[0-9a-f]{2}){8,}$|^(?:[0-9A-F]{2}){8,}$/.test(text)) return editHex(text, inner);
    return editBase64(text, inner);
  }
  const uri = /^data:[^,]*,/.exec(text)?.[0].length ?? 0;
  if (uri > 0) {
    return Buffer.concat([payload.subarray(0, uri), editPayload(payload.subarray(uri), standIns, given, layers - 1)]);
  }
  return looksLikeCsv(payload) ? editCsv(payload, standIns, given) : payload;
}

function editHex(text: string, edit: (decoded: Buffer) => Buffer): Buffer {
  const hex = edit(Buffer.from(text, 'hex')).toString('hex');
  return Buffer.from(/[A-F]/.test(text) ? hex.toUpperCase() : hex, 'latin1');
}

/** White space and padding stay where they are, and a form that lost its plus signs keeps the spaces. */
function editBase64(text: string, edit: (decoded: Buffer) => Buffer): Buffer {
  // An unescaped plus sign arrives as a space: then a space is a character, not white space.
  const lostPlus = / /.test(text.trim()) && text.trim().replace(/[\r\n\t]/g, '').length % 4 === 0;
  const isUrlSafe = /[-_]/.test(text);
  const compact = (lostPlus ? text.replaceAll(' ', '+') : text).replace(/[\s=]/g, '');
  const bytes = Buffer.from(compact, 'base64');
  const encode = (some: Buffer) => some.toString(isUrlSafe ? 'base64url' : 'base64').replace(/=+$/, '');
  const [before, after] = [encode(bytes), encode(edit(bytes))].map((one) => Buffer.from(one, 'latin1')) as [
    Buffer,
    Buffer,
  ];
  const out = Buffer.from(text, 'latin1');
  let at = -1;
  for (let place = 0; place < out.length; place += 1) {
    const isSpace = out[place] === 0x20;
    if (out[place] === 0x3d || (isSpace ? !lostPlus : /\s/.test(String.fromCharCode(out[place]!)))) continue;
    at += 1;
    // A character that no encoder would have written, such as one with unused bits set, stays where nothing changes.
    if (before[at] === after[at]) continue;
    out[place] = lostPlus && after[at] === 0x2b ? 0x20 : after[at]!;
  }
  return out;
}
