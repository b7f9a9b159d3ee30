import { appendFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { batch, closeDay, findingsOn, recurring, wireIds } from './sample-requests.ts';
test('perf', () => {
  const rows = Array.from({ length: 20 }, (_, index) => [`order-${index}`, '0000000042', '1.00']);
  for (let k = 0; k < 3; k++) {
  const cases = Array.from({ length: 200 }, () => [closeDay(), recurring({ input: { ...batch, rows } })]).flat();
  const t = wireIds.map((id) => { const s = performance.now(); findingsOn(id, cases); return [id, performance.now() - s] as const; });
  appendFileSync('/tmp/perf.txt', [t.reduce((a, [, b]) => a + b, 0), t.filter(([, b]) => b > 2).map(([i, b]) => `${i} ${b.toFixed(1)}`).join('; ')].join(' ') + '\n');
  }
});
