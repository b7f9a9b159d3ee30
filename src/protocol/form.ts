/** application/x-www-form-urlencoded. */
import { percentDecode, percentEncode } from './percent.ts';
export type Pair = readonly [name: string, value: string];
export function encodeForm(pairs: readonly Pair[]): string {
  const e = (t: string) => percentEncode(t).replaceAll('%20', '+');
  return pairs.map(([n, v]) => `${e(n)}=${e(v)}`).join('&');
}
export function decodeForm(body: Uint8Array | string): Pair[] {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const d = (t: string) => percentDecode(t.replaceAll('+', ' '));
  return text.split('&').filter((p) => p !== '').map((p) => { const i = p.indexOf('='); return i < 0 ? [d(p), ''] as const : [d(p.slice(0, i)), d(p.slice(i + 1))] as const; });
}
