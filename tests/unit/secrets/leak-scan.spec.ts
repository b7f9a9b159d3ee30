/** The canary scan finds a secret under every layer that a run can put over it, and nothing where there is none. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeReport } from '../../../src/engine/write-report.ts';
import { publishedIdentity, reservedIdentity } from '../../../src/mock/identity.ts';
import type { RunOptions } from '../../../src/options/run-options.ts';
import { readPrivateKey } from '../../../src/protocol/index.ts';
import { redactorFor } from '../../../src/secrets/redactor.ts';
import { LeakError, leakRefusal } from '../../../src/secrets/refuse-leaks.ts';
import { scan } from '../../../src/secrets/scan.ts';
import { secretText } from '../../../src/secrets/secret.ts';
import { secretsIn, secretsOf } from '../../../src/secrets/secrets-of.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { scanFolder } from '../../self/scan-folder.ts';
import { everything } from '../report/all-outcomes.ts';
import { sampleCases } from '../report/sample-cases.ts';
import { byteEncodings, encodings, packings } from './leak-scan-encodings.ts';

const text = 'c4nary/+&=%41 \'"quoted" \\ <ü> of the test';
const secrets = [secretText('the secret', text)];

function found(bytes: Uint8Array | string): boolean {
  return scan([{ name: 'file', bytes: Buffer.from(bytes as string) }], secrets).length > 0;
}

const redactor = redactorFor(secrets);

/** Bytes in which neither scan nor redactor see the secret, by what was done to it; and those whose length redaction changes. */
function unseen(cases: readonly (readonly [done: string, bytes: Buffer])[]): string[] {
  return cases.flatMap(([done, bytes]) => {
    const clean = redactor.bytes(bytes);
    return [
      ...(found(bytes) ? [] : [`not found ${done}`]),
      ...(found(clean) ? [`not taken out ${done}`] : []),
      ...(clean.length === bytes.length ? [] : [`longer or shorter ${done}`]),
    ];
  });
}

for (const [at, [name, encode]] of Object.entries(encodings).entries()) {
  const inText = (encoded: string) => Buffer.from(`one ${encoded} two`);
  // What inspect shows of a Buffer ends after 50 bytes.
  const chained = Object.entries(encodings).filter(([other]) => !other.includes('inspected'));
  const cases = () => [
    ...chained.map(([other, again]): [string, Buffer] => [
      `${name}, and that ${other}`,
      inText(again(`a ${encode(text)} z`)),
    ]),
    ...Object.entries(packings).map(([other, pack]): [string, Buffer] => [
      `${name}, and that in ${other}`,
      pack(inText(encode(text))),
    ]),
  ];
  test(`a secret is found and taken out ${name}, and in one in four of the encodings of that`, () => {
    const some = cases().filter((_, place) => place % 4 === at % 4);
    expect(unseen([[name, inText(encode(text))], ...some])).toEqual([]);
  });
  test(`a secret is found and taken out ${name}, in all other encodings of that, and packed`, { tag: '@all' }, () => {
    expect(unseen(cases())).toEqual([]);
  });
}

for (const [name, pack] of Object.entries(packings)) {
  test(`a secret is found and taken out in ${name} in every encoding of bytes`, () => {
    const packed = pack(Buffer.from(`one ${text} two`));
    const cases = Object.entries(byteEncodings).map(([other, encode]): [string, Buffer] => [
      `in ${name}, and that ${other}`,
      Buffer.from(`{ "body": "${encode(packed)}" }`),
    ]);
    expect(unseen(cases)).toEqual([]);
  });
}

test.describe('a secret is found', () => {
  const lines = (columns: number) =>
    Buffer.from(`some text ${text}`)
      .toString('base64')
      .replace(new RegExp(`.{${columns}}`, 'g'), '$&\r\n');
  const har = JSON.stringify({
    text: `payload=${encodeURIComponent(Buffer.from(`"a";"${text}"`).toString('base64'))}`,
  });

  for (const [place, bytes] of Object.entries({
    'in UTF-16': Buffer.from(text, 'utf16le'),
    'in Latin-1': Buffer.from(text, 'latin1'),
    'in base64 in lines': Buffer.from(lines(24)),
    'in the CSV of a form in a HAR': Buffer.from(har),
    'in gzip': gzipSync(har),
  })) {
    test(place, () => {
      expect(found(bytes)).toBe(true);
    });
  }
});

test('a file without the secret is clean, whatever is in it', () => {
  const random = Buffer.concat(Array.from({ length: 4000 }, (_, n) => createHash('sha256').update(String(n)).digest()));
  for (const bytes of [random, Buffer.from(random.toString('base64')), Buffer.from(random.toString('hex'))]) {
    expect(found(bytes)).toBe(false);
  }
  expect(found(gzipSync('').subarray(0, 12))).toBe(false);
});

