/** The ledger: only its lines on the disk decide, also after a process was killed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { SentRequest } from '../../../src/record/exchange.ts';
import { beginLedger, LiveError, ledgerPlace, openLedger } from '../../../src/run/allowance/ledger.ts';
import { canonicalTarget } from '../../../src/run/target/site.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';
import { skipUnless } from '../../needed.ts';
import { run } from '../app/run-command.ts';
import { closeDay, guardAt, noAnswer, writeConfig } from './guarded.ts';

const allow = { 'closes-day': 2, 'starts-payments': { count: 3, total: '3.00' } };
const limits = { allow, trustRefusals: 10 };
const day = { effect: 'closes-day', endpointId: '1' } as const;
const pay = (count: number, cents: number) => ({ effect: 'starts-payments', endpointId: '1', count, cents }) as const;

function begin(path: string, run: string) {
  const ledger = openLedger(path, run);
  ledger.begin('https://gateway.example', '1', allow);
  return ledger;
}

/** Locks the target, whose ledger is in this folder. */
function beginIn(folder: string) {
  return beginLedger({ target: 'https://gateway.example', endpointId: '1', allow, ledger: folder }, {}, 'a');
}

const file = () => test.info().outputPath('ledger.jsonl');

test('a reservation counts until it is released, with an unclear answer too', () => {
  const ledger = begin(file(), 'a');
  const reserve = () => ledger.reserve(day, { what: 'x' }, limits);
  const usedUp = { why: 'allow', reason: 'the request could close a day, and allow.closes-day: 2 is used up' };
  expect([reserve(), reserve(), reserve()]).toEqual([{ id: 1 }, { id: 2 }, usedUp]);
  ledger.settle(1, { event: 'release', answer: { said: 'unclear' } });
  ledger.settle(2, { event: 'confirm', answer: { said: 'unclear' } });
  expect(reserve()).toEqual({ id: 3 });
  ledger.settle(3, { event: 'unclear', answer: { said: 'unclear' } });
  expect(ledger.balance()).toMatchObject({ spent: { closesDay: 2 }, confirmed: { closesDay: 1 }, unclear: 1 });
  expect(reserve()).toEqual(usedUp);
});

test('payments are limited by their number and by their sum', () => {
  const ledger = begin(file(), 'a');
  expect(ledger.reserve(pay(4, 100), { what: 'x' }, limits)).toHaveProperty('reason');
  expect(ledger.reserve(pay(1, 301), { what: 'x' }, limits)).toHaveProperty('reason');
  expect(ledger.reserve(pay(2, 250), { what: 'x' }, limits)).toMatchObject({ id: 1 });
  expect(ledger.reserve(pay(1, 51), { what: 'x' }, limits)).toHaveProperty('reason');
  expect(ledger.reserve(pay(1, 50), { what: 'x' }, limits)).toEqual({ id: 2 });
});

test('runs without an end count in all later runs until --forget-unfinished', () => {
  const path = file();
  begin(path, 'a').reserve(day, { what: 'x' }, limits);
  const b = begin(path, 'b');
  expect(b.balance()).toMatchObject({ carried: { closesDay: 1 } });
  b.reserve(day, { what: 'x' }, limits);
  expect(b.reserve(day, { what: 'x' }, limits)).toHaveProperty('reason');
  const c = begin(path, 'c');
  expect(c.balance()).toMatchObject({ carried: { closesDay: 2 } });
  c.end();
  expect(begin(path, 'd').balance()).toMatchObject({ carried: { closesDay: 2 } });
  const e = begin(path, 'e');
  e.forgetUnfinished();
  expect(e.balance()).toMatchObject({ carried: { closesDay: 0 }, spent: { closesDay: 0 } });
  e.reserve(day, { what: 'x' }, limits);
  expect(begin(path, 'f').balance()).toMatchObject({ carried: { closesDay: 1 } });
});

