/** A request with the ids of an accepted one has its body, so that a gateway could take it for the same; no other has. */

import { newRepeated, performInMemory } from '../../../src/app/prove/run-in-process.ts';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';

for (const area of ['close-day', 'recurring']) {
  test(`of ${area} the two that are meant to have the ids of the accepted request have them`, async () => {
    const scenario = gatewayScenarios.find(({ id }) => id === `${area}/signature-faults`)!;
    const options = completeRunOptions({ seed: 'ids', cases: 1 }, Date.now(), '.');
    const { cases } = await performInMemory(scenario, options, { secondVoice: false }, newRepeated());
    const body = (one: (typeof cases)[number]) => Buffer.from(one.exchange.request.body).toString();
    const accepted = cases.find(({ label }) => label.intent === 'valid')!;
    expect(accepted.exchange.response?.status).toBe(200);
    const alike = cases.filter((one) => one !== accepted && body(one) === body(accepted));
    expect(alike.map(({ label }) => label.differsIn)).toEqual([
      'no Authorization header, and the ids of an accepted request',
      'another key, and the ids of an accepted request',
    ]);
  });
}
