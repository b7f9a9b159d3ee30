/** Runs a client again when a file of its adapter changes, for --watch. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../record/result/result.ts';
import { refuseIf, UsageError } from '../run/options/usage-error.ts';
import type { ExitCode, Surroundings } from './command.ts';

export interface WatchedRun {
  readonly exitCode: ExitCode;
  /** Absent if the run was aborted before it had a result. */
  readonly result?: Result;
}

interface WatchOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly out: string;
  readonly isSelective: boolean;
}

/** Judges the client after each change. Returns the last exit code, or 3 if a run of only earlier failures passed. */
export async function watchRuns(
  { command, cwd, out, isSelective }: WatchOptions,
  perform: (only: readonly string[] | undefined) => Promise<WatchedRun>,
  { abortSignal, remark }: Surroundings,
): Promise<ExitCode> {
  const folders = foldersOf(command, cwd);
  refuseIf(folders.length === 0)`--watch finds no file in the command of the adapter
    Name the file of the adapter after --, such as \`countersign client --watch -- node adapter.mjs\`.`;
  const signal = abortSignal();
  const changes = watchFiles(folders, [out, join(cwd, 'reports')]);
  let failed: readonly string[] = [];
  for (let isFirst = true; ; isFirst = false) {
    changes.clear();
    const wasNarrowed = failed.length > 0;
    const run = perform(wasNarrowed ? failed : undefined);
    const { exitCode, result } = await (isFirst ? run : run.catch(printUsageError));
    if (signal.aborted) return wasNarrowed && exitCode === 0 ? 3 : exitCode;
    for (const path of changes.newOutputs())
      remark(`${relative(cwd, path)} changes in each run, so its changes are ignored.`);
    const failures = result?.results.filter(({ outcome, known }) => outcome === 'fail' && known === undefined);
    failed = failures?.map(({ id }) => id) ?? failed;
    if (wasNarrowed && failed.length === 0 && result !== undefined) {
      remark(`the failed requirements pass now. Judging all ${isSelective ? 'selected ' : ''}requirements.`);
      continue;
    }
    const watched = folders.map((folder) => relative(cwd, folder) || '.').join(', ');
    remark(`waiting for a change in ${watched}; Ctrl+C stops.`);
    await changes.next(signal);
    if (signal.aborted) return exitCode;
    const scopeText = failed.length === 0 ? '' : ` Judging the requirements that failed: ${failed.length}.`;
    remark(`a file changed.${scopeText}`);
  }

  /** Prints a UsageError and does not stop, because the user can correct its cause during --watch. */
  function printUsageError(cause: unknown): WatchedRun {
    if (!(cause instanceof UsageError)) throw cause;
    remark(`${cause.message}.\n${cause.hint ?? ''}`.trimEnd());
    return { exitCode: 2 };
  }
}

function foldersOf(command: readonly string[], cwd: string): string[] {
  const files = command.map((word) => resolve(cwd, word)).filter((path) => existsSync(path) && statSync(path).isFile());
  // The first word may be an interpreter, such as node. Watch it only if it is in `cwd`, or if no other word is a file.
  const watchedFiles = files.filter((path, at) => at > 0 || files.length === 1 || path.startsWith(`${cwd}/`));
  return [...new Set(watchedFiles.map((path) => dirname(path)))];
}

const ignored = /^(?:node_modules|__pycache__|\..*|.*\.(?:log|pyc|class))$/;
const maxFiles = 10_000;
const pollMs = 250;
const minOutputRuns = 3;

type Snapshot = ReadonlyMap<string, string>;

/** Finds the files that changed since `clear`. Polls, because polling also works in mounted and recreated folders. */
function watchFiles(folders: readonly string[], ownFolders: readonly string[]) {
  let snapshot: Snapshot = new Map();
  // How many runs in a row changed each file. A file with `minOutputRuns` such runs stays an output.
  const runCounts = new Map<string, number>();
  const isOutput = (path: string) => (runCounts.get(path) ?? 0) >= minOutputRuns;
  const changedFiles = (now: Snapshot) =>
    [...new Set([...snapshot.keys(), ...now.keys()])].filter(
      (path) => snapshot.get(path) !== now.get(path) && !isOutput(path),
    );
  function readFiles(): Snapshot {
    const found = new Map<string, string>();
    const visit = (folder: string): void => {
      // Ignore what cannot be read: a build may remove a folder and create it again.
      const entries = tryRead(() => readdirSync(folder, { withFileTypes: true })) ?? [];
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (ignored.test(entry.name) || ownFolders.includes(path) || found.size >= maxFiles) continue;
        if (entry.isDirectory()) {
          visit(path);
          continue;
        }
        const { ino, mtimeMs, size } = tryRead(() => statSync(path)) ?? {};
        found.set(path, `${ino} ${mtimeMs} ${size}`);
      }
    };
    folders.forEach(visit);
    return found;
  }
  return {
    clear: () => {
      snapshot = readFiles();
    },
    /** Call this after each run. Returns the files that are now known as outputs. Their changes start no run. */
    newOutputs(): string[] {
      const paths = changedFiles(readFiles());
      for (const path of runCounts.keys()) if (!paths.includes(path) && !isOutput(path)) runCounts.delete(path);
      for (const path of paths) runCounts.set(path, (runCounts.get(path) ?? 0) + 1);
      return paths.filter(isOutput);
    },
    /** Resolves if a file has changed and no file changes any more, because editors write files in several steps. */
    async next(signal: AbortSignal): Promise<void> {
      let previous: Snapshot | undefined;
      while (!signal.aborted) {
        const now = readFiles();
        if (changedFiles(now).length > 0 && isDeepStrictEqual(now, previous)) return;
        previous = now;
        await pause(pollMs, undefined, { signal }).catch(() => {});
      }
    },
  };
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
