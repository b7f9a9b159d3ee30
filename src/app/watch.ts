/** Runs a client again when a file of its adapter changes, for --watch. */
import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isFolder } from '../record/disk/files.ts';
import type { Result } from '../record/result/result.ts';
import { refuseIf, UsageError } from '../run/options/usage-error.ts';
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
  /** Whether the user selected some requirements. */
  readonly isSelective: boolean;
}

/**
 * Returns the exit code of the last run once the user interrupts: 0 only if it judged everything. `perform` judges these
 * requirements, or all.
 */
export async function watchRuns(
  { command, cwd, out, isSelective }: Watching,
  perform: (only: readonly string[] | undefined) => Promise<WatchedRun>,
  { interrupted, remark }: Surroundings,
): Promise<ExitCode> {
  const folders = foldersOf(command, cwd);
  refuseIf(folders.length === 0)`--watch finds no file in the command of the adapter
    Name its file after --, such as \`countersign client --watch -- node adapter.mjs\`.`;
  const signal = interrupted();
  const changes = new Changes(folders, [out, join(cwd, 'reports')]);
  let isFirst = true;
  let failed: readonly string[] = [];
  try {
    for (;;) {
      changes.clear();
      const run = perform(failed.length === 0 ? undefined : failed);
      const { exitCode, result } = await (isFirst ? run : run.catch(remarkRefusal));
      isFirst = false;
      const wasNarrowed = failed.length > 0;
      if (signal.aborted) return wasNarrowed && exitCode === 0 ? 3 : exitCode;
      for (const path of changes.newOutputs())
        remark(`${relative(cwd, path)} changes in each run, so its changes are ignored.`);
      failed = result === undefined ? failed : failingIn(result);
      if (wasNarrowed && failed.length === 0 && result !== undefined) {
        remark(`the failed requirements pass now. Judging all ${isSelective ? 'selected ' : ''}requirements.`);
        continue;
      }
      remark(
        `waiting for a change in ${folders.map((folder) => relative(cwd, folder) || '.').join(', ')}; Ctrl+C ends.`,
      );
      await changes.next(signal);
      if (signal.aborted) return exitCode;
      remark(
        failed.length === 0
          ? 'a file changed.'
          : `a file changed. Judging the requirements that failed: ${failed.length}.`,
      );
    }
  } finally {
    changes.close();
  }

  /** The user can correct it while the watch goes on, such as a foreign file in the report folder. */
  function remarkRefusal(cause: unknown): WatchedRun {
    if (!(cause instanceof UsageError)) throw cause;
    remark(`${cause.message}.\n${cause.hint ?? ''}`.trimEnd());
    return { exitCode: 2 };
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
const folderCheckMs = 1000;
const runsOfOutput = 3;

/** The files that changed. Node's recursive watch would also follow node_modules. */
class Changes {
  private readonly watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
  /** Removed folders, which a build may make again. */
  private readonly missing = new Set<string>();
  private readonly timer = setInterval(() => this.checkFolders(), folderCheckMs);
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
    try {
      const watcher = watch(folder, (event, name) => {
        // A removed or moved folder reports its own name.
        if (event === 'rename' && name === basename(folder) && !existsSync(join(folder, name))) this.lose(folder);
        else if (name !== null) this.note(join(folder, name));
      });
      watcher.on('error', () => this.lose(folder));
      this.watchers.set(folder, { watcher, inode: statSync(folder).ino });
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && !passedOver.test(entry.name)) this.add(join(folder, entry.name));
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
      this.lose(folder);
    }
  }

  private lose(folder: string): void {
    this.watchers.get(folder)?.watcher.close();
    this.watchers.delete(folder);
    if (this.missing.size < maxFolders) this.missing.add(folder);
  }

  /** Watches folders that were replaced or made again. */
  private checkFolders(): void {
    for (const [folder, { inode }] of this.watchers) {
      if (statSync(folder, { throwIfNoEntry: false })?.ino !== inode) this.lose(folder);
    }
    for (const folder of [...this.missing].filter(isFolder)) {
      this.missing.delete(folder);
      this.add(folder);
      this.change(folder);
    }
  }

  private note(path: string): void {
    if (passedOver.test(basename(path)) || this.ownFolders.includes(path) || this.isOutput(path)) return;
    if (!isFolder(path)) this.change(path);
    else if (!this.missing.has(path)) this.add(path);
  }

  private change(path: string): void {
    this.changed.add(path);
    this.notify();
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
    clearInterval(this.timer);
    for (const { watcher } of this.watchers.values()) watcher.close();
  }
}
