/** One ledger for each user and target: however the target is written, and wherever a run is started. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { endGroup } from '../../../src/record/disk/processes.ts';
import { canonicalTarget, ledgerPlace } from '../../../src/run/allowance/ledger.ts';
import { expect, test } from '../../engine.ts';

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

const target = { target: 'https://gateway.example', endpointId: '1' };

test('it is in the state folder of the user, whatever the configuration and the working folder are', () => {
  const env = { XDG_STATE_HOME: '/state' };
  const found = [
    ledgerPlace(target, env, '/x'),
    ledgerPlace({ ...target, path: '/a/c.yaml' }, env, '/y'),
    ledgerPlace({ ...target, path: '/b/c.yaml', target: 'https://GATEWAY.example:443//' }, env, '/x'),
  ];
  expect(new Set(found.map(({ path }) => path)).size).toBe(1);
  expect(found[0]!.path).toMatch(/^\/state\/countersign\/ledger-[0-9a-f]{16}\.jsonl$/);
  expect(found[0]!.reach).toBe('this user on this machine');
});

test('a relative XDG_STATE_HOME is not a place: it would be another one in each folder', () => {
  const place = (state?: string) => ledgerPlace(target, { XDG_STATE_HOME: state }, '/x').path;
  expect(place('state')).toBe(place());
  expect(place('')).toBe(place());
});

test('a folder of the configuration takes precedence', () => {
  const { path, reach } = ledgerPlace({ ...target, ledger: '/shared' }, { XDG_STATE_HOME: '/state' }, '/x');
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
        ? ledgerPlace({ ...target, path: '/a/c.yaml' }, {}, folder)
        : ledgerPlace({ ...target, path: join(folder, 'c.yaml') }, {}, '/x');
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
    ledgerPlace(target, env, test.info().outputPath(), platform).path.replace(/.ledger-[0-9a-f]{16}\.jsonl$/, '');
  expect(at('linux')).toBe(join(homedir(), '.local', 'state', 'countersign'));
  expect(at('darwin')).toBe(join(homedir(), 'Library', 'Application Support', 'countersign'));
  expect(at('win32')).toBe(join(homedir(), 'AppData', 'Local', 'countersign'));
  expect(at('win32', { LOCALAPPDATA: '/local' })).toBe(join('/local', 'countersign'));
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    expect(at(platform, { XDG_STATE_HOME: '/state' })).toBe(join('/state', 'countersign'));
    expect(at(platform, { XDG_STATE_HOME: 'relative' })).toBe(at(platform));
  }
});
