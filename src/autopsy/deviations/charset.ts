/** Deviations in characters beyond ASCII (RFC 5849 section 3.6 wants UTF-8). */
import type { Deviation } from '../deviation.ts';

const stage = 'encode';
const snippet = 'percent-encode';
const summary = 'The client signs letters beyond the English alphabet wrongly.';

export const charsets = [
  {
    id: 'latin-1',
    stage,
    snippet,
    change: { charset: 'latin-1' },
    summary,
    developer: 'Text is encoded as ISO-8859-1 in the base string: é becomes %E9.',
    fix: 'Encode as UTF-8: é is %C3%A9.',
  },
  {
    id: 'mojibake',
    stage,
    snippet,
    change: { charset: 'mojibake' },
    summary,
    developer: 'UTF-8 bytes are taken for ISO-8859-1 and encoded as UTF-8 again: é becomes %C3%83%C2%A9.',
    fix: 'Convert text to UTF-8 once.',
  },
  {
    id: 'non-ascii-as-question-mark',
    stage,
    snippet,
    change: { charset: 'question-marks' },
    summary,
    developer: 'Text is encoded as ASCII in the base string: é becomes %3F.',
    fix: 'Encode as UTF-8.',
  },
  {
    id: 'non-ascii-left-bare',
    stage,
    snippet,
    change: { charset: 'left-bare' },
    summary,
    developer: 'Characters beyond ASCII are in the base string without being encoded.',
    fix: 'Escape every byte of their UTF-8.',
  },
  {
    id: 'percent-u-escapes',
    stage,
    snippet,
    change: { charset: 'percent-u' },
    summary,
    developer: 'The encoder is JavaScript’s escape() or similar: 漢 becomes %u6F22.',
    fix: 'Use encodeURIComponent() and escape what it leaves.',
  },
  {
    id: 'surrogates-encoded-apart',
    stage,
    snippet,
    change: { charset: 'cesu-8' },
    summary: 'The client signs emoji and other rare characters wrongly.',
    developer: 'Each half of a UTF-16 pair is encoded for itself (CESU-8): six bytes where UTF-8 has four.',
    fix: 'Encode whole code points.',
  },
  {
    id: 'composed-before-signing',
    stage,
    change: { composition: 'nfc' },
    summary: 'The client signs accented letters in another form than it sends.',
    developer: 'Text is normalized to NFC in the base string, but not in the body.',
    fix: 'Normalize before both, or not at all.',
  },
  {
    id: 'decomposed-before-signing',
    stage,
    change: { composition: 'nfd' },
    summary: 'The client signs accented letters in another form than it sends.',
    developer: 'Text is normalized to NFD in the base string, but not in the body.',
    fix: 'Normalize before both, or not at all.',
  },
] as const satisfies readonly Deviation[];
