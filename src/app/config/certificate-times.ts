/** Dates of certificates as flags give them. */
import { CertificateError } from '../../extras/certificate/certificate-error.ts';
import { mostDays } from '../../extras/certificate/check-statement.ts';
import { UsageError } from '../usage-error.ts';

/** Days for which a run says something, where nobody says otherwise. */
export const usualDays = 90;

const dayMs = 24 * 60 * 60_000;

/**
 * When a certificate of a run expires, ISO 8601: a date counts to its end, days from the start of the run, since it is the
 * run that grows old. Throws UsageError, and CertificateError where that is over at `now`.
 */
export function expiryOf(given: string | undefined, startedAt: string, now: number): string {
  if (Date.parse(startedAt) > now) {
    throw new CertificateError(
      'not-certifiable',
      `the run began at ${startedAt}, which is not yet`,
      'Check the clock of this machine; a run is certified as it was written.',
    );
  }
  const days = given === undefined ? usualDays : /^\d{1,4}$/.test(given) ? Number(given) : undefined;
  const at = days === undefined ? endOfDay(given!) : Date.parse(startedAt) + days * dayMs;
  // A re-keyed copy began years ago: a date is held against today.
  if (at === undefined || days === 0 || (days ?? 0) > mostDays || at > now + mostDays * dayMs) {
    throw new UsageError(
      'bad-value',
      `--expires ${given} is neither a date such as 2027-01-31, at most ${mostDays} days from now, nor a number of days from 1 to ${mostDays}`,
    );
  }
  const expiresAt = new Date(at).toISOString();
  if (at > now) return expiresAt;
  throw new CertificateError(
    'not-certifiable',
    `the run began at ${startedAt}, and its certificate would have expired at ${expiresAt}`,
    'Run it again, or name a later date with --expires.',
  );
}

/** Milliseconds since the Unix epoch of a date, or of a date with time and zone; `now` where none is given. Throws UsageError. */
export function timeOf(flag: string, given: string | undefined, now: number): number {
  if (given === undefined) return now;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(given);
  const at = isTime && isDay(given.slice(0, 10)) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageError('bad-value', `${flag} ${given} is no date such as 2027-01-31 or 2027-01-31T12:00:00Z`);
}

function endOfDay(date: string): number | undefined {
  return isDay(date) ? Date.parse(date) + dayMs - 1 : undefined;
}

/** Date.parse moves 2026-02-30 on to March. */
function isDay(date: string): boolean {
  const start = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(date);
}