test('what doctor did just before counts in the run that follows, and in none after that', () => {
  const path = file();
  const runDoctor = (id: string, closes: number) => {
    const ledger = begin(path, `doctor-${id}`);
    // A second examination of doctor has the whole allowance again.
    expect(ledger.balance()).toMatchObject({ carried: { closesDay: 0 } });
    for (let count = closes; count > 0; count -= 1) ledger.reserve(day, { what: 'x' }, limits);
    ledger.end();
  };
  runDoctor('1', 2);
  runDoctor('2', 1);
  expect(openLedger(path, 'a').balance()).toMatchObject({ carried: { closesDay: 1 }, byDoctor: { closesDay: 1 } });
  const a = begin(path, 'a');
  expect(a.balance()).toMatchObject({ carried: { closesDay: 1 }, byDoctor: { closesDay: 1 } });
  a.reserve(day, { what: 'x' }, limits);
  const reason = expect.stringMatching(/closes-day: 2 is used up \(doctor just before used 1\)$/);
  expect(a.reserve(day, { what: 'x' }, limits)).toMatchObject({ reason });
  // Run `a` has no end, so its effect counts in the next run too.
  const b = begin(path, 'b');
  expect(b.balance()).toMatchObject({ carried: { closesDay: 2 }, byDoctor: { closesDay: 1 } });
  b.forgetUnfinished();
  expect(b.balance()).toMatchObject({ carried: { closesDay: 0 }, byDoctor: { closesDay: 0 } });
  b.end();
  runDoctor('3', 1);
  begin(path, 'c').end();
  expect(begin(path, 'd').balance()).toMatchObject({ carried: { closesDay: 0 }, byDoctor: { closesDay: 0 } });
});

test('an unfinished run counts before the next run begins, and even if the line of its start is missing', () => {
  const path = file();
  begin(path, 'a').reserve(day, { what: 'x' }, limits);
  expect(openLedger(path, 'b').balance()).toMatchObject({ begun: false, carried: { closesDay: 1 } });
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'));
  expect(begin(path, 'b').balance()).toMatchObject({ carried: { closesDay: 1 } });
});

test('a run that another one has overtaken reserves nothing more', () => {
  const path = file();
  const a = begin(path, 'a');
  begin(path, 'b');
  expect(a.reserve(day, { what: 'x' }, limits)).toEqual({
    why: 'allow',
    reason: 'another run has begun at this target in the meantime',
  });
});

test('a run whose ledger was removed or cut reserves nothing more', () => {
  const path = file();
  const truncate = (older: string) => writeFileSync(path, older);
  for (const change of [() => rmSync(path), () => truncate(''), truncate]) {
    rmSync(path, { force: true });
    const ledger = begin(path, 'a');
    const older = readFileSync(path, 'utf8');
    expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({ id: 1 });
    change(older);
    const cutOff = /^the ledger .* was removed or cut during the run/;
    for (let count = 3; count > 0; count -= 1) expect(() => ledger.reserve(day, { what: 'x' }, limits)).toThrow(cutOff);
    expect(() => ledger.settle(1, { event: 'release', answer: { said: 'refused' } })).toThrow(LiveError);
  }
});

const fragment = '{"at":"2026-01-01T00:00:00.000Z","run":"a","event":"reser';

test('a line that was cut off was never acted on, at the end and once a new one follows it', () => {
  for (const torn of [fragment, 'x'.repeat(10_000)]) {
    const path = file();
    rmSync(path, { force: true });
    begin(path, 'a').reserve(day, { what: 'x' }, limits);
    appendFileSync(path, torn);
    expect(openLedger(path, 'b').balance().carried).toMatchObject({ closesDay: 1 });
    expect(begin(path, 'b').balance().carried).toMatchObject({ closesDay: 1 });
    const [, added] = readFileSync(path, 'utf8').split(`\n${torn}\n`);
    expect(added).toMatch(new RegExp(`^\\{"at":"[^"]+","run":"b","event":"torn","bytes":${torn.length + 1}\\}\\n\\{`));
    expect(openLedger(path, 'c').balance().carried).toMatchObject({ closesDay: 1 });
  }
});

