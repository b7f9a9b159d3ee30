/** Secrets are found and replaced in every encoding, and nothing with a secret is written or printed. */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeReport } from '../../../src/app/write-report.ts';
import { identities, publishedIdentity } from '../../../src/mock/identity.ts';
import { percentEncode, readPrivateKey } from '../../../src/protocol/index.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import type { RunOptions } from '../../../src/run/options/run-options.ts';
import {
  LeakError,
  leakRefusal,
  manyTexts,
  pseudonymFor,
  redactorFor,
  type Secret,
  scannerFor,
  secretsAt,
  secretsIn,
  secretText,
} from '../../../src/run/secrets/secret.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { scanFolder } from '../../self/scan-folder.ts';
import { anyCharacter } from '../any-character.ts';
import { everything } from '../report/all-outcomes.ts';
import { sampleCases } from '../report/sample-cases.ts';
import { encodings } from './leak-scan-encodings.ts';

const scan = (files: readonly { name: string; bytes: Uint8Array }[], from: readonly Secret[]) =>
  files.flatMap(scannerFor(from));

const text = 'c4nary/+&=%41 \'"quoted" \\ <ü> of the test';
const secrets = [secretText('the secret', text)];

function found(bytes: Uint8Array | string): boolean {
  return scan([{ name: 'file', bytes: Buffer.from(bytes as string) }], secrets).length > 0;
}

const redactor = redactorFor(secrets);

/** Names of the encodings that scan or redactor miss, and of those whose length redaction changes. */
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

for (const [name, encode] of Object.entries(encodings)) {
  // At most two encodings: a form that is encoded twice already is not encoded again.
  const outer = /twice|in base64 in/.test(name)
    ? []
    : Object.entries(encodings).filter(([other]) => !/twice| in base64 in/.test(other));
  test(`a secret is found and taken out ${name}, and in each encoding of that`, () => {
    const inText = (encoded: string) => Buffer.from(`one ${encoded} two`);
    const twice = outer.map(([other, encodeAgain]): [string, Buffer] => [
      `${name}, and that ${other}`,
      inText(encodeAgain(encode(text))),
    ]);
    expect(unseen([[name, inText(encode(text))], ...twice])).toEqual([]);
  });
}

test('a value of a record is found as a whole word, after escapes, and in runs of base64 and hex', () => {
  const leaksIn = scannerFor([manyTexts('an id', [['ORDER-17'], ['two words']])]);
  const isFound = (content: string) => leaksIn({ name: 'file', bytes: Buffer.from(content) }).length > 0;
  const inside = ['"ORDER-17"', '%22ORDER-17%22', '"a\\nORDER-17"', '"a\\u0022ORDER-17"', 'two+words', 'two%2520words'];
  const under = ['base64', 'base64url', 'hex'] as const;
  const runs = [0, 1, 2].flatMap((before) =>
    under.map((encoding) => Buffer.from(`${';'.repeat(before)};ORDER-17;`).toString(encoding)),
  );
  const all = [...inside, ...runs, ...runs.map((run) => `on-${run}`)];
  expect(all.filter((one) => !isFound(one))).toEqual([]);
  expect(['MYORDER-17', 'ORDER-178', 'xtwo words'].filter(isFound)).toEqual([]);
});

test('a file of random bytes without the secret is clean', () => {
  const random = Buffer.concat(Array.from({ length: 4000 }, (_, n) => createHash('sha256').update(String(n)).digest()));
  for (const bytes of [random, Buffer.from(random.toString('base64')), Buffer.from(random.toString('hex'))])
    expect(found(bytes)).toBe(false);
});

