/** Performs whole runs in this process and stores them, for tests of certificates. */
import { writeFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeReport } from '../../../../src/app/write-report.ts';
import { newKeyPair } from '../../../../src/extras/certificate/envelope.ts';
import { readPactFiles } from '../../../../src/extras/pact/contracts.ts';
import { clientDefects } from '../../../../src/faults/index.ts';
import { clientScenarios } from '../../../../src/plan/client/index.ts';
import { gatewayScenarios } from '../../../../src/plan/index.ts';
import type { ContractRow } from '../../../../src/record/result/result.ts';
import { openReference } from '../../../../src/run/client/open-client.ts';
import { performClientScenario } from '../../../../src/run/client/perform-client.ts';
import { performScenario } from '../../../../src/run/gateway/perform-case.ts';
import { completeRunOptions } from '../../../../src/run/options/run-options.ts';
import type { ScenarioRecord } from '../../../../src/run/scenario-record.ts';
import { type ConcludedRun, concludeRun } from '../../../../src/verdict/conclude.ts';

export const challenge = 'of-the-partner.1';

/** Stores a run of the reference client with the challenge as seed. The run is conformant if no defect is given. */
export async function storeClientRun(folder: string, defect?: string): Promise<void> {
  const opened = await openReference(
    clientDefects.filter(({ id }) => id === defect).flatMap(({ alteration }) => alteration ?? []),
  );
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  const input = { target: 'client', profile: 'rfc5849', seed: challenge, challenge, cases: 1, client } as const;
  const options = completeRunOptions(input, Date.now(), '.');
  const records = [];
  for (const scenario of clientScenarios) {
    const context = { ...opened, seed: challenge, cases: 1, inFlight: 4, now: () => performance.now() };
    records.push(await performClientScenario(scenario, context));
  }
  await opened.close();
  await store(concludeRun(options, records, { now: Date.now() }), folder);
}

/** Stores a run of the built-in mock. With `only`, the run has only these scenarios. */
export async function storeGatewayRun(folder: string, only?: readonly string[]): Promise<void> {
  const options = completeRunOptions({ seed: challenge, challenge, cases: 1 }, Date.now(), '.');
  const queue = gatewayScenarios.filter(({ id, slow }) => slow !== true && (only === undefined || only.includes(id)));
  const records: ScenarioRecord[] = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      records.push(await performScenario(next, options));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  const contracts = (await readPactFiles()).flatMap(({ name, interactions }) =>
    interactions.map(
      ({ description, state }): ContractRow => ({
        pact: name,
        interaction: description,
        state,
        outcome: 'pass',
        mismatches: [],
      }),
    ),
  );
  await store(concludeRun(options, records, { contracts, now: Date.now() }), folder);
}

async function store(run: ConcludedRun, out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  await writeReport(run, { out }, []);
}

/** Copies a run, so that a test can change it. */
export async function copyOf(folder: string, to: string): Promise<string> {
  await cp(folder, to, { recursive: true });
  return to;
}

/** Writes the two files of a new key pair. */
export function keyFiles(folder: string, name: string): readonly [privateFile: string, publicFile: string] {
  const { privateKey, publicKey } = newKeyPair();
  const files = [join(folder, `${name}.pem`), join(folder, `${name}.pub.pem`)] as const;
  writeFileSync(files[0], privateKey);
  writeFileSync(files[1], publicKey);
  return files;
}
