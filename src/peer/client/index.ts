/** The public face of the reference client. */
export type {
  ClientAlteration,
  ClientRefusal,
  ClientStepName,
  Connection,
  Context,
  Send,
  Sent,
  Steps,
} from './alteration.ts';
export { type ClientAnswer, newClient, type ReferenceClient, type ReferenceClientOptions } from './client.ts';
export { type InProcessOptions, openInProcessSession } from './in-process-session.ts';
