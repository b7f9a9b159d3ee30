/** Moves times by one offset wherever they are, each in the form and at the length in which it was written. Pure. */
import { createHash } from 'node:crypto';

/** First and last instant of a record, in milliseconds since the Unix epoch. */
export type Span = readonly [first: number, last: number];

const day = 86_400_000;

/** Time zones and clocks that are wrong: what is further away is not a time of the record. */
const slack = 2 * day;

/** Milliseconds, whole seconds: from one month to nine years back. The salt is not kept. */
export function offsetFrom(salt: string): number {
  const seconds = createHash('sha256').update(`${salt}\0time`).digest().readUInt32BE(0) % (9 * 365 * 86_400);
  return -1000 * (seconds + 30 * 86_400);
}

/**
 * `oauth_timestamp`: the first ten digits in it that are a time of the record move, whatever is around them. Undefined for a number
 * that means such a time in another form, hexadecimal or with an exponent: by it anyone could tell by how much all others moved.
 */
export function shiftTimestamp(text: string, offset: number, [first, last]: Span): string | undefined {
  if (text.length > longest) return text;
  const isOfRecord = (seconds: number, off = 0) =>
    1000 * (seconds + off) >= first - slack && 1000 * (seconds - off) <= last + slack;
  const digits = text.replace(/\D/g, '');
  const starts = Array.from({ length: Math.max(0, digits.length - 9) }, (_, at) => at);
  const from = /^\d{10}(?:\d{3})?(?:\.\d*)?$/.test(text)
    ? 0
    : starts.find((at) => isOfRecord(Number(digits.slice(at, at + 10))));
  const hexadecimal = /^[0-9a-f]{8}$/i.test(text) ? Number.parseInt(text, 16) : Number.NaN;
  if (from === undefined) return [Number(text), hexadecimal].some((one) => isOfRecord(one, 1e8)) ? undefined : text;
  const moved = String(Number(digits.slice(from, from + 10)) + offset / 1000).padStart(10, '0');
  let at = -from;
  return text.replace(/\d/g, (digit) => moved[at++] ?? digit);
}

/** Characters of a text that is a number in some form. */
const longest = 40;

const [days, months] = ['Sun Mon Tue Wed Thu Fri Sat', 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'].map((names) =>
  names!.split(' '),
) as [string[], string[]];
const [weekday, month] = [`(?<w>${days.join('|')})`, `(?<m>${months.join('|')})`];
// In a query or a form the marks between the parts are escaped.
const [gap, colon, comma] = [String.raw`(?: |\+|%20)`, '(?::|%3[Aa])', '(?:,|%2[Cc])'];
const clock = String.raw`(?<H>\d\d)${colon}(?<M>\d\d)${colon}(?<S>\d\d)`;

/** RFC 9110 section 5.6.7; ISO 8601 and RFC 3339; `Date.toString` of Java. A date alone is not an instant. */
const forms = [
  String.raw`${weekday}${comma}${gap}(?<d>\d\d)${gap}${month}${gap}(?<y>\d{4})${gap}${clock}`,
  String.raw`(?:(?<!\d)|(?<=%[0-9A-Fa-f]{2}))(?<y>\d{4})-(?<n>\d\d)-(?<d>\d\d)(?:T|${gap})${clock}`,
  String.raw`${weekday}${gap}${month}${gap}(?<d>\d\d)${gap}${clock}(?:${gap}[\w+-]{1,9})?${gap}(?<y>\d{4})`,
].map((form) => new RegExp(form, 'gd'));

/** Every time in the text that is one of the record; an invented date is none. */
export function shiftTimes(text: string, offset: number, [first, last]: Span): string {
  return forms.reduce((told, form) => {
    let out = '';
    let end = 0;
    for (const { groups = {}, indices } of told.matchAll(form)) {
      const { H, M, S, d, m, n, y } = groups;
      const number = m === undefined ? n! : String(months.indexOf(m) + 1).padStart(2, '0');
      const at = Date.parse(`${y}-${number}-${d}T${H}:${M}:${S}Z`);
      if (Number.isNaN(at) || at < first - slack || at > last + slack) continue;
      const moved = new Date(at + offset);
      const iso = moved.toISOString();
      const parts: Record<string, string> = {
        w: days[moved.getUTCDay()]!,
        m: months[moved.getUTCMonth()]!,
        n: iso.slice(5, 7),
        d: iso.slice(8, 10),
        H: iso.slice(11, 13),
        M: iso.slice(14, 16),
        S: iso.slice(17, 19),
        y: iso.slice(0, 4),
      };
      const places = Object.entries(indices?.groups ?? {}).filter(([, place]) => place !== undefined);
      for (const [name, [from, to]] of places.sort(([, [a]], [, [b]]) => a - b)) {
        out += told.slice(end, from) + parts[name]!;
        end = to;
      }
    }
    return out + told.slice(end);
  }, text);
}
