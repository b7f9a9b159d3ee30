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
 * that means such a time in another form, such as hexadecimal: by it anyone could tell by how much all others moved.
 */
export function shiftTimestamp(text: string, offset: number, [first, last]: Span): string | undefined {
  const isOfRecord = (seconds: number, off = 0) =>
    1000 * (seconds + off) >= first - slack && 1000 * (seconds - off) <= last + slack;
  if (text.length > longest) return text;
  const isUsual = /^\d{10}(?:\d{3})?(?:\.\d*)?$/.test(text);
  for (const { index, 1: digits } of text.matchAll(/(?=(\d{10}))/g)) {
    if (!isUsual && !isOfRecord(Number(digits))) continue;
    const moved = String(Number(digits) + offset / 1000).padStart(10, '0');
    return `${text.slice(0, index)}${moved}${text.slice(index + 10)}`;
  }
  const others = [Number(text.replaceAll('_', '')), /^[0-9a-f]{8}$/i.test(text) ? Number(`0x${text}`) : Number.NaN];
  return others.some((one) => isOfRecord(one, 1e8)) ? undefined : text;
}

/** Characters of a text that is a number in some form. */
const longest = 40;

const [weekday, month, clock] = ['([A-Z][a-z]{2})', '([A-Z][a-z]{2})', String.raw`(\d\d:\d\d:\d\d)`];

/** By form: what finds a time, and its parts as they are written. `at` is day of the week, day, month, year and time of day. */
const forms: readonly (readonly [
  RegExp,
  (parts: readonly string[]) => string,
  (at: string[], parts: readonly string[]) => string,
])[] = [
  // RFC 9110 section 5.6.7.
  [
    new RegExp(String.raw`${weekday}, (\d\d) ${month} (\d{4}) ${clock}`, 'g'),
    ([, d, m, y, time]) => `${d} ${m} ${y} ${time} GMT`,
    ([w, d, m, y, time]) => `${w} ${d} ${m} ${y} ${time}`,
  ],
  // ISO 8601 and RFC 3339. A date alone is not an instant.
  [
    new RegExp(String.raw`(?<!\d)(\d{4}-\d\d-\d\d)([T ])${clock}`, 'g'),
    ([date, , time]) => `${date}T${time}Z`,
    (at, [, gap]) => new Date(at.join(' ')).toISOString().slice(0, 19).replace('T', gap!),
  ],
  // `Date.toString` of Java.
  [
    new RegExp(String.raw`${weekday} ${month} (\d\d) ${clock}((?: [\w+-]{1,9})?) (\d{4})`, 'g'),
    ([, m, d, time, , y]) => `${d} ${m} ${y} ${time} GMT`,
    ([w, d, m, y, time], [, , , , zone]) => `${w!.slice(0, 3)} ${m} ${d} ${time}${zone} ${y}`,
  ],
];

/** Every time in the text that is one of the record; an invented date is none. */
export function shiftTimes(text: string, offset: number, [first, last]: Span): string {
  return forms.reduce(
    (told, [form, read, write]) =>
      told.replace(form, (all, ...parts: string[]) => {
        const at = Date.parse(read(parts));
        if (Number.isNaN(at) || at < first - slack || at > last + slack) return all;
        return write(new Date(at + offset).toUTCString().split(' '), parts);
      }),
    text,
  );
}
