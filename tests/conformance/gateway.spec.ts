/** Every scenario of the gateway suite is one test. A finding never fails a test: the reporter judges the attached records. */
import { _baseTest as test } from '@playwright/test';
import { attach, failedRecord, isBailed, skippedRecord } from '../../src/app/engine.ts';
import { measureLive, measureMock } from '../../src/extras/probe/measure.ts';
import { measuring } from '../../src/plan/measuring.ts';
import type { Case } from '../../src/record/case.ts';
import { performScenario } from '../../src/run/gateway/perform-case.ts';
import { neededScenarios } from '../../src/run/gateway/planned-cases.ts';
import { measuringLimit, performStep, timeLimit } from '../../src/run/live/perform-step.ts';
import { orderSteps, scenarioOf, titleOf } from '../../src/run/live/plan.ts';
import { endSession, liveSession } from '../../src/run/live/session.ts';
import { readRunOptions } from '../../src/run/options/run-options.ts';
import type { ScenarioRecord } from '../../src/run/scenario-record.ts';

const options = readRunOptions(process.env);
if (options === undefined) throw new Error('playwright.config.ts must pass the options of the run');

const { measure } = options;

// A live run attaches each case at once, so that the report has the case even if the run ends early.
const live = options.live && {
  ...options,
  live: options.live,
  onPerformed: (testCase: Case) => attach(test.info(), { cases: [testCase] }),
};

if (live === undefined) {
  for (const scenario of neededScenarios(options)) {
    record(
      scenario.id,
      () => timeLimit({ scenario }, options),
      () => performScenario(scenario, options),
    );
  }
} else {
  // One worker performs the steps in this order and repeats none, because each step may close a day.
  for (const step of orderSteps(options)) {
    record(
      titleOf(step),
      () => timeLimit(step, options),
      async () => performStep(await liveSession(live, process.env), step, live),
    );
  }
}

if (measure !== undefined) {
  record(
    measuring.id,
    () => measuringLimit(options),
    async () => (live === undefined ? measureMock(options) : measureLive(await liveSession(live, process.env), live)),
  );
}

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
test.afterEach(async ({}, { status }) => {
  if (status === 'interrupted') await endSession(options);
});

function record(title: string, limitMs: () => number, perform: () => Promise<ScenarioRecord>): void {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
  test(title, async ({}, testInfo) => {
    if (isBailed(options!)) return attach(testInfo, skippedRecord(scenarioOf(title)));
    testInfo.setTimeout(limitMs());
    const record = await perform().catch((cause: unknown) => failedRecord(scenarioOf(title), cause));
    if (testInfo.status === 'interrupted') return;
    attach(testInfo, live === undefined ? record : { ...record, cases: [] });
  });
}
