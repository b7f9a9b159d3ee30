/** The public interface of the mock gateway, without certificates.ts, which loads a library that only HTTPS needs. */
export * from './alteration.ts';
export * from './assumptions.ts';
export type { Batch } from './batch.ts';
export { type Answer, respond } from './gateway.ts';
export { type Identity, publishedIdentity } from './identity.ts';
export { MockError, type MockErrorCode } from './mock-error.ts';
export { authenticationStepNames, type StepName, stepNames } from './operations.ts';
export { firstValue, type Reading, type Received, route } from './received.ts';
export * from './responses.ts';
export { type ControlOptions, type LogEntry, type MockOptions, type RunningMock, startMock } from './server.ts';
export type { About, Decision, SignatureMaterial, SignatureSteps } from './step.ts';
export * from './world.ts';
