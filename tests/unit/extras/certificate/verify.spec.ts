/** Issues and checks certificates. A changed certificate or evidence is refused, with the place of the change. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../../schemas/index.ts';
import { filesOfRun } from '../../../../src/app/write-report.ts';
import { seal, unseal } from '../../../../src/extras/certificate/envelope.ts';
import { refuseOtherSeed } from '../../../../src/extras/certificate/statement.ts';
import type { Result } from '../../../../src/record/result/result.ts';
import { suite } from '../../../../src/run/options/suite-version.ts';
import type { StoredRun } from '../../../../src/verdict/conclude.ts';
import { noRequest, seedProblem } from '../../../../src/verdict/recordings/check-seed.ts';
import { readRecording } from '../../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../../engine.ts';
import { here, oneLine, refuses, reportIn, run } from '../../app/run-command.ts';
import { file } from '../../app/signed-call.ts';
import { batchSentAgain } from '../../report/all-outcomes.ts';
import { challenge, copyOf, keyFiles, storeClientRun, storeGatewayRun } from './stored-run.ts';

const day = 24 * 60 * 60_000;

let stored: string;
let privateFile: string;
let publicFile: string;
let at = '';

test.beforeAll(async () => {
  stored = here('run');
  await storeClientRun(stored);
  [privateFile, publicFile] = keyFiles(here(), 'shop');
  const issued = await run(['certificate', stored, '--key', privateFile]);
  expect(issued).toMatchObject({ exitCode: 0, err: '' });
  expect(issued.out).toMatch(/^Certificate written to .*\. Its result is PASSED\.\n/);
  expect(issued.out).toContain(
    `check it with: npx countersign verify ${join(stored, 'certificate.json')} --key ${publicFile} --challenge`,
  );
  at = join(stored, 'certificate.json');
});

const verify = (...args: readonly string[]) => run(['verify', at, '--key', publicFile, ...args]);

async function refused(args: readonly string[], message: RegExp): Promise<void> {
  const { exitCode, out, err } = await run(args);
  expect([exitCode, out]).toEqual([1, '']);
  for (const one of [oneLine, message]) expect(err).toMatch(one);
}

test('a correct certificate is accepted, and the output says what this proves', async () => {
  const { exitCode, out, err } = await verify('--challenge', challenge);
  expect([exitCode, err]).toEqual([0, '']);
  expect(out).toMatch(/^genuine: PASSED\n/);
  expect(out).toContain(`  ${filesOfRun.length} files unchanged in `);
  expect(out).toContain('; 79 requirements (2 not tested) judged again with the same outcome');
  expect(out).toContain('  your challenge is the seed of the requests');
  expect(out).toMatch(/does not prove {2}that the exchanges came from Countersign reference client/);
});

test('a certificate without evidence is accepted, and the output says that nothing was judged again', async () => {
  const copy = file(here('alone.json'), readFileSync(at));
  const { exitCode, out } = await run(['verify', copy, '--key', publicFile]);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/evidence +missing, so nothing was judged again/);
  expect(out).toContain('  that the exchanges were not prepared in advance, unless you chose the challenge');
});

test('a certificate is refused for another key, time, suite, challenge or tested file', async () => {
  const [, other] = keyFiles(here(), 'other');
  await refused(['verify', at, '--key', other], /names the key [0-9a-f]{64} in signatures\[0\]\.keyid, but the/);
  const later = new Date(Date.now() + 91 * day).toISOString();
  await refused(['verify', at, '--key', publicFile, '--at', later], /the certificate expired at 20/);
  await refused(['verify', at, '--key', publicFile, '--at', '2020-01-31'], /is issued at 20.*, in the future/);
  await refused(['verify', at, '--key', publicFile, '--minimum-suite', '99.0.0'], /it is older than 99\.0\.0/);
  await refused(['verify', at, '--key', publicFile, '--challenge', 'mine'], /challenge of-the-partner\.1, but mine is/);
  await refused(['verify', at, '--key', publicFile, '--artifact', publicFile], /names no tested file/);
});

test('with --json, a refusal is also an object on standard output', async () => {
  const [, other] = keyFiles(here(), 'unknown');
  const result = await run(['verify', at, '--key', other, '--json']);
  expect(result.exitCode).toBe(1);
  const because = expect.stringContaining('signatures[0].keyid');
  expect(JSON.parse(result.out)).toEqual({ refused: 'other-key', because, hint: expect.stringMatching(/\.$/) });
  expect(result.err).toMatch(/^countersign: refused: [^\n]+\n$/);
  const none = await run(['verify', publicFile, '--key', publicFile, '--json']);
  expect([none.exitCode, JSON.parse(none.out).refused]).toEqual([2, 'not-a-certificate']);
});

test('a challenge that is only in the signed statement is refused', async () => {
  const copy = await copyOf(stored, here('copy'));
  const [report, certificate] = ['report.json', 'certificate.json'].map((name) => join(copy, name)) as [string, string];
  writeFileSync(report, readFileSync(report, 'utf8').replace(/"challenge": "[^"]+",\s+/, ''));
  rmSync(certificate);
  expect((await run(['certificate', copy, '--key', privateFile])).exitCode).toBe(0);
  const key = createPrivateKey(readFileSync(privateFile));
  const payload = unseal(readFileSync(certificate), createPublicKey(key), certificate).toString('utf8');
  const signAgain = (text: string) => writeFileSync(certificate, seal(Buffer.from(text, 'utf8'), key));
  signAgain(payload.replace(/"seed":"[^"]+"/, '"seed":"forged","challenge":"forged"'));
  await refused(
    ['verify', certificate, '--key', publicFile, '--challenge', 'forged'],
    /countersign\.seed is "forged", but judged again/,
  );
  const hazards = `"hazards":${JSON.stringify([batchSentAgain])}`;
  const warned = payload.replace('"result":"PASSED"', '"result":"WARNED"');
  signAgain(warned.replace('"countersign":{', `${hazards},"countersign":{`));
  await refused(['verify', certificate, '--key', publicFile], /result is "WARNED", but judged again "PASSED"/);
  signAgain(payload.replace(/("seed":("[^"]+"))/, '$1,"challenge":$2'));
  await refused(['verify', certificate, '--key', publicFile, '--challenge', challenge], /countersign\.challenge is/);
});

test('verify accepts the tested file, and refuses another file', async () => {
  const artifact = file(here('client.jar'), '');
  const out = here('of-file.json');
  expect((await run(['certificate', stored, '--key', privateFile, '--artifact', artifact])).err).toContain('is empty.');
  writeFileSync(artifact, 'the client');
  const args = ['--key', privateFile, '--artifact', artifact, '--out', out, '--json'];
  const issued = await run(['certificate', stored, ...args]);
  expect([issued.exitCode, validate('command-output/written', JSON.parse(issued.out))]).toEqual([0, []]);
  const printed = `npx countersign verify ${out} --key ${publicFile} --run ${stored} --challenge ${challenge} --artifact ${artifact}`;
  expect(JSON.parse(issued.out)).toMatchObject({ written: [out], result: 'PASSED', verify: printed });
  // The printed command has a flag for each possible check.
  const check = printed.split(' ').slice(2);
  expect(await run(check)).toMatchObject({ exitCode: 0, out: expect.stringMatching(/the file client\.jar, SHA-256/) });
  writeFileSync(artifact, 'the Client');
  await refused(check, /client\.jar is not the file that was certified: its SHA-256 is/);
});

test('a changed byte in any file of the evidence is refused, with its file and place', async () => {
  const copy = await copyOf(stored, here('copy'));
  const files = readdirSync(copy).filter((name) => name !== 'certificate.json');
  expect(files).toHaveLength(filesOfRun.length);
  const wrong: string[] = [];
  for (const name of files) {
    const path = join(copy, name);
    const bytes = readFileSync(path);
    const places = [0, 1, bytes.length >> 2, bytes.length >> 1, bytes.length - 2, bytes.length - 1];
    for (const place of places) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      writeFileSync(path, changed);
      const { exitCode, err } = await run(['verify', join(copy, 'certificate.json'), '--key', publicFile]);
      const [, from, to] = /(?<=\/)[\w.]+ was changed between byte (\d+) and byte (\d+)\./.exec(err) ?? [];
      if (exitCode !== 1 || !err.includes(path) || !(Number(from) <= place && place <= Number(to))) {
        wrong.push(`${name} ${place}: ${exitCode} ${err}`);
      }
    }
    writeFileSync(path, bytes);
  }
  expect(wrong).toEqual([]);
});

test('evidence is refused if a file is longer, shorter, missing or of another kind', async () => {
  const copy = await copyOf(stored, here('copy'));
  const check = ['verify', join(copy, 'certificate.json'), '--key', publicFile];
  const har = join(copy, 'exchanges.har');
  const bytes = readFileSync(har);
  writeFileSync(har, Buffer.concat([bytes, Buffer.from(' ')]));
  await refused(check, /exchanges\.har was changed between byte \d+ and byte \d+ \(it has \d+ bytes instead of \d+\)/);
  writeFileSync(har, Buffer.concat([bytes, bytes, bytes, bytes]));
  await refused(check, /exchanges\.har has \d+ bytes instead of \d+/);
  rmSync(har);
  await refused(check, /exchanges\.har is missing, so the evidence cannot be judged/);
  await refuses([...check, '--run', here('nowhere')], /nowhere is not a folder/, oneLine);
  writeFileSync(har, bytes);
  rmSync(join(copy, 'report.html'));
  expect(await run(check)).toMatchObject({ exitCode: 0, out: expect.stringContaining('; missing: report.html') });
  mkdirSync(join(copy, 'report.html'));
  await refused(check, /report\.html is a folder/);
  const says = /exchanges\.har is not a folder\. Give the folder of the run: /;
  await refuses(['certificate', har, '--key', privateFile], says, oneLine);
});

for (const [which, isQuick, tag] of [
  ['in one of three ways', true, []],
  ['in one of eleven further ways', false, ['@all']],
] as const) {
  test(`no certificate is issued for a report that contradicts its exchanges ${which}`, { tag: [...tag] }, async () => {
    const copy = await copyOf(stored, here('copy'));
    const path = join(copy, 'report.json');
    const text = readFileSync(path, 'utf8');
    const edits: readonly (readonly [from: RegExp, to: string, says: RegExp])[] = [
      [
        /"conclusion": "conformant"/,
        '"conclusion": "non-conformant"',
        /conclusion is "non-conformant", but judged again/,
      ],
      [/"outcome": "not-applicable"/, '"outcome": "pass"', /outcome is "pass", but judged again "not-applicable"/],
      [/"kind": "required"/, '"kind": "expected"', /kind is "expected", but judged again "required"/],
      [/"id": "close-day\/path"/, '"id": "close-day/paths"', /close-day\/paths is {.*, but judged again nothing/],
      [/"dimensions"/, `"hazards": ${JSON.stringify([batchSentAgain])}, "dimensions"`, /hazards is \[.*, but judged/],
      [/"exchangeCount": \d+/, '"exchangeCount": 1', /exchangeCount is 1, but/],
      [/"challenge": "[^"]+"/, '"challenge": "another"', /the run states the challenge another, but the input of/],
      [/"seed": "[^"]+",\s+"challenge": "[^"]+"/, '"seed": "other"', /the seed other, but the input of .* is not f/],
      [/"statement": "[^"]+"/, '"statement": "Anything goes."', /statement is "Anything goes\.", but judged again/],
      [/"startedAt": "[^"]+"/, `"startedAt": "${new Date(Date.now() - day).toISOString()}"`, /difference is more/],
      [/"startedAt": "[^"]+"/, `"startedAt": "${new Date().toISOString()}"`, /startedAt is later/],
      [/"version": "\d[^"]*"/, '"version": "0.0.1"', /was judged by countersign 0\.0\.1, but this is/],
      [/"startedAt": "20/, '"startedAt": "21', /began at 21.*, which is in the future/],
      [/"startedAt": "20/, '"startedAt": "19', /would have expired at 19/],
    ];
    const out = join(copy, 'another.json');
    for (const [from, to, says] of edits.filter((_, at) => (at % 5 === 0) === isQuick)) {
      expect(text).toMatch(from);
      writeFileSync(path, text.replace(from, to));
      await refused(['certificate', copy, '--key', privateFile, '--out', out], says);
    }
    // A report with two rows for one id is refused by every command.
    writeFileSync(path, text.replace('"id": "close-day/method"', '"id": "close-day/path"'));
    await refuses(['certificate', copy, '--key', privateFile, '--out', out], /has close-day\/path twice/, oneLine);
  });
}

test('the certificate of a failed run says FAILED, and verify does not exit with 0', { tag: '@all' }, async () => {
  const failed = here('failed');
  await storeClientRun(failed, 'recurring/payload-plus-raw');
  const issued = await run(['certificate', failed, '--key', privateFile]);
  const out = expect.stringMatching(
    /^Certificate written to .*\. Its result is FAILED\.\n[\s\S]*\nfailed +recurring\/payload-e/,
  );
  expect(issued).toMatchObject({ exitCode: 1, err: '', out });
  const certificate = join(failed, 'certificate.json');
  expect(await run(['verify', certificate, '--key', publicFile])).toMatchObject({
    exitCode: 1,
    err: '',
    out: expect.stringMatching(/^genuine, but its result is FAILED/),
  });
  expect(await run(['verify', certificate, '--key', publicFile, '--challenge', challenge])).toMatchObject({
    exitCode: 1,
    err: '',
    out: expect.stringMatching(
      /^genuine, but its result is FAILED[\s\S]* {2}your challenge is the seed of the requests/,
    ),
  });

  // Shrinking changed the call. Only the path of the call proves that its input comes from the seed.
  const record = join(failed, 'exchanges.har');
  const text = readFileSync(record, 'utf8');
  const [marked, path] = /"path":"(recurring\/generated\/\d+\/\d+:[\d:]+)"/.exec(text)! as unknown as [string, string];
  const notDrawn = /the input of recurring\/generated, case \d+, is not from this seed/;
  writeFileSync(record, text.replaceAll(`,${marked}`, ''));
  await refused(['certificate', failed, '--key', privateFile], notDrawn);
  const report: Result = reportIn(failed);
  const checkSeed = (har: string) => {
    const stored = { report, recordings: [readRecording(har, 'run')] };
    refuseOtherSeed(report, suite.version, { faultFor: (seed) => seedProblem(seed, stored as StoredRun), noRequest });
  };
  expect(() => checkSeed(text)).not.toThrow();
  const drawn = path.slice(0, path.indexOf(':'));
  const many = '9'.repeat(15);
  const longer = [`${drawn}:0:0:0`, `${path}${':0'.repeat(999)}`, `${path}:${many}`, `${drawn}:${many}`];
  const others = [path.replace(/\d+:/, `${many}:`), path.replace('generated', 'edges'), drawn];
  writeFileSync(record, text.replaceAll(path, longer[1]!));
  await refused(['certificate', failed, '--key', privateFile], notDrawn);
  for (const other of [...longer, ...others])
    expect(() => checkSeed(text.replaceAll(path, other)), other).toThrow(notDrawn);
  const { log } = JSON.parse(text);
  const ofPath = log.entries.find((entry: Entry) => entry._countersign.call.path === path) as Entry;
  ofPath._countersign.call.asked.input.rows = [['', '', '', '']];
  expect(() => checkSeed(JSON.stringify({ log }))).toThrow(notDrawn);
});

interface Entry {
  readonly _countersign: { readonly call: { readonly path?: string; readonly asked: { input: { rows: string[][] } } } };
}

test('a gateway run gets a certificate, and a run of some scenarios is refused as partial @all', async () => {
  const [whole, part] = [here('whole'), here('part')];
  await storeGatewayRun(whole);
  expect((await run(['certificate', whole, '--key', privateFile])).exitCode).toBe(0);
  const check = ['verify', join(whole, 'certificate.json'), '--key', publicFile, '--challenge', challenge];
  expect(await run(check)).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^genuine: PASSED/) });
  await storeGatewayRun(part, ['close-day/minimal']);
  await refused(['certificate', part, '--key', privateFile], /the run is partial: .* and \d+ more have no verdict/);
});
