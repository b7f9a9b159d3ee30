/** Reads, validates and opens countersign.config.yaml. */
import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { quoteSource, validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import { errorTag } from '../../record/errors.ts';
import { isLoopback } from '../../record/hosts.ts';
import { flagOf, parseProfile } from '../../run/options/options.ts';
import { didYouMean, refuseIf, UsageError, usageError, withoutPasswords } from '../../run/options/usage-error.ts';
import { type LiveConfig, liveDefaults, nothingAllowed, openConfig } from '../../run/target/live-config.ts';
import { mayBeSameEndpoint } from '../../run/target/site.ts';
import { refuseProblems } from './keys.ts';
import { checkPattern } from './run-flags.ts';
import { type ConfigDocument, type ConfigFault, maxFaults, parseConfigText, refusal } from './yaml-file.ts';

const maxBytes = 256 * 1024;

export async function loadConfig(
  path: string,
  env: NodeJS.ProcessEnv,
  remark: (sentence: string) => void = () => {},
): Promise<LiveConfig> {
  const read = await readConfig(path, env, remark);
  if ('faults' in read) throw refusal(path, read.faults);
  const { config, findings } = await openConfig(read.config, env);
  refuseProblems(findings, remark);
  return config;
}

const formerKeys: ReadonlyMap<string, string> = new Map(
  [
    ...['endpointId', 'unknownEndpointId', 'controlUrl', 'deadlineMs', 'savedAmount'],
    ...['consumerKey', 'consumerSecretFile', 'consumerSecret', 'privateKeyFile', 'privateKey'],
  ].map((key) => [key, flagOf(key).slice(2)]),
);

/** Returns the configuration without secrets, or all faults of the file. Throws UsageError for an unreadable file. */
export async function readConfig(
  path: string,
  env: NodeJS.ProcessEnv,
  remark: (sentence: string) => void = () => {},
): Promise<{ readonly config: LiveConfig } | { readonly faults: readonly ConfigFault[] }> {
  const usedFormerKeys = new Set<string>();
  const found = await readRegularText(path, maxBytes);
  if ('unreadable' in found) {
    const hint = 'Check --config. `countersign init` writes one to start from.';
    throw new UsageError(`the configuration ${path} ${found.unreadable}`, hint, found.cause);
  }
  const document = parseConfigText(found.text, (key) => {
    if (formerKeys.has(key)) usedFormerKeys.add(key);
    return formerKeys.get(key) ?? key;
  });
  const renames = [...usedFormerKeys].map((key) => `${formerKeys.get(key)} for ${key}`).join(', ');
  if (renames !== '') remark(`${path} has keys in their former spelling, which still works.\nWrite ${renames}.`);
  if ('faults' in document) return document;
  const variables = replaceVariables(document, env);
  const value = document.value();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // The user may have named a file with a secret, so the message quotes nothing of the file.
    const sentence = 'the file has no keys with values, so it is not a configuration';
    const hint = 'Name the YAML file of the target. `countersign init` writes one to start from.';
    return { faults: [{ line: 1, sentence, hint }] };
  }
  const faults = [...variables.faults, ...schemaFaults(document, value, variables)];
  if (faults.length > 0) return { faults: sortByLine(faults) };
  return complete(value as ConfigValue, await realpath(path), document, variables.secrets);
}

function schemaFaults(document: ConfigDocument, value: unknown, { names, faults }: Variables): ConfigFault[] {
  const reported = new Set(faults.map(({ sentence }) => sentence.split(' ', 1)[0]));
  // Finding the line of a fault is slow, so limit the number of faults.
  const found = validate('config', value).filter(({ path }) => !reported.has(path));
  return found.slice(0, 5 * maxFaults).map((fault) => {
    const { path, sentence } = fault;
    const line = document.lineOf(path);
    const sources = names.get(path);
    if (sources === undefined) return { line, sentence: withoutPasswords(quoteSource(fault, document)) };
    const rule = sentence.slice(sentence.lastIndexOf('; ') + 2);
    return { line, sentence: `${path}, which comes from ${sources.join(' and ')}, is wrong: ${rule}` };
  });
}

