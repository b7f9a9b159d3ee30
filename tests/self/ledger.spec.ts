/** The ledger over runs, crashes and losses. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { liveRun } from '../../src/app/live/live-run.ts';
import type { LogEntry } from '../../src/mock/index.ts';
import { LiveError, ledgerPlace } from '../../src/run/allowance/ledger.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { UsageError } from '../../src/run/options/usage-error.ts';
import { diceFrom } from '../dice.ts';
import { expect, test } from '../engine.ts';
import { privatePemOf, shopKeys } from '../keys/index.ts';
import { run } from '../unit/app/captured.ts';
import { file } from '../unit/app/signed-call.ts';
import { type Spawned, spawned } from '../unit/app/spawned.ts';
import { runLive, startLive } from './live-setting.ts';

test.describe('ledger', () => {
  test.describe.configure({ mode: 'serial' });

  let folder = '';
  let gateway: ChildProcess;
  let port = 0;
  let closed = 0;

  test.beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
    file(join(folder, 'secret.txt'), 'secret-of-the-ledger-test\n');
    file(join(folder, 'key.pem'), privatePemOf(shopKeys));
    closed = 0;
    gateway = fork(fileURLToPath(new URL('counting-gateway.mjs', import.meta.url)), { execArgv: [] });
    gateway.on('message', (told: { closed?: number }) => {
      closed = told.closed ?? closed;
    });
    [{ port }] = (await once(gateway, 'message')) as [{ port: number }];
  });

  test.afterEach(() => {
    gateway.disconnect();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Ways to write one and the same target. */
  const spellings: Readonly<Record<string, () => string>> = {
    'the address': () => `http://127.0.0.1:${port}/paynet`,
    'the name': () => `http://localhost:${port}/paynet`,
    'the name in capitals, with a dot': () => `http://LOCALHOST.:${port}/paynet`,
    'a doubled slash': () => `http://127.0.0.1:${port}//paynet`,
    'an escape': () => `http://127.0.0.1:${port}/%70aynet`,
    'a short address': () => `http://127.1:${port}/paynet/`,
    'an address in IPv6': () => `http://[::ffff:127.0.0.1]:${port}/paynet`,
  };

  test('a crash counts in every later run, however that one finds the target, until a person has it forgotten @all', async () => {
    await crash(config());
    expect(closed).toBe(1);
    const { out } = await doctor(config({ target: spellings['an escape']!(), endpointId: '01111' }));
    expect(out).toContain('unfinished runs count against the allowance: closes-day 1');
    const [link, real] = [join(mkdtempSync(join(folder, 'linked-')), 'other.yaml'), config()];
    symlinkSync(real, link);
    await doctor(link);
    await mode('silent');
    await command(['gateway', '--config', config()]);
    await mode('answers');
    const planned = await command(['gateway', '--config', config(), '--dry-run']);
    expect(planned.out).toContain(
      'used up         closes-day 1, starts-payments 0 with a total of 0.00 by unfinished runs',
    );
    expect(planned.out).toMatch(
      /ledger {10}.*state\/countersign\/ledger-[0-9a-f]{16}\.jsonl,\s+for this user on this machine\n/,
    );
    expect(closed).toBe(1);

    const only = ['--only', 'authentication/close-day-valid-accepted', '--cases', '1'];
    const carrying = await command(['gateway', '--config', config(), ...only]);
    expect(carrying.err).toMatch(/^ {2}used up +closes-day 1/m);
    expect([closed, carrying.out]).toEqual([
      1,
      expect.stringContaining('Effects of unfinished runs count in this run: closes-day 1'),
    ]);
    const would = await command(['gateway', '--config', config(), '--dry-run', '--forget-unfinished']);
    expect(would.out).toContain('  would forget    closes-day 1 and');
    const forgetting = await command(['gateway', '--config', config(), ...only, '--forget-unfinished']);
    expect(forgetting.err).toMatch(/^ {2}forgotten +closes-day 1 and starts-payments 0 with a total of 0\.00/m);
    expect([closed, forgetting.out]).toEqual([2, expect.stringContaining('cleared on request: closes-day 1')]);
  });

  test('a run behind doctor has what doctor left of the allowance, on another machine too if the ledger is brought along @all', async () => {
    const written = config({ endpointId: '1999' });
    await doctor(written);
    const [, other, empty] = ['state', 'restored', 'empty'].map((name) => join(folder, name));
    cpSync(join(folder, 'state'), other!, { recursive: true });
    const plan = ['gateway', '--config', written, '--dry-run'];
    const usedUp = 'used up         closes-day 1';
    expect((await command(plan)).out).toContain(usedUp);
    expect((await command(plan, folder, other)).out).toContain(usedUp);
    const saysNone = async () => {
      const fresh = await command(plan, folder, empty);
      expect([fresh.out.includes(usedUp), fresh.err]).toEqual([
        false,
        expect.stringContaining('there is no ledger at'),
      ]);
    };
    await saysNone();
    cpSync(other!, empty!, { recursive: true });
    for (const name of readdirSync(join(empty!, 'countersign'))) writeFileSync(join(empty!, 'countersign', name), '');
    await saysNone();
  });

  test('50 kills at any moment, among all that can be done, give no day more than is allowed @all', async () => {
    test.setTimeout(1_800_000);
    await killRounds(50, diceFrom(20_260_151).below);
  });

  async function killRounds(rounds: number, random: (limit: number) => number): Promise<void> {
    const others = [
      ...(['killed somewhen', 'killed while it waits'] as const).flatMap((kill) => [kill, kill]),
      'doctor',
      'silent target',
    ] as const;
    const names = Object.keys(spellings);
    // Whether a killed run has closed a day at this endpoint.
    let carried = false;
    let kills = 0;
    // Milliseconds until a process had its close-day on its way; somewhen is before that, or half as long behind it.
    let untilSent = 0;
    const done: string[] = [];
    for (let round = 0; kills < rounds; round += 1) {
      const target = spellings[names[random(names.length)]!]!();
      const where = random(2) === 0 ? folder : mkdtempSync(join(folder, 'elsewhere-'));
      // After four rounds another endpoint, whose ledger is empty.
      const endpointId = String(2_000 + Math.floor(round / 4));
      const written = config({ target, endpointId });
      if (round % 4 === 0) carried = false;
      const before = closed;
      const drawn: (typeof others)[number] = round % 8 === 0 ? 'killed while it waits' : others[random(others.length)]!;
      // With an allowance that is used up nothing is sent that a process could wait for.
      const action: (typeof others)[number] = carried && drawn === 'killed while it waits' ? 'killed somewhen' : drawn;
      await mode(action === 'silent target' ? 'silent' : action === 'killed while it waits' ? 'holds' : 'answers');
      const { whole, told }: Awaited<ReturnType<typeof killed>> = await (action.startsWith('killed')
        ? killed(written, where, async (child) => {
            if (action === 'killed somewhen') {
              await pause(random(Math.ceil(1.5 * untilSent)));
              return;
            }
            const startedAt = performance.now();
            // It ends by itself where an earlier process has closed the day behind its end.
            await until(() => closed > before || child.exitCode !== null);
            untilSent = Math.ceil(performance.now() - startedAt);
          })
        : doctor(written).then(({ out }) => ({ whole: true, told: out })));
      if (!whole) kills += 1;
      // What was on its way when the process ended.
      await mode('answers');
      done.push(`${action} at ${target} in ${basename(where)}: ${closed - before}`);
      expect(closed - before, done.join('\n')).toBeLessThanOrEqual(carried ? 0 : 1);
      if (whole && carried) {
        expect(told, done.join('\n')).toContain('unfinished runs count against the allowance: closes-day 1');
      }
      carried ||= !whole && closed > before && !hadEnded(endpointId);
    }
    const description = `${kills} in ${done.length} rounds, ${closed} days closed`;
    test.info().annotations.push({ type: 'measured: kills', description });
  }

  interface Written {
    readonly target?: string;
    readonly endpointId?: string;
  }

  function config({ target = spellings['the address']!(), endpointId = '1111' }: Written = {}): string {
    const lines = [
      'environment: integration',
      `target: "${target}"`,
      `endpoint-id: "${endpointId}"`,
      'credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }',
      'allow: { closes-day: 1 }',
      'rate: 100',
      // Longer than any busy machine takes to kill a run that waits.
      'deadlineMs: 120000',
    ];
    return file(join(folder, 'countersign.config.yaml'), `${lines.join('\n')}\n`);
  }

  function start(args: readonly string[], cwd = folder, state = join(folder, 'state')): Spawned {
    return spawned(args, { cwd, env: { ...process.env, XDG_STATE_HOME: state } });
  }

  async function command(args: readonly string[], cwd = folder, state?: string): Promise<Spawned['told']> {
    const { told, ended } = start(args, cwd, state);
    await ended;
    return told;
  }

  /** In this process: what is not to be killed needs none of its own. */
  function doctor(written: string) {
    return run(['doctor', '--config', written], { XDG_STATE_HOME: join(folder, 'state') });
  }

  /** Doctor in a process that is killed at that moment, if it has not ended by then. */
  async function killed(written: string, cwd: string, moment: (child: ChildProcess) => Promise<unknown>) {
    const { child, told, ended } = start(['doctor', '--config', written], cwd);
    await moment(child);
    if (child.exitCode === null) child.kill('SIGKILL');
    await ended;
    return { whole: child.signalCode === null, told: told.out };
  }

  /** Doctor, killed while the answer to its close-day is on its way. */
  async function crash(written: string): Promise<void> {
    await mode('holds');
    const before = closed;
    await killed(written, folder, () =>
      expect.poll(() => closed, { timeout: 30_000, intervals: [10] }).toBe(before + 1),
    );
    await mode('answers');
  }

  /** Once it is answered everything that came before has been counted. */
  async function mode(wanted: 'answers' | 'holds' | 'silent'): Promise<void> {
    const answered = new Promise<void>((done) => {
      const listener = (told: { mode?: string }) => {
        if (told.mode !== wanted) return;
        gateway.off('message', listener);
        done();
      };
      gateway.on('message', listener);
    });
    gateway.send(wanted);
    await answered;
  }

  async function until(happened: () => boolean): Promise<void> {
    while (!happened()) await pause(5);
  }

  function pause(milliseconds: number): Promise<unknown> {
    return new Promise((done) => setTimeout(done, milliseconds));
  }

  /** Whether the last run at that endpoint had ended before it was killed. */
  function hadEnded(endpointId: string): boolean {
    const state = join(folder, 'state', 'countersign');
    const ledgers = readdirSync(state).filter((name) => name.endsWith('.jsonl'));
    const texts = ledgers.map((name) => readFileSync(join(state, name), 'utf8').trimEnd());
    return texts.find((text) => text.includes(`"endpointId":"${endpointId}"`))!.endsWith('"event":"end"}');
  }
});

