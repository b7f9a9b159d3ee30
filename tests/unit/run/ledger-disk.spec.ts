/** The ledger on the disk: disks that fail, and the place that each target and user has. */
import { spawnSync } from 'node:child_process';
import {
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endGroup } from '../../../src/record/disk/processes.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';
import {
  canonicalTarget,
  LiveError,
  ledgerPlace,
  openLedger,
  takeLedgerLock,
} from '../../../src/run/allowance/ledger.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
import { run } from '../app/captured.ts';
import { closeDay, guarded, noAnswer, target } from './guarded.ts';

const key = privatePemOf(shopKeys);

const allow = { 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } };

/** Sends close-days until one is not sent; returns how many went out. The ledger has the beginning of the run. */
async function sendThrough(path: string, write?: (file: number, bytes: Uint8Array) => number): Promise<number> {
  const { gate } = guarded(path, { allow, trustRefusals: 10 }, { run: 'a', begins: false, write });
  let sent = 0;
  const send = (request: SentRequest) => {
    sent += 1;
    return noAnswer('timeout')(request);
  };
  for (;;) {
    try {
      if ('why' in (await gate.send(closeDay, { what: 'x' }, send))) return sent;
    } catch (cause) {
      expect(cause).toBeInstanceOf(LiveError);
      return sent;
    }
  }
}

for (const [which, every, tag] of [
  ['each thirteenth', 13, []],
  ['each third', 3, ['@all']],
] as const) {
  test(`a write that ends early at ${which} byte lets nothing out that the ledger does not hold`, {
    tag: [...tag],
  }, async () => {
    const path = test.info().outputPath('ledger.jsonl');
    openLedger(path, 'a').begin(target, '1', allow);
    const beginning = readFileSync(path);
    await sendThrough(path);
    const all = readFileSync(path).length - beginning.length;
    const wrong: [left: number, sent: number][] = [];
    for (let left = 0; left < all; left += every) {
      writeFileSync(path, beginning);
      let room = left;
      const sent = await sendThrough(path, (file, bytes) => {
        const written = writeSync(file, bytes.subarray(0, room));
        room -= written;
        return written;
      });
      if (openLedger(path, 'b').balance().carried.closesDay !== sent) wrong.push([left, sent]);
    }
    expect(wrong).toEqual([]);
  });
}

test('a disk that is full at any of 64 bytes lets nothing out that the ledger does not hold', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-full-'));
  // Who may not mount a disk of 16 KiB gets one that ends behind the first page of the file.
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]).status === 0;
  const imitated = (file: number, bytes: Uint8Array) => writeSync(file, bytes.subarray(0, 4096 - fstatSync(file).size));
  try {
    const path = join(folder, 'ledger.jsonl');
    const outcomes = new Set<number>();
    for (let step = 0; step < 64; step += 1) {
      for (const name of [path, join(folder, 'filler')]) rmSync(name, { force: true });
      openLedger(path, 'a').begin(`${target}/`, '1', allow);
      // The beginning of the run ends so far before a page of the file that the next lines cross into a page which is taken.
      const missing = 4096 - readFileSync(path).length - step * 10;
      rmSync(path);
      openLedger(path, 'a').begin(`${target}/${'x'.repeat(missing)}`, '1', allow);
      if (mounted) fill(join(folder, 'filler'));
      const sent = await sendThrough(path, mounted ? undefined : imitated);
      outcomes.add(sent);
      expect([step, openLedger(path, 'b').balance().carried.closesDay]).toEqual([step, sent]);
    }
    expect(outcomes.size).toBeGreaterThan(2);
  } finally {
    if (mounted) spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4096), { flag: 'a' });
  } catch (cause) {
    expect((cause as NodeJS.ErrnoException).code).toBe('ENOSPC');
  }
}

/** A target that takes connections: only then the ledger is looked at. */
let here = '';
const server = createServer((_, response) => response.writeHead(404).end());
test.beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterAll(() => server.close());

/** What may be in the place of the ledger, or of its lock. */
const inItsPlace: Readonly<Record<string, (path: string) => void>> = {
  'a folder': (path) => mkdirSync(path),
  'a device': (path) => symlinkSync('/dev/full', path),
  'a pipe': (path) => {
    skipUnless(missingPrograms('mkfifo').length === 0, 'mkfifo');
    spawnSync('mkfifo', [path]);
  },
};
for (const [name, make] of Object.entries(inItsPlace)) {
  for (const part of ['ledger', 'lock']) {
    test(`${name} in the place of the ${part} ends every command with a sentence and exit code 2`, async () => {
      skipUnless(process.platform !== 'win32', 'devices and pipes among the files');
      const state = test.info().outputPath('state');
      mkdirSync(state);
      const { path } = ledgerPlace({ target: here, endpointId: '1111', ledger: state }, {}, '/');
      make(part === 'ledger' ? path : `${path}.lock`);
      const told =
        part === 'ledger'
          ? `the ledger ${path} is not a plain file`
          : `the lock of the ledger, ${path}.lock, cannot be written`;
      await expectRefusal(state, told);
    });
  }
}

