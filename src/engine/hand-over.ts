/**
 * Hands the variables that hold secrets from the command to the engine and its workers, whose environments other programs of
 * this user can read. The command writes them into a pipe; from the configuration on they travel as its metadata, which the
 * engine sends to each worker over their own channel and keeps in no file.
 */
import { closeSync, readFileSync } from 'node:fs';
import type { RunSecrets } from '../secrets/secrets-of.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Descriptor at which the engine reads them. */
export const pipeOfSecrets = 3;

/** The variables that secrets are kept in, and the others; without secrets the first part is undefined. */
export function partEnvironment(
  { live }: RunSecrets,
  environment: Environment,
): { readonly secret?: Environment; readonly rest: Environment } {
  const { consumerSecret, privateKey } = live?.config.credentials ?? {};
  const names = [consumerSecret, privateKey].flatMap((source) =>
    source !== undefined && 'variable' in source ? [source.variable] : [],
  );
  if (names.length === 0) return { rest: environment };
  const part = (wanted: boolean) =>
    Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name) === wanted));
  // With DEBUG the engine prints what it sends to its workers.
  const { DEBUG: _, ...rest } = part(false);
  return { secret: part(true), rest };
}

/** Set for the engine where it has to read the pipe, which it can do once: its workers do not get the variable. */
export const secretsVariable = 'COUNTERSIGN_SECRETS';

/** What is in the pipe, for the first process that asks; undefined where there is none. */
export function takeSecrets(environment: NodeJS.ProcessEnv): Environment | undefined {
  if (environment[secretsVariable] === undefined) return undefined;
  delete environment[secretsVariable];
  const text = readFileSync(pipeOfSecrets, 'utf8');
  closeSync(pipeOfSecrets);
  return JSON.parse(text);
}

/** Names a reporter that the engine adds, also where --reporter replaces those of the configuration. */
export const reporterVariable = 'PW_TEST_REPORTER';

/** Name of the secrets in the engine's metadata. */
export const metadataName = 'countersign';

/** The environment of this process, and what was handed over to it. */
export function wholeEnvironment(environment: Environment, metadata: Readonly<Record<string, unknown>>): Environment {
  return { ...environment, ...(metadata[metadataName] as Environment | undefined) };
}
