/** Judges of what a client read in an answer, by what it reports as decoded: sections 2.2, 2.4, 3, 4 and 7. */

import type { TestableId } from '../../../../contracts/requirements/index.ts';
import type { ClientCase, Decoded, ExpectedReading } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import type { ClientJudge } from '../../judge.ts';
import {
  readsError,
  readsExtraMembers,
  readsFinished,
  readsGateMember,
  readsGates,
  readsLockedGate,
  readsSerial,
} from './close-day.ts';
import {
  acceptedType,
  answerParameter,
  type DecodingReading,
  findingOf,
  isFailure,
  isSuccess,
  judgeReading,
  leftOut,
  notExposed,
  questionsFor,
  readingOf,
  readsJsonTypeAlone,
  readsNoSuccess,
  sameDate,
  sameLong,
  sameQuantity,
  sameText,
  sameTruth,
} from './forms.ts';

type ExpectedParameters = Extract<ExpectedReading, { kind: 'parameters' }>;

/** Parameters that rows of their own are about; any other one beside an error is its id. */
const documented = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

const readsAccepted: DecodingReading = (decoded) =>
  decoded.kind === 'accepted' ? pass() : fail('accepted', readingOf(decoded));

const readsRefused: DecodingReading = (decoded, { expected }) => {
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
const readsParameters: DecodingReading = (decoded, { expected }) => {
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
const readsResponseType: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  if (!isSuccess(decoded) || decoded.kind === 'finished') return fail(`type ${acceptedType}`, readingOf(decoded));
  return decoded.kind === 'accepted' ? pass('the parameters are not exposed') : pass();
};

/** validation-error and error: a failure, with its type, message and code as far as they are exposed. */
const readsFailureType: DecodingReading = (decoded, { expected }, { exposes }) => {
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
const readsErrorId: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  const [name, value] = expected.params.find(([found]) => !documented.includes(found)) ?? [];
  if (name === undefined || decoded.kind === 'undecodable' || isSuccess(decoded)) return undefined;
  if (decoded.kind !== 'parameters') return notExposed('the error id');
  const read = answerParameter(decoded.params, name);
  return read === value ? pass() : fail(`${name} ${value}`, read === undefined ? `no ${name}` : `${name} ${read}`);
};

/** Who keeps the line feed that ends the value breaks another row. */
const readsOwnLineFeed: DecodingReading = (decoded, { expected }) => {
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

/** Rows that `decoded` decides. */
export type DecodingId = Extract<
  TestableId<'client'>,
  `${string}/decodes-${string}` | `${string}/broken-body-not-success`
>;

/** Fails only a client that reads application/json and nothing under text/html: any other trouble is another row's. */
const readsTextHtml: ClientJudge = ({ id, cases }) => {
  const deaf = readsJsonTypeAlone(cases);
  return questionsFor(id, cases).flatMap((asked) => {
    const underHtml = asked.filter(({ label }) => label.decoding!.form !== 'json');
    const findings = underHtml.flatMap((examined) => {
      const finding = findingOf(examined, (decoded) => ofReading(decoded, examined, deaf));
      return finding === undefined ? [] : [{ examined, finding }];
    });
    const passed = findings.find(({ finding }) => finding.outcome === 'pass');
    return [passed ?? findings[0]].filter((verdict) => verdict !== undefined);
  });
};

export const decodingJudges = {
  'close-day/decodes-finished': judgeReading(readsFinished),
  'close-day/decodes-text-html': readsTextHtml,
  'close-day/decodes-gates': judgeReading(readsGates),
  'close-day/decodes-serial': judgeReading(readsSerial),
  'close-day/decodes-error': judgeReading(readsError),
  'close-day/decodes-error-99': judgeReading(readsError),
  'close-day/decodes-locked-gate': judgeReading(readsLockedGate),
  'close-day/decodes-unknown-status': judgeReading(readsNoSuccess),
  'close-day/decodes-extra-members': judgeReading(readsExtraMembers),
  'close-day/broken-body-not-success': judgeReading(readsNoSuccess),
  'close-day/decodes-gate-id': judgeReading(readsGateMember('gateId', sameLong)),
  'close-day/decodes-gate-is-day-closing': judgeReading(readsGateMember('isDayClosing', sameTruth)),
  'close-day/decodes-gate-close-date': judgeReading(readsGateMember('gateCloseDate', sameDate)),
  'close-day/decodes-gate-epnt-id': judgeReading(readsGateMember('epntId', sameLong)),
  'close-day/decodes-gate-sale-approved-count': judgeReading(readsGateMember('saleApprovedCount', sameQuantity)),
  'close-day/decodes-gate-sale-amount': judgeReading(readsGateMember('saleAmount', sameQuantity)),
  'close-day/decodes-gate-reversal-approved-count': judgeReading(
    readsGateMember('reversalApprovedCount', sameQuantity),
  ),
  'close-day/decodes-gate-reversal-amount': judgeReading(readsGateMember('reversalAmount', sameQuantity)),
  'close-day/decodes-gate-code39': judgeReading(readsGateMember('code39', sameText)),
  'close-day/decodes-gate-rrn': judgeReading(readsGateMember('RRN', sameText)),
  'recurring/decodes-accepted': judgeReading(readsAccepted),
  'recurring/decodes-refused': judgeReading(readsRefused),
  'recurring/decodes-parameters': judgeReading(readsParameters),
  'recurring/decodes-response-type': judgeReading(readsResponseType),
  'recurring/decodes-validation-error': judgeReading(readsFailureType),
  'recurring/decodes-error': judgeReading(readsFailureType),
  'recurring/decodes-error-id': judgeReading(readsErrorId),
  'recurring/decodes-own-line-feed': judgeReading(readsOwnLineFeed),
  'recurring/broken-body-not-success': judgeReading(readsNoSuccess),
} as const satisfies Record<DecodingId, ClientJudge>;

function ofReading(decoded: Decoded, { label }: ClientCase, deaf: boolean): Finding | undefined {
  if (deaf) return fail('the answer, as under application/json', readingOf(decoded));
  return decoded.kind === label.decoding!.expected.kind ? pass() : undefined;
}
