/** What differs between systems, with the platform as an argument: nobody has three machines. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { endGroup } from '../../../src/record/disk/processes.ts';
import { ledgerPlace } from '../../../src/run/allowance/ledger.ts';
import { expect, test } from '../../engine.ts';

const target = { target: 'https://gateway.example/paynet' };

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
