/** The command that repeats a run has every flag that bears on its verdicts, whatever flags a command gets. */

import { clientRunOptions, type GivenClientOptions } from '../../../src/app/commands/client.ts';
import { type GivenOptions, gatewayRunOptions } from '../../../src/app/commands/gateway.ts';
import { checkedLabels } from '../../../src/app/config/run-flags.ts';
import { ctrfReport } from '../../../src/report/ctrf.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { junitReport } from '../../../src/report/junit.ts';
import { markdownText } from '../../../src/report/markdown.ts';
import { resultDocument } from '../../../src/report/result-document.ts';
import { terminalText } from '../../../src/report/terminal.ts';
import { commandAgain } from '../../../src/run/options/options.ts';
import { publishedProfile } from '../../../src/run/target/published.ts';
import { latencyOf } from '../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../engine.ts';
import { answer, resultOf } from '../verdict/runs.ts';
import { builtCommand } from './captured.ts';

/** Where the report goes, how fast the run is, what is not a run at all, and what is cleared once and for all. */
const withoutBearing = [
  '--verbose',
  '--forget-unfinished',
  '--update-baseline',
  '--out',
  '--json',
  '--workers',
  '--reporter',
  '--dry-run',
  '--check-adapter',
  '--publish-results',
];

const onMock: GivenOptions = {
  target: 'mock',
  config: 'my shop.yaml',
  acceptPartial: true,
  profile: 'strict',
  only: ['close-day/*'],
  except: ['close-day/status-200'],
  baseline: 'known.yaml',
  set: '2026-11',
  failOn: 'hazard',
  require: ['transport/*'],
  seed: '7',
  label: ['gateway=4.12.0'],
  cases: 3,
  path: '2/14:0:1',
  slow: true,
  measure: 50,
  contracts: true,
  defect: ['authentication/signature-not-checked'],
  variant: ['refusal-401'],
};

test('that of gateway', async () => {
  const mock = gatewayRunOptions(onMock, undefined, 0, '/');
  const allow = ['closes-day=1', 'starts-payments=2/2.00'];
  const target = 'http://127.0.0.1:8080/paynet';
  const live = gatewayRunOptions({ target, allow }, { ...publishedProfile, target }, 0, '/');
  expect(mock.reproduce).toContain(
    "--target mock --config 'my shop.yaml' --defect authentication/signature-not-checked --variant refusal-401 --profile strict --only 'close-day/*' --except close-day/status-200 --require 'transport/*' --set 2026-11 --baseline known.yaml --fail-on hazard --accept-partial",
  );
  expect(live.reproduce).toContain(`--target ${target} --allow closes-day=1 --allow starts-payments=2/2.00`);
  const { reproduce } = gatewayRunOptions({ challenge: 'of-them', shard: '2/3' }, undefined, 0, '/');
  expect(reproduce).toBe('npx countersign gateway --challenge of-them --shard 2/3');
  const pactBroker = 'https://broker.example';
  const brokered = gatewayRunOptions({ pactBroker }, undefined, 0, '/').reproduce;
  expect(brokered).toMatch(/^npx countersign gateway --seed \d+ --pact-broker https:\/\/broker\.example$/);
  const all = [mock.reproduce, live.reproduce, reproduce, brokered].join(' ');
  expect(await lost('gateway', all)).toEqual([]);
});

test('a reporter of Playwright is handed to the engine, and not beside --json', () => {
  const reporter = ['list'];
  expect(gatewayRunOptions({ reporter }, undefined, 0, '/')).toMatchObject({ reporter });
  const both = () => gatewayRunOptions({ reporter, json: true }, undefined, 0, '/');
  expect(both).toThrow('--reporter and --json cannot be used together');
});

