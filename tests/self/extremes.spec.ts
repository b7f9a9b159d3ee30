/** Subjects that no row describes: whoever accepts, refuses or praises everything comes out as what they are, and never as right. */

import { newRepeated, runClientInProcess, runInProcess } from '../../src/app/prove/run-in-process.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { extremeClients } from './extreme-clients.ts';
import { extremeGateways, refusalRows } from './extreme-gateways.ts';

const repeated = newRepeated();

for (const [at, { id, expects, alteration }] of extremeGateways.entries()) {
  const tag = at < 1 ? [] : ['@all'];
  test(`a gateway that ${id.replaceAll('-', ' ')} passes no row about refusals`, { tag }, async () => {
    const options = completeRunOptions({ seed: 'extremes', cases: at < 1 ? 2 : 4 }, Date.now(), '/nowhere');
    const { conclusion, results } = await runInProcess(options, { alterations: [alteration], repeated });
    const judged = results.filter((row) => refusalRows.some((refusal) => refusal === row.id));
    expect(judged.filter(({ outcome }) => !expects.some((one) => one === outcome)).map((row) => row.id)).toEqual([]);
    expect(judged).toHaveLength(refusalRows.length);
    expect(['partial', 'non-conformant']).toContain(conclusion);
  });
}

for (const [at, { id, alteration }] of extremeClients.entries()) {
  test(`the client "${id.replaceAll('-', ' ')}" is never conformant`, {
    tag: at % 2 === 0 ? [] : ['@all'],
  }, async () => {
    const { conclusion, results } = await runClientInProcess({ seed: 'extremes', cases: 4 }, [alteration]);
    expect(['partial', 'non-conformant']).toContain(conclusion);
    expect(results.filter(({ outcome }) => outcome === 'error')).toEqual([]);
  });
}
