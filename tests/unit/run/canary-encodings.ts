/** Ways in which a secret reaches a file, each written without the code that looks for it. */

const hexOf = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));
const base64After = (before: number) => (text: string) =>
  Buffer.from(`${'~'.repeat(before)}${text}~`).toString('base64');
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded by encodeURIComponent': encodeURIComponent,
  'percent-encoded in lower case': (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  'percent-encoded byte by byte': (text) =>
    hexOf(text)
      .map((byte) => `%${byte.toUpperCase()}`)
      .join(''),
  'in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in HTML': (text) => text.replace(/[&<>"']/g, (one) => entities[one]!),
  'in base64': base64After(0),
  'in base64 behind one byte': base64After(1),
  'in base64 behind two bytes': base64After(2),
  'in base64 for URLs': (text) => Buffer.from(`>${text}`).toString('base64url'),
  'in base64 in a form': (text) => encodeURIComponent(base64After(1)(text)),
  'in hex': (text) => hexOf(text).join(''),
  'in hex of capitals': (text) => hexOf(text).join('').toUpperCase(),
};
