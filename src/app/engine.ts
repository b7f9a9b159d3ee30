/** The engine, Playwright Test, as both sides of it see it: its folder, what its tests attach, and its line to the command. */
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../record/disk/files.ts';
import { messageOf } from '../record/errors.ts';
import { toJson } from '../record/json.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';

/** Names a reporter that the engine adds, also where --reporter replaces those of the configuration. */
export const reporterVariable = 'PW_TEST_REPORTER';

export const contractsTitle = 'Pact contracts';

/** Makes a fresh folder for a run of the engine. Throws DiskError where none can be made, or it has no room for the options. */
export function openEngineFolder(options: RunOptions, parent?: string): TemporaryFolder & { optionsFile: string } {
  const name = 'run-options.json';
  const folder = temporaryFolder(`countersign-engine-${process.pid}-`, { [name]: toJson(options) }, parent);
  return { ...folder, optionsFile: join(folder.path, name) };
}

/** What a test leaves in place of a record: one that throws would restart its worker, which forgets what the others share. */
export function unrecorded(scenario: string, ...causes: readonly unknown[]): ScenarioRecord {
  return { scenario, cases: [], suiteErrors: causes.map(messageOf) };
}

interface Attaching {
  readonly attachments: { name: string; contentType: string; body?: Buffer }[];
}

/**
 * Hands the record of a test, or cases of it that it has so far, over to the reporter; `attach` of the engine itself would make
 * a step of it, a stack and a folder.
 */
export function attach(to: Attaching, record: object): void {
  const attachment: Attaching['attachments'][number] = { name: 'countersign', contentType: 'application/json' };
  to.attachments.push(Object.assign(attachment, { body: Buffer.from(toJson(record)) }));
  // It is sent with the push, and would be kept until the test ends.
  delete attachment.body;
}

/** Why there is no report of a run that came to its end. */
export interface LostReport {
  readonly aborted: string;
  /** What to do about it; a sentence, or empty. */
  readonly hint: string;
  readonly isLost: true;
}

/** Tells the command over the channel between the two processes, which needs no room on a disk. Resolves to whether there is one. */
export function tellCommand(lost: LostReport): Promise<boolean> {
  return new Promise((done) => {
    if (!hasCommand()) done(false);
    else process.send!(lost, undefined, undefined, (error) => done(error === null));
  });
}

/** Whether a command waits for this engine; started by hand it is its own command. */
export function hasCommand(): boolean {
  return process.connected === true;
}

/** What to do once the command is gone, which was killed then. */
export function onceCommandIsGone(act: () => void): void {
  if (process.connected === undefined) return;
  if (!process.connected) act();
  process.once('disconnect', act);
  process.channel?.unref();
}
