/** Whether an operation became slower or faster by so much that chance does not explain it. */
import type { Result } from '../../record/result/result.ts';
import type { Change } from './difference.ts';

/** Exchanges of one operation below which a percentile says nothing. */
const fewest = 20;

/** How many times as long, and how many milliseconds more: both, since 2 ms after 1 ms is nothing to anybody. */
const [factor, leastMs] = [2, 50];

/** The built-in mock is this machine: its times say nothing of a gateway. */
export function latencyChanges(old: Result, fresh: Result): Change[] {
  if ([old, fresh].some(({ subject }) => subject.target === 'mock')) return [];
  return (fresh.latency ?? []).flatMap((now): Change[] => {
    const then = old.latency?.find(({ operation }) => operation === now.operation);
    if (then === undefined || then.count < fewest || now.count < fewest) return [];
    const change = (['p95Ms', 'p50Ms'] as const).map((name) => stepOf(then[name], now[name])).find(Boolean);
    if (change === undefined) return [];
    const shown = ({ p50Ms, p95Ms }: typeof now) => `p50 ${Math.round(p50Ms)} ms, p95 ${Math.round(p95Ms)} ms`;
    return [{ change, operation: now.operation, old: [shown(then)], new: [shown(now)], exchanges: [] }];
  });
}

function stepOf(then: number, now: number): 'slower' | 'faster' | undefined {
  const [less, more] = then < now ? [then, now] : [now, then];
  if (more <= factor * less || more - less < leastMs) return undefined;
  return now > then ? 'slower' : 'faster';
}
