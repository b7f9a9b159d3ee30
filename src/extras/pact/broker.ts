/** A client for Pact Brokers (docs.pact.io). The Pact verifier itself would publish unsent requests as failures. */
import { join } from 'node:path';
import { temporaryFolder } from '../../record/disk/files.ts';
import { CodedError } from '../../record/errors.ts';
import { fetchText } from '../../record/fetch-text.ts';
import type { ContractRow } from '../../record/result/result.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { scannerFor, secretText } from '../../run/secrets/secret.ts';
import { distinctNames, pactFault } from './contracts.ts';

type BrokeredPacts = NonNullable<RunOptions['broker']>;

interface BrokerAccess {
  readonly url: string;
  readonly authorization?: string | undefined;
  readonly maxMs?: number;
}

interface BrokerPact {
  readonly name: string;
  readonly text: string;
  readonly interactions: number;
  readonly resultsUrl: string;
}

const provider = 'payment-gateway';
/** Pacts of main branches, and deployed or released pacts. The documentation of the broker recommends this choice. */
const selectors = [{ mainBranch: true }, { deployedOrReleased: true }];
/** Limits for one request to the broker and its answer. Most pacts have only a few kilobytes. */
const limits = { limitMs: 15_000, maxMegabytes: 16 };
const maxPacts = 100;
const defaultMaxMs = 60_000;
const maxNameLength = 300;
const logHint = 'Check this address and the log of the broker.';

/** Fetches the pacts to verify. Throws BrokerError, also if the broker has no pact to verify. */
export async function fetchPacts(options: BrokerAccess, branch?: string): Promise<BrokerPact[]> {
  const access = openAccess(options);
  const listUrl = await linkOfIndex(access, 'pb:provider-pacts-for-verification', { provider });
  const query =
    branch === undefined
      ? { consumerVersionSelectors: selectors }
      : { consumerVersionSelectors: [{ matchingBranch: true }, ...selectors], providerVersionBranch: branch };
  const { value } = await callBroker(access, 'POST', listUrl, query);
  const listed = (value as Listed)?._embedded?.pacts ?? [];
  if (!Array.isArray(listed) || listed.length > maxPacts) {
    const what = Array.isArray(listed) ? `${listed.length} pacts, but a run verifies at most ${maxPacts}` : 'no pacts';
    throw unreadableError(`the Pact Broker ${access.url} lists ${what}`);
  }
  if (listed.length === 0) {
    const what = `the Pact Broker ${access.url} has no pact with the provider ${provider} that is on a main branch, deployed or released`;
    const hint = 'Publish a pact of a consumer with its branch: see docs/how-to/use-pact-contracts.md.';
    throw new BrokerError('nothing-to-verify', what, hint);
  }
  const pacts: BrokerPact[] = [];
  for (const entry of listed) {
    pacts.push(await fetchPact(access, linkOf(access, entry, 'self', {}), (entry as Linked)?._links?.self?.name));
  }
  if (pacts.every(({ interactions }) => interactions === 0)) {
    const what = `${pacts.length === 1 ? 'the pact has' : `the ${pacts.length} pacts have`} no interaction`;
    throw new BrokerError('nothing-to-verify', `${what} at the Pact Broker ${access.url}`, logHint);
  }
  // Make the names unique, because publishResults finds the rows of a pact by its name.
  const names = distinctNames(pacts.map(({ name }) => name));
  return pacts.map((pact, at) => ({ ...pact, name: names[at]! }));
}

