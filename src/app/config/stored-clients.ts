/** The clients that `countersign diff --clients` names: how each one is started, from its client.yaml or from the report of its run. */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StoredClient } from '../../extras/impact/ask-clients.ts';
import type { ReplayedClient } from '../../extras/impact/replay.ts';
import { clientDefects } from '../../faults/client/index.ts';
import { isFolder } from '../../record/disk/files.ts';
import type { ClientOptions } from '../../run/options/run-options.ts';
import { UsageError } from '../usage-error.ts';
import { readRecordings, readStoredReport } from './recording-files.ts';
import { readYamlFile } from './yaml-file.ts';

/** As schemas/files/stored-client.json has it. */
interface ClientFile {
  readonly name: string;
  readonly command: readonly string[];
  readonly mode?: 'process' | 'one-shot';
  readonly cwd?: string;
  readonly plainHttp?: boolean;
}

const toWrite = 'write client.yaml beside it, with name and command';

/** One for each folder in it, by name. Throws UsageError. */
export async function readStoredClients(folder: string, cwd: string): Promise<readonly StoredClient[]> {
  const hint = 'Give a folder that has one for each client, such as the folders that countersign client writes.';
  const entries = await readdir(folder).catch((cause) => {
    const what = cause.code === 'ENOENT' ? 'does not exist' : 'cannot be read as a folder';
    throw new UsageError('unreadable-file', `${folder} ${what}`, { hint, cause });
  });
  const clients: StoredClient[] = [];
  for (const name of entries.sort()) {
    const path = join(folder, name);
    if (!name.startsWith('.') && isFolder(path))
      clients.push({ ...(await storedClient(name, path, cwd)), folder: path });
  }
  if (clients.length > 0) return clients;
  throw new UsageError('bad-arguments', `${folder} has no client: there is no folder in it`, { hint });
}

/** The client with what it sent in its stored run, if it has one. */
export async function withItsCalls({ name, folder = '' }: StoredClient): Promise<ReplayedClient> {
  const files = [join(folder, 'exchanges.har'), join(folder, 'report.json')].map((path) => stat(path));
  if ((await Promise.allSettled(files)).some(({ status }) => status === 'rejected')) return { name };
  try {
    const { recordings } = await readRecordings([folder], 'client');
    return { name, calls: recordings.flatMap(({ client }) => client.calls) };
  } catch (cause) {
    // A client that could not be started has left a run without requests.
    if (cause instanceof UsageError && cause.code === 'nothing-recorded') return { name };
    throw cause;
  }
}

async function storedClient(name: string, path: string, cwd: string): Promise<StoredClient> {
  const file = await readYamlFile(join(path, 'client.yaml'), 'the client', 'stored-client');
  if (file !== undefined) {
    const given = file.value as ClientFile;
    const { command, mode = 'process', plainHttp = false } = given;
    return { name: given.name, options: { command, mode, plainHttp, cwd: resolve(path, given.cwd ?? '.') } };
  }
  const report = join(path, 'report.json');
  if ((await stat(report).catch(() => undefined)) === undefined) {
    return { name, unverified: `${path} has neither client.yaml nor report.json: ${toWrite}` };
  }
  const { subject, reproduce } = await readStoredReport(path);
  if (subject.kind !== 'client') {
    throw new UsageError('bad-arguments', `${path} is a run of a gateway, and no client`, {
      hint: 'Give --clients a folder with runs of countersign client.',
    });
  }
  const options = optionsIn(reproduce, cwd);
  return options === undefined
    ? { name, unverified: `${report} does not say how the client is started: ${toWrite}` }
    : { name, options };
}

/** What `countersign client` was given, by the command that repeats its run; relative to `cwd`, as that command is. */
function optionsIn(reproduce: string, cwd: string): ClientOptions | undefined {
  const words = shellWordsOf(reproduce);
  if (words?.slice(0, 3).join(' ') !== 'npx countersign client') return undefined;
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const [flags, command] = [words.slice(3, end), words.slice(end + 1)];
  const defects = valuesOf(flags, '--defect');
  const isKnown = defects.every((id) => clientDefects.some((one) => one.id === id));
  if (command.length > 0 ? defects.length > 0 || flags.includes('--attach') : defects.length === 0 || !isKnown) {
    return undefined;
  }
  return {
    command,
    mode: flags.includes('--one-shot') ? 'one-shot' : 'process',
    plainHttp: flags.includes('--plain-http'),
    ...(valuesOf(flags, '--host').includes('localhost') && { host: 'localhost' as const }),
    cwd,
    ...(defects.length === 0 ? {} : { defects }),
  };
}

/** With which defects and variants of the built-in mock a run was made, by the command that repeats it. */
export function mockOf(reproduce: string): {
  readonly defects: readonly string[];
  readonly variants: readonly string[];
} {
  const words = shellWordsOf(reproduce) ?? [];
  return { defects: valuesOf(words, '--defect'), variants: valuesOf(words, '--variant') };
}

function valuesOf(words: readonly string[], flag: string): string[] {
  return words.filter((_, at) => words[at - 1] === flag);
}

/** The words of a command as `shellWord` writes them; undefined for anything that a shell would do something else with. */
function shellWordsOf(text: string): string[] | undefined {
  const plain = /[\w@%+=:,./-]+/y;
  const quoted = /'[^']*'(?:\\''[^']*')*/y;
  const words: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    const found = [plain, quoted].map((pattern) => matchAt(pattern, text, at)).find((word) => word !== undefined);
    if (found === undefined) return undefined;
    words.push(found.startsWith("'") ? found.slice(1, -1).replaceAll(`'\\''`, "'") : found);
    at += found.length;
    if (at < text.length && text[at] !== ' ') return undefined;
  }
  return words;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
