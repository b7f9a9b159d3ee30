/** The public face of sessions with adapters: a process that stays, one process for each case, or one in a debugger. */
export { AdapterError, type AdapterErrorCode } from './adapter-error.ts';
export { type AttachOptions, listenForAdapter, openAttachSession } from './attach.ts';
export { type AdapterLimits, defaultLimits, Patience } from './limits.ts';
export type { TrustedAuthority } from './messages.ts';
export { type OneShotOptions, openOneShotSession } from './one-shot.ts';
export { endAdapters } from './process-channel.ts';
export { type AdapterOptions, openAdapterSession } from './session.ts';