/** Lines that may not follow a run `a` that has reserved one close-day. */
const foreign: Readonly<Record<string, string>> = {
  'nothing of ours': 'nothing of ours',
  'an empty one': '',
  'a cut one that nobody has marked': fragment,
  'an unknown event': '{"at":"2026-01-01T00:00:00.000Z","run":"a","event":"wonder"}',
  'an unknown member': '{"at":"2026-01-01T00:00:00.000Z","run":"a","event":"end","x":1}',
  'text of a target': line({ event: 'confirm', id: 1, answer: { said: 'Thank you' } }),
  'a total that is none': line({ event: 'reserve', id: 2, what: 'x', ...pay(1, 1), cents: undefined, total: '1e3' }),
  'a count that is none': line({ event: 'reserve', id: 2, what: 'x', ...pay(-1, 1), cents: undefined, total: '1.00' }),
  'a mark behind a whole line': line({ event: 'torn', bytes: 5 }),
};
for (const [name, text] of Object.entries(foreign)) {
  test(`a line that is ${name} ends everything, with its number`, () => {
    const path = file();
    const a = begin(path, 'a');
    a.reserve(day, { what: 'x' }, limits);
    appendFileSync(path, `${text}\n`);
    for (const ledger of [a, openLedger(path, 'b')]) {
      expect(() => ledger.balance()).toThrow(/^line 3 of the ledger .*ledger\.jsonl is not a valid ledger line$/);
      expect(() => ledger.reserve(day, { what: 'x' }, limits)).toThrow(LiveError);
    }
  });
}

function line(members: object): string {
  return JSON.stringify({ at: '2026-01-01T00:00:00.000Z', run: 'a', ...members });
}

test('a write that ends early is not a reservation, and leaves a ledger that can be read', () => {
  const whole = file();
  begin(whole, 'a').reserve(pay(2, 200), { what: 'x' }, limits);
  const length = readFileSync(whole, 'utf8').split('\n')[1]!.length + 1;
  for (let cut = 0; cut < length; cut += 7) {
    const path = `${whole}-${cut}`;
    begin(path, 'a');
    const full = openLedger(path, 'a', { write: (opened, bytes) => writeSync(opened, bytes.subarray(0, cut)) });
    expect(() => full.reserve(pay(2, 200), { what: 'x' }, limits)).toThrow(/cannot be written/);
    // A process that was killed at that moment could not remove the partial line.
    const next = openLedger(path, 'a');
    appendFileSync(path, readFileSync(whole).subarray(-length).subarray(0, cut));
    expect(next.reserve(pay(1, 100), { what: 'x' }, limits)).toEqual({ id: 1 });
    expect(openLedger(path, 'b').balance()).toMatchObject({ carried: { payments: 1, cents: 100 } });
  }
});

/** Sends close-days until the guard stops one; returns the number that was sent. */
async function sendThrough(path: string, write: (file: number, bytes: Uint8Array) => number): Promise<number> {
  const { liveGuard } = guardAt(path, { allow, trustRefusals: 10 }, { run: 'a', begins: false, write });
  let sent = 0;
  const send = (request: SentRequest) => {
    sent += 1;
    return noAnswer('timeout')(request);
  };
  for (;;) {
    try {
      if ('why' in (await liveGuard.send(closeDay, { what: 'x' }, send))) return sent;
    } catch (cause) {
      expect(cause).toBeInstanceOf(LiveError);
      return sent;
    }
  }
}

test('a disk that is full at any byte lets nothing out that the ledger does not hold', async () => {
  const path = file();
  begin(path, 'a');
  const beginning = readFileSync(path);
  await sendThrough(path, writeSync);
  const all = readFileSync(path).length - beginning.length;
  for (let left = 0; left < all; left += 13) {
    writeFileSync(path, beginning);
    let room = left;
    const sent = await sendThrough(path, (opened, bytes) => {
      const written = writeSync(opened, bytes.subarray(0, room));
      room -= written;
      return written;
    });
    expect([left, openLedger(path, 'b').balance().carried.closesDay]).toEqual([left, sent]);
  }
});

