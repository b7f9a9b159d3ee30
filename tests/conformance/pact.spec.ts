/** The Pact contracts are one more test of a whole run on the mock. What does not hold is attached, it never fails the test. */
import { test } from '@playwright/test';
import { contractsAttachmentName, contractsTitle } from '../../src/engine/attachment.ts';
import { toJson } from '../../src/exchange/json.ts';
import { readRunOptions } from '../../src/options/run-options.ts';
import { verifiesContracts } from '../../src/pact/verifies-contracts.ts';
import { performContracts } from '../../src/pact/verify-contracts.ts';

const options = readRunOptions(process.env);
if (options === undefined) throw new Error('playwright.config.ts hands over the options of the run');

if (verifiesContracts(options)) {
  test(contractsTitle, async () => {
    // The verification of each file has a limit of its own; this one is only there so that there is one.
    test.setTimeout(180_000);
    const rows = await performContracts(options);
    await test.info().attach(contractsAttachmentName, { body: toJson(rows), contentType: 'application/json' });
  });
}
