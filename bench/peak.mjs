/** Each process of a command loads this file. At its end, it appends its peak memory in MB to the file `BENCH_PEAK`. */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.once('exit', () => appendFileSync(process.env.BENCH_PEAK, `${process.resourceUsage().maxRSS / 1024}\n`));
}
