/** One sentence for each thing that is wrong with what `countersign mock` was given. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { storeClientRun } from '../certificate/stored-run.ts';
import { run } from './captured.ts';
import { file, pem } from './signed-call.ts';

const secret = 'a-secret-of-enough-characters';
const shortKey = () => pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
const curveKey = () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

interface Mistake {
  readonly name: string;
  readonly args: (folder: string) => string[];
  readonly says: RegExp;
}

const secretFrom = (content: string | Buffer) => (folder: string) => [
  '--consumer-secret-file',
  file(join(folder, 'given.txt'), content),
];
const keyFrom = (content: string) => (folder: string) => [
  '--public-key-file',
  file(join(folder, 'given.pem'), content),
];

const mistakes: Mistake[] = [
  {
    name: 'a secret file that does not exist',
    args: (folder) => ['--consumer-secret-file', join(folder, 'absent.txt')],
    says: /secret file \S+absent\.txt does not exist\. Check --consumer-secret-file\./,
  },
  {
    name: 'a folder as secret file',
    args: (folder) => ['--consumer-secret-file', folder],
    says: /is a folder\. Give a file to --consumer-secret-file\./,
  },
  { name: 'an empty secret file', args: secretFrom(''), says: /secret file \S+given\.txt is empty\./ },
  { name: 'a secret file with a line end only', args: secretFrom('\n'), says: /is empty\./ },
  { name: 'a secret of 15 characters', args: secretFrom('123456789012345\n'), says: /fewer than 16 characters\./ },
  { name: 'a secret file with two lines', args: secretFrom(`${secret}\n${secret}\n`), says: /more than one line/ },
  {
    name: 'a secret file that is not UTF-8',
    args: secretFrom(Buffer.from(secret, 'utf16le').fill(0xff, 0, 2)),
    says: /is not UTF-8 text\./,
  },
  { name: 'a secret file of a megabyte', args: secretFrom('x'.repeat(1_000_000)), says: /is larger than 64 KB/ },
  {
    name: 'a public key file that does not exist',
    args: (folder) => ['--public-key-file', join(folder, 'absent.pem')],
    says: /public key file \S+absent\.pem does not exist\. Check --public-key-file\./,
  },
  { name: 'a public key file without a key', args: keyFrom('hello'), says: /given\.pem holds no public key in PEM/ },
  {
    name: 'a key of 1024 bits',
    args: (folder) => keyFrom(shortKey())(folder),
    says: /given\.pem holds .*1024 bits.*2048/,
  },
  {
    name: 'a key that is not RSA',
    args: (folder) => keyFrom(curveKey())(folder),
    says: /given\.pem holds .*\bec\b.*RSA/,
  },
  {
    name: 'a private key as public key',
    args: keyFrom(privatePemOf(shopKeys)),
    says: /holds a private key where the public one belongs\. Take the public half/,
  },
  {
    name: 'a public URL without a scheme',
    args: () => ['--public-url', 'gate.example'],
    says: /gate\.example.*https:\/\//,
  },
  { name: 'a public URL with a query', args: () => ['--public-url', 'https://gate.example/?a=1'], says: /\?a=1/ },
  { name: 'a prefix with a query', args: () => ['--prefix', '/a?b'], says: /\/a\?b.*\/paynet/ },
  { name: 'a port that is none', args: () => ['--port', '65536'], says: /65536.*0 to 65535/ },
  { name: 'a port that is no number', args: () => ['--port', '0x50'], says: /0x50.*0 to 65535/ },
  { name: 'a control port that is none', args: () => ['--control-port', '-1'], says: /control-port.*-1.*0 to 65535/ },
  {
    name: 'one port for gateway and control',
    args: () => ['--port', '45455', '--control-port', '45455'],
    says: /port 45455 is asked for twice\. Give gateway and control a port each\./,
  },
  { name: 'an empty consumer key', args: () => ['--consumer-key', ''], says: /consumer-key is empty/ },
  { name: 'an endpoint id with a slash', args: () => ['--endpoint', 'a/b'], says: /a\/b is not an endpoint id/ },
  { name: 'a consumer key of two lines', args: () => ['--consumer-key', 'a\nb'], says: /consumer key/ },
  { name: 'a consumer key that hides', args: () => ['--consumer-key', 'a\u202eb'], says: /consumer key/ },
  { name: 'an endpoint id that leads elsewhere', args: () => ['--endpoint', '..'], says: /is not an endpoint id/ },
  {
    name: 'an unknown defect',
    args: () => ['--defect', 'qqqqqqqqq'],
    says: /no defect qqqqqqqqq\. countersign list defects/,
  },
  { name: 'an unknown variant', args: () => ['--variant', 'refusal-41'], says: /Did you mean refusal-401/ },
];

for (const { name, args, says } of mistakes) {
  test(`${name} is refused in one sentence with exit code 2`, async () => {
    mkdirSync(test.info().outputPath(), { recursive: true });
    const { exitCode, out, err } = await run(['mock', '--json', ...args(test.info().outputPath())]);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
    expect(err).not.toContain(secret);
    expect(err).not.toContain('PRIVATE KEY');
  });
}

test('a port in use is named, and another one is proposed', async () => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as AddressInfo;
  const { exitCode, err } = await run(['mock', '--json', '--port', String(port)]);
  await new Promise((closed) => other.close(closed));
  expect(exitCode).toBe(2);
  expect(err).toContain(`port ${port} on 127.0.0.1 is in use`);
  expect(err).toContain('0 for any');
});

test('--like with the run of a client says to give one of a gateway', async () => {
  const folder = test.info().outputPath('of-a-client');
  await storeClientRun(folder);
  const { exitCode, err } = await run(['mock', '--like', folder]);
  expect([exitCode, err]).toEqual([
    2,
    'countersign: the run examined a client, and not a gateway. Give a run of a gateway, or leave --side out where it is given.\n',
  ]);
});
