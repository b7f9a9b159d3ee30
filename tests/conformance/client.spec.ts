/** Every scenario of the client suite is one test; the client is a fixture of the worker. A finding never fails a test. */
import { _baseTest as base } from '@playwright/test';
import { attach, failedRecord, isBailed, skippedRecord } from '../../src/app/engine.ts';
import { AdapterError } from '../../src/peer/adapter/faults.ts';
import { neededCalls, neededClientScenarios } from '../../src/run/client/needed-calls.ts';
import { type OpenedClient, openClient, openingLimitMs } from '../../src/run/client/open-client.ts';
import { clientLimits, newPaceWarning, performClientScenario } from '../../src/run/client/perform-client.ts';
import { readRunOptions } from '../../src/run/options/run-options.ts';

const options = readRunOptions(process.env);
if (options?.client === undefined) throw new Error('playwright.config.ts must pass the options of the run');
const { client, seed, cases, path } = options;

const test = base.extend<object, { opened: { client: OpenedClient } | { fault: string } }>({
  opened: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use) => {
      // Playwright repeats a fixture that throws for every test, so this fixture returns the fault.
      const opened = await openClient(client, seed).then(
        (found) => ({ client: found }),
        (cause: unknown) => ({ fault: faultOf(cause) }),
      );
      await use(opened);
      if ('client' in opened) await opened.client.close();
    },
    { scope: 'worker', timeout: openingLimitMs(client) },
  ],
});

const scenarios = neededClientScenarios(options);
const calls = () => scenarios.reduce((sum, scenario) => sum + neededCalls(scenario, options).length, 0);
const onCall = newPaceWarning(calls, Math.min(options.workers, scenarios.length), (sentence) => {
  // Every worker gets the sentence, and one worker prints it.
  if (test.info().parallelIndex === 0) process.stderr.write(`countersign: ${sentence}\n`);
});

/** Why a scenario took too long. Later scenarios are skipped, because they would take as long. */
let slowReason: string | undefined;

for (const scenario of scenarios) {
  test(scenario.id, async ({ opened }, testInfo) => {
    if (isBailed(options)) return attach(testInfo, skippedRecord(scenario.id));
    const limits = clientLimits(scenario, options);
    testInfo.setTimeout(limits.test);
    if ('fault' in opened || slowReason !== undefined) {
      attach(testInfo, { ...failedRecord(scenario.id), givenUp: 'fault' in opened ? opened.fault : slowReason });
      return;
    }
    const { session } = opened.client;
    const { strays = false } = client;
    const inFlight = strays ? 1 : Math.min(session.introduction.offers.maxInFlight, 8);
    const began = performance.now();
    const record = await performClientScenario(scenario, {
      ...opened.client,
      seed,
      cases,
      ...(path === undefined ? {} : { path }),
      numbers: neededCalls(scenario, options),
      inFlight,
      strays,
      limitMs: limits.calls,
      now: () => performance.now(),
      ...(client.mode === 'attach' ? {} : { onCall }),
    });
    if (performance.now() - began > limits.calls) slowReason = record.givenUp;
    // The session ended during the scenario, so the record is incomplete.
    if (record.cases.some(({ call: { adapterFault } }) => adapterFault?.code === 'session-closed')) return;
    attach(testInfo, record);
  });
}

/** The text of a fault of the adapter. Any other error is a fault of the suite, so it is thrown. */
function faultOf(cause: unknown): string {
  if (cause instanceof AdapterError) return `${cause.message} ${cause.hint}`;
  throw cause;
}