test('the secret is found in each part of what a small packed body holds, and behind a part that is searched by itself', () => {
  const long = Array.from({ length: 30_000 }, (_, n) => `value number ${n} of a long list`);
  for (const place of [0, 9_000, 15_000, 29_999]) {
    const all = long.with(place, Buffer.from(`say: ${text}`).toString('base64'));
    expect(found(gzipSync(JSON.stringify(all)))).toBe(true);
  }
  expect(found(gzipSync(JSON.stringify(long)))).toBe(false);
});

test('several secrets are told apart by their names', () => {
  const both = [...secrets, secretText('another secret', 'another secret of this test')];
  const files = [
    { name: 'one', bytes: Buffer.from('another secret of this test') },
    { name: 'two', bytes: Buffer.from(text) },
    { name: 'three', bytes: Buffer.from('nothing') },
  ];
  expect(scan(files, both)).toEqual([
    { file: 'one', secret: 'another secret' },
    { file: 'two', secret: 'the secret' },
  ]);
});

test.describe('the secrets of a run', () => {
  const { privateKey } = shopKeys;

  test('are none where the identity is published', async () => {
    const published = {
      consumerSecret: publishedIdentity.consumerSecret,
      privateKey: readPrivateKey(publishedIdentity.privateKeyPem),
    };
    expect(secretsIn(published)).toEqual([]);
    expect(secretsIn({ consumerSecret: reservedIdentity.consumerSecret })).toEqual([]);
    expect(await secretsOf({}, {})).toEqual([]);
  });

  test('are those of the credentials that a live run names', async () => {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const credentials = {
      consumerKey: 'shop',
      consumerSecret: { variable: 'SECRET' },
      privateKey: { variable: 'KEY' },
    };
    const read = await secretsOf({ live: { config: { credentials } } }, { SECRET: 'secret-of-the-live-run', KEY: pem });
    expect(read.map(({ name }) => name)).toEqual(['the consumer secret', 'the private key']);
    expect(scan([{ name: 'a', bytes: Buffer.from('secret-of-the-live-run') }], read)).toHaveLength(1);
    await expect(secretsOf({ live: { config: { credentials } } }, { KEY: pem })).rejects.toThrow('SECRET');
  });
});

test.describe('a report that would hold a secret', () => {
  let out = '';
  test.beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'countersign-canary-'));
  });
  test.afterEach(() => rm(out, { recursive: true }));

  const leaking = { ...everything, notes: [`the client said ${encodeURIComponent(text)}`] };

  test('is refused in one sentence that names a file and not the secret', async () => {
    const error = await writeReport({ result: leaking, cases: sampleCases }, { out, json: true }, secrets).catch(
      (cause) => cause,
    );
    expect(error).toBeInstanceOf(LeakError);
    expect(error.message).toMatch(
      /^(junit\.xml|ctrf\.json|summary\.md|report\.\w+) would hold the secret, so nothing of the run is kept$/,
    );
    expect(`${error.message} ${error.hint}`).not.toContain('c4nary');
  });

  test('leaves no file, and none of an older run', async () => {
    await writeReport({ result: everything, cases: sampleCases }, { out, json: true });
    await writeFile(join(out, 'notes.txt'), 'of somebody else');
    await writeReport({ result: leaking, cases: sampleCases }, { out, json: true }, secrets).catch(() => {});
    expect(await readdir(out)).toEqual(['notes.txt']);
  });

  test('is refused too where the ledger got a secret in this run, and not for what an older one left there', async () => {
    const ledger = join(out, 'ledger.jsonl');
    const live = { ledger } as NonNullable<RunOptions['live']>;
    const write = async (run: string) => {
      await writeFile(ledger, `${JSON.stringify({ run, event: 'unclear', answer: { said: text } })}\n`);
      await writeReport({ result: everything, cases: [] }, { out, json: true, live, runId: 'this' }, secrets);
    };
    await expect(write('this')).rejects.toThrow(`the ledger ${ledger} would hold the secret`);
    expect(await readdir(out)).toEqual(['ledger.jsonl']);
    await write('older');
    expect(await readdir(out)).toContain('report.json');
  });

  test('is written where nothing is secret', async () => {
    await writeReport({ result: leaking, cases: sampleCases }, { out, json: true }, []);
    const names = (await scanFolder(out, secrets)).map(({ file }) => file);
    expect(names).toContain('report.json');
    const file = { name: 'report.json', bytes: Buffer.from(JSON.stringify(leaking)) };
    expect(() => leakRefusal(secrets)(file)).toThrow(LeakError);
  });
});