test('the ledger is for this user alone', () => {
  skipUnless(process.platform !== 'win32', 'files with modes');
  const { path } = beginIn(join(test.info().outputPath('state'), 'deep'));
  const modes = [path, `${path}.lock`, dirname(path)].map((name) => statSync(name).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o700]);
});

test('wrongly accepted requests are known to another process of the same run', () => {
  const path = file();
  const ledger = begin(path, 'a');
  ledger.reserve(day, { what: 'the first of them' }, limits);
  ledger.settle(1, { event: 'confirm', answer: { said: 'unclear' }, wrongly: true });
  expect(openLedger(path, 'a').balance().wronglyAccepted).toMatchObject({
    closesDay: ['the first of them'],
    payments: [],
  });
});

test('a lock is for one process, and that of a process that is gone is taken over', () => {
  const folder = test.info().outputPath('state');
  const { path, end } = beginIn(folder);
  expect(() => beginIn(folder)).toThrow(/another run uses this target: process \d+/);
  end(true);
  end(false);
  // No process has such a large number.
  for (const left of ['4194305\n', '']) {
    writeFileSync(`${path}.lock`, left);
    beginIn(folder).end(true);
  }
});

test('a killed process that is still a zombie does not hold its lock', async () => {
  skipUnless(process.platform === 'linux', 'Linux, which tells such a process apart');
  const folder = test.info().outputPath('state');
  const { path, end } = beginIn(folder);
  end(true);
  // The shell becomes a program that never waits for its child. The child ends after that.
  const program = 'console.log(process.argv[1]); setTimeout(() => {}, 60_000)';
  const script = ['-c', 'read -r line <&3 & exec "$0" -e "$1" "$!"', process.execPath, program];
  const parent = spawn('sh', script, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  try {
    const [text] = (await once(parent.stdout!, 'data')) as [Buffer];
    const child = Number(text.toString());
    (parent.stdio[3] as Writable).end('\n');
    await expect.poll(() => readFileSync(`/proc/${child}/stat`, 'latin1'), { timeout: 60_000 }).toMatch(/\) Z /);
    writeFileSync(`${path}.lock`, `${child}\n`);
    beginIn(folder).end(true);
  } finally {
    parent.kill('SIGKILL');
  }
});

test('the reason names the right request and not the allowance alone, and an unreadable answer is the gateway’s own', () => {
  for (const [settled, reason] of [
    [{ answer: { said: 'timeout' } }, 'given-up'],
    [{ answer: { said: 'unclear' }, unreadable: true }, 'unreadable'],
  ] as const) {
    const ledger = begin(test.info().outputPath(`${reason}.jsonl`), 'a');
    for (const id of [1, 2]) {
      expect(ledger.reserve(day, { what: 'wrong' }, limits)).toEqual({ id });
      ledger.settle(id, { event: 'release', answer: { said: 'refused' }, by: 'target' });
    }
    ledger.reserve(day, { what: 'right', settles: true }, limits);
    ledger.settle(3, { event: 'unclear', ...settled });
    expect(ledger.reserve(day, { what: 'right' }, limits)).toEqual({
      why: reason,
      reason: expect.stringMatching(/is used up: the first valid request was not accepted, so a refusal/),
    });
  }
});

/** A target that takes connections, because a command opens the ledger only after it has reached the target. */
let gatewayUrl = '';
const server = createServer((_, response) => response.writeHead(404).end());
test.beforeAll(async () => {
  gatewayUrl = `http://${(await listen(server)).host}`;
});
test.afterAll(() => server.close());

