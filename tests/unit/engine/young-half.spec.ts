/** What the engine and its workers keep young has a limit: a run of few requests is over before anything is cleared away. Needs dist/. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/options/suite-version.ts';
import { expect, test } from '../../engine.ts';

/** Megabytes of both halves in a process that has made far more than they hold, and kept some of it. */
const probe = `
const kept = [];
for (let at = 0; at < 1e6; at++) kept[at & 0xffff] = { at, list: [at] };
const { space_size } = require('node:v8').getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
require('node:fs').appendFileSync(process.env.PROBED, require('node:path').basename(process.argv[1]) + ' ' + space_size / 2 ** 20 + '\\n');
`;

test('the engine and its workers keep 8 MB young, and not 32', () => {
  const folder = test.info().outputPath('probed');
  mkdirSync(folder);
  const [required, PROBED] = [join(folder, 'probe.cjs'), join(folder, 'sizes')];
  writeFileSync(required, probe);
  const words = ['gateway', '--only', 'close-day/content-type-enforced', '--cases', '1', '--seed', '7', '--out'];
  execFileSync(process.execPath, [join(packageRoot, 'dist/src/cli/main.js'), ...words, join(folder, 'report')], {
    env: { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(required)}`, PROBED },
  });
  const sizes = readFileSync(PROBED, 'utf8')
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
  const young = sizes.filter(([name]) => name !== 'main.js' && name !== '');
  expect(new Set(young.map(([name]) => name))).toEqual(new Set(['cli.js', 'workerProcessEntry.js']));
  // Node 26 adds to them in smaller steps.
  expect(young.filter(([, size]) => Number(size) > 8)).toEqual([]);
});
