/** Verifies the Pact contracts as one more test of a run on the mock. A broken contract is attached and never fails the test. */
import { _baseTest as test } from '@playwright/test';
import { attach, contractsTitle, failedRecord, isBailed } from '../../src/app/engine.ts';
import { noVerdictRows, verifiesContracts } from '../../src/extras/pact/contracts.ts';
import { contractsOf, performContracts, verifyContracts } from '../../src/extras/pact/verify-contracts.ts';
import { endSession, liveSession } from '../../src/run/live/session.ts';
import { readRunOptions } from '../../src/run/options/run-options.ts';

const options = readRunOptions(process.env);
if (options === undefined) throw new Error('playwright.config.ts must pass the options of the run');

const { live } = options;

if (verifiesContracts(options)) {
  test(contractsTitle, async () => {
    // The verification of each file has its own limit. This limit is a last resort.
    test.setTimeout(180_000);
    if (isBailed(options))
      return attach(test.info(), {
        ...failedRecord(contractsTitle),
        contracts: noVerdictRows('--bail ended the run before it', true),
      });
    const performed = live === undefined ? performContracts(options) : performLive(live);
    const contracts = await performed.catch((cause: Error) => noVerdictRows(cause.message));
    attach(test.info(), { ...failedRecord(contractsTitle), contracts });
  });
}

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
test.afterEach(async ({}, { status }) => {
  if (status === 'interrupted') await endSession(options);
});

/** Sends each request through the effect guard of the run. */
async function performLive(run: NonNullable<typeof live>) {
  const session = await liveSession({ ...options!, live: run }, process.env);
  const { guard, target } = session;
  const connect = () => ({ transport: session.openTransport(), sendGuarded: guard.send.bind(guard) });
  return verifyContracts(async () => ({ target, close: async () => {} }), await contractsOf(options!), connect);
}
