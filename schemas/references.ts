/** The JSON Schemas under `schemas/`, and the name of each and of its parts. */
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

/** Where each schema is found; a part of a file has a name of its own. */
export const references = {
  'close-day-request': closeDayRequest.$id,
  'form-body': `${closeDayRequest.$id}#/$defs/body`,
  'recurring-request': recurringRequest.$id,
  'csv-row': csvRow.$id,
  'authorization/close-day': `${authorization.$id}#/$defs/close-day`,
  'authorization/process-recurring-payments': `${authorization.$id}#/$defs/process-recurring-payments`,
  'close-day-finished': closeDayFinished.$id,
  'gate-result': `${closeDayFinished.$id}#/$defs/gate`,
  'close-day-error': closeDayError.$id,
  'recurring-parameters': recurringParameters.$id,
  'recurring-parameters-body': `${recurringParameters.$id}#/$defs/body`,
  recording: recording.$id,
  'recording/entry': `${recording.$id}#/$defs/entry`,
  report: report.$id,
  baseline: baseline.$id,
  'requirement-set': requirementSet.$id,
  certificate: certificate.$id,
  'command-output/adapter-check': `${commandOutput.$id}#/$defs/adapter-check`,
  'command-output/autopsy': `${commandOutput.$id}#/$defs/autopsy`,
  'command-output/desk': `${commandOutput.$id}#/$defs/desk`,
  'command-output/doctor': `${commandOutput.$id}#/$defs/doctor`,
  'command-output/explanation': `${commandOutput.$id}#/$defs/explanation`,
  'command-output/listing': `${commandOutput.$id}#/$defs/listing`,
  'command-output/mock': `${commandOutput.$id}#/$defs/mock`,
  'command-output/page': `${commandOutput.$id}#/$defs/page`,
  'command-output/plan': `${commandOutput.$id}#/$defs/plan`,
  'command-output/written': `${commandOutput.$id}#/$defs/written`,
  config: config.$id,
  'ledger-line': ledgerLine.$id,
  'desk-line': deskLine.$id,
  'run-options': runOptions.$id,
  diff: diff.$id,
  history: history.$id,
  'diff-policy': diffPolicy.$id,
  matrix: matrix.$id,
  'matrix-plan': matrixPlan.$id,
  shard: shard.$id,
  'stored-client': storedClient.$id,
  'adapter/bye': adapterBye.$id,
  'adapter/cancel': adapterCancel.$id,
  'adapter/case': adapterCase.$id,
  'adapter/hello': adapterHello.$id,
  'adapter/log': adapterLog.$id,
  'adapter/ping': adapterPing.$id,
  'adapter/pong': adapterPong.$id,
  'adapter/progress': adapterProgress.$id,
  'adapter/ready': adapterReady.$id,
  'adapter/result': adapterResult.$id,
} as const;

/** By the value of the member t. */
export const adapterMessages = {
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
} as const;

/** All of them; those that another one refers to come before it. */
export const allSchemas = [
  closeDayRequest,
  csvRow,
  recurringRequest,
  authorization,
  closeDayFinished,
  closeDayError,
  recurringParameters,
  recording,
  report,
  baseline,
  requirementSet,
  certificate,
  commandOutput,
  config,
  ledgerLine,
  deskLine,
  runOptions,
  diff,
  history,
  diffPolicy,
  shard,
  storedClient,
  matrix,
  matrixPlan,
  ...Object.values(adapterMessages),
];
