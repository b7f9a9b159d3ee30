/** The ledger across runs, crashes and losses. */

import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { liveRun } from '../../src/app/live/live-run.ts';
import type { LogEntry } from '../../src/mock/index.ts';
import { LiveError, ledgerPlace } from '../../src/run/allowance/ledger.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { UsageError } from '../../src/run/options/usage-error.ts';
import { diceFrom } from '../dice.ts';
import { expect, test } from '../engine.ts';
import { privatePemOf, shopKeys } from '../keys/index.ts';
import { listen } from '../listen.ts';
import { run } from '../unit/app/run-command.ts';
import { file } from '../unit/app/signed-call.ts';
import { type Spawned, spawnMain } from '../unit/app/spawned.ts';
import { runLive, small, withLive } from './live-setting.ts';

test.describe('ledger', () => {
  let folder = '';
  let gateway: Server;
  let port = 0;
  let mode: 'answers' | 'holds' | 'silent' = 'answers';
  let closed = 0;

  test.beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
    file(join(folder, 'secret.txt'), 'secret-of-the-ledger-test\n');
    file(join(folder, 'key.pem'), privatePemOf(shopKeys));
    [closed, mode] = [0, 'answers'];
    // Accepts every close-day, and counts them.
    gateway = createServer((request, response) => {
      if (mode === 'silent') return request.socket.destroy();
      const isCloseDay = request.url!.includes('/close-day/');
      return request.resume().on('end', () => {
        if (isCloseDay) closed += 1;
        if (isCloseDay && mode === 'holds') return;
        const body = { response: { status: 'finished', gates: [] }, theRequestSerialNumber: '1' };
        response.writeHead(isCloseDay ? 200 : 404).end(isCloseDay ? JSON.stringify(body) : '');
      });
    });
    ({ port } = await listen(gateway));
  });

  test.afterEach(() => {
    gateway.close().closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  test('an unfinished run counts in every later run, under each spelling of the target, until --forget-unfinished @all', async () => {
    await crash();
    const { out } = await doctor(config('127.0.0.1:PORT/%70aynet', '01111'));
    expect(out).toContain('unfinished runs count against the allowance: closes-day 1');
    const [link, real] = [join(mkdtempSync(join(folder, 'linked-')), 'other.yaml'), config()];
    symlinkSync(real, link);
    await doctor(link);
    mode = 'silent';
    await command(['gateway', '--config', config()]);
    mode = 'answers';
    const planned = await plan();
    expect(planned.out).toContain(
      'used up         closes-day 1, starts-payments 0 with a total of 0.00 by unfinished runs',
    );
    expect(planned.out).toMatch(
      /ledger {10}.*state\/countersign\/ledger-[0-9a-f]{16}\.jsonl,\s+for this user on this machine\n/,
    );
    expect(closed).toBe(1);

    const only = ['--only', 'authentication/close-day-valid-accepted', '--cases', '1'];
    const carried = await command(['gateway', '--config', config(), ...only]);
    expect(carried.err).toMatch(/^ {2}used up +closes-day 1/m);
    expect(carried.out).toContain('Effects of unfinished runs count in this run: closes-day 1');
    expect(closed).toBe(1);
    expect((await plan('state', '--forget-unfinished')).out).toContain('  would forget    closes-day 1 and');
    const forgotten = await command(['gateway', '--config', config(), ...only, '--forget-unfinished']);
    expect(forgotten.err).toMatch(/^ {2}forgotten +closes-day 1 and starts-payments 0 with a total of 0\.00/m);
    expect(forgotten.out).toContain('cleared on request: closes-day 1');
    expect(closed).toBe(2);
  });

  test('a run after doctor has the rest of the allowance, also on another machine with a copy of the ledger @all', async () => {
    await doctor(config());
    cpSync(join(folder, 'state'), join(folder, 'restored'), { recursive: true });
    cpSync(join(folder, 'state'), join(folder, 'emptied'), { recursive: true });
    const ledgers = join(folder, 'emptied', 'countersign');
    for (const name of readdirSync(ledgers)) file(join(ledgers, name), '');
    const usedUp = 'used up         closes-day 1';
    for (const state of ['state', 'restored']) expect((await plan(state)).out).toContain(usedUp);
    for (const state of ['absent', 'emptied']) {
      const { out, err } = await plan(state);
      expect([out.includes(usedUp), err]).toEqual([false, expect.stringContaining('there is no ledger at')]);
    }
  });

  /** The same target in several spellings. */
  const spellings = [
    '127.0.0.1:PORT/paynet',
    'localhost:PORT/paynet',
    'LOCALHOST.:PORT/paynet',
    '127.0.0.1:PORT//paynet',
    '127.0.0.1:PORT/%70aynet',
    '127.1:PORT/paynet/',
    '[::ffff:127.0.0.1]:PORT/paynet',
  ] as const;

  test('after 50 kills at random moments, no day has more effects than the allowance @all', async () => {
    test.setTimeout(1_800_000);
    const { below, of } = diceFrom(20_260_151);
    const [killAny, killWaiting] = ['killed at any moment', 'killed while it waits'];
    const actions = [killAny, killAny, killWaiting, killWaiting, 'doctor', 'silent target'];
    const done: string[] = [];
    // `carried`: an unfinished run at this endpoint closed the day. `untilSent`: milliseconds from start to close-day.
    let [kills, hasClosed, untilSent] = [0, false, 0];
    for (let round = 0; kills < 50; round += 1) {
      // Every four rounds another endpoint, whose ledger is empty.
      const endpointId = String(2_000 + Math.floor(round / 4));
      if (round % 4 === 0) hasClosed = false;
      const [spelling, before] = [of(spellings), closed];
      const cwd = below(2) === 0 ? folder : mkdtempSync(join(folder, 'elsewhere-'));
      const draw = round % 8 === 0 ? killWaiting : of(actions);
      // If the allowance is used up, a run sends no close-day that it could wait for.
      const action = hasClosed && draw === killWaiting ? killAny : draw;
      mode = action === killWaiting ? 'holds' : action === 'silent target' ? 'silent' : 'answers';
      const path = config(spelling, endpointId);
      let [out, wasKilled] = ['', false];
      if (action.startsWith('killed')) {
        const startedAt = performance.now();
        const { child, output, ended } = start(['doctor', '--config', path], cwd);
        if (action === killAny) await setTimeout(below(Math.ceil(1.5 * untilSent)));
        else {
          // A run may end by itself: a killed run may have used up the allowance before its request arrived.
          while (closed === before && child.exitCode === null) await setTimeout(5);
          untilSent = performance.now() - startedAt;
        }
        child.kill('SIGKILL');
        await ended;
        await allArrived();
        [out, wasKilled] = [output.out, child.signalCode === 'SIGKILL'];
      } else ({ out } = await doctor(path));
      if (wasKilled) kills += 1;
      done.push(`${action} at ${spelling} in ${basename(cwd)}: ${closed - before}`);
      expect(closed - before, done.join('\n')).toBeLessThanOrEqual(hasClosed ? 0 : 1);
      if (hasClosed && !wasKilled)
        expect(out, done.join('\n')).toContain('unfinished runs count against the allowance: closes-day 1');
      hasClosed ||= wasKilled && closed > before && !hasEnded(endpointId);
    }
    const description = `${kills} in ${done.length} rounds, ${closed} days closed`;
    test.info().annotations.push({ type: 'measured: kills', description });
  });

  /** Waits for the requests that a killed process sent. The server accepts connections in order, this one last. */
  async function allArrived(): Promise<void> {
    await once(connect(port, '127.0.0.1').end().resume(), 'close');
    const connections = promisify(gateway.getConnections.bind(gateway));
    await expect.poll(connections, { timeout: 30_000, intervals: [5] }).toBe(0);
  }

  /** True if the last run at this endpoint wrote its end into the ledger. */
  function hasEnded(endpointId: string): boolean {
    const state = join(folder, 'state', 'countersign');
    const ledgers = readdirSync(state).filter((name) => name.endsWith('.jsonl'));
    const texts = ledgers.map((name) => readFileSync(join(state, name), 'utf8').trimEnd());
    return texts.find((text) => text.includes(`"endpointId":"${endpointId}"`))!.endsWith('"event":"end"}');
  }

  function config(spelling: (typeof spellings)[number] = spellings[0], endpointId = '1111'): string {
    const lines = [
      'environment: integration',
      `target: "http://${spelling.replace('PORT', String(port))}"`,
      `endpoint-id: "${endpointId}"`,
      'credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }',
      'allow: { closes-day: 1 }',
      'rate: 100',
      // Longer than a busy machine needs to kill a run.
      'deadlineMs: 120000',
    ];
    return file(join(folder, 'countersign.config.yaml'), `${lines.join('\n')}\n`);
  }

  function start(args: readonly string[], cwd = folder): Spawned {
    return spawnMain(args, { cwd, env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') } });
  }

  async function command(args: readonly string[]): Promise<Spawned['output']> {
    const { output, ended } = start(args);
    await ended;
    return output;
  }

  function plan(state = 'state', ...more: string[]) {
    return run(['gateway', '--config', config(), '--dry-run', ...more], { XDG_STATE_HOME: join(folder, state) });
  }

  function doctor(written: string) {
    return run(['doctor', '--config', written], { XDG_STATE_HOME: join(folder, 'state') });
  }

  /** Kills doctor while it waits for the answer to its close-day. */
  async function crash(): Promise<void> {
    mode = 'holds';
    const { child, ended } = start(['doctor', '--config', config()]);
    await expect.poll(() => closed, { timeout: 30_000, intervals: [10] }).toBe(1);
    child.kill('SIGKILL');
    await ended;
    mode = 'answers';
  }
});

test('a ledger that disappears during a run is a LiveError with exit code 3, not a UsageError @all', async () => {
  await withLive({ allow: small }, async ({ config }) => {
    const options = completeRunOptions({ target: config.target, seed: 'live', cases: 3 }, Date.now(), '/nowhere');
    const surroundings = { env: {}, width: 80, out: () => {}, err: () => {}, remark: () => {}, setExitCode: () => {} };
    const attempt = (perform: Parameters<typeof liveRun>[4]) =>
      liveRun(options, config, false, surroundings as never, perform).catch((cause: unknown) => cause);
    const lostRun = attempt(async ({ live }) => {
      expect(await attempt(async () => ({}))).toBeInstanceOf(UsageError);
      file(live.ledger, '');
      return {};
    });
    expect(await lostRun).toBeInstanceOf(LiveError);
    // The lost ledger may have had all effects of the plan.
    for (const content of ['', '{']) {
      const aborted = await attempt(async ({ live }) => {
        file(live.ledger, content);
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
  });
});

test('after the ledger becomes unreadable, the report has the received answers, and the worst case is the whole plan', async () => {
  let [state, count] = ['', 0];
  const log = ({ target }: LogEntry) => {
    count += target.endsWith('/1111') ? 1 : 0;
    if (count < 8) return;
    const [name] = readdirSync(state).filter((one) => one.endsWith('.jsonl'));
    file(join(state, name!), '{');
  };
  await withLive({ allow: small, mock: { log } }, async ({ config, mock }) => {
    state = config.ledger!;
    const result = await runLive(config, { only: ['authentication/*'] }, false);
    expect(result.aborted).toContain('was removed or cut during the run');
    expect(result.exchangeCount).toBeGreaterThan(0);
    expect(mock.counters().closedDays).toBeLessThanOrEqual(result.effects.ifRefusalsAreUntrue!['closes-day']);
    expect(result.effects.ifRefusalsAreUntrue?.['closes-day']).toBeGreaterThan(1);
  });
});
