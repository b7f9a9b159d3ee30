/** The desk as a process: SIGKILL loses no answered request. Needs dist/, which `npm test` builds. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHar } from '../../src/record/read-har.ts';
import { casesOf } from '../../src/record/run.ts';
import { expect, test } from '../engine.ts';
import { type Spawned, spawnMain } from '../unit/app/spawned.ts';
import { type Call, rowsWith, type View, Visitor } from '../unit/extras/desk/desk-visitor.ts';

let folder: string;
const running: Spawned[] = [];

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-desk-'));
});

test.afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

test('SIGKILL loses no answered request of concurrent clients, and SIGTERM frees the state file', async () => {
  const first = await start();
  const visitor = await Visitor.arrive(first.pageUrl);
  const sent = new Set<string>();
  const answered: string[] = [];
  let killed = false;
  const client = async (lane: number) => {
    for (let n = 0; !killed; n += 1) {
      const id = `Lane${lane}Request${String(n).padStart(6, '0')}`;
      sent.add(id);
      try {
        await visitor.call(closeDay(id));
      } catch {
        return;
      }
      answered.push(id);
      if (answered.length === 20) {
        killed = true;
        first.child.kill('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, lane) => client(lane)));
  await first.ended;
  expect(answered.length).toBeGreaterThanOrEqual(20);

  const second = await start();
  const api = `${second.pageUrl}/api/engagements/${visitor.view.id}`;
  const calls = casesOf(readHar(await (await fetch(`${api}/exchanges.har`)).text()).run!);
  const stored = calls.map(({ exchanges }) =>
    new URLSearchParams(Buffer.from(exchanges[0]!.request.body).toString()).get('day_close_request_id'),
  );
  expect(answered.filter((id) => !stored.includes(id))).toEqual([]);
  expect(stored.filter((id) => !sent.has(id!))).toEqual([]);
  expect(new Set(stored).size).toBe(stored.length);
  expect(new Set(calls.map(({ number }) => number)).size).toBe(calls.length);
  // The engagement has the same credentials, and the desk judges its requests again.
  const view = (await (await fetch(api)).json()) as View;
  expect(view.credentials.consumerSecret).toBe(visitor.view.credentials.consumerSecret);
  expect(rowsWith(view, 'pass')).toContain('authentication/signature-verifies');
  expect(existsSync(`${stateFile()}.lock`)).toBe(true);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  expect(existsSync(`${stateFile()}.lock`)).toBe(false);
});

function closeDay(id: string): Call {
  return { operation: 'close-day', pairs: [['day_close_request_id', id]] };
}

function stateFile(): string {
  return join(folder, 'desk.jsonl');
}

async function start() {
  const desk = spawnMain(['desk', '--port', '0', '--plain-http', '--json', '--state', stateFile()]);
  running.push(desk);
  await expect.poll(() => desk.output.out, { timeout: 60_000, intervals: [10] }).toContain('\n');
  return { ...desk, pageUrl: JSON.parse(desk.output.out).pageUrl as string };
}
