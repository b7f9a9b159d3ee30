/** What is right to read in an answer to a batch, row by row: a fault of one row never fails another (sections 2.4, 4.2, 7). */
import type { ExpectedReading } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import type { DecodingReading } from './forms.ts';
import { acceptedType, answerParameter, isFailure, isSuccess, readingOf } from './success.ts';
import { leftOut, notExposed } from './values.ts';

type ExpectedParameters = Extract<ExpectedReading, { kind: 'parameters' }>;

/** Parameters that rows of their own are about; any other one beside an error is its id. */
const documented = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

export const readsAccepted: DecodingReading = (decoded) =>
  decoded.kind === 'accepted' ? pass() : fail('accepted', readingOf(decoded));

export const readsRefused: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'refused') return undefined;
  const wanted = `refused with HTTP ${expected.httpStatus}`;
  if (decoded.kind === 'error') return pass('the HTTP status is not exposed');
  if (decoded.kind !== 'refused' || decoded.http_status !== expected.httpStatus)
    return fail(wanted, readingOf(decoded));
  return pass();
};

/**
 * Values without their line feeds, and the parameters that no other row is about. A reading that is wrong about success
 * is the business of the row of its type.
 */
export const readsParameters: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters' || decoded.kind === 'undecodable') return undefined;
  if (isSuccess(decoded) === isFailure(expected)) return undefined;
  if (decoded.kind !== 'parameters') return notExposed('parameters');
  const kept = expected.params.find(([name, value]) =>
    decoded.params.some(([found, read]) => found === `\n${name}` || (found === name && read === `${value}\n`)),
  );
  if (kept !== undefined) return fail(`${kept[0]} without a line feed`, `${kept[0]} with its line feed`);
  const plain = expected.params.filter(([name]) => name === 'status' || name === 'serial-number');
  for (const [name, value] of plain) {
    const read = answerParameter(decoded.params, name);
    if (read !== undefined && read !== value) return fail(`${name} ${value}`, `${name} ${read}`);
  }
  const missing = expected.params
    .map(([name]) => name)
    .filter((name) => answerParameter(decoded.params, name) === undefined);
  if (missing.length === expected.params.length) return notExposed('parameters');
  return missing.length === 0 ? pass() : pass(`not exposed: ${missing.join(', ')}`);
};

/** `accepted` will do: the batch was accepted. */
export const readsResponseType: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  if (!isSuccess(decoded) || decoded.kind === 'finished') return fail(`type ${acceptedType}`, readingOf(decoded));
  return decoded.kind === 'accepted' ? pass('the parameters are not exposed') : pass();
};

/** validation-error and error: a failure, with its type, message and code as far as they are exposed. */
export const readsFailureType: DecodingReading = (decoded, { expected }, { exposes }) => {
  if (expected.kind !== 'parameters') return undefined;
  if (decoded.kind === 'refused') return notExposed('error-message and error-code');
  if (decoded.kind === 'error') {
    return compared(expected, { 'error-message': decoded.errorMessage, 'error-code': decoded.errorCode }, exposes);
  }
  if (decoded.kind !== 'parameters') return fail(wantedOf(expected), readingOf(decoded));
  const names = ['type', 'error-message', 'error-code'];
  const read = Object.fromEntries(names.map((name) => [name, answerParameter(decoded.params, name)]));
  return compared(expected, read, exposes);
};

/** Whoever hands parameters over has to hand over the unknown ones too. */
export const readsErrorId: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  const [name, value] = expected.params.find(([found]) => !documented.includes(found)) ?? [];
  if (name === undefined || decoded.kind === 'undecodable' || isSuccess(decoded)) return undefined;
  if (decoded.kind !== 'parameters') return notExposed('the error id');
  const read = answerParameter(decoded.params, name);
  return read === value ? pass() : fail(`${name} ${value}`, read === undefined ? `no ${name}` : `${name} ${read}`);
};

/** Who keeps the line feed that ends the value breaks another row. */
export const readsOwnLineFeed: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  const message = (params: ExpectedParameters['params']) => params.find(([name]) => name === 'error-message')?.[1];
  const read =
    decoded.kind === 'parameters'
      ? message(decoded.params)
      : decoded.kind === 'error'
        ? decoded.errorMessage
        : undefined;
  if (read === undefined) return notExposed('error-message');
  const sent = message(expected.params)!;
  if (read === sent || read === `${sent}\n`) return pass();
  // Any other reading is the business of the row of its type.
  return read === sent.trim()
    ? fail('error-message with the line feed of its own', 'error-message without it')
    : undefined;
};

function compared(
  expected: ExpectedParameters,
  read: Readonly<Record<string, string | undefined>>,
  exposes: ReadonlySet<string>,
): Finding {
  const told = Object.entries(read).filter(([, value]) => value !== undefined);
  const wrong = told.find(([name, value]) => value !== answerParameter(expected.params, name));
  if (wrong !== undefined)
    return fail(`${wrong[0]} ${answerParameter(expected.params, wrong[0])}`, `${wrong[0]} ${wrong[1]}`);
  const hidden = ['error-message', 'error-code'].filter((name) => read[name] === undefined);
  const lost = hidden.find((name) => exposes.has(name));
  if (lost !== undefined) return leftOut(lost, exposes, answerParameter(expected.params, lost)!);
  if (hidden.length === 2) return notExposed(hidden.join(' and '));
  return hidden.length === 0 ? pass() : pass(`${hidden[0]} is not exposed`);
}

function wantedOf({ params }: ExpectedParameters): string {
  return `type ${answerParameter(params, 'type')} with code ${answerParameter(params, 'error-code')}`;
}
