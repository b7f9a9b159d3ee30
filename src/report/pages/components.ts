/**
 * Components that are made on the server and in a browser alike: each is a function of what makes an element (`h` of preact, or
 * the one of script.ts) and stands by itself, since the script of a page takes it over as text. Escaping is the maker's.
 */

/** Makes an element; text among the children is text. */
export type Make<Made> = (name: string, attributes: Attributes | null, ...children: (Made | string)[]) => Made;

export type Attributes = Readonly<Record<string, string | number>>;

/** Text under a caption; where another is given, a mark on what lies between their common beginning and their common end. */
export function codeBlock<Made>(h: Make<Made>, caption: string, text: string, other?: string): Made {
  const { start, end } = other === undefined ? { start: text.length, end: text.length } : differingPart(text, other);
  const marked = end > start ? [h('mark', null, text.slice(start, end))] : [];
  return h(
    'figure',
    { class: 'code' },
    h('figcaption', { class: 'caption' }, caption),
    h('pre', { tabindex: 0 }, text.slice(0, start), ...marked, text.slice(end)),
  );
}

/** The part of the text that the other one does not have: from the first character that differs to the last one. */
export function differingPart(text: string, other: string): { readonly start: number; readonly end: number } {
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  if (start === text.length && start === other.length) return { start, end: start };
  let tail = 0;
  const most = Math.min(text.length, other.length) - start;
  while (tail < most && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return { start, end: text.length - tail };
}

/** As much of a long text as lies around its first difference from the other one, with what is left out counted. */
export function aroundDifference(text: string, other: string, limit: number): string {
  if (text.length <= limit) return text;
  const from = Math.max(0, differingPart(text, other).start - Math.floor(limit / 4));
  const left = (count: number) => (count > 0 ? [`[… ${count.toLocaleString('en-US')} characters …]`] : []);
  return [...left(from), text.slice(from, from + limit), ...left(text.length - from - limit)].join(' ');
}

/** Bytes as lines of offset, hexadecimal digits and ASCII; what is beyond the limit is left out, and said. */
export function hexView<Made>(h: Make<Made>, caption: string, bytes: Uint8Array, limit = 4096): Made {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, limit); at += 16) {
    const line = [...bytes.subarray(at, Math.min(at + 16, limit))];
    const digits = line
      .map((byte, index) => `${index === 8 ? ' ' : ''}${byte.toString(16).padStart(2, '0')}`)
      .join(' ');
    const ascii = line.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(49)} ${ascii}`);
  }
  const rest =
    bytes.length > limit
      ? `, the first ${limit.toLocaleString('en-US')} of ${bytes.length.toLocaleString('en-US')}`
      : '';
  return h(
    'figure',
    { class: 'hex' },
    h('figcaption', { class: 'caption' }, `${caption}${rest}`),
    h('pre', { tabindex: 0 }, lines.join('\n')),
  );
}