const allow = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };

test('a ledger that is lost while a run goes on is no wrong use of the command: its error ends with exit code 3 @all', async () => {
  const { config, close } = await startLive({ allow });
  try {
    const options = completeRunOptions({ target: config.target, seed: 'live', cases: 3 }, Date.now(), '/nowhere');
    const surroundings = { env: {}, width: 80, out: () => {}, err: () => {}, remark: () => {}, setExitCode: () => {} };
    const started = (perform: Parameters<typeof liveRun>[4]) =>
      liveRun(options, config, false, surroundings as never, perform).catch((cause: unknown) => cause);
    const lost = started(async ({ live }) => {
      expect(await started(async () => ({}))).toBeInstanceOf(UsageError);
      file(live.ledger, '');
      return {};
    });
    expect(await lost).toBeInstanceOf(LiveError);
    // What it no longer knows may have been done, as far as the plan goes.
    for (const left of ['', '{']) {
      const aborted = await started(async ({ live }) => {
        file(live.ledger, left);
        return { aborted: 'lost', hint: '' };
      });
      file(ledgerPlace(config, {}).path, '');
      expect(aborted).toMatchObject({
        effects: {
          recorded: { 'closes-day': 0, 'starts-payments': 0 },
          unclear: { 'closes-day': 1, 'starts-payments': 2 },
          ifRefusalsAreUntrue: { 'closes-day': 13, 'starts-payments': { count: 14, total: '14.00' } },
        },
      });
    }
  } finally {
    await close();
  }
});

test('a ledger that cannot be read any more leaves what was received in the report, and at worst all that was planned', async () => {
  let [state, asked] = ['', 0];
  const log = ({ target }: LogEntry) => {
    asked += target.endsWith('/1111') ? 1 : 0;
    if (asked < 8) return;
    const [name] = readdirSync(state).filter((one) => one.endsWith('.jsonl'));
    file(join(state, name!), '{');
  };
  const { config, mock, close } = await startLive({ allow, mock: { log } });
  try {
    state = config.ledger!;
    const result = await runLive(config, { only: ['authentication/*'] }, false);
    expect(result.aborted).toContain('was removed or cut during the run');
    expect(result.exchangeCount).toBeGreaterThan(0);
    expect(mock.counters().closedDays).toBeLessThanOrEqual(result.effects.ifRefusalsAreUntrue!['closes-day']);
    expect(result.effects.ifRefusalsAreUntrue?.['closes-day']).toBeGreaterThan(1);
  } finally {
    await close();
  }
});
