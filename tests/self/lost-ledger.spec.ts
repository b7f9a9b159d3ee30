/** A ledger that is lost while a run goes on: how the command ends, and what the report still says. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { liveRun } from '../../src/app/live/live-run.ts';
import type { LogEntry } from '../../src/mock/index.ts';
import { LiveError, ledgerPlace } from '../../src/run/allowance/ledger.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { UsageError } from '../../src/run/options/usage-error.ts';
import { expect, test } from '../engine.ts';
import { file } from '../unit/app/signed-call.ts';
import { runLive, startLive } from './live-setting.ts';

const allow = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };

test('a ledger that is lost while a run goes on is no wrong use of the command: its error ends with exit code 3 @all', async () => {
  const { config, close } = await startLive({ allow });
  try {
    const options = completeRunOptions({ target: config.target, seed: 'live', cases: 3 }, Date.now(), '/nowhere');
    const surroundings = { env: {}, width: 80, out: () => {}, err: () => {}, setExitCode: () => {} };
    const started = (perform: Parameters<typeof liveRun>[4]) =>
      liveRun(options, config, false, surroundings as never, perform).catch((cause: unknown) => cause);
    const lost = started(async ({ live }) => {
      expect(await started(async () => ({}))).toBeInstanceOf(UsageError);
      file(live.ledger, '');
      return {};
    });
    expect(await lost).toBeInstanceOf(LiveError);
    // What it no longer knows may have been done, as far as the plan goes.
    for (const left of ['', '{']) {
      const aborted = await started(async ({ live }) => {
        file(live.ledger, left);
        return { aborted: 'lost', hint: '' };
      });
      file(ledgerPlace(config, {}, '/nowhere').path, '');
      expect(aborted).toMatchObject({
        effects: {
          recorded: { 'closes-day': 0, 'starts-payments': 0 },
          unclear: { 'closes-day': 1, 'starts-payments': 2 },
          ifRefusalsAreUntrue: { 'closes-day': 13, 'starts-payments': { count: 14, total: '14.00' } },
        },
      });
    }
  } finally {
    await close();
  }
});

test('a ledger that cannot be read any more leaves what was received in the report, and at worst all that was planned', async () => {
  let [state, asked] = ['', 0];
  const log = ({ target }: LogEntry) => {
    asked += target.endsWith('/1111') ? 1 : 0;
    if (asked < 8) return;
    const [name] = readdirSync(state).filter((one) => one.endsWith('.jsonl'));
    file(join(state, name!), '{');
  };
  const { config, mock, close } = await startLive({ allow, mock: { log } });
  try {
    state = config.ledger!;
    const result = await runLive(config, { only: ['authentication/*'] }, false);
    expect(result.aborted).toContain('was taken away, cut or replaced');
    expect(result.exchangeCount).toBeGreaterThan(0);
    expect(mock.counters().closedDays).toBeLessThanOrEqual(result.effects.ifRefusalsAreUntrue!['closes-day']);
    expect(result.effects.ifRefusalsAreUntrue?.['closes-day']).toBeGreaterThan(1);
  } finally {
    await close();
  }
});
