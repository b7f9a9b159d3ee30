/** The ledger: what is on the disk decides, whoever wrote it and however its process ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { LiveError, openLedger, openLedgerFile, takeLedgerLock } from '../../../src/run/allowance/ledger.ts';
import { expect, test } from '../../engine.ts';
import { skipUnless } from '../../needed.ts';

const allow = { 'closes-day': 2, 'starts-payments': { count: 3, total: '3.00' } };
const limits = { allow, trustRefusals: 10 };
const day = { effect: 'closes-day', endpointId: '1' } as const;
const pay = (count: number, cents: number) => ({ effect: 'starts-payments', endpointId: '1', count, cents }) as const;

function begin(path: string, run: string) {
  const ledger = openLedger(path, run);
  ledger.begin('https://gateway.example', '1', allow);
  return ledger;
}

const file = () => test.info().outputPath('ledger.jsonl');

test('a reservation counts until it is released', () => {
  const ledger = begin(file(), 'a');
  expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({ id: 1 });
  expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({ id: 2 });
  expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({
    why: 'allow',
    reason: 'it could close a day, and allow.closes-day: 2 is used up',
  });
  ledger.settle(1, { event: 'release', answer: { said: 'unclear' } });
  expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({ id: 3 });
});

test('an unclear answer and a confirmed one count alike', () => {
  const ledger = begin(file(), 'a');
  ledger.reserve(day, { what: 'x' }, limits);
  ledger.settle(1, { event: 'unclear', answer: { said: 'unclear' } });
  ledger.reserve(day, { what: 'x' }, limits);
  ledger.settle(2, { event: 'confirm', answer: { said: 'unclear' } });
  expect(ledger.balance()).toMatchObject({ spent: { closesDay: 2 }, confirmed: { closesDay: 1 }, unclear: 1 });
  expect(ledger.reserve(day, { what: 'x' }, limits)).toHaveProperty('reason');
});

test('payments are limited by their number and by their sum', () => {
  const ledger = begin(file(), 'a');
  expect(ledger.reserve(pay(4, 100), { what: 'x' }, limits)).toHaveProperty('reason');
  expect(ledger.reserve(pay(1, 301), { what: 'x' }, limits)).toHaveProperty('reason');
  expect(ledger.reserve(pay(2, 250), { what: 'x' }, limits)).toMatchObject({ id: 1 });
  expect(ledger.reserve(pay(1, 51), { what: 'x' }, limits)).toHaveProperty('reason');
  expect(ledger.reserve(pay(1, 50), { what: 'x' }, limits)).toEqual({ id: 2 });
});

test('runs without an end count into all later ones, whatever those do, until a person has them forgotten', () => {
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
  const doctor = (id: string, closes: number) => {
    const ledger = begin(path, `doctor-${id}`);
    // Doctor asked again has an allowance of its own.
    expect(ledger.balance()).toMatchObject({ carried: { closesDay: 0 } });
    for (let left = closes; left > 0; left -= 1) ledger.reserve(day, { what: 'x' }, limits);
    ledger.end();
  };
  doctor('1', 2);
  doctor('2', 1);
  expect(openLedger(path, 'a').balance()).toMatchObject({ carried: { closesDay: 1 }, byDoctor: { closesDay: 1 } });
  const a = begin(path, 'a');
  expect(a.balance()).toMatchObject({ carried: { closesDay: 1 }, byDoctor: { closesDay: 1 } });
  a.reserve(day, { what: 'x' }, limits);
  const left = a.reserve(day, { what: 'x' }, limits);
  expect(left).toMatchObject({
    reason: expect.stringMatching(/closes-day: 2 is used up \(doctor just before used 1\)$/),
  });
  // It was killed: the next one counts both.
  const b = begin(path, 'b');
  expect(b.balance()).toMatchObject({ carried: { closesDay: 2 }, byDoctor: { closesDay: 1 } });
  b.forgetUnfinished();
  expect(b.balance()).toMatchObject({ carried: { closesDay: 0 }, byDoctor: { closesDay: 0 } });
  b.end();
  doctor('3', 1);
  begin(path, 'c').end();
  expect(begin(path, 'd').balance()).toMatchObject({ carried: { closesDay: 0 }, byDoctor: { closesDay: 0 } });
});

test('a run whose beginning was cut away counts like any other without an end', () => {
  const path = file();
  begin(path, 'a').reserve(day, { what: 'x' }, limits);
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'));
  expect(begin(path, 'b').balance()).toMatchObject({ carried: { closesDay: 1 } });
});

test('what a run asks before it begins is what it begins with', () => {
  const path = file();
  begin(path, 'a').reserve(day, { what: 'x' }, limits);
  expect(openLedger(path, 'b').balance()).toMatchObject({ begun: false, carried: { closesDay: 1 } });
});

test('a run that another one has overtaken reserves nothing more', () => {
  const path = file();
  const a = begin(path, 'a');
  begin(path, 'b');
  expect(a.reserve(day, { what: 'x' }, limits)).toEqual({
    why: 'allow',
    reason: 'another run has begun at this target since',
  });
});

const replacements: Readonly<Record<string, (path: string, older: string) => void>> = {
  'taken away': (path) => rmSync(path),
  emptied: (path) => writeFileSync(path, ''),
  'replaced by an older copy of itself': (path, older) => {
    writeFileSync(`${path}.new`, older);
    renameSync(`${path}.new`, path);
  },
  'replaced by the ledger of another run': (path) => {
    begin(`${path}.new`, 'b').reserve(day, { what: 'x' }, limits);
    renameSync(`${path}.new`, path);
  },
};
for (const [name, replace] of Object.entries(replacements)) {
  test(`a run whose ledger is ${name} reserves nothing more`, () => {
    const path = file();
    const ledger = begin(path, 'a');
    const older = readFileSync(path, 'utf8');
    expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({ id: 1 });
    replace(path, older);
    for (let left = 3; left > 0; left -= 1) {
      expect(() => ledger.reserve(day, { what: 'x' }, limits)).toThrow(
        /^the ledger .* was taken away, cut or replaced/,
      );
    }
    begin(`${path}.other`, 'c');
    renameSync(`${path}.other`, path);
    expect(() => ledger.reserve(day, { what: 'x' }, limits)).toThrow(LiveError);
  });
}

test('what a run remembers of itself counts where the file says less', () => {
  const path = file();
  const ledger = begin(path, 'a');
  ledger.reserve(day, { what: 'x' }, limits);
  ledger.reserve(day, { what: 'x' }, limits);
  const release = { at: '2026-01-01T00:00:00.000Z', run: 'a', event: 'release', answer: { said: 'refused' } };
  for (const id of [1, 2]) appendFileSync(path, `${JSON.stringify({ ...release, id })}\n`);
  expect(ledger.balance()).toMatchObject({ spent: { closesDay: 2 } });
  expect(ledger.reserve(day, { what: 'x' }, limits)).toHaveProperty('reason');
});

const fragment = '{"at":"2026-01-01T00:00:00.000Z","run":"a","event":"reser';

test('a line that was cut off was never acted on, at the end and once a new one follows it', () => {
  const path = file();
  begin(path, 'a').reserve(day, { what: 'x' }, limits);
  appendFileSync(path, fragment);
  expect(openLedger(path, 'b').balance().carried).toMatchObject({ closesDay: 1 });
  const b = begin(path, 'b');
  expect(b.balance().carried).toMatchObject({ closesDay: 1 });
  expect(readFileSync(path, 'utf8')).toContain(`reser\n{"at"`);
  expect(openLedger(path, 'c').balance().carried).toMatchObject({ closesDay: 1 });
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
test('what has not even the beginning of a line is no ledger that was cut off', () => {
  for (const text of ['{', '<html>', '\0'.repeat(100), 'null']) {
    writeFileSync(file(), text);
    const balance = () => openLedger(file(), 'b').balance();
    if (text === '{') expect(balance()).toMatchObject({ carried: { closesDay: 0 } });
    else expect(balance).toThrow(/^line 1 of the ledger .*ledger\.jsonl is not a line of a ledger$/);
  }
});

for (const [name, text] of Object.entries(foreign)) {
  test(`a line that is ${name} ends everything, with its number`, () => {
    const path = file();
    const a = begin(path, 'a');
    a.reserve(day, { what: 'x' }, limits);
    appendFileSync(path, `${text}\n`);
    for (const ledger of [a, openLedger(path, 'b')]) {
      expect(() => ledger.balance()).toThrow(/^line 3 of the ledger .*ledger\.jsonl is not a line of a ledger$/);
      expect(() => ledger.reserve(day, { what: 'x' }, limits)).toThrow(LiveError);
    }
  });
}

function line(members: object): string {
  return JSON.stringify({ at: '2026-01-01T00:00:00.000Z', run: 'a', ...members });
}

for (const [which, every, tag] of [
  ['each seventh', 7, []],
  ['whatever', 1, ['@all']],
] as const) {
  test(`a write that ends early at ${which} byte is not a reservation, and leaves a ledger that can be read`, {
    tag: [...tag],
  }, () => {
    const whole = file();
    begin(whole, 'a').reserve(pay(2, 200), { what: 'x' }, limits);
    const length = readFileSync(whole, 'utf8').split('\n')[1]!.length + 1;
    for (let cut = 0; cut < length; cut += every) {
      const path = `${whole}-${cut}`;
      begin(path, 'a');
      const full = openLedger(
        openLedgerFile(path, (opened, bytes) => writeSync(opened, bytes.subarray(0, cut))),
        'a',
      );
      expect(() => full.reserve(pay(2, 200), { what: 'x' }, limits)).toThrow(/cannot be written/);
      expect(full.balance()).toMatchObject({ spent: { payments: 2 } });
      // A process that was killed over it could not even put away what it had written.
      const next = openLedger(path, 'a');
      appendFileSync(path, readFileSync(whole).subarray(-length).subarray(0, cut));
      expect(next.reserve(pay(1, 100), { what: 'x' }, limits)).toEqual({ id: 1 });
      expect(openLedger(path, 'b').balance()).toMatchObject({ carried: { payments: 1, cents: 100 } });
    }
  });
}

test('a line that was written and is not there is no reservation, and no number is given twice', () => {
  const path = file();
  begin(path, 'a');
  let lost = true;
  const ledger = openLedger(
    openLedgerFile(path, (opened, bytes) => (lost ? bytes.length : writeSync(opened, bytes))),
    'a',
  );
  expect(() => ledger.reserve(day, { what: 'x' }, limits)).toThrow(/does not hold what was just written/);
  lost = false;
  expect(ledger.reserve(day, { what: 'x' }, limits)).toEqual({ id: 2 });
});

test('the ledger is for this user alone', () => {
  skipUnless(process.platform !== 'win32', 'files with modes');
  const path = `${test.info().outputPath('state')}/deep/ledger.jsonl`;
  takeLedgerLock(`${path}.lock`);
  begin(path, 'a');
  expect([path, `${path}.lock`, dirname(path)].map((name) => statSync(name).mode & 0o777)).toEqual([
    0o600, 0o600, 0o700,
  ]);
});

test('what was wrongly accepted is known to another process of the same run', () => {
  const path = file();
  const ledger = begin(path, 'a');
  ledger.reserve(day, { what: 'the first of them' }, limits);
  ledger.settle(1, { event: 'confirm', answer: { said: 'unclear' }, wrongly: true });
  expect(openLedger(path, 'a').balance().wrong).toMatchObject({ closesDay: ['the first of them'], payments: [] });
});

test('a lock is for one process, and that of a process that is gone is taken over', () => {
  const path = test.info().outputPath('ledger.lock');
  const lock = takeLedgerLock(path);
  expect(() => takeLedgerLock(path)).toThrow(/another run is at this target: process \d+/);
  lock.release();
  lock.release();
  // Greater than any process number that the system gives.
  writeFileSync(path, '4194305\n');
  takeLedgerLock(path).release();
  writeFileSync(path, '');
  takeLedgerLock(path).release();
});

test('a process that was killed and that nobody has waited for does not hold its lock', async () => {
  skipUnless(process.platform === 'linux', 'Linux, which tells such a process apart');
  const path = test.info().outputPath('ledger.lock');
  // The shell becomes a program that never waits for its child, which ends only then.
  const program = 'console.log(process.argv[1]); setTimeout(() => {}, 60_000)';
  const script = ['-c', 'read -r line <&3 & exec "$0" -e "$1" "$!"', process.execPath, program];
  const parent = spawn('sh', script, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  try {
    const [text] = (await once(parent.stdout!, 'data')) as [Buffer];
    const child = Number(text.toString());
    (parent.stdio[3] as Writable).end('\n');
    await expect.poll(() => readFileSync(`/proc/${child}/stat`, 'latin1')).toMatch(/\) Z /);
    writeFileSync(path, `${child}\n`);
    takeLedgerLock(path).release();
  } finally {
    parent.kill('SIGKILL');
  }
});

test('the reason names the right request and not the allowance alone, and an unreadable answer is the gateway’s own', () => {
  for (const [settled, why] of [
    [{ answer: { said: 'timeout' } }, 'given-up'],
    [{ answer: { said: 'unclear' }, unreadable: true }, 'unreadable'],
  ] as const) {
    const ledger = begin(test.info().outputPath(`${why}.jsonl`), 'a');
    for (const id of [1, 2]) {
      expect(ledger.reserve(day, { what: 'wrong' }, limits)).toEqual({ id });
      ledger.settle(id, { event: 'release', answer: { said: 'refused' }, by: 'target' });
    }
    ledger.reserve(day, { what: 'right', settles: true }, limits);
    ledger.settle(3, { event: 'unclear', ...settled });
    expect(ledger.reserve(day, { what: 'right' }, limits)).toEqual({
      why,
      reason: expect.stringMatching(/is used up: the first right request was not accepted, so that refusals count/),
    });
  }
});
