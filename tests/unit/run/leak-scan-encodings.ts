/** The forms of a secret to search for, written without the code that searches. */

const hexOf = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const base64After = (before: number) => (text: string) =>
  Buffer.from(`${'~'.repeat(before)}${text}~`).toString('base64');
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded by encodeURIComponent': encodeURIComponent,
  'percent-encoded in lower case': (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  'in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': inJson,
  'in JSON with / escaped': (text) => inJson(text).replaceAll('/', '\\/'),
  'in base64': base64After(0),
  'in base64 behind one byte': base64After(1),
  'in base64 behind two bytes': base64After(2),
  'in base64 for URLs': (text) => Buffer.from(`>${text}`).toString('base64url'),
  'in base64 in a form': (text) => encodeURIComponent(base64After(1)(text)),
  'in hex': hexOf,
  'in hex of capitals': (text) => hexOf(text).toUpperCase(),
};
