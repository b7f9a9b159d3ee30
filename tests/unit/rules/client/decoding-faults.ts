/** Clients that misread one thing, each with the rows that it breaks and no other. */
import type { RequirementId } from '../../../../contracts/requirements/index.ts';
import type { Decoded, DecodedGate, DecodedValue } from '../../../../src/record/client-case.ts';
import type { answeredBy } from './decoding-cases.ts';

type Read = Parameters<typeof answeredBy>[0];

const nothing: Decoded = { kind: 'undecodable', reason: 'unexpected token' };

export const faults: readonly (readonly [client: string, breaks: readonly RequirementId[], read: Read])[] = [
  [
    'reads nothing under text/html',
    ['close-day/decodes-text-html'],
    (right, { decoding: { form } }) => (form === 'unwrapped' || form === 'wrapped' ? nothing : right),
  ],
  [
    'takes finished for a failure',
    ['close-day/decodes-finished'],
    (right) => (right.kind === 'finished' ? nothing : right),
  ],
  [
    'stumbles over unknown members',
    ['close-day/decodes-extra-members'],
    (right, { decoding }) => (decoding.answers.includes('close-day/decodes-extra-members') ? nothing : right),
  ],
  [
    'takes a nested gateId for the gate',
    ['close-day/decodes-extra-members'],
    (right, label) =>
      label.decoding.answers.includes('close-day/decodes-extra-members')
        ? inGates(() => ({ gateId: { long: '1' } }))(right, label)
        : right,
  ],
  [
    'reads the first gate alone',
    ['close-day/decodes-gates', 'close-day/decodes-locked-gate'],
    (right) =>
      right.kind === 'finished' && right.gates !== undefined ? { ...right, gates: right.gates.slice(0, 1) } : right,
  ],
  [
    'reads the last gate for each',
    ['close-day/decodes-gates', 'close-day/decodes-locked-gate'],
    (right) =>
      right.kind === 'finished' && right.gates !== undefined
        ? { ...right, gates: right.gates.map(() => (right.gates as DecodedGate[]).at(-1)!) }
        : right,
  ],
  ['holds gateId in a double', ['close-day/decodes-gate-id'], inGates((gate) => ({ gateId: double(gate.gateId!) }))],
  [
    'holds epntId in a double',
    ['close-day/decodes-gate-epnt-id'],
    inGates((gate) => ({ epntId: double(gate.epntId!) })),
  ],
  ['never sees a lock', ['close-day/decodes-locked-gate'], inGates(() => ({ isDayClosing: { bool: false } }))],
  [
    'hands over the locked gates alone where there are any',
    ['close-day/decodes-gates'],
    (right) =>
      right.kind === 'finished' && right.gates?.some(isLocked)
        ? { ...right, gates: right.gates.filter(isLocked) }
        : right,
  ],
  [
    'has one gate more where one is locked',
    ['close-day/decodes-gates'],
    (right) =>
      right.kind === 'finished' && right.gates?.some(isLocked)
        ? { ...right, gates: [...right.gates, { ...right.gates[0]!, gateId: { long: '999' } }] }
        : right,
  ],
  [
    'loses sales of locked gates',
    ['close-day/decodes-gate-sale-amount'],
    inGates((gate) => ({ saleAmount: isLocked(gate) ? { text: '1.23' } : gate.saleAmount! })),
  ],
  [
    'reads another id for a locked gate',
    ['close-day/decodes-gate-id'],
    inGates((gate) => ({ gateId: isLocked(gate) ? { long: '1' } : gate.gateId! })),
  ],
  [
    'takes a locked gate for a failure',
    ['close-day/decodes-locked-gate'],
    (right, { decoding }) =>
      decoding.answers.includes('close-day/decodes-locked-gate')
        ? { kind: 'error', errorCode: '', errorMessage: 'locked' }
        : right,
  ],
  [
    'takes every gate for locked',
    ['close-day/decodes-gate-is-day-closing'],
    inGates(() => ({ isDayClosing: { bool: true } })),
  ],
  [
    'drops the zone of the date',
    ['close-day/decodes-gate-close-date'],
    inGates(() => ({ gateCloseDate: { text: '2024-01-31T23:59:59' } })),
  ],
  [
    'takes the date for local time',
    ['close-day/decodes-gate-close-date'],
    inGates(() => ({ gateCloseDate: { text: '2024-01-31T22:59:59Z' } })),
  ],
  [
    'reads every count of sales as a digit',
    ['close-day/decodes-gate-sale-approved-count'],
    inGates((gate) => ({ saleApprovedCount: { text: Object.values(gate.saleApprovedCount!)[0].slice(0, 1) } })),
  ],
  [
    'reads a zone that it does not know as UTC',
    ['close-day/decodes-gate-close-date'],
    inGates(({ gateCloseDate }) => ({
      gateCloseDate: { text: String(Object.values(gateCloseDate!)[0]).replace(/GMT\S+/, 'UTC') },
    })),
  ],
  [
    'takes an error beside gates for success',
    ['close-day/decodes-error'],
    (right, { decoding }) => (decoding.question === 'an error beside gates' ? { kind: 'finished' } : right),
  ],
  [
    'takes error under HTTP 403 for success, and reads it under HTTP 200',
    ['recurring/decodes-error'],
    (right, { special }) => (/^error .*HTTP 403/.test(special!) ? { kind: 'accepted' } : right),
  ],
  [
    'loses digits of sales',
    ['close-day/decodes-gate-sale-amount'],
    inGates((gate) => ({ saleAmount: number(gate.saleAmount!) })),
  ],
  [
    'rounds reversals to whole ones',
    ['close-day/decodes-gate-reversal-amount'],
    inGates(() => ({ reversalAmount: { text: '1' } })),
  ],
  [
    'reads reversals of sales',
    ['close-day/decodes-gate-reversal-approved-count'],
    inGates((gate) => ({ reversalApprovedCount: gate.saleApprovedCount! })),
  ],
  [
    'reads code39 as a number',
    ['close-day/decodes-gate-code39'],
    inGates((gate) => ({ code39: number(gate.code39!) })),
  ],
  ['reads RRN as a number', ['close-day/decodes-gate-rrn'], inGates((gate) => ({ RRN: number(gate.RRN!) }))],
  [
    'strips zeros of the serial number',
    ['close-day/decodes-serial'],
    (right) =>
      'serial' in right && right.serial !== undefined
        ? { ...right, serial: right.serial.replace(/^0+-/, '0-') }
        : right,
  ],
  [
    'takes HTTP 200 for success',
    ['close-day/decodes-error', 'close-day/decodes-error-99'],
    (right) => (right.kind === 'error' ? { kind: 'finished' } : right),
  ],
  [
    'takes a wrapped error for success',
    ['close-day/decodes-error', 'close-day/decodes-error-99'],
    (right, { decoding: { form } }) =>
      right.kind === 'error' && form === 'wrapped' ? { kind: 'finished', gates: [] } : right,
  ],
  [
    'replaces the message of error 99',
    ['close-day/decodes-error-99'],
    (right) => (right.kind === 'error' && right.errorCode === '99' ? { ...right, errorMessage: 'busy' } : right),
  ],
  [
    'knows numeric codes alone',
    ['close-day/decodes-error'],
    (right) => (right.kind === 'error' && right.errorCode === 'Er-0042' ? nothing : right),
  ],
  [
    'takes an unknown status for success',
    ['close-day/decodes-unknown-status'],
    (right, { decoding }) =>
      decoding.answers.includes('close-day/decodes-unknown-status') ? { kind: 'finished' } : right,
  ],
  [
    'takes an HTML page under close-day for success',
    ['close-day/broken-body-not-success'],
    (right, { operation, decoding }) =>
      operation === 'close-day' && decoding.question === 'an HTML page' ? { kind: 'finished', gates: [] } : right,
  ],
  [
    'takes any 200 for an accepted batch',
    ['recurring/broken-body-not-success'],
    (right, { operation, decoding }) =>
      operation !== 'close-day' && decoding.question === 'the text OK' ? { kind: 'accepted' } : right,
  ],
  [
    'takes the empty 200 for an error',
    ['recurring/decodes-accepted'],
    (right) => (right.kind === 'accepted' ? nothing : right),
  ],
  [
    'takes the empty 403 for an accepted batch',
    ['recurring/decodes-refused'],
    (right) => (right.kind === 'refused' ? { kind: 'accepted' } : right),
  ],
  [
    'tells another HTTP status',
    ['recurring/decodes-refused'],
    (right) => (right.kind === 'refused' ? { kind: 'refused', http_status: 401 } : right),
  ],
  ['keeps the line feeds', ['recurring/decodes-parameters'], inParameters(([name, value]) => [name, `${value}\n`])],
  [
    'puts the line feed before the next name',
    ['recurring/decodes-parameters'],
    inParameters(([name, value], at) => [at === 0 ? name : `\n${name}`, value]),
  ],
  [
    'reads another status',
    ['recurring/decodes-parameters'],
    inParameters(([name, value]) => [name, name === 'status' ? 'done' : value]),
  ],
  [
    'takes an accepted type for an error',
    ['recurring/decodes-response-type'],
    (right, { decoding }) => (decoding.question === 'an accepted batch' ? nothing : right),
  ],
  [
    'takes error under HTTP 200 for success',
    ['recurring/decodes-error'],
    (right, { special }) => (/^error .*HTTP 200/.test(special!) ? { kind: 'accepted' } : right),
  ],
  [
    'takes validation-error for success',
    ['recurring/decodes-validation-error'],
    (right, { decoding }) =>
      decoding.answers.includes('recurring/decodes-validation-error') ? { kind: 'accepted' } : right,
  ],
  [
    'cuts messages at an escaped &',
    ['recurring/decodes-validation-error'],
    inParameters(([name, value]) => [name, value.replace(/&.*/, '')]),
  ],
  ['strips the values', ['recurring/decodes-own-line-feed'], inParameters(([name, value]) => [name, value.trim()])],
  [
    'drops the error id',
    ['recurring/decodes-error-id'],
    (right) =>
      right.kind === 'parameters'
        ? { ...right, params: right.params.filter(([name]) => name !== 'error-reference') }
        : right,
  ],
];

function isLocked({ isDayClosing }: DecodedGate): boolean {
  return isDayClosing !== undefined && 'bool' in isDayClosing && isDayClosing.bool;
}

function inGates(change: (gate: DecodedGate) => DecodedGate): Read {
  return (right) =>
    right.kind === 'finished' && right.gates !== undefined
      ? { ...right, gates: right.gates.map((gate) => ({ ...gate, ...change(gate) })) }
      : right;
}

function inParameters(change: (pair: readonly [string, string], at: number) => readonly [string, string]): Read {
  return (right) => (right.kind === 'parameters' ? { ...right, params: right.params.map(change) } : right);
}

function double(value: DecodedValue): DecodedValue {
  return { long: String(BigInt(Number(Object.values(value)[0]))) };
}

function number(value: DecodedValue): DecodedValue {
  return { text: String(Number(Object.values(value)[0])) };
}
