/** A run that verifies the pacts of a Pact Broker in place of our own: their files before it, their results behind it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContractRow } from '../../record/result/result.ts';
import type { BrokeredPacts } from '../../run/options/run-options.ts';
import { fetchPacts, publishResults } from './broker.ts';
import { brokerAuthorization } from './broker-credentials.ts';

export type PactPaths = readonly { readonly name: string; readonly path: string }[];

/** Publishes if that was asked for, and tells a sentence for each pact. Throws BrokerError. */
export type Publish = (rows: readonly ContractRow[], tell: (sentence: string) => void) => Promise<void>;

/** Throws BrokerError. The files are gone when `run` has ended. */
export async function withBrokeredPacts<T>(
  { url, publishAs }: BrokeredPacts,
  env: NodeJS.ProcessEnv,
  run: (paths: PactPaths, publish: Publish) => Promise<T>,
): Promise<T> {
  const access = { url, authorization: brokerAuthorization(env) };
  const pacts = await fetchPacts(access, publishAs?.branch);
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pacts-'));
  try {
    const paths = pacts.map(({ name }, at) => ({ name, path: join(folder, `${at}.json`) }));
    await Promise.all(paths.map(({ path }, at) => writeFile(path, pacts[at]!.text)));
    return await run(paths, async (rows, tell) => {
      if (publishAs !== undefined) await publishResults(access, pacts, rows, publishAs, tell);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