test('that of client', async () => {
  const given: GivenClientOptions = {
    profile: 'strict',
    only: ['recurring/*'],
    except: ['recurring/decodes-*'],
    baseline: 'known.yaml',
    set: '2026-11',
    failOn: 'hazard',
    require: ['recurring/*'],
    seed: '7',
    label: ['client=1.0'],
    cases: 3,
    path: 'recurring/generated/2/14:0:1',
    host: 'localhost',
    plainHttp: true,
  };
  const reproduce = [
    clientRunOptions(['my client', '--fast'], { ...given, oneShot: true }, 0, '/').reproduce,
    clientRunOptions([], { attach: 7000, challenge: 'of-them', shard: '1/2' }, 0, '/').reproduce,
    clientRunOptions([], { defect: ['recurring/payload-plus-raw'] }, 0, '/').reproduce,
  ];
  expect(reproduce[0]).toMatch(/ -- 'my client' --fast$/);
  expect(await lost('client', reproduce.join(' '))).toEqual([]);
});

async function lost(command: string, reproduce: string): Promise<readonly string[]> {
  const words = reproduce.split(' ');
  return (await builtCommand(command)).options
    .map(({ flag }) => flag)
    .filter((flag) => !withoutBearing.includes(flag) && !words.includes(flag));
}

test('labels are kept as they are given, and as a command takes them again', () => {
  const labels = checkedLabels(['gateway=4.12.0', 'ticket=OPS-7', 'note=a(b),c']);
  expect(labels).toEqual({ gateway: '4.12.0', ticket: 'OPS-7', note: 'a(b),c' });
  expect(commandAgain('client', { label: ['gateway=4.12.0', 'note=a(b),c'] })).toBe(
    "npx countersign client --label gateway=4.12.0 --label 'note=a(b),c'",
  );
  expect(checkedLabels([])).toBeUndefined();
});

const [longName, longValue] = [`${'x'.repeat(41)}=a`, `a=${'x'.repeat(81)}`];
const acting = ['a=\u001b[31m', 'a=\u202e', "a='", 'a=`', '__proto__=x'];
for (const text of ['', 'a', '=b', 'a=', 'a b=c', 'a=b c', ...acting, longName, longValue]) {
  test(`the label ${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    const hint = expect.stringContaining('A name has');
    expect(() => checkedLabels([text])).toThrow(expect.objectContaining({ name: 'UsageError', hint }));
  });
}

test('a name twice and more than twenty labels are refused', () => {
  expect(() => checkedLabels(['a=1', 'a=2'])).toThrow(/twice/);
  expect(() => checkedLabels(Array.from({ length: 21 }, (_, at) => `a${at}=1`))).toThrow(/20 labels at most/);
});

test('labels, latency and the time of a requirement stand in the reports', () => {
  const [first, second] = [answer('{}'), answer('{}')].map((one, at) => ({
    ...one,
    exchanges: [{ ...one.exchanges[0], durationMs: 1500 + at }] as const,
  }));
  const cases = [first!, second!];
  const result = resultOf(
    { 'close-day/a': { outcome: 'pass', exchanges: [1, 2] } },
    { labels: { gateway: '4.12.0' }, latency: latencyOf(cases) },
  );
  const statements = () => undefined;
  expect(result.latency).toEqual([{ operation: 'close-day', count: 2, p50Ms: 1500, p95Ms: 1501 }]);
  expect(JSON.parse(jsonReport(result)).labels).toEqual({ gateway: '4.12.0' });
  const text = terminalText(resultDocument(result, { statements }), {
    colour: false,
    width: 100,
    most: Number.POSITIVE_INFINITY,
  });
  expect(text).toContain('\n  gateway=4.12.0\n');
  expect(text).toMatch(/\n {2}latency +close-day p50 1\.5 s, p95 1\.5 s\n/);
  expect(markdownText(resultDocument(result, { statements }))).toMatch(
    /gateway=4\.12\.0.*\*\*Latency:\*\* close-day p50/s,
  );
  const junit = junitReport(result, { statements, cases });
  expect(junit).toContain('<property name="label.gateway" value="4.12.0"/>');
  expect(junit).toContain('name="close-day/a" classname="countersign.close-day.behaviour" time="3.001"');
  const { results } = JSON.parse(ctrfReport(result, { statements, cases }));
  expect(results.environment.extra).toMatchObject({ labels: { gateway: '4.12.0' } });
  expect(results.tests[0]).toMatchObject({ name: 'close-day/a', duration: 3001 });
});
