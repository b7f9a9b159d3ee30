/** The JSON Schemas under `schemas/`, with the names of the schemas and their parts. */
import { operationNames } from '../contracts/operations.ts';
import adapterBye from './adapter/bye.json' with { type: 'json' };
import adapterCancel from './adapter/cancel.json' with { type: 'json' };
import adapterCase from './adapter/case.json' with { type: 'json' };
import adapterHello from './adapter/hello.json' with { type: 'json' };
import adapterLog from './adapter/log.json' with { type: 'json' };
import adapterPing from './adapter/ping.json' with { type: 'json' };
import adapterPong from './adapter/pong.json' with { type: 'json' };
import adapterProgress from './adapter/progress.json' with { type: 'json' };
import adapterReady from './adapter/ready.json' with { type: 'json' };
import adapterResult from './adapter/result.json' with { type: 'json' };
import baseline from './files/baseline.json' with { type: 'json' };
import certificate from './files/certificate.json' with { type: 'json' };
import commandOutput from './files/command-output.json' with { type: 'json' };
import config from './files/config.json' with { type: 'json' };
import deskLine from './files/desk-line.json' with { type: 'json' };
import diff from './files/diff.json' with { type: 'json' };
import diffPolicy from './files/diff-policy.json' with { type: 'json' };
import history from './files/history.json' with { type: 'json' };
import ledgerLine from './files/ledger-line.json' with { type: 'json' };
import matrix from './files/matrix.json' with { type: 'json' };
import matrixPlan from './files/matrix-plan.json' with { type: 'json' };
import recording from './files/recording.json' with { type: 'json' };
import report from './files/report.json' with { type: 'json' };
import requirementSet from './files/requirement-set.json' with { type: 'json' };
import runOptions from './files/run-options.json' with { type: 'json' };
import shard from './files/shard.json' with { type: 'json' };
import storedClient from './files/stored-client.json' with { type: 'json' };
import authorization from './payload/authorization.json' with { type: 'json' };
import closeDayError from './payload/close-day-error.json' with { type: 'json' };
import closeDayFinished from './payload/close-day-finished.json' with { type: 'json' };
import closeDayRequest from './payload/close-day-request.json' with { type: 'json' };
import csvRow from './payload/csv-row.json' with { type: 'json' };
import recurringParameters from './payload/recurring-parameters.json' with { type: 'json' };
import recurringRequest from './payload/recurring-request.json' with { type: 'json' };

const namedSchemas = {
  'close-day-request': closeDayRequest,
  'csv-row': csvRow,
  'recurring-request': recurringRequest,
  'close-day-finished': closeDayFinished,
  'close-day-error': closeDayError,
  'recurring-parameters': recurringParameters,
  recording,
  report,
  baseline,
  'requirement-set': requirementSet,
  certificate,
  config,
  'ledger-line': ledgerLine,
  'desk-line': deskLine,
  'run-options': runOptions,
  diff,
  history,
  'diff-policy': diffPolicy,
  shard,
  'stored-client': storedClient,
  matrix,
  'matrix-plan': matrixPlan,
};

const messages = {
  bye: adapterBye,
  cancel: adapterCancel,
  case: adapterCase,
  hello: adapterHello,
  log: adapterLog,
  ping: adapterPing,
  pong: adapterPong,
  progress: adapterProgress,
  ready: adapterReady,
  result: adapterResult,
};

/** The schemas of adapter messages by their member `t`. The explicit type keeps schemas out of declaration files. */
export const adapterMessages: Readonly<Record<keyof typeof messages, Schema>> = messages;

/** All schemas, including adapter messages. */
export const allSchemas: readonly Schema[] = [
  authorization,
  commandOutput,
  ...Object.values(namedSchemas),
  ...Object.values(messages),
];

/** The `$id` of each schema by name. A part of a schema has its own name, such as `gate-result`. */
export const references = {
  ...idsOf(namedSchemas),
  ...idsOf(adapterMessages, 'adapter/'),
  'form-body': `${closeDayRequest.$id}#/$defs/body`,
  'gate-result': `${closeDayFinished.$id}#/$defs/gate`,
  'recurring-parameters-body': `${recurringParameters.$id}#/$defs/body`,
  ...partsOf('recording', recording, 'entry'),
  ...partsOf('authorization', authorization, ...operationNames),
  ...partsOf('command-output', commandOutput, 'adapter-check', 'autopsy', 'desk', 'doctor', 'explanation'),
  ...partsOf('command-output', commandOutput, 'listing', 'mock', 'page', 'plan', 'written'),
};

export interface Schema {
  readonly $id: string;
  readonly [keyword: string]: unknown;
}

function idsOf<Name extends string, const Prefix extends string = ''>(
  schemas: Readonly<Record<Name, Schema>>,
  prefix?: Prefix,
) {
  const ids = Object.entries<Schema>(schemas).map(([name, { $id }]) => [`${prefix ?? ''}${name}`, $id]);
  return Object.fromEntries(ids) as Record<`${Prefix}${Name}`, string>;
}

function partsOf<const Name extends string, Part extends string>(
  name: Name,
  { $id }: Schema,
  ...parts: readonly Part[]
) {
  return Object.fromEntries(parts.map((part) => [`${name}/${part}`, `${$id}#/$defs/${part}`])) as Record<
    `${Name}/${Part}`,
    string
  >;
}
