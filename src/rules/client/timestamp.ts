/** The judge of oauth_timestamp (section 5): its form always, its value where client and suite share a clock. */
import { lacks } from '../../record/har-losses.ts';
import { type Finding, fail, pass } from '../finding.ts';
import { oddValue } from './odd-value.ts';
import { parameter } from './reading.ts';
import { wireJudge } from './wire-judge.ts';

/** Seconds that a timestamp may be off on the same machine; a client that waits before it sends is not at fault. */
const tolerance = 300;
/** Seconds; the year 5138. What is above counts in a smaller unit. */
const farFuture = 1e11;

export const timestampSeconds = wireJudge('both', ({ examined, exchange, reading }) => {
  const { asked } = examined;
  const sent = parameter(reading, 'oauth_timestamp');
  if (sent === undefined) return null;
  if (!/^\d+$/.test(sent) || Number(sent) === 0) {
    const odd = oddValue(sent);
    return fail('a positive whole number', odd === undefined ? sent : `${sent}, ${odd.what}`);
  }
  const injected = asked?.inject?.timestamp !== undefined;
  const clock = asked !== undefined ? 'same' : lacks(examined, 'zone') ? 'local' : 'other';
  const finding = injected ? pass() : judgeValue(Number(sent), exchange.startedAt / 1000, clock);
  return finding.outcome === 'pass' && sent.startsWith('0') ? pass(`leading zeros in ${sent}`) : finding;
});

/** `local`: the record does not say its zone. */
function judgeValue(sent: number, now: number, clock: 'same' | 'local' | 'other'): Finding {
  const off = Math.round(sent - now);
  if (Math.abs(off) <= tolerance) return pass();
  const expected = `about ${Math.round(now)}`;
  if (sent >= farFuture) return fail(expected, `${sent}, which counts ${unitOf(sent, now)}`);
  const quarters = Math.round(off / 900);
  const isZone = Math.abs(off - quarters * 900) <= 5 && Math.abs(quarters) <= 14 * 4;
  const halfDay = clock === 'other' && Math.abs(quarters) === 48 ? ', or a 12-hour clock of the recorder,' : '';
  const because = isZone ? `, as local time${halfDay} would be` : '';
  if (clock === 'same') return fail(expected, `${sent}, ${Math.abs(off)} seconds off${because}`);
  if (clock === 'local' && Math.abs(quarters) <= 14 * 4) return pass('the record does not say its zone');
  return pass(`${Math.abs(off)} seconds ${off < 0 ? 'before' : 'after'} the clock of the record${because}`);
}

function unitOf(sent: number, now: number): string {
  const ratio = Math.round(Math.log10(sent / now));
  return { 3: 'milliseconds', 6: 'microseconds', 9: 'nanoseconds' }[ratio] ?? 'no seconds';
}