test('a leak has the name of its secret, also for a secret in Latin-1', () => {
  expect(found(Buffer.from(text, 'latin1'))).toBe(true);
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
  test('are none where the identity is published', async () => {
    const published = {
      consumerSecret: publishedIdentity.consumerSecret,
      privateKey: readPrivateKey(publishedIdentity.privateKeyPem),
    };
    expect(secretsIn(published)).toEqual([]);
    expect(secretsIn({ consumerSecret: identities['reserved-characters'].consumerSecret })).toEqual([]);
    expect(await secretsAt(undefined, {})).toEqual([]);
  });

  test('are those of the credentials that a live run names', async () => {
    const pem = privatePemOf(shopKeys);
    const variables = { consumerKey: 'shop', consumerSecret: { variable: 'SECRET' }, privateKey: { variable: 'KEY' } };
    const read = await secretsAt(variables, { SECRET: 'secret-of-the-live-run', KEY: pem });
    expect(read.map(({ name }) => name)).toEqual(['the consumer secret', 'the private key']);
    expect(scan([{ name: 'a', bytes: Buffer.from('secret-of-the-live-run') }], read)).toHaveLength(1);
    await expect(secretsAt(variables, { KEY: pem })).rejects.toThrow('SECRET');
  });
});

test.describe('a report that would contain a secret', () => {
  let out = '';
  test.beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'countersign-canary-'));
  });
  test.afterEach(() => rm(out, { recursive: true }));

  const leaking = { ...everything, notes: [`the client said ${encodeURIComponent(text)}`] };

  test('is refused in one sentence that names a file and not the secret, and an older run stays unchanged', async () => {
    const first = writeReport({ result: leaking, cases: sampleCases }, { out }, secrets);
    await expect(first).rejects.toBeInstanceOf(LeakError);
    await writeReport({ result: everything, cases: sampleCases }, { out });
    const files = async () => Promise.all((await readdir(out)).sort().map((name) => readFile(join(out, name), 'utf8')));
    const older = await files();
    const error = await writeReport({ result: leaking, cases: sampleCases }, { out }, secrets).catch((cause) => cause);
    expect(error).toBeInstanceOf(LeakError);
    expect(error.message).toMatch(
      /^(junit\.xml|ctrf\.json|summary\.md|report\.\w+) would contain the secret, so the run was not saved$/,
    );
    expect(`${error.message} ${error.hint}`).not.toContain('c4nary');
    expect(await files()).toEqual(older);
  });

  test('is refused too where the ledger got a secret in this run, and not for what an older one left there', async () => {
    const ledger = join(out, 'ledger.jsonl');
    const live = { ledger } as NonNullable<RunOptions['live']>;
    const write = async (run: string) => {
      await writeFile(ledger, `${JSON.stringify({ run, event: 'unclear', answer: { said: text } })}\n`);
      await writeReport({ result: everything, cases: [] }, { out, live, runId: 'this' }, secrets);
    };
    await expect(write('this')).rejects.toThrow(`the ledger ${ledger} would contain the secret`);
    expect(await readdir(out)).toEqual(['ledger.jsonl']);
    await write('older');
    expect(await readdir(out)).toContain('report.json');
  });

  test('is written where nothing is secret', async () => {
    await writeReport({ result: leaking, cases: sampleCases }, { out }, []);
    const names = (await scanFolder(out, secrets)).map(({ file }) => file);
    expect(names).toContain('report.json');
    const file = { name: 'report.json', bytes: Buffer.from(JSON.stringify(leaking)) };
    expect(() => leakRefusal(secrets)(file)).toThrow(LeakError);
  });
});

test('a secret is taken out of each part of an exchange', () => {
  const body = Buffer.from(`before ${text} behind`);
  const headers = Object.entries({ Authorization: `OAuth oauth_token="${text}"`, 'Content-Length': `${body.length}` });
  const target = `/paynet/api/v2/close-day/1?x=${text}`;
  const whole: Exchange = {
    request: { method: 'POST', scheme: 'https', host: 'gateway.example', target, headers, body },
    response: { status: 200, reason: text, headers: [['X-Echo', text]], body },
    failure: { kind: 'malformed', message: `it said ${text}` },
    startedAt: 1_700_000_000_000,
    durationMs: 1,
  };
  const redacted = redactor.exchange(whole);
  const leaks = (one: Exchange) => scan([{ name: 'exchange', bytes: asBytes(one) }], secrets).length;
  expect([whole, redacted].map(leaks)).toEqual([1, 0]);
  expect(redacted.request.body.length).toBe(body.length);
  expect(Buffer.from(redacted.response!.body).toString()).toMatch(/^before .* behind$/s);
  expect(Object.keys(redacted)).toEqual(Object.keys(whole));
});

