/** Under this name a test attaches the record of its scenario. Apart from the reporter, which only the engine may load. */
export const attachmentName = 'countersign-record';
