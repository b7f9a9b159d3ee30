/** Runs a client again when a file of its adapter changes, for --watch. */
import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isFolder } from '../record/disk/files.ts';
import type { Result } from '../record/result/result.ts';
import { refuseIf } from '../run/options/usage-error.ts';
import type { ExitCode, Surroundings } from './command.ts';

export interface WatchedRun {
  readonly exitCode: ExitCode;
  /** Absent if the run was aborted before it had one. */
  readonly result?: Result;
}

interface Watching {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The folder of the report. A run writes there. */
  readonly out: string;
}

/**
 * Returns the exit code of the last run that ended by itself, once the user interrupts. `perform` judges these
 * requirements, or all.
 */
export async function watchRuns(
  { command, cwd, out }: Watching,
  perform: (only: readonly string[] | undefined) => Promise<WatchedRun>,
  { interrupted, remark }: Surroundings,
): Promise<ExitCode> {
  const folders = foldersOf(command, cwd);
  refuseIf(folders.length === 0)`--watch finds no file in the command of the adapter
    Name its file after --, such as \`countersign client --watch -- node adapter.mjs\`.`;
  const signal = interrupted();
  const changes = new Changes(folders, [out, join(cwd, 'reports')]);
  let last: ExitCode = 3;
  let failed: readonly string[] = [];
  try {
    for (;;) {
      changes.clear();
      const { exitCode, result } = await perform(failed.length === 0 ? undefined : failed);
      if (signal.aborted) return last;
      last = exitCode;
      for (const path of changes.newOutputs())
        remark(`${relative(cwd, path)} changes in each run, so its changes are ignored.`);
      const wasNarrowed = failed.length > 0;
      failed = result === undefined ? failed : failingIn(result);
      if (wasNarrowed && failed.length === 0 && result !== undefined) {
        remark('the failed requirements pass now. Judging all requirements.');
        continue;
      }
      remark(
        `waiting for a change in ${folders.map((folder) => relative(cwd, folder) || '.').join(', ')}; Ctrl+C ends.`,
      );
      await changes.next(signal);
      if (signal.aborted) return last;
      remark(
        failed.length === 0
          ? 'a file changed.'
          : `a file changed. Judging the requirements that failed: ${failed.length}.`,
      );
    }
  } finally {
    changes.close();
  }
}

function failingIn({ results }: Result): string[] {
  return results.filter(({ outcome, known }) => outcome === 'fail' && known === undefined).map(({ id }) => id);
}

function foldersOf(command: readonly string[], cwd: string): string[] {
  const files = command.map((word) => resolve(cwd, word)).filter((path) => existsSync(path) && statSync(path).isFile());
  // The interpreter may be given by its path.
  const own = files.filter((path, at) => at > 0 || files.length === 1 || path.startsWith(`${cwd}/`));
  return [...new Set(own.map((path) => dirname(path)))];
}

const passedOver = /^(?:node_modules|__pycache__|\..*|.*\.(?:log|pyc|class))$/;
const maxFolders = 500;
const debounceMs = 200;
const runsOfOutput = 3;

/** The files that changed. Node's recursive watch would also follow node_modules. */
class Changes {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  /** In how many of the last runs a file changed. */
  private readonly duringRuns = new Map<string, number>();
  private notify = (): void => {};
  private readonly ownFolders: readonly string[];

  constructor(folders: readonly string[], ownFolders: readonly string[]) {
    this.ownFolders = ownFolders;
    for (const folder of folders) this.add(folder);
  }

  private add(folder: string): void {
    if (this.watchers.has(folder) || this.watchers.size >= maxFolders || this.ownFolders.includes(folder)) return;
    const watcher = watch(folder, (_, name) => {
      if (name !== null) this.note(join(folder, name));
    });
    // A removed folder is no longer of interest.
    watcher.on('error', () => watcher.close());
    this.watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !passedOver.test(entry.name)) this.add(join(folder, entry.name));
    }
  }

  private note(path: string): void {
    if (passedOver.test(basename(path)) || this.ownFolders.includes(path) || this.isOutput(path)) return;
    if (isFolder(path)) this.add(path);
    else {
      this.changed.add(path);
      this.notify();
    }
  }

  clear(): void {
    this.changed.clear();
  }

  private isOutput(path: string): boolean {
    return (this.duringRuns.get(path) ?? 0) >= runsOfOutput;
  }

  /** Call it after a run. A file that the adapter writes in each run would start runs without end. */
  newOutputs(): string[] {
    for (const path of this.duringRuns.keys()) {
      if (!this.changed.has(path) && !this.isOutput(path)) this.duringRuns.delete(path);
    }
    for (const path of this.changed) this.duringRuns.set(path, (this.duringRuns.get(path) ?? 0) + 1);
    const outputs = [...this.changed].filter((path) => this.isOutput(path));
    for (const path of outputs) this.changed.delete(path);
    return outputs;
  }

  /** Resolves once nothing has changed for a moment, because an editor writes a file in several steps. */
  async next(signal: AbortSignal): Promise<void> {
    await new Promise<void>((done) => {
      let timer: NodeJS.Timeout | undefined;
      const wait = () => {
        clearTimeout(timer);
        timer = setTimeout(done, debounceMs);
      };
      this.notify = wait;
      signal.addEventListener('abort', () => done(), { once: true });
      if (this.changed.size > 0) wait();
    });
    this.notify = () => {};
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
  }
}
