/** The public interface of the mock gateway. certificates.ts is not exported, because only HTTPS needs its library. */
export * from './assumptions.ts';
export type { Reading, Received } from './decode-request.ts';
export { type Alteration, joinAlterations, respond, type StepName, settingsWith, stepNames } from './gateway.ts';
export { publishedIdentity } from './identity.ts';
export { MockError } from './mock-error.ts';
export * from './responses.ts';
export { type ControlOptions, type LogEntry, type MockOptions, type RunningMock, startMock } from './server.ts';
export type { ReplyFacts as About, SignatureMaterial } from './step.ts';
export * from './world.ts';
