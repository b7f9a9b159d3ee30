/** What the tests of a run leave for the reporter, apart from it, since only the engine may load that. */
import type { ClientRecord } from '../client-run/client-record.ts';
import { messageOf } from '../disk/system-error.ts';
import type { ScenarioRecord } from '../gateway-run/perform-case.ts';

/** Under this name a test attaches the record of its scenario. */
export const attachmentName = 'countersign-record';

/** Under this name the test of the Pact contracts attaches its rows. */
export const contractsAttachmentName = 'countersign-contracts';

/** Title of that test: it tells it from the scenarios, whose titles are their ids. */
export const contractsTitle = 'Pact contracts';

/** What a test leaves in place of a record: one that throws would restart its worker, which forgets what the others share. */
export function unrecorded(scenario: string, cause: unknown): ScenarioRecord & ClientRecord {
  const fault = messageOf(cause);
  return { scenario, cases: [], skipped: [], notes: [], suiteErrors: [fault] };
}

/** Hands a text over to the reporter; `attach` of the engine itself would make a step of it, a stack and a folder. */
export function attach(
  to: { readonly attachments: { name: string; contentType: string; body?: Buffer }[] },
  name: string,
  text: string,
): void {
  to.attachments.push({ name, contentType: 'application/json', body: Buffer.from(text) });
}
