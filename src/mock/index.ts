/**
 * The mock gateway: what other layers use of it.
 *
 * `startMock({ control: { port } })` opens a control interface (control.ts): JSON over HTTP on 127.0.0.1 and a port of its
 * own, for what a person does in the administration UI. `GET /` lists its routes; a mistake is answered with `error` and
 * `hint`. HTTPS needs `tls`, which certificates.ts makes; it is not exported here, since it loads a library that plain mocks
 * do not need.
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
