/** The self-test finds no fault in a good adapter, and each fault of a bad one by its check. */
import { readFile, writeFile } from 'node:fs/promises';
import type { AdapterLimits } from '../../src/peer/adapter/limits.ts';
import { openLocalGateway } from '../../src/peer/local-gateway/local-gateway.ts';
import { type CheckedPoint, checkAdapter } from '../../src/run/client/check-adapter.ts';
import { expect, test } from '../engine.ts';
import { cannotListProcesses, commandOf, newMark, quickLimits, runInfo } from './open-session.ts';

test('a good adapter passes every check', async () => {
  const points = await check('good/client.mjs');
  expect(points.filter(({ ok }) => !ok)).toEqual([]);
  expect(points.length).toBeGreaterThanOrEqual(20);
  expect(points.map(({ name }) => name)).toContain('bye ends the adapter');
});

test('the adapter that init writes for Node passes every check', { tag: '@all' }, async () => {
  const points = await check('../../adapters/node/adapter.mjs');
  expect(points.filter(({ ok }) => !ok)).toEqual([]);
});

test('a number in place of a text is reported with its member @all', async () => {
  const members = "...gate, extra: 'kept as text'";
  const decode = "return decodeCloseDayResponse(await this.#send('/api/v2/close-day/', buildCloseDay(fields)));";
  const lenient =
    "const { response, theRequestSerialNumber: serial } = JSON.parse((await this.#send('/api/v2/close-day/', " +
    `buildCloseDay(fields))).body); return { kind: 'finished', serial, gates: response.gates.map((gate) => ({ ${members}, gateId: String(gate.gateId), epntId: String(gate.epntId) })) };`;
  const source = await readFile('adapters/node/adapter.mjs', 'utf8');
  expect(source).toContain(decode);
  const path = test.info().outputPath('adapter.mjs');
  await writeFile(
    path,
    source.replace(decode, () => lenient),
  );
  const failed = (await check(path)).filter(({ ok }) => !ok);
  expect(failed.map(({ name }) => name)).toEqual([
    'members of other types do not break a result',
    'every message fits its schema',
  ]);
  expect(failed[0]!.what).toMatch(/^A result is invalid: decoded\.gates\[0\]/);
  expect(failed[0]!.what).toMatch(/saleApprovedCount\.text is 2 \(number\)/);
});

test('each fault of a bad adapter fails its own check, with a hint', async () => {
  // The adapter writes before hello, which ends the wait for its output, and never ends, which `byeMs` limits.
  const points = await check('good/client.mjs', { MANY_FAULTS: '1' }, { helloAfterMs: 60_000, byeMs: 600 });
  const failed = points.filter(({ ok }) => !ok);
  expect(failed.map(({ name }) => name)).toEqual([
    'no output before hello',
    'ready has no unknown member',
    'ping is answered with pong',
    'empty and absent differ',
    'injected values are signed',
    'stages that are offered are reported',
    'a reset is reported as transport_error',
    'an operation that the client does not have is unsupported',
    'bye ends the adapter',
    'the end of standard input ends the adapter',
    'standard output has only the protocol',
    'every message fits its schema',
  ]);
  const text = failed.map(({ what, hint }) => `${what} ${hint}`).join('\n');
  expect(text).toContain('perhaps "max_in_flight" is meant');
  expect(text).toContain('perhaps "decoded" is meant');
  expect(text).toContain('console.error instead of console.log');
});

test('an adapter that does not answer hello fails only this point', async () => {
  expect(await check('broken/dies-at-start')).toEqual([
    {
      name: 'hello is answered with ready',
      ok: false,
      what: 'The adapter exited with code 3 before it answered hello.',
      hint: expect.stringContaining('Cannot find module oauth'),
    },
  ]);
});

test('a fault of every case is reported once, with the number of unchecked points', async () => {
  const failed = (await check('broken/wrong-outcome')).filter(({ ok }) => !ok);
  expect(failed).toEqual([
    {
      name: 'an ordinary case is answered',
      ok: false,
      what: expect.stringMatching(
        /^A result is invalid: outcome is "complete".* The 2\d points after this one were not checked\.$/s,
      ),
      hint: expect.stringContaining('schemas/adapter/result.json'),
    },
  ]);
});

async function check(
  script: string,
  env: Record<string, string> = {},
  limits: Partial<AdapterLimits> = {},
): Promise<readonly CheckedPoint[]> {
  const gateway = openLocalGateway({ plainHttp: true });
  const mark = newMark();
  try {
    const reported: CheckedPoint[] = [];
    const points = await checkAdapter(
      { ...commandOf(script), ...runInfo, env: { ...env, ...mark.env }, limits: { ...quickLimits, ...limits } },
      gateway,
      (point) => reported.push(point),
    );
    expect(points).toEqual(reported);
    if (!cannotListProcesses) expect(await mark.remaining()).toEqual([]);
    return points;
  } finally {
    await gateway.close();
  }
}
