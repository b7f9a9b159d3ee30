/** Verifies the Pact contracts against a target with pact-core, through the signing proxy. */
import { devNull } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../record/errors.ts';
import type { ContractRow } from '../../record/result/result.ts';
import { newStamp } from '../../run/gateway/perform-case.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { mockTarget } from '../../run/target/target.ts';
import { type PactFile, readPactFile, readPactFiles, readVerdicts, unverifiedRows } from './contracts.ts';
import { openSigningForwarder, type Sender, type SigningForwarder } from './signing-forwarder.ts';

const requestMs = 5_000;
const fileMs = 15_000;

/** Verifies the pacts of a run on the mock. */
export async function performContracts(
  options: Pick<RunOptions, 'defects' | 'variants' | 'pacts'>,
): Promise<ContractRow[]> {
  return verifyContracts(() => mockTarget(options.defects, options.variants), await contractsOf(options));
}

/** Reads the pacts of the broker, or else the pacts of the suite. */
export async function contractsOf({ pacts }: Pick<RunOptions, 'pacts'>): Promise<PactFile[]> {
  return pacts === undefined ? readPactFiles() : Promise.all(pacts.map(({ path, name }) => readPactFile(path, name)));
}

/** Returns a row for each interaction. With `newSender` the target is live. Throws only if a file is unreadable. */
export async function verifyContracts(
  openTarget: () => ReturnType<typeof mockTarget>,
  files?: readonly PactFile[],
  newSender?: () => Sender,
): Promise<ContractRow[]> {
  const rows: ContractRow[] = [];
  for (const file of files ?? (await readPactFiles())) {
    const forwarder = await openSigningForwarder(openTarget, newStamp, newSender?.());
    // Verify one file after the other, because the target has only one provider state at a time.
    const verified = await verifyFile(file, forwarder, newSender !== undefined).finally(() => forwarder.close());
    rows.push(...verified.map((row) => withReason(row, forwarder.notSent.get(row.state))));
  }
  return rows;
}

function withReason(row: ContractRow, reason: string | undefined): ContractRow {
  if (reason === undefined || row.outcome === 'pass' || row.outcome === 'fail') return row;
  return { ...row, outcome: 'inconclusive', blame: 'configuration', mismatches: [`not sent: ${reason}`] };
}

async function verifyFile(file: PactFile, forwarder: SigningForwarder, isLive: boolean): Promise<ContractRow[]> {
  try {
    const limitMs = file.interactions.length * requestMs + fileMs;
    return readVerdicts(file, await runVerifier(file, forwarder, { limitMs, isLive }));
  } catch (cause) {
    return unverifiedRows(file, messageOf(cause));
  }
}

/** Returns the JSON report of pact-core, even if a contract fails. Throws if pact-core cannot run or takes too long. */
export async function runVerifier(
  { provider, path }: Pick<PactFile, 'provider' | 'path'>,
  { url, statesUrl }: Pick<SigningForwarder, 'url' | 'statesUrl'>,
  { limitMs, isLive }: { readonly limitMs: number; readonly isLive: boolean },
): Promise<string> {
  prepareEnvironment(process.env);
  const { default: core } = await import('@pact-foundation/pact-core');
  // A live target can use TLS, so this process needs the certificates of the system.
  const restore = isLive ? () => {} : hideCertificates(process.env);
  // pact-core is a CommonJS module, so its exports are in `default`.
  const verified = core.default.verifyPacts({
    provider,
    providerBaseUrl: url,
    pactUrls: [path],
    providerStatesSetupUrl: statesUrl,
    providerStatesSetupBody: true,
    providerStatesSetupTeardown: true,
    failIfNoPactsFound: true,
    timeout: requestMs,
    logLevel: 'error',
  });
  return withinLimit(
    verified.then(String, (error: Error) => {
      // If a contract fails, the verifier throws an error. Its message is the JSON report.
      if (error.message.trimStart().startsWith('{')) return error.message;
      throw error;
    }),
    limitMs,
  ).finally(restore);
}

/** Hides the certificates of the system, because pact-core takes long to load them. Returns an undo function. */
function hideCertificates(environment: NodeJS.ProcessEnv): () => void {
  const { SSL_CERT_FILE, SSL_CERT_DIR } = environment;
  Object.assign(environment, { SSL_CERT_FILE: devNull, SSL_CERT_DIR: devNull });
  return () => {
    for (const [name, value] of Object.entries({ SSL_CERT_FILE, SSL_CERT_DIR })) {
      if (value === undefined) delete environment[name];
      else environment[name] = value;
    }
  };
}

function prepareEnvironment(environment: NodeJS.ProcessEnv): void {
  // By default the verifier sends usage data to a server on the internet.
  environment.PACT_DO_NOT_TRACK = 'true';
  // Requests to 127.0.0.1 must not go through a proxy.
  const noProxyHosts = (environment.NO_PROXY ?? environment.no_proxy ?? '').split(',').filter((host) => host !== '');
  if (!noProxyHosts.includes('127.0.0.1')) environment.NO_PROXY = [...noProxyHosts, '127.0.0.1'].join(',');
  // The import of pact-core throws if LOG_LEVEL has a value that pact-core does not know.
  environment.LOG_LEVEL = 'error';
}

function withinLimit<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const end = new AbortController();
  const timeout = pause(limitMs, undefined, end).then(() => {
    throw new Error(`the Pact verifier did not end within ${limitMs} ms`);
  });
  return Promise.race([promise, timeout]).finally(() => end.abort());
}
