/** The command that repeats a run has every flag that bears on its verdicts, whatever flags a command gets. */
import { clientRunOptions, type GivenClientOptions } from '../../../src/app/commands/client.ts';
import { type GivenOptions, gatewayRunOptions } from '../../../src/app/commands/gateway.ts';
import { publishedProfile } from '../../../src/run/target/published.ts';
import { expect, test } from '../../engine.ts';
import { builtCommand } from './captured.ts';

/** Where the report goes, how fast the run is, what is not a run at all, and what is cleared once and for all. */
const withoutBearing = [
  '--forget-unfinished',
  '--update-baseline',
  '--out',
  '--json',
  '--workers',
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
  cases: '3',
  path: '2/14:0:1',
  slow: true,
  measure: '50',
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
    "--config 'my shop.yaml' --target mock --accept-partial --baseline known.yaml --set 2026-11 --fail-on hazard --require 'transport/*' --profile strict --only 'close-day/*' --except 'close-day/status-200'",
  );
  expect(live.reproduce).toContain(`--target ${target} --allow closes-day=1 --allow starts-payments=2/2.00`);
  const { reproduce } = gatewayRunOptions({ challenge: 'of-them', shard: '2/3' }, undefined, 0, '/');
  expect(reproduce).toBe('npx countersign gateway --shard 2/3 --challenge of-them');
  const pactBroker = 'https://broker.example';
  const brokered = gatewayRunOptions({ pactBroker }, undefined, 0, '/').reproduce;
  expect(brokered).toContain(`npx countersign gateway --pact-broker ${pactBroker} --seed`);
  const all = [mock.reproduce, live.reproduce, reproduce, brokered].join(' ');
  expect(await lost('gateway', all)).toEqual([]);
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
    cases: '3',
    path: 'recurring/generated/2/14:0:1',
    host: 'localhost',
    plainHttp: true,
  };
  const reproduce = [
    clientRunOptions(['my client', '--fast'], { ...given, oneShot: true }, 0, '/').reproduce,
    clientRunOptions([], { attach: '7000', challenge: 'of-them', shard: '1/2' }, 0, '/').reproduce,
    clientRunOptions([], { defect: ['recurring/payload-plus-raw'] }, 0, '/').reproduce,
  ];
  expect(reproduce[0]).toMatch(/ -- 'my client' --fast$/);
  expect(await lost('client', reproduce.join(' '))).toEqual([]);
});

async function lost(command: string, reproduce: string): Promise<readonly string[]> {
  const words = reproduce.split(' ');
  return (await builtCommand(command)).options
    .map(({ long }) => long!)
    .filter((flag) => !withoutBearing.includes(flag) && !words.includes(flag));
}
