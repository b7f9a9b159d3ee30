/** The judge of oauth_timestamp (section 5): its form always, its value where client and suite share a clock. */
import { type Finding, fail, pass } from '../finding.ts';
import { parameter } from './reading.ts';
import { wireJudge } from './wire-judge.ts';

/** Seconds that a timestamp may be off on the same machine; a client that waits before it sends is not at fault. */
const tolerance = 300;
/** Seconds; the year 5138. What is above counts in a smaller unit. */
const farFuture = 1e11;

export const timestampSeconds = wireJudge('both', ({ examined: { asked }, exchange, reading }) => {
  const sent = parameter(reading, 'oauth_timestamp');
  if (sent === undefined) return null;
  if (!/^\d+$/.test(sent) || Number(sent) === 0) return fail('a positive whole number', sent);
  const injected = asked?.inject?.timestamp !== undefined;
  const finding = injected ? pass() : judgeValue(Number(sent), exchange.startedAt / 1000, asked !== undefined);
  return finding.outcome === 'pass' && sent.startsWith('0') ? pass(`leading zeros in ${sent}`) : finding;
});

function judgeValue(sent: number, now: number, sameClock: boolean): Finding {
  const off = Math.round(sent - now);
  if (Math.abs(off) <= tolerance) return pass();
  const expected = `about ${Math.round(now)}`;
  if (sent >= farFuture) return fail(expected, `${sent}, which counts ${unitOf(sent, now)}`);
  if (!sameClock) return pass(`${Math.abs(off)} seconds ${off < 0 ? 'before' : 'after'} the clock of the record`);
  const quarters = Math.round(off / 900);
  const isZone = Math.abs(off - quarters * 900) <= 5 && Math.abs(quarters) <= 14 * 4;
  return fail(expected, `${sent}, ${Math.abs(off)} seconds off${isZone ? ', as local time would be' : ''}`);
}

function unitOf(sent: number, now: number): string {
  const ratio = Math.round(Math.log10(sent / now));
  return { 3: 'milliseconds', 6: 'microseconds', 9: 'nanoseconds' }[ratio] ?? 'no seconds';
}
