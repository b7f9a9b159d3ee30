/** Which target a run is against, and what no flag makes right. */
import { expect, test } from '@playwright/test';
import { gatewayTarget } from '../../../src/cli/gateway-target.ts';
import { run } from './captured.ts';

const silent = () => {};

test('without target and file it is the built-in mock, where nothing needs leave', async () => {
  expect(await gatewayTarget({}, {}, silent)).toBeUndefined();
  await expect(gatewayTarget({ allow: ['closes-day=1'] }, {}, silent)).rejects.toThrow('--allow is for live targets');
});

test('a loopback target gets the published identity, and what the flags allow', async () => {
  const target = 'http://127.0.0.1:8080/paynet/';
  expect(await gatewayTarget({ target }, {}, silent)).toMatchObject({
    target: 'http://127.0.0.1:8080/paynet',
    endpointId: '1111',
    allow: { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } },
  });
  const allow = ['closes-day=2', 'starts-payments=3/3.00'];
  expect((await gatewayTarget({ target, allow }, {}, silent))?.allow).toEqual({
    'closes-day': 2,
    'starts-payments': { count: 3, total: '3.00' },
  });
});

test('another target needs a configuration', async () => {
  const { exitCode, err } = await run(['gateway', '--target', 'https://gateway.example']);
  expect(exitCode).toBe(2);
  expect(err).toContain('is not a loopback address');
});

test('a dry run on the built-in mock says what it does there', async () => {
  const { exitCode, out } = await run(['gateway', '--dry-run', '--json', '--seed', '7']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ format: 'countersign-plan', target: 'mock' });
});
