/** The verification in surroundings that are against it: a gateway that leaves, files that are not there, a proxy of the machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPactFiles } from '../../../src/extras/pact/contracts.ts';
import { performContracts, runVerifier, verifyContracts } from '../../../src/extras/pact/verify-contracts.ts';
import { mockTarget } from '../../../src/run/target/target.ts';
import { expect, test } from '../../engine.ts';

test('a gateway that is gone fails nothing and passes nothing', async () => {
  const { target, close } = await mockTarget([]);
  await close();
  const rows = await verifyContracts(async () => ({ target, close: async () => {} }));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ outcome, blame }) => `${outcome} ${blame}`)).toEqual(rows.map(() => 'inconclusive environment'));
});

test('a proxy of the machine does not get the requests', async () => {
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = 'http://127.0.0.1:9';
  try {
    const rows = await performContracts({ defects: [], variants: [] });
    expect(rows.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
  }
});

test('a file that is not a Pact file is a fault of the suite for each of its interactions', async () => {
  const [file] = await readPactFiles();
  const rows = await verifyContracts(() => mockTarget([]), [{ ...file!, path: '/nowhere/at/all.json' }]);
  expect(rows.map(({ outcome, blame }) => `${outcome} ${blame}`)).toEqual(file!.interactions.map(() => 'error suite'));
});

test('a folder without Pact files is an error, not an empty success', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pacts-'));
  try {
    writeFileSync(join(folder, 'README.md'), 'no contract');
    await expect(readPactFiles(folder)).rejects.toThrow('has no Pact file');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a verification that takes too long is given up', async () => {
  const [file] = await readPactFiles();
  const task = { pactPath: file!.path, provider: file!.provider, requestMs: 500, limitMs: 1, live: false };
  // Nothing listens there.
  const nowhere = 'http://127.0.0.1:9';
  await expect(runVerifier({ ...task, providerBaseUrl: nowhere, statesUrl: `${nowhere}/states` })).rejects.toThrow(
    'did not end within 1 ms',
  );
});

test('each description occurs once, so that no interaction can stand for another', async () => {
  const descriptions = (await readPactFiles()).flatMap(({ interactions }) =>
    interactions.map(({ description }) => description),
  );
  expect([...new Set(descriptions)]).toEqual(descriptions);
});
