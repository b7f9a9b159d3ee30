/** Instants in gateCloseDate and in what clients make of it (section 2.2; ISO 8601). */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Minutes east of Greenwich of the abbreviations that mean one zone only. */
const zones: ReadonlyMap<string, number> = new Map([
  ['UTC', 0],
  ['GMT', 0],
  ['MSK', 180],
]);

/**
 * Milliseconds since the Unix epoch of `<weekday> <month> <day> <HH:MM:SS> <zone> <year>`; undefined where the month is
 * not an English one or the zone is not a plain one.
 */
export function instantOf(date: string): number | undefined {
  const [, month = '', day, clock, zone = '', year] = date.split(' ');
  const offset = zones.get(zone) ?? offsetOf(zone.replace(/^(?:GMT|UTC)/, ''));
  const [hours, minutes, seconds] = (clock ?? '').split(':').map(Number);
  if (!months.includes(month) || offset === undefined || seconds === undefined) return undefined;
  return Date.UTC(Number(year), months.indexOf(month), Number(day), hours, minutes! - offset, seconds);
}

/** The instants that a text can stand for: an ISO date with its offset, or a count of seconds or milliseconds. */
export function instantsRead(text: string): number[] {
  if (/^-?\d{1,14}$/.test(text)) return [Number(text), Number(text) * 1000];
  // Java writes the zone once more in brackets.
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text.replace(/\[.*\]$/, ''));
  const instant = iso === null ? Number.NaN : Date.parse(iso[0].replace(' ', 'T'));
  return Number.isNaN(instant) ? [] : [instant];
}

/** Minutes of `+03:00`; undefined for anything else. */
function offsetOf(text: string): number | undefined {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return parts[1] === '-' ? -minutes : minutes;
}
