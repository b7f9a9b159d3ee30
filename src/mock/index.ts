/**
 * The public interface of the mock gateway.
 *
 * `startMock({ control: { port } })` also opens the control interface (control.ts). For HTTPS, make `tls` with
 * certificates.ts. It is not exported here, because it loads a library that plain mocks do not need.
 */
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
