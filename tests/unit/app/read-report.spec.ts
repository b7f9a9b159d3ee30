/** report.json when it is read again: what does not have its form is one sentence with file, place and value, and nothing is written. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseReport } from '../../../src/app/config/read-report.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';
import { everything } from '../report/all-outcomes.ts';
import { run } from './captured.ts';
import { file } from './signed-call.ts';

const wrong: Readonly<Record<string, readonly [text: string, says: string, hint: string]>> = {
  'no JSON': ['{"format":', 'is not JSON', 'Give the folder of a whole run.'],
  'a list': ['[]', 'is not the report of a run', 'Give the folder of a run.'],
  null: ['null', 'is not the report of a run', 'Give the folder of a run.'],
  'another format': ['{"format":"x"}', 'is not the report of a run', 'Give the folder of a run.'],
  'a later version': [
    altered({ formatVersion: 2, suite: { name: 'countersign', version: '9.1.0' } }),
    'has another version of the format: formatVersion is 2 (number); it must be 1',
    'It was written by countersign 9.1.0: give it as that wrote it, or judge it with that version.',
  ],
  'no rows': [altered({ results: undefined }), 'cannot be used: results is missing', 'It was written by'],
  'rows that are a text': [altered({ results: 'x' }), 'results is "x" (text); it must be a list', 'It was written by'],
  'a subject without a name': [
    altered({ subject: { kind: 'gateway', target: 'mock' } }),
    'subject.name is missing',
    'It was written by',
  ],
  'a time that is none': [altered({ startedAt: 'now' }), 'startedAt is "now" (text)', 'It was written by'],
  'a suite that is none': [altered({ suite: 7 }), 'suite is 7 (number); it must be an object', 'unchanged'],
  'a profile that is none': [altered({ profile: 'strickt' }), 'there is no profile strickt', 'strict'],
};

for (const [name, [text, says, hint]] of Object.entries(wrong)) {
  test(`${name} is refused with its place`, () => {
    expect(() => parseReport(text, 'run/report.json')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(new RegExp(`^run/report\\.json:? .*${escaped(says)}`)),
        hint: expect.stringContaining(hint),
      }),
    );
  });
}

test('what was written is read', () => {
  expect(parseReport(altered({}), 'report.json')).toEqual(JSON.parse(JSON.stringify(everything)));
});

for (const command of ['judge', 'rekey']) {
  test(`${command} of a report.json names the folder that it is in`, async () => {
    const folder = test.info().outputPath('run');
    const path = file(join(folder, 'report.json'), altered({}));
    const { exitCode, err } = await run([command, path, '--out', test.info().outputPath('out')]);
    expect([exitCode, err]).toEqual([
      2,
      expect.stringContaining(`no log with entries. Give the folder that it is in: ${folder}.`),
    ]);
  });

  test(`${command} ends with the sentence, and leaves no folder`, async () => {
    const folder = test.info().outputPath('run');
    mkdirSync(folder, { recursive: true });
    file(join(folder, 'report.json'), altered({ durationMs: 'long' }));
    const entry = { startedDateTime: '2026-01-31T12:00:00Z', time: 1 };
    const request = { method: 'POST', url: 'http://127.0.0.1/paynet/api/v4/close-day/1', headers: [] };
    const response = { status: 200, statusText: 'OK', headers: [], content: {} };
    file(join(folder, 'exchanges.har'), JSON.stringify({ log: { entries: [{ ...entry, request, response }] } }));
    const out = test.info().outputPath('out');
    const { exitCode, err } = await run([command, folder, '--out', out]);
    expect([exitCode, existsSync(out)]).toEqual([2, false]);
    expect(err).toMatch(/^countersign: [^\n]*report\.json cannot be used: durationMs is "long" \(text\)[^\n]*\n$/);
  });
}

function altered(members: Partial<Record<keyof Result, unknown>>): string {
  return JSON.stringify({ ...everything, ...members });
}

function escaped(text: string): string {
  return text.replace(/[.()[\]]/g, '\\$&');
}
