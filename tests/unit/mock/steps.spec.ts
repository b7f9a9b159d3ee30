/** Each named step refuses its own fault, and what the document leaves open is accepted. */
import { gatewayDefects } from '../../../src/faults/index.ts';
import {
  defaultSettings,
  defaultWorld,
  newGate,
  type Received,
  respond,
  type StepName,
  stepNames,
  type World,
} from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, type Call, csv, noon, payload, request } from './caller.ts';

/** Faults of the steps that no defect of the kill matrix leaves out; each other step is missed there by a requirement. */
const faults: Partial<Record<StepName, () => Received>> = {
  method: () => request({ method: 'PUT' }),
  authorization: () => withHeader('Authorization', 'Basic dXNlcg=='),
  'has-oauth_version': () => request({ oauth: { oauth_version: undefined } }),
  'has-oauth_signature': () => request({ oauth: { oauth_signature: undefined } }),
  token: () => request({ oauth: { oauth_token: 'stolen' } }),
  'signature-base64': () => request({ signature: (right) => right.replace(/=+$/, '') }),
  endpoint: () => request({ endpointId: '9999' }),
  'endpoint-of-consumer': () => request({ endpointId: '1115' }),
  payload: () => batch({ fields: [['payload', '']] }),
  base64: () => batch({ fields: [['payload', payload(`${csv}x;1;1`).replaceAll('=', '')]] }),
  'utf-8': () => batchRequest(Buffer.from(row('é', '1234567890', '1'), 'latin1')),
  'byte-order-mark': () => batchRequest(`\uFEFF${csv}`),
  csv: () => batchRequest(`${csv}"unfinished`),
  'csv-columns-once': () => batchRequest(csv.replace('"amount"', '"amount";"amount"').replaceAll(/(\d\.\d+)/g, '$1;1')),
  'csv-rows': () => batchRequest(csv.split('\n')[0]!),
  profile: () => batchRequest(row('order-1', 'stopped', '1')),
};

test('every step is left out by a defect or has a row here', () => {
  const leftOut = new Set(gatewayDefects.flatMap(({ alteration }) => alteration?.skips ?? []));
  expect(stepNames.filter((name) => !leftOut.has(name)).sort()).toEqual(Object.keys(faults).sort());
});

for (const [name, faulty] of Object.entries(faults)) {
  test(`the step ${name} refuses its fault`, () => {
    expect(decide(faulty())).toEqual({ decision: 'refused', step: name });
  });
}

function decide(sent: Received) {
  const { decision, step } = respond(sent, worldOfBatches(), defaultSettings, noon).about;
  return { decision, step };
}

function worldOfBatches(): World {
  const profiles = ['1', '1234567890', '1234567891', '1234567892', '12345678901', ''];
  const world = defaultWorld({
    profiles: [...profiles.map((id) => ({ id, state: 'active' as const })), { id: 'stopped', state: 'stopped' }],
  });
  world.endpoints.set('1115', { gates: [{ ...newGate('7104', '1115'), consumerKey: 'another' }], closings: 0 });
  return world;
}

function batch(call: Call): Received {
  return batchRequest(csv, call);
}

function row(...cells: string[]): string {
  return `${csv.split('\n')[0]}\n${cells.join(';')}\n`;
}

function withHeader(name: string, value: string | ((old: string) => string)): Received {
  const right = request();
  const change = typeof value === 'string' ? () => value : value;
  return { ...right, headers: right.headers.map(([found, old]) => [found, found === name ? change(old) : old]) };
}