test('a pseudonym has the length and the character class of the secret, also in UTF-8', () => {
  expect(pseudonymFor('aZ9 -~!\'*()"&/+ü中😀')).toBe('xX0 -~!\'*!!"&//é中\u{20000}');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.equal(Buffer.byteLength(pseudonymFor(text)), Buffer.byteLength(text));
      assert.equal(percentEncode(wellFormed(pseudonymFor(text))).length, percentEncode(wellFormed(text)).length);
    }),
  );
});

test('no secret of any characters is found after redaction', () => {
  const texts = fc
    .string({ unit: 'grapheme', minLength: 16, maxLength: 40 })
    .filter((text) => text === wellFormed(text));
  fc.assert(
    fc.property(
      texts,
      fc.string({ maxLength: 9 }),
      fc.constantFrom(...Object.values(encodings)),
      (text, start, encode) => {
        // A secret of punctuation alone has no pseudonym. The scan stops a run that would show it.
        fc.pre(pseudonymFor(text) !== text);
        const secrets = [secretText('the secret', text)];
        const bytes = Buffer.from(`${start}${encode(text)}${start}`, 'utf8');
        const redacted = redactorFor(secrets).bytes(bytes);
        assert.equal(redacted.length, bytes.length);
        assert.deepEqual(scan([{ name: 'f', bytes: redacted }], secrets), []);
      },
    ),
    { numRuns: process.env.MUTATIONS === undefined ? 25 : 100 },
  );
});

test.describe('a private key', () => {
  const key = shopKeys.privateKey;
  let secrets: readonly Secret[] = [];
  test.beforeAll(() => {
    secrets = secretsIn({ privateKey: key });
  });
  const der = (type: 'pkcs1' | 'pkcs8') => key.export({ type, format: 'der' });
  const inLines = (columns: number) =>
    der('pkcs8')
      .toString('base64')
      .replace(new RegExp(`.{${columns}}`, 'g'), '$&\n');
  const forms: Readonly<Record<string, Buffer>> = {
    'PKCS #8': pem(key, 'pkcs8'),
    'PKCS #1': pem(key, 'pkcs1'),
    'in one line of base64': Buffer.from(der('pkcs8').toString('base64')),
    'in lines of 76': Buffer.from(inLines(76)),
    'in lines of 61': Buffer.from(inLines(61)),
    DER: der('pkcs1'),
    'in hex': Buffer.from(der('pkcs8').toString('hex')),
    'in JSON': Buffer.from(JSON.stringify({ key: pem(key, 'pkcs8').toString() })),
    'in JSON inside of JSON with / escaped': Buffer.from(
      JSON.stringify(JSON.stringify(pem(key, 'pkcs8').toString()).replaceAll('/', '\\/')),
    ),
    'percent-encoded': Buffer.from(percentEncode(pem(key, 'pkcs1').toString())),
  };

  test('is redacted in each of its forms', () => {
    for (const [name, bytes] of Object.entries(forms)) {
      expect(scan([{ name, bytes }], secrets)).toEqual([{ file: name, secret: 'the private key' }]);
      const redacted = redactorFor(secrets).bytes(bytes);
      expect(scan([{ name, bytes: redacted }], secrets)).toEqual([]);
      expect(redacted).toHaveLength(bytes.length);
    }
  });

  test('leaves JSON valid that escapes its slashes', () => {
    const json = JSON.stringify({ key: pem(key, 'pkcs8').toString() }).replaceAll('/', '\\/');
    const redacted = redactorFor(secrets).text(json);
    expect(JSON.parse(redacted).key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(scan([{ name: 'json', bytes: Buffer.from(redacted) }], secrets)).toEqual([]);
  });

  test('shows nothing by its public half', () => {
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
    expect(redactorFor(secrets).text(publicKey)).toBe(publicKey);
  });
});

function pem(key: KeyObject, type: 'pkcs1' | 'pkcs8'): Buffer {
  return Buffer.from(key.export({ type, format: 'pem' }).toString());
}

function asBytes(exchange: Exchange): Buffer {
  const { request, response } = exchange;
  return Buffer.concat([Buffer.from(JSON.stringify(exchange)), request.body, response!.body]);
}

function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
