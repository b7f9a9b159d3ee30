/** Reads stored clients from folders, and options from the command that repeats a run. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StoredClient } from '../../extras/impact/check-clients.ts';
import type { ReplayedClient } from '../../extras/impact/replay.ts';
import type { ClientCase } from '../../record/case.ts';
import { isFolder } from '../../record/disk/files.ts';
import { casesOf } from '../../record/run.ts';
import type { Input } from '../../run/options/options.ts';
import type { ClientOptions, RunOptions } from '../../run/options/run-options.ts';
import { refuseIf, UsageError } from '../../run/options/usage-error.ts';
import { parseArguments } from '../arguments.ts';
import { readRecordings, readStoredReport } from './stored-runs.ts';
import { readYamlFile } from './yaml-file.ts';

interface ClientFile
  extends Pick<ClientOptions, 'command'>,
    Partial<Pick<ClientOptions, 'mode' | 'cwd' | 'plainHttp'>> {
  readonly name: string;
}

const clientHint = 'write a client.yaml there, with name and command';

/** Reads one client from each subfolder, in the order of their names. Throws UsageError. */
export async function readStoredClients(folder: string, cwd: string): Promise<readonly StoredClient[]> {
  const hint = 'Name a folder that has a folder for each client, such as its report of `countersign client`.';
  const entries = await readdir(folder).catch((cause) => {
    const problem = cause.code === 'ENOENT' ? 'does not exist' : 'cannot be read as a folder';
    throw new UsageError(`${folder} ${problem}`, hint, cause);
  });
  const clients: StoredClient[] = [];
  for (const name of entries.sort()) {
    const path = join(folder, name);
    if (!name.startsWith('.') && isFolder(path))
      clients.push({ ...(await readStoredClient(name, path, cwd)), folder: path });
  }
  if (clients.length > 0) return clients;
  throw new UsageError(`${folder} has no client: it contains no folder`, hint);
}

/** Adds the calls of the client's stored run, if there is such a run. */
export async function withCalls({ name, folder = '' }: StoredClient): Promise<ReplayedClient> {
  if (!['exchanges.har', 'report.json'].every((file) => existsSync(join(folder, file)))) return { name };
  try {
    const { recordings } = await readRecordings([folder], 'client');
    return { name, calls: recordings.flatMap(casesOf) as ClientCase[] };
  } catch (cause) {
    // If the client could not start, its run has no requests. This is no error.
    if (cause instanceof UsageError && cause.code === 'nothing-recorded') return { name };
    throw cause;
  }
}

async function readStoredClient(name: string, path: string, cwd: string): Promise<StoredClient> {
  const file = await readYamlFile(join(path, 'client.yaml'), 'the client', 'stored-client');
  if (file !== undefined) {
    const client = file.value as ClientFile;
    const { command, mode = 'process', plainHttp = false } = client;
    return { name: client.name, options: { command, mode, plainHttp, cwd: resolve(path, client.cwd ?? '.') } };
  }
  const report = join(path, 'report.json');
  const unverified = (reason: string) => ({ name, unverified: `${reason}: ${clientHint}` });
  if (!existsSync(report)) return unverified(`${path} has neither client.yaml nor report.json`);
  const { subject, reproduce } = await readStoredReport(path);
  refuseIf(subject.kind !== 'client')`${path} is a run of a gateway, not of a client
    Name a folder with runs of \`countersign client\`.`;
  const { clientOf } = await import('../commands/client.ts');
  const options = await parseReproduce(reproduce, 'client', (flags: Input<'client'>, [words]) =>
    flags.attach === undefined ? clientOf(words as string[], flags, cwd) : undefined,
  );
  return options === undefined ? unverified(`${report} does not say how the client is started`) : { name, options };
}

/** The defects and variants of a run on the mock. `reproduce` is the command that repeats the run. */
export async function mockOf(reproduce: string): Promise<Pick<RunOptions, 'defects' | 'variants'>> {
  const options = await parseReproduce(reproduce, 'gateway', (flags: Input<'gateway'>) => flags);
  return { defects: options?.defect ?? [], variants: options?.variant ?? [] };
}

/** Parses a command that repeats a run. Undefined for another command, or if this version refuses its arguments. */
async function parseReproduce<T, Options>(
  reproduce: string,
  command: 'client' | 'gateway',
  use: (options: Options, operands: readonly unknown[]) => T | Promise<T>,
): Promise<T | undefined> {
  const [npx, suite, name, ...words] = shellWordsOf(reproduce) ?? [];
  if (`${npx} ${suite} ${name}` !== `npx countersign ${command}`) return undefined;
  try {
    const accepted = command === 'client' ? [{ takes: '[command...]', help: '' }] : [];
    const { values, operands } = parseArguments({ name: command, operands: accepted }, words);
    return await use(values as Options, operands);
  } catch (cause) {
    if (cause instanceof UsageError) return undefined;
    throw cause;
  }
}

/** Parses words as `shellWord` writes them. Returns undefined for any other shell syntax. */
function shellWordsOf(text: string): string[] | undefined {
  const word = String.raw`(?:[\w@%+=:,./-]+|'[^']*'(?:\\''[^']*')*)`;
  if (!new RegExp(`^${word}(?: ${word})*$`).test(text)) return undefined;
  const words = text.match(new RegExp(word, 'g'))!;
  return words.map((found) => (found.startsWith("'") ? found.slice(1, -1).replaceAll(`'\\''`, "'") : found));
}
