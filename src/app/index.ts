/** The API of the package for programs. A program that needs only the protocol can import `countersign/protocol`. */
export { type OpenPoint, openPoints } from '../../contracts/open-points.ts';
export { type Profile, profiles } from '../../contracts/profiles.ts';
export { type RequirementId, requirements } from '../../contracts/requirements/index.ts';
export type { Requirement } from '../../contracts/requirements/requirement.ts';
export { type SchemaFault, type SchemaName, schemaNames, validate } from '../../schemas/index.ts';
export {
  type Alteration,
  type ControlOptions,
  type LogEntry,
  type MockOptions,
  type MockSettings,
  publishedIdentity,
  type RunningMock,
  startMock,
  type World,
} from '../mock/index.ts';
export type { Result, ResultRow } from '../record/result/result.ts';
