/** The options of a run on their way to the engine: what the command writes is read. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toJson } from '../../../src/record/json.ts';
import {
  completeRunOptions,
  type RunOptions,
  readRunOptions,
  runVariable,
} from '../../../src/run/options/run-options.ts';
import { type LiveRun, liveDefaults, nothingAllowed } from '../../../src/run/target/live-config.ts';
import { expect, test } from '../../engine.ts';

const live: LiveRun = {
  config: { ...liveDefaults, target: 'http://127.0.0.1:1', recurring: [], allow: nothingAllowed, states: {} },
  ledger: '/ledger',
  holder: 1,
};
const client: NonNullable<RunOptions['client']> = { command: ['x'], mode: 'process', plainHttp: false, cwd: '/' };
const given = completeRunOptions({}, 0, '/work');

for (const [name, options] of Object.entries({
  mock: given,
  live: { ...given, live },
  client: { ...given, client, target: 'client' },
})) {
  test(`the options of a run are read as written: ${name}`, () => {
    const path = written(toJson(options));
    expect(readRunOptions({ [runVariable]: path })).toEqual({ ...options, engineFolder: dirname(path) });
  });
}

test('an answer of megabytes among them is read as written', () => {
  const request = {
    method: 'POST',
    scheme: 'http',
    host: 'a',
    target: '/',
    headers: [],
    body: Buffer.from('x'),
  } as const;
  const response = { status: 200, reason: 'OK', headers: [], body: Buffer.alloc(4_000_000, 1) };
  const exchange = { request, response, startedAt: 0, durationMs: 1 };
  const accepted = [{ operation: 'close-day' as const, exchange }];
  const options = readRunOptions({ [runVariable]: written(toJson({ ...given, live: { ...live, accepted } })) });
  const [read] = options?.live?.accepted ?? [];
  expect(response.body.equals(read!.exchange.response!.body)).toBe(true);
});

test('a run of some requirements has one worker, and of all of them two, unless somebody says otherwise', () => {
  const only = ['close-day/path'];
  const workers = [{}, { only: [] }, { only }, { only, workers: 3 }].map(
    (some) => completeRunOptions(some, 0, '/').workers,
  );
  expect(workers).toEqual([2, 2, 1, 3]);
});

test('without the variable there are none', () => {
  expect(readRunOptions({})).toBeUndefined();
});

function written(text: string): string {
  const path = test.info().outputPath('run-options.json');
  writeFileSync(path, text);
  return path;
}
