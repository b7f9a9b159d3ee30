/** The Pact verifier of pact-core, with the limits and the surroundings that it needs. Loaded on first use: it takes 0.2 s. */
import { devNull } from 'node:os';

export interface VerifierTask {
  readonly pactPath: string;
  readonly provider: string;
  readonly providerBaseUrl: string;
  readonly statesUrl: string;
  /** Milliseconds for one request. */
  readonly requestMs: number;
  /** Milliseconds for the whole file. */
  readonly limitMs: number;
  /** Whether this process may check a certificate of the gateway meanwhile. */
  readonly live: boolean;
}

/**
 * Verifies one Pact file; what comes out is the verifier's own JSON, whether or not the contract holds.
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

/** The verifier is native code and reads these from the environment alone. */
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the Pact verifier did not end within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