/** Publishes a pact only if each interaction has a verdict, or else it would look failed. Throws BrokerError. */
async function publishResults(
  options: BrokerAccess,
  pacts: readonly BrokerPact[],
  rows: readonly ContractRow[],
  { version, branch }: NonNullable<BrokeredPacts['publishAs']>,
  report: (sentence: string) => void,
): Promise<void> {
  const access = openAccess(options);
  const verified = pacts.map((pact) => ({ ...pact, rows: rows.filter((row) => row.pact === pact.name) }));
  const isUndecided = ({ outcome }: ContractRow) => outcome !== 'pass' && outcome !== 'fail';
  const decided = verified.filter((pact) => pact.rows.length > 0 && !pact.rows.some(isUndecided));
  if (branch !== undefined && decided.length > 0) {
    const parts = { pacticipant: provider, branch, version };
    await callBroker(access, 'PUT', await linkOfIndex(access, 'pb:pacticipant-branch-version', parts), {});
  }
  for (const pact of verified) {
    const undecided = pact.rows.filter(isUndecided).length;
    if (!decided.includes(pact)) {
      const reason =
        pact.rows.length === 0
          ? 'none of its interactions was verified'
          : `${undecided} of ${pact.rows.length} interactions ${undecided === 1 ? 'has' : 'have'} no verdict`;
      report(`${pact.name}: not published, because ${reason}`);
      continue;
    }
    const success = pact.rows.every(({ outcome }) => outcome === 'pass');
    await callBroker(access, 'POST', pact.resultsUrl, { success, providerApplicationVersion: version });
    report(`${pact.name}: published for version ${version}, ${success ? 'as successful' : 'as failed'}`);
  }
}

/** The JSON of an answer. Every member may be absent, because the server may not be a broker. */
type Linked = {
  readonly _links?: Readonly<Record<string, { readonly href?: unknown; readonly name?: unknown }>>;
} | null;
type Listed = { readonly _embedded?: { readonly pacts?: unknown } } | null;
type OpenAccess = BrokerAccess & { readonly deadline: number; readonly containsSecret: (text: string) => boolean };

function openAccess(access: BrokerAccess): OpenAccess {
  return {
    ...access,
    deadline: performance.now() + (access.maxMs ?? defaultMaxMs),
    containsSecret: credentialsSearch(access.authorization),
  };
}

/** Throws BrokerError if an answer contains our credentials, because messages and reports quote answers. */
function refuseEcho({ url, containsSecret }: OpenAccess, what: string, text: string): void {
  if (!containsSecret(text)) return;
  const hint = 'Remove the credentials from the broker, and replace them: others may have seen them.';
  throw unreadableError(`${what} of the Pact Broker ${url} contains the credentials that were sent to it`, hint);
}

async function fetchPact(access: OpenAccess, href: string, linkName: unknown): Promise<BrokerPact> {
  const { text, value } = await callBroker(access, 'GET', href);
  const name = (typeof linkName === 'string' && linkName !== '' ? linkName : href).slice(0, maxNameLength);
  refuseEcho(access, 'a pact', `${name}\n${text}`);
  const fault = pactFault(value);
  if (fault !== undefined) {
    throw unreadableError(`${name} of the Pact Broker ${access.url} is not a pact: ${fault}`);
  }
  const { interactions } = value as { readonly interactions: readonly unknown[] };
  const resultsUrl = linkOf(access, value, 'pb:publish-verification-results', {});
  return { name, text, interactions: interactions.length, resultsUrl };
}

async function linkOfIndex(access: OpenAccess, relation: string, parts: Readonly<Record<string, string>>) {
  return linkOf(access, (await callBroker(access, 'GET', access.url)).value, relation, parts);
}

function linkOf(access: BrokerAccess, value: unknown, relation: string, parts: Readonly<Record<string, string>>) {
  const href = (value as Linked)?._links?.[relation]?.href;
  if (typeof href !== 'string') {
    const what = `the answer of ${access.url} has no link ${relation}: the server is not a Pact Broker, or its version is from before 2020`;
    throw unreadableError(what, 'Give --pact-broker the base URL of the broker, with its path if it has one.');
  }
  return href.replace(/\{(\w+)\}/g, (whole, name) =>
    parts[name] === undefined ? whole : encodeURIComponent(parts[name]),
  );
}