function complete(
  value: ConfigValue,
  path: string,
  document: ConfigDocument,
  secrets: Variables['secrets'],
): { config: LiveConfig } | { faults: readonly ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const faultIf = (isWrong: boolean, key: string) =>
    errorTag((sentence, hint) => {
      if (isWrong) faults.push({ line: document.lineOf(key), sentence, hint: hint || undefined });
    });
  const tryCheck = <T>(key: string, check: () => T): T | undefined => {
    try {
      return check();
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      faultIf(true, key)`${key}: ${cause.message}
        ${cause.hint ?? ''}`;
      return undefined;
    }
  };
  findContradictions(value, faultIf);
  const target = tryCheck('target', () => parseTarget(value.target ?? 'mock', 'the value'));
  if (value['control-url'] !== undefined) tryCheck('control-url', () => parseTarget(value['control-url']!, 'it'));
  const profile = tryCheck('profile', () => value.profile && parseProfile(value.profile)) || undefined;
  const require = tryCheck('require', () =>
    value.require?.map((pattern) => checkPattern('gateway', pattern, 'require')),
  );
  if (faults.length > 0 || target === undefined) return { faults: sortByLine(faults) };
  const inFolder = (file: string): string => resolve(dirname(path), file);
  const { allow, credentials, ledger, ca, recurring = [], ...others } = value;
  // `findContradictions` has checked that each secret has a variable or a file, but not both.
  const sourceOf = (key: Secret) =>
    secrets.get(`credentials.${key}`) ?? { file: inFolder(credentials![`${key}-file`]!) };
  return {
    config: {
      ...liveDefaults,
      states: {},
      ...toCamelCase(others),
      recurring: recurring.map((one) => toCamelCase(one) as LiveConfig['recurring'][number]),
      profile,
      require,
      path,
      target,
      allow: { ...nothingAllowed, ...allow },
      credentials: credentials && {
        consumerKey: credentials['consumer-key'],
        consumerSecret: sourceOf('consumer-secret'),
        privateKey: sourceOf('private-key'),
      },
      ...(ledger === undefined ? {} : { ledger: inFolder(ledger) }),
      ...(ca === undefined ? {} : { caFile: inFolder(ca) }),
    },
  };
}

function toCamelCase(value: object): object {
  const member = (key: string) => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [member(key), one]));
}

function sortByLine(faults: readonly ConfigFault[]): ConfigFault[] {
  return faults.toSorted((a, b) => a.line - b.line);
}

type Secret = 'consumer-secret' | 'private-key';

interface ConfigValue
  extends Partial<Pick<LiveConfig, 'target' | 'states' | 'ledger' | 'ca' | 'require' | 'totals' | 'gates'>>,
    Partial<Record<'endpoint-id' | 'unknown-endpoint-id' | 'control-url' | 'profile', string>> {
  readonly credentials?: Readonly<Record<'consumer-key', string> & Partial<Record<Secret | `${Secret}-file`, string>>>;
  readonly recurring?: readonly { readonly id: string }[];
  readonly allow?: Partial<LiveConfig['allow']>;
}

type FaultIf = (isWrong: boolean, path: string) => ReturnType<typeof errorTag>;

function findContradictions(value: ConfigValue, faultIf: FaultIf): void {
  const { credentials, recurring = [], allow, states, target, ca, 'endpoint-id': endpointId } = value;
  for (const key of ['consumer-secret', 'private-key'] as const) {
    if (credentials === undefined) break;
    const hasVariable = credentials[key] !== undefined;
    const hasFile = credentials[`${key}-file`] !== undefined;
    faultIf(hasVariable && hasFile, `credentials.${key}`)`credentials has both ${key} and ${key}-file
      Remove one of them.`;
    faultIf(!hasVariable && !hasFile, 'credentials')`credentials has neither ${key}-file nor ${key}
      Name a file under ${key}-file, or write ${key}: \${NAME} to use an environment variable.`;
  }
  const ids = recurring.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    const path = `recurring[${index}].id`;
    const first = ids.indexOf(id);
    faultIf(first !== index, path)`${path} is the same as recurring[${first}].id
      List each recurring payment once.`;
  }
  const isUnpayable = (allow?.['starts-payments']?.count ?? 0) > 0 && recurring.length === 0;
  faultIf(isUnpayable, 'allow.starts-payments')`allow.starts-payments needs a recurring payment to charge
    List the payments under recurring, each with its amount.`;
  // Refuse one endpoint id under two keys: a request that is harmless at one endpoint may close a day at another.
  const endpoints = [
    ['endpoint-id', endpointId],
    ['unknown-endpoint-id', value['unknown-endpoint-id']],
    ['states.closing', states?.closing],
    ['states.locked', states?.locked],
  ].filter((one): one is [string, string] => one[1] !== undefined);
  for (const [index, [path, id]] of endpoints.entries()) {
    const other = endpoints.slice(0, index).find((one) => mayBeSameEndpoint(id, one[1]));
    faultIf(other !== undefined, path)`${path} and ${other?.[0]} may name the same endpoint
      Write endpoint ids that differ more than ${id} and ${other?.[1]}.`;
  }
  const isLocal = (url = 'mock') => url === 'mock' || (URL.canParse(url) && isLoopback(new URL(url).host));
  const controlUrl = value['control-url'];
  faultIf(controlUrl !== undefined && !(isLocal(controlUrl) && isLocal(target)), 'control-url')`
    control-url needs a mock on this machine, but control-url or target is on another machine
    Remove control-url. To test states, list endpoints with a fixed state under states.`;
  // These keys describe the endpoint of endpoint-id, so refuse them if endpoint-id is missing.
  for (const path of ['control-url', 'totals', 'gates'] as const) {
    faultIf(endpointId === undefined && value[path] !== undefined, path)`${path} needs an endpoint-id
      Add endpoint-id: it names the endpoint.`;
  }
  faultIf(ca !== undefined && target?.startsWith('http:') === true, 'ca')`ca needs https:, but target has http:
    Write https: in target, or remove ca.`;
}

