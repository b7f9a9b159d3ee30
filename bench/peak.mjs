/** Preloaded into each process of a command: at its end it adds its greatest memory in MB to the file that `BENCH_PEAK` names. */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.once('exit', () => appendFileSync(process.env.BENCH_PEAK, `${process.resourceUsage().maxRSS / 1024}\n`));
}
