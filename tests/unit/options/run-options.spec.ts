/** The options of a run on their way to the engine: what the command writes is read, and anything else is a sentence. */
import { expect, test } from '@playwright/test';
import { completeRunOptions, type RunOptions, readRunOptions, runVariable } from '../../../src/options/run-options.ts';
import { liveDefaults, nothingAllowed } from '../../../src/target/live-config.ts';
import type { LiveRun } from '../../../src/target/live-run.ts';

const live: LiveRun = {
  config: { ...liveDefaults, target: 'http://127.0.0.1:1', recurring: [], allow: nothingAllowed, states: {} },
  ledger: '/ledger',
  holder: 1,
};
const client: NonNullable<RunOptions['client']> = { command: ['x'], mode: 'process', plainHttp: false, cwd: '/' };
const given = completeRunOptions({}, 0, '/work');

for (const [name, options] of Object.entries({ mock: given, live: { ...given, live }, client: { ...given, client } })) {
  test(`the options of a run are read as they were written: ${name}`, () => {
    expect(readRunOptions({ [runVariable]: JSON.stringify(options) })).toEqual(options);
  });
}

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
    expect(() => readRunOptions({ [runVariable]: text })).toThrow(
      expect.objectContaining({ name: 'RunOptionsError', message: expect.stringContaining(says) }),
    );
  });
}

function altered(members: Partial<Record<keyof RunOptions, unknown>>): string {
  return JSON.stringify({ ...given, ...members });
}
