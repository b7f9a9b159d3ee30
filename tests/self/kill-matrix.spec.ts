/** Every defect of both sides makes exactly its own rows fail, and every required row has a defect that proves it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kill } from '../../src/app/prove/kill.ts';
import { clientDefects } from '../../src/faults/client/index.ts';
import { gatewayDefects } from '../../src/faults/index.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';

/** Every so many of a list: neighbours break neighbouring rows. */
const sampled = (_: unknown, at: number) => at % 72 === 7;

for (const defect of [...gatewayDefects.filter(sampled), ...clientDefects.filter(sampled)]) {
  test(`${defect.side} ${defect.id} makes exactly its rows fail`, async () => {
    const { crashed, failing, breaks } = await kill(defect);
    expect([crashed, failing]).toEqual([undefined, breaks]);
  });
}

// The matrix sends its requests without sockets: what HTTP makes of them must not matter.
for (const defect of gatewayDefects.filter((_, at) => at % 30 === 3)) {
  test(`${defect.id} fails the same over a socket`, { tag: '@all' }, async () => {
    expect(await kill(defect, true)).toEqual(await kill(defect));
  });
}

test('the whole matrix: all killed, none survived, nothing stray, no required row without a killer @all', async () => {
  test.setTimeout(1_800_000);
  const main = join(root, 'dist/src/app/prove/main.js');
  const ended = await promisify(execFile)(process.execPath, [main], { timeout: 1_780_000, maxBuffer: 2 ** 24 }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      stdout: error.stdout + error.stderr,
    }),
  );
  expect(
    ended.stdout
      .split('\n')
      .filter((line) => !line.startsWith('✓'))
      .join('\n'),
  ).toMatch(
    /killed (\d+) of \1 .*\nfound in a record (\d+) of \2\nsurvived 0\nstray 0\nrequired ids without a killer 0\nrequired ids that fail in a record alone 1 transport\/https-served\n/,
  );
  expect(ended.code).toBe(0);
});
