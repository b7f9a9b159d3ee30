/** Says once, and early, how long a run with a slow client takes: of a long scenario the progress has no line for many minutes. */
import type { ClientPlan } from '../../plan/client/client-scenario.ts';

const heardForMs = 30_000;
const worthTellingMs = 180_000;

/**
 * Called with every call that ended; tells nothing of a client that is quick.
 *
 * @param calls that all clients of the run make, of whom `clients` work at once
 */
export function paceTeller(
  calls: number,
  clients: number,
  tell: (sentence: string) => void,
): (plan: ClientPlan, afterMs: number) => void {
  let answers = 0;
  let sumMs = 0;
  let told = false;
  return ({ label }, afterMs) => {
    // A probe may well take its whole deadline with a client that is quick.
    if (told || label.input === 'probe') return;
    answers += 1;
    sumMs += afterMs;
    const wholeMs = (sumMs / answers) * (calls / clients);
    if (sumMs < heardForMs || wholeMs < worthTellingMs) return;
    told = true;
    const each = (sumMs / answers / 1000).toFixed(1);
    tell(
      `the client takes ${each} s for a call so far, and the run has ${calls} calls: it may take ${Math.round(wholeMs / 60_000)} minutes. ` +
        '--only and --cases make it shorter, --workers may.',
    );
  };
}
