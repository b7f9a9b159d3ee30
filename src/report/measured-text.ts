/** What was measured, for people: limits as intervals, and the dialect of signing as the missing text of section 5. Pure. */
import { type DialectCard, type DialectEntry, intervalInWords, type Measured } from '../record/result/result.ts';
import { visible } from './visible.ts';

/** Lines without their ends. Exchanges are numbered as in report.json and exchanges.har. */
export function measuredLines({ limits, dialect, requests }: Measured): string[] {
  const width = Math.max(...limits.map(({ unit }) => unit.length));
  return [
    `Measured with ${requests} requests, and not judged`,
    ...limits.map((one) => {
      const known = one.least !== undefined || one.most !== undefined;
      const why = one.reason === undefined ? '' : known ? ` (${visible(one.reason)})` : `: ${visible(one.reason)}`;
      const value = known ? intervalInWords(one) : 'not known';
      return `  ${one.unit.padEnd(width)}  ${value}${why}${known ? `, in ${one.requests} requests` : ''}`;
    }),
    ...(dialect === undefined ? [] : ['', ...cardLines(dialect)]),
  ];
}

/** As section 5 would say it, if it said it. */
function cardLines({ follows, takes, refuses, undetermined, reason, requests }: DialectCard): string[] {
  const title = `Section 5, construction of the signature base string, as close-day showed it in ${requests} requests`;
  if (reason !== undefined && refuses.length + follows.length + takes.length === 0) {
    return [title, `  Not known: ${visible(reason)}.`];
  }
  const exceptions = follows.length === 0 ? '.' : ', but for this:';
  return [
    title,
    `  The base string and the HMAC-SHA1 signature are those of RFC 5849 sections 3.4.1 and 3.4.2${exceptions}`,
    ...follows.flatMap(entryLines),
    ...(takes.length === 0
      ? []
      : ['  A signature that differs in this is taken as well:', ...takes.flatMap(entryLines)]),
    `  Refused: ${refuses.length} other ways to sign. Not known: ${undetermined.length}, which show in none of the requests that were taken.`,
    ...(reason === undefined ? [] : [`  It is not complete: ${visible(reason)}.`]),
  ];
}

function entryLines({ deviation, alternatives = [], means, exchanges }: DialectEntry): string[] {
  const or = alternatives.length === 0 ? '' : `, or ${alternatives.map(visible).join(', or ')}`;
  return [`  - ${visible(means)} (${visible(deviation)}${or}; exchange ${exchanges.slice(0, 3).join(', ')})`];
}