test('a line that is not a line of a ledger ends every command with its file and number', async () => {
  const state = test.info().outputPath('state');
  mkdirSync(state);
  const { path } = ledgerPlace({ target: gatewayUrl, endpointId: '1111', ledger: state }, {});
  openLedger(path, 'a').begin(gatewayUrl, '1111', allow);
  writeFileSync(path, 'of somebody else\n', { flag: 'a' });
  await expectRefusal(state, `line 2 of the ledger ${path} is not a valid ledger line`);
});

test('a folder that cannot be written is named with what to do, and is not a fault of the suite', async () => {
  const blocked = test.info().outputPath('file');
  writeFileSync(blocked, '');
  await expectRefusal(join(blocked, 'state'), '(ENOTDIR: not a directory)');
  expect(() => beginIn(join(blocked, 'state'))).toThrow(
    `the folder of the ledger, ${join(blocked, 'state')}, cannot be written (ENOTDIR: not a directory)`,
  );
});

async function expectRefusal(ledger: string, message: string): Promise<void> {
  const { config, env } = writeConfig(gatewayUrl, 'allow: { closes-day: 1 }', `ledger: "${ledger}"`);
  for (const command of ['gateway', 'doctor']) {
    const out = command === 'gateway' ? ['--out', test.info().outputPath('out')] : [];
    const { exitCode, err } = await run([command, '--config', config, ...out], env);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).not.toContain('fault of Countersign');
  }
}

/** Each line has spellings of one target. */
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

test('all spellings of a target have one name, and no two targets share a name', () => {
  const names = one.map((spellings) => new Set(spellings.map((target) => canonicalTarget(target, '1111'))));
  expect(names.map((set) => [...set])).toEqual(names.map((set) => [[...set][0]]));
  expect(new Set(names.map((set) => [...set][0])).size).toBe(one.length);
});

test('leading zeros, escapes, case and other digits make no other endpoint of it', () => {
  const withEndpoint = (endpointId?: string) => canonicalTarget('https://gateway.example', endpointId);
  expect(new Set(['1111', '01111', '0001111', '%31111', '\uff11111', '\u0661111'].map(withEndpoint)).size).toBe(1);
  expect(new Set(['Shop', 'shop', '%53hop', '0SHOP'].map(withEndpoint)).size).toBe(1);
  expect(new Set(['1111', '11110', '0', undefined].map(withEndpoint)).size).toBe(4);
});

test('the ledger is in the state folder of the user, for any configuration and working folder', () => {
  const located = { target: 'https://gateway.example', endpointId: '1' };
  const hashed = ledgerPlace(located, { XDG_STATE_HOME: '/state' });
  expect(hashed.path).toMatch(/^\/state\/countersign\/ledger-[0-9a-f]{16}\.jsonl$/);
  expect(hashed.reach).toBe('this user on this machine');
  expect(ledgerPlace({ ...located, target: 'https://GATEWAY.example:443//' }, { XDG_STATE_HOME: '/state' })).toEqual(
    hashed,
  );
  const shared = ledgerPlace({ ...located, ledger: '/shared' }, { XDG_STATE_HOME: '/state' });
  expect(shared.path).toMatch(/^\/shared\/ledger-[0-9a-f]{16}\.jsonl$/);
  expect(shared.reach).toBe('all users whose configuration names this folder');
  const at = (platform: NodeJS.Platform, env: Record<string, string> = {}) =>
    dirname(ledgerPlace(located, env, platform).path);
  expect(at('linux')).toBe(join(homedir(), '.local', 'state', 'countersign'));
  expect(at('darwin')).toBe(join(homedir(), 'Library', 'Application Support', 'countersign'));
  expect(at('win32')).toBe(join(homedir(), 'AppData', 'Local', 'countersign'));
  expect(at('win32', { LOCALAPPDATA: '/local' })).toBe(join('/local', 'countersign'));
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    expect(at(platform, { XDG_STATE_HOME: '/state' })).toBe(join('/state', 'countersign'));
    for (const unusable of ['relative', '']) expect(at(platform, { XDG_STATE_HOME: unusable })).toBe(at(platform));
  }
});
