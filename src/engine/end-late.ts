/** How long an engine that was told to end has for it. */
import { endGroup } from '../disk/process-lock.ts';

/** Milliseconds for the workers, which stop at once unless one of them hangs. */
const forWorkers = 10_000;

/** Milliseconds for verdicts and report, which take the longer the more was exchanged: what was sent is not lost for want of patience. */
const forReport = 600_000;

/** Kills the engine with its group if it has neither ended its workers nor begun its report in ten seconds, or has not ended in ten minutes more. */
export function endLate(
  pid: number,
  isConcluding: () => boolean,
  { end = endGroup, after = setTimeout as After }: { end?: (pid: number) => void; after?: After } = {},
): NodeJS.Timeout {
  return after(() => {
    if (isConcluding()) after(() => end(pid), forReport).unref();
    else end(pid);
  }, forWorkers);
}

type After = (step: () => void, ms: number) => NodeJS.Timeout;
