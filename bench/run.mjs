/**
 * `npm run bench -- [ROW...] [--rounds N] [--quick] [--dist DIR] [--smoke]` compares with peers and limits.
 *
 * The contenders of a row take turns, in another order in each round, so that a slow machine slows all contenders. A
 * figure is the median of the ratios of all rounds. If one process does the work, a ratio compares processor times,
 * because other programs may use the machine. Otherwise it compares clock times. Only a wrong result is a failure.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openContender } from './contender.mjs';
import { rows } from './rows.mjs';
import { concluded, line, titles } from './table.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const usage = `Usage: npm run bench -- [ROW...] [--rounds N] [--quick] [--dist DIR] [--smoke]
Rows: ${rows.map(({ id }) => id).join(', ')}`;

function refuse(fault) {
  console.error(`bench: ${fault}\n${usage}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        dist: { type: 'string', default: here('../dist') },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message.split('. ')[0]);
  }
}

const { values, positionals } = readArguments();
const { dist, smoke, quick } = values;
const unknown = positionals.filter((name) => !rows.some(({ id }) => id === name));
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (unknown.length > 0) refuse(`no row is called ${unknown.join(', ')}`);
if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) refuse('--rounds needs a whole number from 1');
if (!existsSync(dist)) refuse(`--dist ${dist} does not exist`);
const chosen = rows.filter((row) =>
  positionals.length > 0 ? positionals.includes(row.id) : !(smoke && row.whole) && !(quick && row.quick === false),
);

if (!smoke && !existsSync(here('node_modules'))) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', here('.')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const results = [];
console.log(titles(smoke));
for (const row of chosen) {
  results.push(await measured(row));
  console.log(line(results.at(-1), smoke));
}
if (!smoke) {
  const machine = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
  };
  writeFileSync(here('results.json'), `${JSON.stringify({ machine, rows: results }, null, 2)}\n`);
}
const wrong = results.flatMap((result) => result.wrong);
for (const what of wrong) console.error(what);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function measured(row) {
  const names = Object.keys(row.contenders);
  const rounds = smoke ? 1 : (row.rounds ?? Number(values.rounds ?? (quick ? 3 : 7)));
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const open = {};
  const close = async (name) => {
    await open[name]?.close();
    delete open[name];
  };
  const missing = [];
  for (let round = smoke || row.rounds ? 0 : -1; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + Math.max(round, 0)) % names.length];
      if (missing.includes(name)) continue;
      try {
        open[name] ??= await openContender(row, name, { dist, smoke });
      } catch (cause) {
        // A smoke run skips peers that are not installed.
        if (!smoke || cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
        missing.push(name);
        continue;
      }
      const sample = await open[name].measure(smoke ? 1 : row.units);
      // Round -1 only warms up.
      if (round >= 0) samples[name].push(sample);
    }
  }
  for (const name of names) await close(name);
  return concluded(row, samples);
}
