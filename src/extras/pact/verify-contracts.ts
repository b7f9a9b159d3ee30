/** Verifies the Pact contracts against a target, through the forwarder that signs. */
import { messageOf } from '../../record/errors.ts';
import type { ContractRow } from '../../record/result/result.ts';
import { freshNonce } from '../../run/gateway/perform-case.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { mockTarget, type OpenedTarget } from '../../run/target/mock-target.ts';
import { type PactFile, readPactFile, readPactFiles } from './pact-files.ts';
import { readVerdicts, unverified } from './read-verdicts.ts';
import { openSigningForwarder, type SigningForwarder, type Way } from './signing-forwarder.ts';
import { runVerifier } from './verifier.ts';

/** Milliseconds for one request of the verifier. */
const requestMs = 5_000;
/** Milliseconds for what the verifier does besides requests, for one file. */
const besidesMs = 15_000;

/** Verifies against mocks with the run's defects and variants, started for this. */
export async function performContracts(
  options: Pick<RunOptions, 'defects' | 'variants' | 'pacts'>,
): Promise<ContractRow[]> {
  return verifyContracts(() => mockTarget(options.defects, options.variants), await contractsOf(options));
}

/** The pacts that a broker has, where the run has fetched some, and our own elsewhere. */
export async function contractsOf({ pacts }: Pick<RunOptions, 'pacts'>): Promise<PactFile[]> {
  return pacts === undefined ? readPactFiles() : Promise.all(pacts.map(({ path, name }) => readPactFile(path, name)));
}

/**
 * One row for each interaction of each Pact file. The files name endpoints: 1111 is open, 1112 closing, 1113 locked.
 * `way` leads to a live target, through the effect guard. Opens a target for each interaction and closes it. Throws where there are no files, or one cannot be read; everything
 * else is a row.
 */
export async function verifyContracts(
  open: () => Promise<OpenedTarget>,
  files?: readonly PactFile[],
  way?: () => Way,
): Promise<ContractRow[]> {
  const rows: ContractRow[] = [];
  for (const file of files ?? (await readPactFiles())) {
    const fresh = () => ({
      timestamp: String(Math.floor(Date.now() / 1000)),
      nonce: freshNonce(),
    });
    const forwarder = await openSigningForwarder(open, fresh, way?.());
    // One after the other: a state is set for one interaction at a time.
    const verified = await verifyFile(file, forwarder, way !== undefined).finally(() => forwarder.close());
    rows.push(...verified.map((row) => withReason(row, forwarder.notSent.get(row.state))));
  }
  return rows;
}

/** What was not sent says nothing of the gateway; another request of the same state can have been answered. */
function withReason(row: ContractRow, reason: string | undefined): ContractRow {
  if (reason === undefined || row.outcome === 'pass' || row.outcome === 'fail') return row;
  return { ...row, outcome: 'inconclusive', blame: 'configuration', mismatches: [`not sent: ${reason}`] };
}

async function verifyFile(file: PactFile, { url, statesUrl }: SigningForwarder, live: boolean): Promise<ContractRow[]> {
  try {
    const json = await runVerifier({
      pactPath: file.path,
      provider: file.provider,
      providerBaseUrl: url,
      statesUrl,
      requestMs,
      limitMs: timeLimitOf(file),
      live,
    });
    return readVerdicts(file, json);
  } catch (cause) {
    return unverified(file, messageOf(cause));
  }
}

/** Milliseconds after which the verification of the file is given up. */
function timeLimitOf(file: PactFile): number {
  return file.interactions.length * requestMs + besidesMs;
}
