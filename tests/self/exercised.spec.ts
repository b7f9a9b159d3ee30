/** What a live run says never arose does arise once the run is given what it asks for. */
import { requirements } from '../../contracts/requirements/index.ts';
import { exercisedIn } from '../../src/record/result/conclude.ts';
import type { LiveConfig } from '../../src/run/target/live-config.ts';
import { expect, test } from '../engine.ts';
import { plenty, runLive, startLive } from './live-setting.ts';

const totals = {
  sale_approved_count: '0',
  sale_approved_sum: '0.00',
  reversal_approved_count: '0',
  reversal_approved_sum: '0.00',
};
const only = requirements.filter(({ condition }) => condition !== undefined).map(({ id }) => id as string);
const configured = { totals, gates: 1, states: { closing: '1112', locked: '1113' } };

/** Ids by what would make them arise. */
async function neverArose(given: Partial<LiveConfig>, control = false) {
  const setting = await startLive({ allow: plenty, ...given });
  try {
    const controlUrl = control ? { controlUrl: setting.mock.controlUrl! } : {};
    const result = await runLive({ ...setting.config, ...controlUrl }, { only, cases: 1 });
    expect(result.conclusion).toBe('conformant');
    return exercisedIn(result).neverArose.map(({ id, hint = '' }) => [
      hint.match(/states\.\w+|totals|gates\.|control-url/)?.[0],
      id,
    ]);
  } finally {
    await setting.close();
  }
}

test('a live run names what never arose, and its configuration brings about all that it can', async () => {
  const bare = await neverArose({});
  expect(bare.map(([key]) => key)).toEqual(
    expect.arrayContaining(['totals', 'gates.', 'states.closing', 'states.locked']),
  );
  const left = await neverArose(configured);
  expect(left).toEqual(bare.filter(([key]) => key === 'control-url'));
  expect(await neverArose(configured, true)).toEqual([]);
});
