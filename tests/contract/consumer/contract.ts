/** The contract of one consumer: each interaction is shown by a real request, and together they are the committed Pact file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PactV3, type Rules, SpecificationVersion, type V3Request, type V3Response } from '@pact-foundation/pact';
import type { ConsumerPact } from '@pact-foundation/pact-core';
import type { TestInfo } from '@playwright/test';
import { expect } from '../../engine.ts';

export interface Interaction {
  /** Provider state; the verification has to know it (src/extras/pact/provider-state.ts). */
  readonly state: string;
  readonly description: string;
  readonly request: V3Request & { readonly rules: Rules };
  /** `rules` are added to those that matchers inside the body make. */
  readonly response: V3Response & { readonly rules?: Rules };
}

export interface Contract {
  /** Starts a server that answers as the interaction says, and writes the interaction down if `use` sent a fitting request. */
  holds<T>(interaction: Interaction, use: (baseUrl: string) => Promise<T>): Promise<T>;
  /** Compares what was written with the committed file; with `--update-snapshots` it replaces the file instead. */
  isCommitted(testInfo: TestInfo): Promise<void>;
  remove(): void;
}

export const provider = 'payment-gateway';

const committed = join(import.meta.dirname, '../../../contracts/pacts');
const command = 'npx playwright test -c playwright.tests.config.ts tests/contract/consumer --update-snapshots';

// The library reports its use to a server on the internet unless told not to.
process.env.PACT_DO_NOT_TRACK = 'true';

/** A contract that is written into a temporary folder, made on first use: listing tests leaves nothing behind. */
export function contractOf(consumer: string): Contract {
  const name = `${consumer}-${provider}.json`;
  let folder: string | undefined;
  const dir = () => {
    folder ??= mkdtempSync(join(tmpdir(), 'countersign-pacts-'));
    return folder;
  };
  return {
    holds(
      { state, description, request: { rules, ...request }, response: { rules: responseRules = {}, ...response } },
      use,
    ) {
      const pact = new PactV3({
        consumer,
        provider,
        dir: dir(),
        spec: SpecificationVersion.SPECIFICATION_VERSION_V4,
        logLevel: 'error',
        cors: false,
      });
      pact.given(state).uponReceiving(description);
      pact.withRequestMatchingRules(request, rules);
      pact.withRequest(request).willRespondWith(response);
      pact.withResponseMatchingRules(request, responseRules);
      // It has no public way to ask, and makes another one of these after the test.
      const { pact: record } = pact as unknown as { pact: ConsumerPact };
      return pact.executeTest(({ url, port }) =>
        use(url).finally(() => requestRecorded(record, port)),
      ) as Promise<never>;
    },
    async isCommitted({ config }) {
      if (config.updateSnapshots === 'all' || config.updateSnapshots === 'changed') {
        await mkdir(committed, { recursive: true });
        await copyFile(join(dir(), name), join(committed, name));
      }
      const written = await readFile(join(dir(), name), 'utf8');
      const found = await readFile(join(committed, name), 'utf8').catch(() => 'there is no such file');
      expect(unstamped(found), `contracts/pacts/${name} is stale; write it again with: ${command}`).toBe(
        unstamped(written),
      );
    },
    remove: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The mock server answers before it writes down what was received: a busy machine asks it too early. */
async function requestRecorded(record: ConsumerPact, port: number): Promise<void> {
  const isMissing = (result: object) => 'type' in result && result.type === 'missing-request';
  for (;;) {
    const results = record.mockServerMismatches(port);
    if (results.length === 0 || !results.every(isMissing)) return;
    await setTimeout(5);
  }
}

/** The text without the versions of the library: another version with the same contract is not a change of the contract. */
export function unstamped(text: string): string {
  return text
    .replace(/("pact-js": \{\s*"version": )"[^"]*"/, '$1"any"')
    .replace(/("ffi": )"[^"]*"(,\s*"models": )"[^"]*"/, '$1"any"$2"any"');
}
