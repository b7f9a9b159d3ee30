/** An engine that was told to end: one that hangs is killed, one that writes its report is not. */
import { endLate } from '../../../src/engine/end-late.ts';
import { expect, test } from '../../engine.ts';

/** What happens in which second, where the engine begins its report after so many of them and never ends. */
function ends(begins: number): number {
  let now = 0;
  let ended = Number.NaN;
  const steps: { at: number; step: () => void }[] = [];
  const after = (step: () => void, ms: number) => {
    steps.push({ at: now + ms / 1000, step });
    return { unref() {} } as NodeJS.Timeout;
  };
  endLate(1, () => now >= begins, { end: () => (ended = now), after });
  for (let next = steps.shift(); next !== undefined; next = steps.shift()) {
    now = next.at;
    next.step();
  }
  return ended;
}

test('an engine whose workers hang is killed after ten seconds', () => {
  expect(ends(Number.POSITIVE_INFINITY)).toBe(10);
});

test('an engine that has begun its report is given ten minutes for it: a large one takes more than ten seconds', () => {
  expect(ends(3)).toBe(610);
});
