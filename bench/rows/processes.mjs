/**
 * Whole processes from start to report, against a Playwright run of one empty test; recordings judged again, against what reading
 * them takes at least; and the first autopsy of a process.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
const empty = ['node', playwright, 'test', '-c', new URL('../empty/playwright.config.mjs', import.meta.url).pathname];
const adapter = new URL('../../adapters/node/adapter.mjs', import.meta.url).pathname;
let made;

/** For one run; all of them go when the bench ends. */
function folder() {
  if (made === undefined) {
    made = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  return join(mkdtempSync(join(made, 'run-')), 'report');
}

/** A command is a right answer where it ends with exit code 0. */
const run = (id, work, goal, command) => ({
  id,
  work,
  base: 'empty Playwright run',
  goal: { atMost: goal },
  full: true,
  contenders: {
    'empty Playwright run': () => ({ command: () => empty }),
    countersign: ({ at }) => ({ command: () => ['node', at('src/app/main.js'), ...command()] }),
  },
});

/** A recording of 150 to 200 MB, as the command of a run makes it, is read, judged and written anew. */
function judged(id, work, command) {
  let made;
  const recording = (at) => {
    if (made === undefined) {
      made = folder();
      execFileSync('node', [at('src/app/main.js'), ...command(made)], { stdio: 'ignore' });
    }
    return made;
  };
  const parse = 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))';
  return {
    id,
    work,
    base: 'JSON.parse of it',
    goal: { atMost: 10 },
    full: true,
    rounds: 5,
    contenders: {
      'JSON.parse of it': ({ at }) => ({ command: () => ['node', '-e', parse, join(recording(at), 'exchanges.har')] }),
      countersign: ({ at }) => ({
        command: () => ['node', at('src/app/main.js'), 'judge', recording(at), '--out', folder()],
      }),
    },
  };
}

const prove = {
  id: 'P9',
  work: '`npm run prove`, every defect',
  goal: { seconds: 25 },
  full: true,
  rounds: 1,
  contenders: { countersign: ({ at }) => ({ command: () => ['node', at('src/app/prove/main.js')] }) },
};

/** A signature that no two deviations explain, so that every pair is tried. */
const autopsy = {
  id: 'P9a',
  work: 'autopsy of pairs, first call of a process',
  goal: { seconds: 0.12 },
  units: 1,
  smoke: 1,
  fresh: true,
  contenders: {
    countersign: async ({ load }) => {
      const { autopsy: explain } = await load('src/autopsy/index.js');
      const { signedCloseDay, consumerSecret, path } = await import('../sample.mjs');
      const [{ authorization, body }] = signedCloseDay('127.0.0.1:8080', 1, 0);
      const headers = [
        ['Host', '127.0.0.1:8080'],
        ['Content-Type', 'application/x-www-form-urlencoded'],
        [
          'Authorization',
          authorization.replace(/oauth_signature="[^"]*"/, 'oauth_signature="AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D"'),
        ],
      ];
      const place = { method: 'POST', scheme: 'http', host: '127.0.0.1:8080', target: path };
      const request = { ...place, headers, body: Buffer.from(body) };
      return () => explain(request, { consumerSecret }, { limits: { depth: 2 } }).signature === 'wrong';
    },
  },
};

export const processes = [
  run('P8', '`gateway` on the mock, start to report', 1.7, () => ['gateway', '--seed', '1', '--out', folder()]),
  run('P8c', '`client` with the Node adapter, start to report', 2.5, () => [
    ...['client', '--seed', '1', '--out', folder(), '--', 'node', adapter],
  ]),
  prove,
  autopsy,
  judged('P10', "`judge` of a gateway's recording", (out) => [
    ...['gateway', '--seed', '1', '--cases', '10000', '--out', out],
  ]),
  judged('P10c', "`judge` of a client's recording", (out) => [
    ...['client', '--seed', '1', '--cases', '9000', '--out', out, '--', 'node', adapter],
  ]),
];
