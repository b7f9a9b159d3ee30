/** The options of a run on their way to the engine: what the command writes is read, and anything else is a sentence. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toJson } from '../../../src/exchange/json.ts';
import { completeRunOptions, type RunOptions, readRunOptions, runVariable } from '../../../src/options/run-options.ts';
import { liveDefaults, nothingAllowed } from '../../../src/target/live-config.ts';
import type { LiveRun } from '../../../src/target/live-run.ts';
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

const wrong: Readonly<Record<string, readonly [text: string, says: string]>> = {
  'no JSON': ['{', 'is not JSON'],
  'an empty text': ['', 'is not JSON'],
  'a number': ['1', 'the value is 1 (number); it must be an object'],
  nothing: ['{}', 'runId is missing'],
  'a folder that is a number': [altered({ out: 1 }), 'out is 1 (number); it must be text'],
  'many workers': [altered({ workers: 1e9 }), 'workers is 1000000000 (number)'],
  'a target that is no address': [
    altered({ target: 'x' }),
    'target is "x" (text); it must be mock, client or a base URL',
  ],
  'a part beyond all': [
    altered({ shard: { index: 1e300, of: 2 } }),
    'shard.index is a number that is too large; it must be 64 or less',
  ],
  'an unknown profile': [altered({ profile: 'x' }), 'profile is "x" (text); it must be one of "rfc5849", "strict"'],
  'a live run without its ledger': [altered({ live: { ...live, ledger: undefined } }), 'live.ledger is missing'],
  'an allowance without a number': [
    altered({ live: { ...live, config: { ...live.config, allow: { ...nothingAllowed, 'closes-day': '1' } } } }),
    'live.config.allow.closes-day is "1" (text); it must be a whole number',
  ],
  'a client without a command': [altered({ client: { ...client, command: 'x' } }), 'client.command is "x" (text)'],
};

for (const [name, [text, says]] of Object.entries(wrong)) {
  test(`${name} is refused with its place`, () => {
    expect(() => readRunOptions({ [runVariable]: written(text) })).toThrow(
      expect.objectContaining({ name: 'RunOptionsError', message: expect.stringContaining(says) }),
    );
  });
}

test('a file that is not there is named', () => {
  // A device may have no end.
  expect(() => readRunOptions({ [runVariable]: '/dev/null' })).toThrow(/cannot be read$/);
  expect(() => readRunOptions({ [runVariable]: '/none/run-options.json' })).toThrow(
    expect.objectContaining({ code: 'unreadable', message: expect.stringContaining('/none/run-options.json') }),
  );
});

function written(text: string): string {
  const path = test.info().outputPath('run-options.json');
  writeFileSync(path, text);
  return path;
}

function altered(members: Partial<Record<keyof RunOptions, unknown>>): string {
  return JSON.stringify({ ...given, ...members });
}
