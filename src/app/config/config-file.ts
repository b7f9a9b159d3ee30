/** countersign.config.yaml: read, checked in full, and opened. Nothing is read that the person did not name. */
import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ProfileName } from '../../../contracts/profiles/index.ts';
import { asWritten, validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import { type CredentialSources, onlyDoubts, type SecretSource } from '../../run/target/credentials.ts';
import {
  type LiveConfig,
  liveDefaults,
  nothingAllowed,
  openConfig,
  type UnopenedConfig,
} from '../../run/target/live-config.ts';
import { UsageError } from '../usage-error.ts';
import { type ConfigValue, contradictions } from './config-rules.ts';
import { checkedTarget, withoutPasswords } from './config-target.ts';
import { type Taken, takeVariables } from './config-variables.ts';
import { type ConfigDocument, type ConfigFault, parseConfigText } from './config-yaml.ts';
import { knownProfile, matchingPattern } from './run-flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** No configuration is longer; a bigger file was named by mistake. */
const largestBytes = 256 * 1024;

/**
 * The configuration in a file, with its secrets in memory.
 *
 * @param remark gets each remark: a sentence that is not an error
 * @throws UsageError `bad-config`, `unreadable-file`, `bad-secret` or `bad-key`
 */
export async function loadConfig(
  path: string,
  env: Environment,
  remark: (sentence: string) => void = () => {},
): Promise<LiveConfig> {
  const read = await readConfig(path, env);
  if ('faults' in read) throw refusal(path, read.faults);
  return openedConfig(read.config, env, remark);
}

/** Secret, key and authority opened; throws UsageError for the first that cannot be used. */
export async function openedConfig(
  unopened: UnopenedConfig,
  env: Environment,
  remark: (sentence: string) => void = () => {},
): Promise<LiveConfig> {
  const { config, findings } = await openConfig(unopened, env);
  for (const { id, status, what, hint } of findings) {
    if (status === 'problem' && !onlyDoubts.has(id)) throw new UsageError(codeFor(id), what, { hint });
    if (status !== 'ok') remark(`${what[0]?.toUpperCase()}${what.slice(1)}.${hint === undefined ? '' : ` ${hint}`}`);
  }
  return config;
}

/** The configuration without its secrets, or everything that is wrong with the file. Throws UsageError where it cannot be read. */
export async function readConfig(
  path: string,
  env: Environment,
): Promise<{ readonly config: UnopenedConfig } | { readonly faults: readonly ConfigFault[] }> {
  const document = parseConfigText(await textOf(path));
  if ('faults' in document) return document;
  const taken = takeVariables(document, env);
  const value = document.value();
  if (value === null || value === undefined) {
    const hint = 'countersign init writes one to start from.';
    return { faults: [{ line: 1, sentence: 'the file is empty', hint }] };
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    // This may be another file, perhaps the one with the secret: nothing of it is quoted.
    const hint = 'Name the YAML file of the target; countersign init writes one to start from.';
    return {
      faults: [{ line: 1, sentence: 'the file holds no keys with values, so it is not a configuration', hint }],
    };
  }
  const faults = [...taken.faults, ...schemaFaults(document, value, taken)];
  if (faults.length > 0) return { faults: inOrder(faults) };
  return complete(value as ConfigValue, await realpath(path), document, taken);
}

/** Faults that are told; nobody reads more before the first ones are mended. */
export const mostTold = 20;

/** `file:line: sentence` for each fault, in one message. */
export function refusal(path: string, faults: readonly ConfigFault[]): UsageError {
  const told = faults
    .slice(0, mostTold)
    .flatMap(({ line, sentence, hint = '' }) => [`${path}:${line}: ${sentence}`, faults.length === 1 ? '' : hint])
    .filter((text) => text !== '');
  if (faults.length > mostTold) told.push(`${path} has more faults than these`);
  const message = told
    .join('\n')
    .replace(/(?<![.?!])\n/g, '. ')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  return new UsageError('bad-config', message, { hint: faults.length === 1 ? faults[0]!.hint : undefined });
}

function schemaFaults(document: ConfigDocument, value: unknown, { variables, faults }: Taken): ConfigFault[] {
  const told = new Set(faults.map(({ sentence }) => sentence.split(' ', 1)[0]));
  return (
    validate('config', value)
      .filter(({ path }) => !told.has(path))
      // The line of each has to be looked for.
      .slice(0, 5 * mostTold)
      .map((fault) => {
        const { path, sentence } = fault;
        const line = document.lineOf(path);
        const names = variables.get(path);
        if (names !== undefined) {
          const rule = sentence.slice(sentence.lastIndexOf('; ') + 2);
          return { line, sentence: `${path}, taken from ${names.join(' and ')}, does not fit: ${rule}` };
        }
        return { line, sentence: withoutPasswords(asWritten(fault, document)) };
      })
  );
}

/** The rules that need more than a schema, and the data in the form that a run takes. */
function complete(
  value: ConfigValue,
  path: string,
  document: ConfigDocument,
  taken: Taken,
): { config: UnopenedConfig } | { faults: readonly ConfigFault[] } {
  const faults: ConfigFault[] = contradictions(value).map(({ path: at, ...told }) => ({
    line: document.lineOf(at),
    ...told,
  }));
  const checked = <T>(at: string, check: () => T): T | undefined => {
    try {
      return check();
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      faults.push({ line: document.lineOf(at), sentence: `${at}: ${cause.message}`, hint: cause.hint });
      return undefined;
    }
  };
  const target = checked('target', () => checkedTarget(value.target ?? 'mock', 'the value'));
  const profile: ProfileName | undefined =
    value.profile === undefined ? undefined : checked('profile', () => knownProfile(value.profile!));
  const require = checked('require', () =>
    value.require?.map((pattern) => matchingPattern('gateway', pattern, 'require')),
  );
  if (faults.length > 0 || target === undefined) return { faults: inOrder(faults) };
  const { environment, endpointId, versions, unknownEndpointId, controlUrl, totals, gates } = value;
  const inFolder = (file: string): string => resolve(dirname(path), file);
  return {
    config: {
      ...liveDefaults,
      ...withoutUndefined({
        rate: value.rate,
        deadlineMs: value.deadlineMs,
        trustRefusals: value['trust-refusals'],
      }),
      ...withoutUndefined({
        environment,
        endpointId,
        versions,
        unknownEndpointId,
        controlUrl,
        profile,
        totals,
        gates,
        require,
      }),
      path,
      target,
      recurring: value.recurring ?? [],
      allow: { ...nothingAllowed, ...value.allow },
      states: value.states ?? {},
      credentials: value.credentials && sourcesOf(value.credentials, taken, inFolder),
      ...(value.ledger === undefined ? {} : { ledger: inFolder(value.ledger) }),
      ...(value.ca === undefined ? {} : { caFile: inFolder(value.ca) }),
    },
  };
}

function sourcesOf(
  credentials: NonNullable<ConfigValue['credentials']>,
  { secrets }: Taken,
  inFolder: (file: string) => string,
): CredentialSources {
  // One of the two is there: the rules have seen to it.
  const source = (key: 'consumerSecret' | 'privateKey'): SecretSource =>
    secrets.get(`credentials.${key}`) ?? { file: inFolder(credentials[`${key}File`]!) };
  return {
    consumerKey: credentials.consumerKey,
    consumerSecret: source('consumerSecret'),
    privateKey: source('privateKey'),
  };
}

async function textOf(path: string): Promise<string> {
  const found = await readRegularText(path, largestBytes);
  if ('unreadable' in found) throw notRead(path, found.unreadable, found.cause);
  return found.text;
}

function notRead(path: string, why: string, cause: unknown): UsageError {
  const hint = 'Check --config; countersign init writes one to start from.';
  return new UsageError('unreadable-file', `the configuration ${path} ${why}`, { hint, cause });
}

function codeFor(id: string): 'bad-secret' | 'bad-key' | 'unreadable-file' {
  if (id.endsWith('/missing')) return 'unreadable-file';
  return id.startsWith('secret') ? 'bad-secret' : 'bad-key';
}

function inOrder(faults: readonly ConfigFault[]): ConfigFault[] {
  return [...faults].sort((a, b) => a.line - b.line);
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