interface Variables {
  /** The variables in each value, by the path of the value. Messages never show a value with variables. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** The variable of each secret, by the path of the secret in the file. */
  readonly secrets: ReadonlyMap<string, { readonly variable: string }>;
  readonly faults: readonly ConfigFault[];
}

/** Replaces each variable in the document by its value. The variables of secrets stay in the document. */
function replaceVariables(document: ConfigDocument, env: NodeJS.ProcessEnv): Variables {
  const namesByPath = new Map<string, readonly string[]>();
  const secrets = new Map<string, { readonly variable: string }>();
  const faults: ConfigFault[] = [];
  for (const place of document.texts()) {
    const { path, text } = place;
    const line = document.lineOf(path);
    const names = [...text.matchAll(/\$\{([^}]*)\}?/g)].map(([, name = '']) => name);
    const [, secret] = /^credentials\.(consumer-secret|private-key)$/.exec(path) ?? [];
    if (secret !== undefined && !/^\$\{[A-Za-z_]\w*\}$/.test(text)) {
      const hint = `Put the secret into a file and name it under ${secret}-file, or write only a variable here, such as \${NAME}.`;
      faults.push({ line, sentence: `${path} is a secret in plain text`, hint });
      continue;
    }
    const firstFault = names.map((name) => variableFault(name, text, env)).find((fault) => fault !== undefined);
    if (firstFault !== undefined) {
      faults.push({ line, sentence: `${path} ${firstFault.sentence}`, hint: firstFault.hint });
    } else if (secret !== undefined) {
      secrets.set(path, { variable: names[0]! });
    } else if (names.length > 0) {
      namesByPath.set(path, names);
      place.replace(text.replace(/\$\{([^}]*)\}/g, (_whole, name: string) => env[name] ?? ''));
    }
  }
  return { names: namesByPath, secrets, faults };
}

function variableFault(
  name: string,
  text: string,
  env: NodeJS.ProcessEnv,
): { sentence: string; hint: string } | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name) || !text.includes(`\${${name}}`)) {
    const sentence = 'has a ${ without the name of an environment variable or without a closing bracket';
    return { sentence, hint: `Write it like \${GATEWAY_URL}.` };
  }
  if (env[name]) return undefined;
  const [state, suggestion] = env[name] === '' ? ['empty'] : ['not set', didYouMean(name, Object.keys(env))];
  return { sentence: `uses the environment variable ${name}, which is ${state}`, hint: suggestion ?? `Set ${name}.` };
}

export function parseTarget(text: string, name: string): string {
  if (text === 'mock') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // schemas/files/config.json has the same limit.
  refuseIf(text.length > 2048)`the base URL has ${text.length} characters; the limit is 2048
    Write a shorter URL.`;
  // `new URL` accepts any number of slashes before the host, so require exactly two.
  if (url === undefined || !/^https?:\/\/[^/\\]/i.test(text)) {
    throw usageError()`${name} is not a base URL
      Write it like https://gateway.example/paynet or http://127.0.0.1:8080, or write mock.`;
  }
  refuseIf(!mayBeHost(url))`${name} has an impossible host or port
    Write a host name, an IPv4 address or an IPv6 address in brackets; the port is 1 to 65535.`;
  refuseIf(url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')`
    ${name} has more than scheme, host, port and path
    Write only the part before /api/.`;
  refuseIf(/\/api(?:\/|$)/.test(url.pathname))`${name} includes /api/
    Write only the part before /api/: the suite adds the rest of the path.`;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** False for port 0, the addresses 0.0.0.0 and ::, and invalid names (RFC 1035 section 2.3.4, but `_` is allowed). */
function mayBeHost({ hostname, port }: URL): boolean {
  if (port === '0' || hostname === '0.0.0.0' || hostname === '[::]') return false;
  if (hostname.startsWith('[')) return true;
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => /^(?!-)[\w-]{1,63}(?<!-)$/.test(label));
}
