/** Every scenario of the gateway suite is one test. A finding never fails a test: verdicts are made from what is attached. */
import { test } from '@playwright/test';
import { toJson } from '../../src/exchange/json.ts';
import { attachmentName } from '../../src/run/attachment.ts';
import { performScenario } from '../../src/run/perform.ts';
import { readRunOptions } from '../../src/run/run-options.ts';
import { selectedIds, selectScenarios } from '../../src/run/selection.ts';
import { timeLimit } from '../../src/run/time-limit.ts';
import { gatewayScenarios } from '../../src/scenarios/index.ts';

const options = readRunOptions(process.env);
if (options === undefined) throw new Error('playwright.config.ts hands over the options of the run');

for (const scenario of selectScenarios(gatewayScenarios, selectedIds('gateway', options.only))) {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
  test(scenario.id, async ({}, testInfo) => {
    testInfo.setTimeout(timeLimit(scenario, options));
    const record = await performScenario(scenario, options);
    await testInfo.attach(attachmentName, { body: toJson(record), contentType: 'application/json' });
  });
}
