/** A live run that got only a part of its cases is judged from its files as it was: what was not sent stays open. */
import { gatewayDefects } from '../../src/faults/index.ts';
import { fromHar } from '../../src/record/read-har.ts';
import type { ResultRow } from '../../src/record/result/result.ts';
import { toHar } from '../../src/record/write-har.ts';
import { orderSteps } from '../../src/run/live/order.ts';
import { performStep } from '../../src/run/live/perform-step.ts';
import { beginLive, endOfLive } from '../../src/run/live/session.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import type { LiveConfig } from '../../src/run/target/live-config.ts';
import { concludeRun, judgeRecordings } from '../../src/verdict/conclude.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { startLive } from './live-setting.ts';

const little = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };

for (const defect of [undefined, 'authentication/signature-not-checked']) {
  test(`a run of ${defect ?? 'a right gateway'} with a small allowance is judged again with the same outcomes @all`, async () => {
    const alterations = gatewayDefects.flatMap((one) =>
      one.id === defect && 'alteration' in one ? [one.alteration] : [],
    );
    const setting = await startLive({ allow: little, mock: { alterations } });
    try {
      const { result, cases, recorded } = await concluded(setting.config);
      expect(result.results.filter(({ actual }) => actual?.startsWith('not sent: ')).length).toBeGreaterThan(0);
      const text = toHar(cases, result, recorded);
      expect(fromHar(text)).toHaveLength(cases.length);
      const again = judgeRecordings({
        header: result,
        only: [],
        recordings: [readRecording(text, 'stored')],
        keys: { hasKeys: false, keysOf: () => undefined },
      }).result;
      const told = ({ id, outcome, blame, exchanges }: ResultRow) => ({ id, outcome, blame, exchanges });
      expect(again.results.map(told)).toEqual(result.results.map(told));
      expect(again.conclusion).toBe(result.conclusion);
    } finally {
      await setting.close();
    }
  });
}

async function concluded(config: LiveConfig) {
  const given = completeRunOptions({ target: config.target, seed: 'live', cases: 3 }, Date.now(), '/nowhere');
  const begun = await beginLive({ runId: given.runId, config }, {}, '/nowhere');
  try {
    if (begun.hindrance !== undefined) throw new Error(begun.hindrance.reason);
    const options = { ...given, live: begun.live };
    const records = [];
    for (const step of orderSteps(options)) records.push(await performStep(step, options, process.env));
    return concludeRun(options, records, { now: Date.now(), live: await endOfLive(options) });
  } finally {
    begun.end(true);
  }
}
