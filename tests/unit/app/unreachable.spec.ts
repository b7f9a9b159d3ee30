/** A target that takes no connections: that is what is said, alone, and no plan of what would have been sent. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '../../engine.ts';
import { run } from './captured.ts';

let port = 0;

/** A port that was free a moment ago. */
test.beforeEach(async () => {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  port = (server.address() as { port: number }).port;
  await new Promise((closed) => server.close(closed));
});

for (const [way, flags] of [
  ['--target', () => ['--target', `http://127.0.0.1:${port}/paynet`, '--allow', 'closes-day=1']],
  ['--config', () => ['--config', config()]],
] as const) {
  test(`gateway ${way} says in one sentence that the target cannot be reached, and ends with exit code 3`, async () => {
    const out = test.info().outputPath('out');
    const { exitCode, err } = await run(['gateway', ...flags(), '--out', out]);
    expect([exitCode, err]).toEqual([
      3,
      `countersign: 127.0.0.1:${port} refuses connections. Nothing was judged. Check the port, and that the gateway is up.\n`,
    ]);
    const { conclusion, aborted } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
    expect([conclusion, aborted]).toEqual(['aborted', `127.0.0.1:${port} refuses connections`]);
  });
}

function config(): string {
  const path = test.info().outputPath('countersign.config.yaml');
  const lines = ['environment: integration', `target: http://127.0.0.1:${port}/paynet`, 'endpointId: "1111"'];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