async function callBroker(access: OpenAccess, method: 'GET' | 'POST' | 'PUT', url: string, body?: object) {
  refuseEcho(access, 'a link', url);
  if (!isOnBroker(access, url)) {
    const what = `the Pact Broker ${access.url} has a link to ${url}, an address that must not get the credentials`;
    throw unreadableError(what, 'Use the address that the broker itself uses, or set its PACT_BROKER_BASE_URL.');
  }
  const { authorization, deadline, maxMs = defaultMaxMs } = access;
  if (performance.now() > deadline) {
    const what = `the Pact Broker ${access.url} needs more than ${maxMs / 1000} s in total for its answers`;
    throw new BrokerError('unreachable', what, 'Check the log of the broker, and try again later.');
  }
  const headers = {
    Accept: 'application/hal+json, application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const bodyInit = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, text } = await fetchText(url, { method, headers, ...bodyInit }, limits).catch((cause: Error) => {
    const what = `the Pact Broker ${access.url} does not answer ${method} ${url}: ${cause.message}`;
    throw new BrokerError('unreachable', what, 'Check the address and the log of the broker.', cause);
  });
  if (status >= 400) {
    throw new BrokerError(
      'refused',
      `the Pact Broker answers ${method} ${url} with ${status}`,
      status === 401 || status === 403
        ? 'Set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD, in the environment.'
        : logHint,
    );
  }
  if (text === '') return { text, value: undefined };
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (cause) {
    const hint = 'Give --pact-broker the base URL of the broker.';
    throw unreadableError(`the answer of ${access.url} is not JSON, so it is not from a Pact Broker`, hint, cause);
  }
}

function unreadableError(what: string, hint: string = logHint, cause?: unknown): BrokerError {
  return new BrokerError('unreadable', what, hint, cause);
}

/** False for a URL with a user name or password, because `fetch` refuses it. */
function isOnBroker(access: OpenAccess, url: string): boolean {
  const { origin, username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
  return origin === new URL(access.url).origin && `${username}${password}` === '';
}

export class BrokerError extends CodedError<'unreachable' | 'refused' | 'unreadable' | 'nothing-to-verify'> {}

function brokerAuthorization(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { PACT_BROKER_TOKEN: token = '', PACT_BROKER_USERNAME: name = '', PACT_BROKER_PASSWORD: password = '' } = env;
  if (/[^ -~]/.test(`${token}${name}`.trim())) {
    const what = 'the credentials of the Pact Broker contain characters that a header cannot have';
    throw new BrokerError('refused', what, 'Set PACT_BROKER_TOKEN or PACT_BROKER_USERNAME to one line of ASCII.');
  }
  if (token !== '') return `Bearer ${token.trim()}`;
  return name === '' ? undefined : `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

function credentialsSearch(authorization = ''): (text: string) => boolean {
  const value = authorization.replace(/^\w+ /, '');
  const pair = Buffer.from(value, 'base64').toString();
  const password = authorization.startsWith('Basic ') ? pair.slice(pair.indexOf(':') + 1) : value;
  const secrets = [...new Set([value, password])].filter((text) => text !== '');
  const leaksIn = scannerFor(secrets.map((text) => secretText('the credentials', text)));
  return (text) => leaksIn({ name: 'what a broker says', bytes: Buffer.from(text) }).length > 0;
}

/** Publishes the results of the verified pacts. Calls `report` with a sentence for each pact. */
export type Publish = (rows: readonly ContractRow[], report: (sentence: string) => void) => Promise<void>;

/** Writes the pacts of the broker to files, calls `run` with the paths, and deletes the files. Throws BrokerError. */
export async function withBrokeredPacts<T>(
  { url, publishAs }: BrokeredPacts,
  env: NodeJS.ProcessEnv,
  run: (paths: readonly { readonly name: string; readonly path: string }[], publish: Publish) => Promise<T>,
): Promise<T> {
  const access = { url, authorization: brokerAuthorization(env) };
  const pacts = await fetchPacts(access, publishAs?.branch);
  const { path: folder, remove } = temporaryFolder(
    'countersign-pacts-',
    Object.fromEntries(pacts.map(({ text }, at) => [`${at}.json`, text])),
  );
  try {
    const paths = pacts.map(({ name }, at) => ({ name, path: join(folder, `${at}.json`) }));
    return await run(paths, async (rows, report) => {
      if (publishAs !== undefined) await publishResults(access, pacts, rows, publishAs, report);
    });
  } finally {
    remove();
  }
}
