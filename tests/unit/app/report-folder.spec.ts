/** The folder of `--out`: what is there is not mixed with a report and not overwritten, whatever the command. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { parseReport } from '../../../src/app/config/stored-runs.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';
import { everything } from '../report/all-outcomes.ts';
import { run } from './captured.ts';
import { file, foreignHar } from './signed-call.ts';

const har = foreignHar();

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

test('a run that ended before it sent anything leaves its folder to the next one, and a run that was ended in the middle does not', async () => {
  const out = test.info().outputPath('out');
  const file = test.info().outputPath('traffic.har');
  writeFileSync(file, har);
  const judged = () => run(['judge', file, '--side', 'gateway', '--out', out]);
  const before = await run(['client', '--out', out, '--', process.execPath, 'no-such-adapter.mjs']);
  expect([before.exitCode, JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).conclusion]).toEqual([
    3,
    'aborted',
  ]);
  // What is not of a report is not ours to remove.
  writeFileSync(join(out, 'notes.txt'), 'mine');
  expect((await judged()).err).toContain('holds the report of another run');
  rmSync(join(out, 'notes.txt'));
  expect([(await judged()).exitCode, existsSync(join(out, 'report.html'))]).toEqual([1, true]);
  const path = join(out, 'report.json');
  writeFileSync(
    path,
    JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), conclusion: 'aborted', aborted: 'cut' }),
  );
  expect((await judged()).err).toContain('holds the report of another run');
});

test('a port that is taken is told before a debugger is waited for', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const out = test.info().outputPath('out');
  try {
    const { exitCode, err } = await run(['client', '--attach', String(port), '--out', out]);
    expect([exitCode, err, existsSync(out)]).toEqual([
      2,
      `countersign: 127.0.0.1:${port} cannot be listened on (EADDRINUSE: it is in use). Choose another port.\n`,
      false,
    ]);
  } finally {
    server.close();
  }
});

test('wrong use leaves no folder, so that no job takes an older report for that of this run', async () => {
  for (const wrong of [
    ['gateway', '--only', 'no-such-requirement'],
    ['gateway', '--cases', 'many'],
    ['client', '--defect', 'no-such-defect'],
  ]) {
    const out = test.info().outputPath('out');
    expect([(await run([...wrong, '--out', out])).exitCode, existsSync(out)], wrong.join(' ')).toEqual([2, false]);
  }
});

test('judge and rekey take an empty folder', async () => {
  const [file, out] = [test.info().outputPath('traffic.har'), test.info().outputPath('out')];
  writeFileSync(file, har);
  mkdirSync(out);
  expect((await run(['judge', file, '--out', out, '--json'])).exitCode).toBe(1);
  expect(readdirSync(out)).toContain('report.json');
  const copied = await run(['rekey', file, '--out', test.info().outputPath('copy'), '--json']);
  expect([copied.exitCode, validate('command-output/written', JSON.parse(copied.out))]).toEqual([0, []]);
  expect(JSON.parse(copied.out)).toMatchObject({ written: [test.info().outputPath('copy')], different: [] });
});

test('rekey leaves no folder where the copy would hold a value of the original, and says what and where', async () => {
  const id = 'order-of-Mrs-Example';
  const hidden = Buffer.from(`an ${id} z`).toString('base64');
  const [entry] = JSON.parse(har).log.entries;
  const { request } = entry;
  const traffic = (secret: string) => ({
    ...entry,
    request: { ...request, headers: [{ name: 'X-Note', value: secret }], queryString: [] },
  });
  const named = { ...entry, request: { ...request, url: `${request.url}?client_orderid=${id}` } };
  const file = test.info().outputPath('traffic.har');
  writeFileSync(file, JSON.stringify({ log: { version: '1.2', entries: [named, traffic(hidden)] } }));
  const out = test.info().outputPath('level', 'out');
  const rekeyed = await run(['rekey', file, '--out', out]);
  expect(rekeyed.err).toBe(
    'countersign: the copy would hold an id of the original, in the header X-Note of the request of exchange 2, so nothing is written. ' +
      'It is there in a form that rekey does not replace: take it out of the recording, or leave that exchange out.\n',
  );
  expect([rekeyed.exitCode, rekeyed.out]).toEqual([3, '']);
  expect(readdirSync(test.info().outputPath())).toEqual(['traffic.har']);
});

test('judge and rekey refuse runs of two base URLs, and of two labels, in place of merging them', async () => {
  const base = test.info().outputPath();
  const pairs: Readonly<Record<string, readonly [object, object]>> = {
    target: [{ subject: at('https://one.example/paynet') }, { subject: at('https://two.example/paynet') }],
    label: [{ labels: { gateway: '1' } }, { labels: { gateway: '2' } }],
  };
  mkdirSync(base, { recursive: true });
  writeFileSync(join(base, 'traffic.har'), har);
  await run(['judge', join(base, 'traffic.har'), '--out', join(base, 'judged')]);
  const report = JSON.parse(readFileSync(join(base, 'judged', 'report.json'), 'utf8'));
  for (const [what, sides] of Object.entries(pairs)) {
    const folders = sides.map((side, index) => {
      const folder = join(base, `${what}${index}`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'exchanges.har'), readFileSync(join(base, 'judged', 'exchanges.har')));
      writeFileSync(join(folder, 'report.json'), JSON.stringify({ ...report, ...side }));
      return folder;
    });
    const says = expect.stringMatching(/^countersign: the run in \S+ is of [^\n]+, and that in \S+ of [^\n]+\n$/);
    for (const command of what === 'target' ? ['judge', 'rekey'] : ['judge']) {
      const { exitCode, err } = await run([command, ...folders, '--out', join(base, 'together')]);
      expect([exitCode, err, existsSync(join(base, 'together'))]).toEqual([2, says, false]);
    }
  }
});

function at(target: string) {
  return { kind: 'client', name: 'the subject', target };
}

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
    file(join(folder, 'exchanges.har'), har);
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
