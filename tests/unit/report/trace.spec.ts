/** The exchanges of failures on a terminal, for --trace. */
import { runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { mockDefects } from '../../../src/faults/index.ts';
import { splitByExchange } from '../../../src/record/case.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { responseLines } from '../../../src/report/pages/exchange-view.ts';
import { blocksText } from '../../../src/report/terminal.ts';
import { traceBlocks } from '../../../src/report/trace.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { baseStringOf } from '../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../engine.ts';

test('a trace has the request, what differs from its twin with a mark, both answers, and a curl command', async () => {
  const only = ['close-day/request-id-length-enforced'];
  const { alteration } = mockDefects.find(({ breaks }) => breaks.includes(only[0] as never))!;
  const options = completeRunOptions({ seed: '1', cases: 1, only }, Date.now(), '.');
  const run = await runInProcess(options, { alterations: [alteration] });
  const text = blocksText(traceBlocks(run.result, splitByExchange(run.cases), baseStringOf), {});
  expect(text).toMatch(/✗ close-day\/request-id-length-enforced/);
  expect(text).toMatch(/^ *exchange +\d+: [\s\S]*^ *sent +POST \/api\/v2\/close-day\/\d+ HTTP\/1\.1$/m);
  expect(text).toMatch(/^ *twin +exchange \d+ differs in values that always change(?: at most|, and in:)$/m);
  expect(text).toMatch(/^ *again +curl --globoff .* --data-raw 'day_close_request_id=/m);
  const caution = /^ *caution +The command may start the payment or close the day again\.$/m;
  expect(text).toMatch(/^ *twin answer +HTTP\/1\.1 200[\s\S]*^ *caution +The server of this run has ended/m);
  const live = { ...run.result, subject: { ...run.result.subject, target: 'https://gateway.example' } };
  expect(blocksText(traceBlocks(live, splitByExchange(run.cases), baseStringOf), {})).toMatch(caution);
  expect(responseLines({ response: { line: '', headers: [['Date', '']], body: {} } } as never)[1]?.varies).toBe(true);
});

test('a trace marks a quoted value that arrived, names a row without an exchange, and is empty for a green run', async () => {
  const options = completeRunOptions({ seed: '1', only: ['close-day/status-200'], cases: 1 }, Date.now(), '.');
  const { result, cases } = await runInProcess(options);
  const traced = (changes: Partial<Result['results'][number]>) =>
    blocksText(
      traceBlocks({ ...result, results: [{ ...result.results[0]!, ...changes }] }, splitByExchange(cases), () => ''),
      {},
    );
  const number = splitByExchange(cases).findIndex(({ exchanges: [{ response }] }) => response?.status === 200) + 1;
  const marked = traced({ outcome: 'fail', actual: 'the type "text/html;charset=utf-8"', exchanges: [number] });
  expect(marked).toMatch(/^( +)Content-Type: text\/html;charset=utf-8\n\1 {14}\^{23}$/im);
  expect(traced({ outcome: 'fail', exchanges: [] })).toContain('Nothing was sent, so there is no exchange.');
  expect(traceBlocks(result, splitByExchange(cases), baseStringOf)).toEqual([]);
});
