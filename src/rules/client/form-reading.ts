/** A lenient reading of a form body: what it decodes to, how each value was written, and whether it is a form at all. */

import { readPieces } from '../../protocol/form.ts';
import { countedWord } from '../../record/counted-word.ts';

export interface FormPair {
  readonly name: string;
  readonly value: string;
  /** The value as sent, still encoded. */
  readonly raw: string;
}

export interface FormReading {
  /** `empty`: no bytes. `other`: what was received is not a form; `looksLike` says what. */
  readonly kind: 'form' | 'empty' | 'other';
  readonly looksLike?: string;
  readonly pairs: readonly FormPair[];
  readonly faults: readonly string[];
}

/** Reads the body of a request; never throws. */
export function readForm(body: Uint8Array): FormReading {
  if (body.length === 0) return { kind: 'empty', pairs: [], faults: [] };
  const whole = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const looksLike = otherThanForm(whole);
  if (looksLike !== undefined) return { kind: 'other', looksLike, pairs: [], faults: [] };
  const text = whole.replace(/(?<![\r\n])[\r\n]+$/, '');
  const faults: string[] = [];
  if (text.length < whole.length) faults.push('a line break after the last value');
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) faults.push('a % that starts no escape');
  if (/[\x80-\xff]/.test(text)) faults.push('bytes outside ASCII without an escape');
  const pairs = readPieces(body.subarray(0, text.length), (name, value, written): FormPair => {
    const piece = written();
    const equals = piece.indexOf('=');
    return { name, value, raw: equals === -1 ? '' : piece.slice(equals + 1) };
  });
  return { kind: 'form', pairs, faults };
}

function otherThanForm(text: string): string | undefined {
  const start = text.trimStart();
  if (/^[{[]/.test(start)) return 'JSON';
  if (start.startsWith('<')) return 'XML';
  if (start.startsWith('--')) return 'a multipart body';
  if (/^[A-Za-z0-9+/]{16,}={0,2}\s*$/.test(start)) return 'base64 without a name before it';
  return text.includes('=') ? undefined : `${countedWord(text.length, 'byte')} without =`;
}
