/** What the record of another tool lacks of a request, by its own signs. What cannot be known of it is inconclusive, and no failure. */
import { type Header, headerValues } from './exchange.ts';
import type { HarCase } from './har.ts';

/** In words; `incomplete` of a call holds those that apply. */
export const losses = {
  requestBody: 'the bytes of the request body',
  requestEnd: 'the end of the request body',
  requestPart: 'perhaps a part of the request body',
  characters: 'some characters of the request',
  authorization: 'the Authorization header',
  address: 'the address that the client called',
  zone: 'the zone of its times',
  responseBody: 'the bytes of the response body',
} as const;

export function lacks({ incomplete }: { readonly incomplete?: string }, loss: keyof typeof losses): boolean {
  return incomplete?.includes(losses[loss]) ?? false;
}

/** In words what a record lacks of what is signed; undefined where it lacks nothing of that. */
export function lossOfSigned({ incomplete = '' }: { readonly incomplete?: string }): string | undefined {
  const { zone: _, responseBody: __, ...signed } = losses;
  const lost = Object.values(signed).filter((words) => incomplete.includes(words));
  return lost.length === 0 ? undefined : lost.join(' and ');
}

interface Recorded {
  readonly value: unknown;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly url: NonNullable<HarCase['url']>;
  readonly stated: NonNullable<HarCase['url']>;
  readonly creator: string;
  readonly isAccepted: boolean;
}

/** The length that the request states of its body; `isExact` where the client counted it, and not the recorder. */
export function statedLength(request: unknown): { readonly length: number; readonly isExact: boolean } {
  const listed = member(request, 'headers');
  const isLength = (one: unknown) => /^content-length$/i.test(textOr(member(one, 'name')));
  const counted = Array.isArray(listed)
    ? Number.parseInt(textOr(member(listed.find(isLength), 'value')), 10)
    : Number.NaN;
  const size = member(request, 'bodySize');
  return Number.isNaN(counted)
    ? { length: isPositive(size) ? size : -1, isExact: false }
    : { length: counted, isExact: true };
}

const signs: readonly (readonly [loss: keyof typeof losses, isThere: (recorded: Recorded) => boolean])[] = [
  ['requestEnd', isCut],
  ['requestPart', isCutPerhaps],
  ['characters', isDamaged],
  ['authorization', isSanitized],
  ['address', isBehindProxy],
];

export function lossesOf(recorded: Recorded): string[] {
  return signs.filter(([, isThere]) => isThere(recorded)).map(([loss]) => losses[loss]);
}

function isCut({ value, body }: Recorded): boolean {
  const { length, isExact } = statedLength(value);
  return isExact && body.length > 0 && length > body.length;
}

/** Recorders count bytes or characters, and cut at 64 KB or another power of two. */
function isCutPerhaps({ value, body }: Recorded): boolean {
  const { length, isExact } = statedLength(value);
  if (isExact || body.length === 0) return false;
  const isRound = [0, 1].some((more) => body.length >= 16_383 && Number.isInteger(Math.log2(body.length + more)));
  return isRound || length > Math.max(body.length, textOf(value).length);
}

/** A character in the place of bytes that were no text; NUL; a word in the place of a value; or UTF-8 that was read as Latin-1 or Windows-1252. */
function isDamaged({ value, body, headers }: Recorded): boolean {
  const text = textOf(value);
  if (body.length > 0 && (/[\0\ufffd]/.test(text) || redacted.test(text))) return true;
  if (headers.some((header) => header[1].includes('\ufffd'))) return true;
  return misread.test(text) && statedLength(value).length !== body.length;
}

const misread =
  /[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]/;

function textOf(request: unknown): string {
  return textOr(member(member(request, 'postData'), 'text'));
}

/** Tools that leave credentials out unless they are told otherwise. */
const sanitizers = /WebInspector|Chrom|Edge|Opera|Safari|Firefox|sitespeed|browsertime|sanitiz/i;

const redacted =
  /(?:^|[\s="'[<({])(?:authorization |value )?(?:redacted|sanitized|removed|filtered|hidden|masked|scrubbed|censored|omitted)(?=$|[\s"'\]>)}.,])|\*{3}|[\u2022\u2026]|"x{3,}"/i;

/** An answer that is no refusal shows that there was a header, unless its parameters are elsewhere. */
function isSanitized({ headers, body, url, creator, isAccepted }: Recorded): boolean {
  const [sent = ''] = headerValues(headers, 'authorization');
  if (sent.trim() !== '') return redacted.test(sent);
  if (/oauth_/.test(url.target) || Buffer.from(body).includes('oauth_')) return false;
  return isAccepted || sanitizers.test(creator);
}

/** An IP address in the URL is what was dialled; without a Host header the name is lost. Any other name or port, plain http or another forwarded host leave it open. */
function isBehindProxy({ headers, url, stated }: Recorded): boolean {
  const [forwarded] = headerValues(headers, 'x-forwarded-host');
  if (forwarded !== undefined && forwarded.toLowerCase() !== stated.host.toLowerCase()) return true;
  const name = (host: string) => host.toLowerCase().replace(/:(?:80|443)$/, '');
  const isAddress = /^(?:[\d.]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(url.host);
  if (name(url.host) === name(stated.host)) {
    const isStated = headers.some(([one]) => /^:?(?:host|authority)$/i.test(one));
    return isAddress && !isStated && !/^(?:127\.|\[::1\])/.test(url.host);
  }
  return !isAddress || stated.scheme === 'http';
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isPositive(size: unknown): size is number {
  return typeof size === 'number' && size > 0;
}
