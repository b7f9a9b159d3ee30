/** Under this name a test attaches the record of its scenario. Apart from the reporter, which only the engine may load. */
export const attachmentName = 'countersign-record';

/** Under this name the test of the Pact contracts attaches its rows. */
export const contractsAttachmentName = 'countersign-contracts';

/** Title of that test: it tells it from the scenarios, whose titles are their ids. */
export const contractsTitle = 'Pact contracts';

/** Hands a text over to the reporter; `attach` of the engine itself would make a step of it, a stack and a folder. */
export function attach(
  to: { readonly attachments: { name: string; contentType: string; body?: Buffer }[] },
  name: string,
  text: string,
): void {
  to.attachments.push({ name, contentType: 'application/json', body: Buffer.from(text) });
}
