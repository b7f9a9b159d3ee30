/** The folder of `--out`: what is there is not mixed with a report and not overwritten, whatever the command. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { run } from './captured.ts';

const har = JSON.stringify({
  log: {
    version: '1.2',
    creator: { name: 'a browser', version: '1' },
    entries: [
      {
        startedDateTime: '2024-01-01T12:00:00.000Z',
        time: 1,
        request: { method: 'POST', url: 'https://gateway.example/api/v2/close-day/1', headers: [], bodySize: 0 },
        response: { status: 403, statusText: '', headers: [], content: { size: 0, mimeType: 'x' }, bodySize: 0 },
      },
    ],
  },
});

const commands: Readonly<Record<string, readonly string[]>> = {
  gateway: ['gateway'],
  client: ['client', '--defect', 'recurring/payload-plus-raw'],
  judge: ['judge', 'HAR'],
  rekey: ['rekey', 'HAR'],
};

for (const [name, command] of Object.entries(commands)) {
  const start = (out: string) => {
    const file = test.info().outputPath('traffic.har');
    writeFileSync(file, har);
    return run([...command.map((word) => (word === 'HAR' ? file : word)), '--out', out]);
  };

  for (const [what, file, told] of [
    ['other files', 'notes.txt', 'holds other files, such as notes.txt'],
    ['the report of another run', 'report.json', 'holds the report of another run'],
  ] as const) {
    test(`${name} refuses a folder that holds ${what}, in one sentence, and leaves it as it was`, async () => {
      const out = test.info().outputPath('out');
      mkdirSync(out);
      writeFileSync(join(out, file), 'mine');
      const { exitCode, err } = await start(out);
      expect([exitCode, err]).toEqual([
        2,
        expect.stringMatching(new RegExp(`^countersign: [^\\n]*${told}[^\\n]*\\n$`)),
      ]);
      expect(readdirSync(out)).toEqual([file]);
      expect(readFileSync(join(out, file), 'utf8')).toBe('mine');
    });
  }

  test(`${name} refuses a file and a place where no folder can be made, in one sentence`, async () => {
    const file = test.info().outputPath('file');
    writeFileSync(file, 'mine');
    for (const out of [file, join(file, 'below'), '/dev/full', '/proc/countersign']) {
      const { exitCode, err } = await start(out);
      expect([exitCode, err]).toEqual([
        2,
        expect.stringMatching(/^countersign: [^\n]*cannot be made or written to[^\n]*\n$/),
      ]);
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
}

test('judge takes an empty folder', async () => {
  const [file, out] = [test.info().outputPath('traffic.har'), test.info().outputPath('out')];
  writeFileSync(file, har);
  mkdirSync(out);
  expect((await run(['judge', file, '--out', out, '--json'])).exitCode).toBe(1);
  expect(readdirSync(out)).toContain('report.json');
});
