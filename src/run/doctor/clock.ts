/** How far the target's clock is from this machine's, from the Date header of its answers (RFC 9110 section 6.6.1). Pure. */
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { type DoctorFinding, ok, problem, unchecked } from '../target/examination.ts';

/** Gateways take timestamps within some minutes; from here on a run is in danger. */
export const mostSeconds = 60;

/**
 * Whole seconds by which the target's clock is ahead, negative where it is behind; undefined where no answer tells. The
 * quickest answer is taken, since it leaves the least doubt; one out of a cache has an old date.
 */
export function clockOffset(exchanges: readonly Exchange[]): number | undefined {
  const dated = exchanges
    .flatMap((exchange) => {
      const { response, startedAt, durationMs } = exchange;
      const date = Date.parse(headerValues(response?.headers ?? [], 'date')[0] ?? '');
      const aged = headerValues(response?.headers ?? [], 'age').some((age) => age !== '0');
      if (Number.isNaN(date) || aged) return [];
      // The header is cut to whole seconds: on average half of one is missing.
      return [{ durationMs, offsetMs: date + 500 - (startedAt + durationMs / 2) }];
    })
    .sort((a, b) => a.durationMs - b.durationMs);
  const best = dated[0];
  return best === undefined ? undefined : Math.round(best.offsetMs / 1000) + 0;
}

export function clockFinding(offset: number | undefined): DoctorFinding {
  if (offset === undefined) {
    return unchecked(
      'clock',
      'no answer of the target has a usable Date header: its clock is not known',
      'Compare the clock of this machine with a time server; signatures carry the time.',
    );
  }
  const apart = inWords(Math.abs(offset));
  if (Math.abs(offset) <= mostSeconds) {
    return ok(
      'clock',
      offset === 0
        ? 'the clocks agree to the second'
        : `the target's clock is ${apart} ${offset > 0 ? 'ahead of' : 'behind'} this machine's`,
    );
  }
  const direction = offset > 0 ? 'ahead of' : 'behind';
  const seen = offset > 0 ? 'old' : 'from the future';
  return problem(
    'clock',
    `the target's clock is ${apart} ${direction} this machine's, by its Date header`,
    `To the target every oauth_timestamp of this machine is ${apart} ${seen}. Set this machine's clock by a time server; if it is right, let the operator of the gateway know.`,
  );
}

function inWords(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${seconds} s (${Math.round(seconds / 60)} minutes)`;
}
