/** What the tests of a run leave for the reporter, apart from it, since only the engine may load that. */

import { messageOf } from '../record/errors.ts';
import { toJson } from '../record/json.ts';
import type { ClientRecord } from '../run/client/client-record.ts';
import type { ScenarioRecord } from '../run/gateway/perform-case.ts';

/** Under this name a test attaches the record of its scenario. */
export const attachmentName = 'countersign-record';

/** Under this name the test of the Pact contracts attaches its rows. */
export const contractsAttachmentName = 'countersign-contracts';

/** Title of that test: it tells it from the scenarios, whose titles are their ids. */
export const contractsTitle = 'Pact contracts';

/** What a test leaves in place of a record: one that throws would restart its worker, which forgets what the others share. */
export function unrecorded(scenario: string, ...causes: readonly unknown[]): ScenarioRecord & ClientRecord {
  return { scenario, cases: [], skipped: [], notes: [], suiteErrors: causes.map(messageOf) };
}

/** Cases in one text: as one text altogether, those of a long scenario would be in memory six times. */
const casesAtOnce = 200;

/** Hands the record of a scenario over to the reporter: its cases, part by part, and then the rest of it. */
export function attachRecord(to: Attaching, { cases, ...rest }: ScenarioRecord | ClientRecord): void {
  for (let at = 0; at < cases.length; at += casesAtOnce) {
    attach(to, attachmentName, cases.slice(at, at + casesAtOnce));
  }
  attach(to, attachmentName, rest);
}

/** The record whose parts these are: its cases, and the rest of it, which is missing where the scenario was cut short. */
export function recordOf(parts: readonly unknown[]): { readonly cases: unknown[]; readonly rest?: object } {
  const rest = parts.at(-1);
  return Array.isArray(rest) || rest === undefined
    ? { cases: parts.flat() }
    : { cases: parts.slice(0, -1).flat(), rest: rest as object };
}

interface Attaching {
  readonly attachments: { name: string; contentType: string; body?: Buffer }[];
}

/** Hands a value over to the reporter; `attach` of the engine itself would make a step of it, a stack and a folder. */
export function attach(to: Attaching, name: string, value: unknown): void {
  const attachment: Attaching['attachments'][number] = { name, contentType: 'application/json' };
  to.attachments.push(Object.assign(attachment, { body: Buffer.from(toJson(value)) }));
  // It is sent with the push, and would be kept until the test ends.
  delete attachment.body;
}