test('a line that is not a line of a ledger ends every command with its file and number', async () => {
  const state = test.info().outputPath('state');
  mkdirSync(state);
  const { path } = ledgerPlace({ target: here, endpointId: '1111', ledger: state }, {}, '/');
  openLedger(path, 'a').begin(here, '1111', allow);
  writeFileSync(path, 'of somebody else\n', { flag: 'a' });
  await expectRefusal(state, `line 2 of the ledger ${path} is not a line of a ledger`);
});

test('a ledger of more than 64 MB is not read', () => {
  const path = test.info().outputPath('ledger.jsonl');
  writeFileSync(path, '');
  truncateSync(path, 65 * 1024 * 1024);
  expect(() => openLedger(path, 'a').begin(target, '1', allow)).toThrow(`the ledger ${path} is larger than 64 MB`);
});

test('a folder that cannot be written is named with what to do, and is not a fault of the suite', async () => {
  const blocked = test.info().outputPath('file');
  writeFileSync(blocked, '');
  await expectRefusal(join(blocked, 'state'), '(ENOTDIR: a file is where a folder has to be)');
  expect(() => takeLedgerLock(join(blocked, 'state', 'x.lock'))).toThrow(
    `the folder of the ledger, ${join(blocked, 'state')}, cannot be written (ENOTDIR: a file is where a folder has to be)`,
  );
});

async function expectRefusal(ledger: string, told: string): Promise<void> {
  const written = test.info().outputPath('countersign.config.yaml');
  const lines = [
    'environment: integration',
    `target: ${here}`,
    'endpoint-id: "1111"',
    'allow: { closes-day: 1 }',
    `ledger: "${ledger}"`,
    `credentials: { consumer-key: shop, consumer-secret: "${'$'}{SECRET}", private-key: "${'$'}{KEY}" }`,
  ];
  writeFileSync(written, `${lines.join('\n')}\n`);
  for (const command of ['gateway', 'doctor']) {
    const args = [
      command,
      '--config',
      written,
      ...(command === 'gateway' ? ['--out', test.info().outputPath('out')] : []),
    ];
    const { exitCode, err } = await run(args, { SECRET: 'secret-of-the-disk-test', KEY: key });
    expect([exitCode, err]).toEqual([2, expect.stringContaining(told)]);
    expect(err).not.toContain('fault of Countersign');
  }
}

for (const torn of ['{"at":"20', 'x'.repeat(10_000)]) {
  test(`a ledger whose last ${torn.length} bytes were cut off by a crash is carried on, and says so`, () => {
    const path = test.info().outputPath('ledger.jsonl');
    openLedger(path, 'a').begin(target, '1', allow);
    writeFileSync(path, torn, { flag: 'a' });
    takeLedgerLock(`${path}.lock`).release();
    openLedger(path, 'b').begin(target, '1', allow);
    const [, behind] = readFileSync(path, 'utf8').split(`\n${torn}\n`);
    expect(behind).toMatch(new RegExp(`^\\{"at":"[^"]+","run":"b","event":"torn","bytes":${torn.length + 1}\\}\\n\\{`));
  });
}

/** Ways to write one target in each line. */
const one = `
http://127.0.0.1/paynet http://localhost/paynet http://LOCALHOST:80/paynet/ http://localhost./paynet http://127.1/paynet
  http://shop.localhost/paynet http://127.0.0.1./paynet http://0x7f000001/paynet http://127.8.9.10/paynet
  http://[::1]/paynet http://[0:0::1]/paynet http://[::ffff:127.0.0.1]/paynet http://[::ffff:7f12:3]/paynet
  http://0.0.0.0/paynet http://[::]/paynet http://127.0.0.1//paynet http://127.0.0.1/%70aynet
  http://127.0.0.1/x/../paynet//
https://gateway.example https://GATEWAY.example:443/ https://gateway.example./ https://gateway.example//
https://203.0.113.5/a/b https://[::ffff:203.0.113.5]/a//b https://3405803781/a%2Fb
https://gateway.example:8443
http://gateway.example
http://gateway.example:8080
http://localhost.example/paynet
http://127.0.0.1:8080/paynet
http://127.0.0.1/Paynet
http://127.0.0.1/paynet%`
  .trim()
  .split(/\n(?! )/)
  .map((line) => line.split(/\s+/));

