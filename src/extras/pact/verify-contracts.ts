/** Verifies the Pact contracts against a target: pact-core, with the limits and the surroundings that it needs, through the forwarder that signs. */
import { devNull } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../record/errors.ts';
import type { ContractRow } from '../../record/result/result.ts';
import { freshNonce } from '../../run/gateway/perform-case.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { mockTarget, type OpenedTarget } from '../../run/target/target.ts';
import { type PactFile, readPactFile, readPactFiles, readVerdicts, unverified } from './contracts.ts';
import { openSigningForwarder, type SigningForwarder, type Way } from './signing-forwarder.ts';

/** Milliseconds for one request of the verifier. */
const requestMs = 5_000;
/** Milliseconds for what the verifier does besides requests, for one file. */
const besidesMs = 15_000;

export async function performContracts(
  options: Pick<RunOptions, 'defects' | 'variants' | 'pacts'>,
): Promise<ContractRow[]> {
  return verifyContracts(() => mockTarget(options.defects, options.variants), await contractsOf(options));
}

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
    const fresh = () => ({ timestamp: String(Math.floor(Date.now() / 1000)), nonce: freshNonce() });
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
      limitMs: file.interactions.length * requestMs + besidesMs,
      live,
    });
    return readVerdicts(file, json);
  } catch (cause) {
    return unverified(file, messageOf(cause));
  }
}

interface VerifierTask {
  readonly pactPath: string;
  readonly provider: string;
  readonly providerBaseUrl: string;
  readonly statesUrl: string;
  readonly requestMs: number;
  readonly limitMs: number;
  /** Whether this process may check a certificate of the gateway meanwhile. */
  readonly live: boolean;
}

/**
 * Verifies one Pact file (pact-core is loaded on first use: it takes 0.2 s); what comes out is the verifier's own JSON, whether or not the contract holds.
 * Throws where it was not able to run or did not end in time.
 */
export async function runVerifier(task: VerifierTask): Promise<string> {
  settle(process.env);
  const { default: core } = await import('@pact-foundation/pact-core');
  const restored = task.live ? () => {} : withoutCertificates(process.env);
  // A CommonJS module with a default export: under its types and at run time it has this name.
  const verified = core.default.verifyPacts({
    provider: task.provider,
    providerBaseUrl: task.providerBaseUrl,
    pactUrls: [task.pactPath],
    providerStatesSetupUrl: task.statesUrl,
    providerStatesSetupBody: true,
    providerStatesSetupTeardown: true,
    failIfNoPactsFound: true,
    timeout: task.requestMs,
    logLevel: 'error',
  });
  return withinLimit(
    verified.then(String, (error: Error) => {
      // A contract that does not hold is a rejection whose message is the same JSON.
      if (error.message.trimStart().startsWith('{')) return error.message;
      throw error;
    }),
    task.limitMs,
  ).finally(restored);
}

/**
 * The verifier reads all certificates of the machine once for each of its requests, which is three quarters of its work, and
 * needs none: it talks to 127.0.0.1 without TLS. Returns what gives them back.
 */
function withoutCertificates(environment: NodeJS.ProcessEnv): () => void {
  const { SSL_CERT_FILE, SSL_CERT_DIR } = environment;
  Object.assign(environment, { SSL_CERT_FILE: devNull, SSL_CERT_DIR: devNull });
  return () => {
    for (const [name, value] of Object.entries({ SSL_CERT_FILE, SSL_CERT_DIR })) {
      if (value === undefined) delete environment[name];
      else environment[name] = value;
    }
  };
}

function settle(environment: NodeJS.ProcessEnv): void {
  // It reports its use to a server on the internet by default.
  environment.PACT_DO_NOT_TRACK = 'true';
  // A proxy of the machine would get the requests to 127.0.0.1.
  const direct = (environment.NO_PROXY ?? environment.no_proxy ?? '').split(',').filter((host) => host !== '');
  if (!direct.includes('127.0.0.1')) environment.NO_PROXY = [...direct, '127.0.0.1'].join(',');
  // A value that its logger does not know, set for some other program, would make the import throw.
  environment.LOG_LEVEL = 'error';
}

function withinLimit<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const end = new AbortController();
  const late = pause(limitMs, undefined, end).then(() => {
    throw new Error(`the Pact verifier did not end within ${limitMs} ms`);
  });
  return Promise.race([promise, late]).finally(() => end.abort());
}
