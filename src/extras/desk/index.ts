/** The public face of the desk. */
export { DeskError, type DeskErrorCode } from './desk-error.ts';
export type { Judged } from './desk-service.ts';
export type { EngagementRecord } from './engagement.ts';
export { lineOf } from './line.ts';
export type { ExplainSignature } from './signature-note.ts';
export { type DeskOptions, type RunningDesk, startDesk } from './start-desk.ts';
