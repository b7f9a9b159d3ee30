/** The public face of the reference client. */
export type { Alteration, Context, Refusal, StepName, Steps } from './alteration.ts';
export { type ClientCall, type ClientOptions, newClient, type ReferenceClient } from './client.ts';
export { type InProcessOptions, openInProcessSession } from './in-process-session.ts';
export type { Answer, Connection, Send } from './send.ts';