test('each target has one name, in whatever way it is written, and no two have the same', () => {
  const names = one.map((spellings) => new Set(spellings.map((target) => canonicalTarget(target, '1111'))));
  expect(names.map((set) => [...set])).toEqual(names.map((set) => [[...set][0]]));
  expect(new Set(names.map((set) => [...set][0])).size).toBe(one.length);
});

test('leading zeros, escapes, case and other digits make no other endpoint of it', () => {
  const named = (endpointId?: string) => canonicalTarget('https://gateway.example', endpointId);
  expect(new Set(['1111', '01111', '0001111', '%31111', '\uff11111', '\u0661111'].map(named)).size).toBe(1);
  expect(new Set(['Shop', 'shop', '%53hop', '0SHOP'].map(named)).size).toBe(1);
  expect(new Set(['1111', '11110', '0', undefined].map(named)).size).toBe(4);
});

const located = { target: 'https://gateway.example', endpointId: '1' };

test('it is in the state folder of the user, whatever the configuration and the working folder are', () => {
  const env = { XDG_STATE_HOME: '/state' };
  const found = [
    ledgerPlace(located, env, '/x'),
    ledgerPlace({ ...located, path: '/a/c.yaml' }, env, '/y'),
    ledgerPlace({ ...located, path: '/b/c.yaml', target: 'https://GATEWAY.example:443//' }, env, '/x'),
  ];
  expect(new Set(found.map(({ path }) => path)).size).toBe(1);
  expect(found[0]!.path).toMatch(/^\/state\/countersign\/ledger-[0-9a-f]{16}\.jsonl$/);
  expect(found[0]!.reach).toBe('this user on this machine');
});

test('a relative XDG_STATE_HOME is not a place: it would be another one in each folder', () => {
  const place = (state?: string) => ledgerPlace(located, { XDG_STATE_HOME: state }, '/x').path;
  expect(place('state')).toBe(place());
  expect(place('')).toBe(place());
});

test('a folder of the configuration takes precedence', () => {
  const { path, reach } = ledgerPlace({ ...located, ledger: '/shared' }, { XDG_STATE_HOME: '/state' }, '/x');
  expect(path).toMatch(/^\/shared\/ledger-[0-9a-f]{16}\.jsonl$/);
  expect(reach).toBe('all whose configuration names this folder');
});

for (const where of ['beside the configuration', 'in the working folder']) {
  test(`a ledger of an earlier version ${where} is not forgotten in silence`, () => {
    const folder = test.info().outputPath('project');
    const former = join(folder, '.countersign', 'ledger-0123456789abcdef.jsonl');
    mkdirSync(join(folder, '.countersign'), { recursive: true });
    const place = () =>
      where === 'in the working folder'
        ? ledgerPlace({ ...located, path: '/a/c.yaml' }, {}, folder)
        : ledgerPlace({ ...located, path: join(folder, 'c.yaml') }, {}, '/x');
    expect(place).not.toThrow();
    writeFileSync(former, '');
    expect(place).toThrow(`the ledger ${former} is of an earlier version`);
  });
}

test('a process is ended with its group, on Windows alone, and one that has ended is no error', () => {
  for (const [platform, told] of [
    ['linux', -7],
    ['darwin', -7],
    ['win32', 7],
  ] as const) {
    const kills: unknown[] = [];
    endGroup(7, platform, (...args) => {
      kills.push(args);
      return true;
    });
    expect(kills, platform).toEqual([[told, 'SIGKILL']]);
    endGroup(7, platform, () => {
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    });
  }
});

test('the ledger is where programs of a user keep their state, and XDG_STATE_HOME has the last word', () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string> = {}) =>
    ledgerPlace(located, env, test.info().outputPath(), platform).path.replace(/.ledger-[0-9a-f]{16}\.jsonl$/, '');
  expect(at('linux')).toBe(join(homedir(), '.local', 'state', 'countersign'));
  expect(at('darwin')).toBe(join(homedir(), 'Library', 'Application Support', 'countersign'));
  expect(at('win32')).toBe(join(homedir(), 'AppData', 'Local', 'countersign'));
  expect(at('win32', { LOCALAPPDATA: '/local' })).toBe(join('/local', 'countersign'));
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    expect(at(platform, { XDG_STATE_HOME: '/state' })).toBe(join('/state', 'countersign'));
    expect(at(platform, { XDG_STATE_HOME: 'relative' })).toBe(at(platform));
  }
});
