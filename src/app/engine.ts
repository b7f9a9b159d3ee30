/** The command and the engine (Playwright Test) are two processes. They communicate by files and attachments. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../record/disk/files.ts';
import { messageOf } from '../record/errors.ts';
import { toJson } from '../record/json.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';

/** If this environment variable names a reporter, Playwright adds it to the reporters of --reporter. */
export const reporterVariable = 'PW_TEST_REPORTER';
export const contractsTitle = 'Pact contracts';

/** Creates a folder with the options of the run. Throws DiskError if the folder or the file cannot be written. */
export function openEngineFolder(options: RunOptions) {
  const name = 'run-options.json';
  const folder = temporaryFolder(`countersign-engine-${process.pid}-`, { [name]: toJson(options) });
  return { ...folder, optionsFile: join(folder.path, name) };
}

/** A record without cases, for a test that failed. The test must not throw: the engine would restart the worker. */
export function failedRecord(scenario: string, ...causes: readonly unknown[]): ScenarioRecord {
  return { scenario, cases: [], suiteErrors: causes.map(messageOf) };
}

/** The reporter writes this file to stop the workers, because the reporter cannot send messages to workers. */
const bailFile = ({ engineFolder }: RunOptions) => join(engineFolder!, 'bail');

export function bail(options: RunOptions): void {
  writeFileSync(bailFile(options), '');
}

/** True if --bail has ended the run, so that no further case may start. */
export function isBailed(options: RunOptions): boolean {
  return options.bail !== undefined && existsSync(bailFile(options));
}

export function skippedRecord(scenario: string): ScenarioRecord {
  return { ...failedRecord(scenario), isLeftOut: true };
}

interface TestAttachments {
  readonly attachments: { name: string; contentType: string; body?: Buffer }[];
}

/** Passes a record, or a part of it, to the reporter. Playwright's own `attach` would also add a step and a folder. */
export function attach(test: TestAttachments, record: object): void {
  const attachment: TestAttachments['attachments'][number] = { name: 'countersign', contentType: 'application/json' };
  test.attachments.push(Object.assign(attachment, { body: Buffer.from(toJson(record)) }));
  // `push` has sent the body to the reporter. Without this line, the body stays in memory until the test ends.
  delete attachment.body;
}
