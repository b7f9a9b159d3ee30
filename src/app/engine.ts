/** What the command and the engine (Playwright Test) share: folder, attachments and channel. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../record/disk/files.ts';
import { messageOf } from '../record/errors.ts';
import { toJson } from '../record/json.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';

/** Adds a reporter, even if --reporter replaces the configured ones. */
export const reporterVariable = 'PW_TEST_REPORTER';

export const contractsTitle = 'Pact contracts';

/** Throws DiskError if no folder can be created, or if it has no room for the options. */
export function openEngineFolder(options: RunOptions, parent?: string): TemporaryFolder & { optionsFile: string } {
  const name = 'run-options.json';
  const folder = temporaryFolder(`countersign-engine-${process.pid}-`, { [name]: toJson(options) }, parent);
  return { ...folder, optionsFile: join(folder.path, name) };
}

/** The record of a failed test. A test must not throw, because the engine would restart its worker. */
export function unrecorded(scenario: string, ...causes: readonly unknown[]): ScenarioRecord {
  return { scenario, cases: [], suiteErrors: causes.map(messageOf) };
}

/** Tells workers to stop. The reporter writes this file, because it cannot send a message to a worker. */
const bailFile = ({ engineFolder }: RunOptions) => join(engineFolder!, 'bail');

export function bail(options: RunOptions): void {
  writeFileSync(bailFile(options), '');
}

/** Whether --bail ended the run: then no further scenario is performed. */
export function isBailed(options: RunOptions): boolean {
  return options.bail !== undefined && existsSync(bailFile(options));
}

export function leftOut(scenario: string): ScenarioRecord {
  return { ...unrecorded(scenario), isLeftOut: true };
}

interface Attaching {
  readonly attachments: { name: string; contentType: string; body?: Buffer }[];
}

/**
 * Passes a record, or some of its cases, to the reporter. The engine's own `attach` would add a step, a stack and a
 * folder.
 */
export function attach(to: Attaching, record: object): void {
  const attachment: Attaching['attachments'][number] = { name: 'countersign', contentType: 'application/json' };
  to.attachments.push(Object.assign(attachment, { body: Buffer.from(toJson(record)) }));
  // The push has sent it. Without this it stays in memory until the test ends.
  delete attachment.body;
}

/** False if a person started the engine by hand. */
export function hasCommand(): boolean {
  return process.connected === true;
}

/** Calls `act` when the command was killed. */
export function onceCommandIsGone(act: () => void): void {
  if (process.connected === undefined) return;
  if (!process.connected) act();
  process.once('disconnect', act);
  process.channel?.unref();
}
