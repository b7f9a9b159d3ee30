/** Compares what a client reports as decoded with what it should decode: sections 2.2, 2.4, 3, 4 and 7. */
import type { Operation } from '../../../../contracts/operations.ts';
import { type GateReading, gateResultFields } from '../../../../contracts/requirements/gate-result.ts';
import type { TestableId } from '../../../../contracts/requirements/index.ts';
import { isJsonObject, JsonNumber, type JsonValue } from '../../../protocol/json.ts';
import type {
  ClientCase,
  Decoded,
  DecodedGate,
  DecodedValue,
  DecodingQuestion,
  ExpectedReading,
} from '../../../record/case.ts';
import type { Exchange } from '../../../record/exchange.ts';
import { pluralize } from '../../../record/pluralize.ts';
import { answerReadings } from '../../answers/acceptance.ts';
import {
  gatesOf as answeredGates,
  closeDayBody,
  errorCodeOf,
  errorMessageOf,
  statusOf,
} from '../../answers/close-day-body.ts';
import { namedParameters, recurringBody } from '../../answers/recurring-body.ts';
import { type ClientJudge, type Finding, fail, pass } from '../../judge.ts';
import {
  acceptedType,
  answerParameter,
  type DecodingContext,
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
  worstOf,
} from './forms.ts';

type Finished = Extract<Decoded, { kind: 'finished' }>;
type ExpectedFinished = Extract<ExpectedReading, { kind: 'finished' }>;

const readsFinished: DecodingReading = (decoded, { expected }) =>
  decoded.kind === expected.kind ? pass() : fail(expected.kind, readingOf(decoded));

/** If both rows are tested, `decodes-locked-gate` reports missing locked gates, not this one. */
const readsGates: DecodingReading = inFinished((gates, expected, { lockedApart }) => {
  if (gates === undefined) return notExposed('gates');
  if (pairGates(gates, expected.gates) !== undefined) return pass();
  const free = expected.gates.filter(({ isDayClosing }) => isDayClosing !== true);
  const lacksLockedAlone = gates.length < expected.gates.length && free.every((gate) => gateById(gates, gate));
  if (lockedApart && lacksLockedAlone) return undefined;
  return fail(`${expected.gates.length} different gates`, gatesOf(gates));
});

/** Each locked gate must be decoded as locked. Another row judges the free gates. */
const readsLockedGate: DecodingReading = inFinished((gates, expected, { exposes }) => {
  if (gates === undefined) return notExposed('gates');
  const findings = expected.gates.flatMap((gate, at) => {
    if (gate.isDayClosing !== true) return [];
    const read = gateById(gates, gate) ?? (gates.length === expected.gates.length ? gates[at] : undefined);
    if (read === undefined) return [fail(`gate ${gate.gateId}, which is locked`, gatesOf(gates))];
    const { isDayClosing } = read;
    if (isDayClosing !== undefined) return [sameTruth('isDayClosing', true, isDayClosing)];
    return [leftOut('isDayClosing', exposes, true)];
  });
  return worstOf(findings);
});

type SameMember = (member: string, expected: string | boolean, read: DecodedValue) => Finding;

/** One member of all gates. No finding if another row reports wrong gates, or judges locked gates separately. */
function readsGateMember(member: string, same: SameMember): DecodingReading {
  return inFinished((gates, expected, { othersAnswer, lockedApart, open, exposes }) => {
    if (gates === undefined) return notExposed('gates');
    const pairs = pairGates(gates, expected.gates);
    if (pairs === undefined) {
      if (othersAnswer) return undefined;
      return fail(`${member} of ${formatGates(expected.gates)}`, gatesOf(gates));
    }
    const isToldApart = lockedApart && member === 'isDayClosing';
    const asked = isToldApart ? pairs.filter(({ expected: gate }) => gate.isDayClosing !== true) : pairs;
    return worstOf(
      asked.map(({ read, expected: gate }) => {
        const value = read[member];
        // A client may leave a value empty that it cannot interpret.
        const isDeclined = open && (value === undefined || ('text' in value && value.text === ''));
        if (isDeclined) return notExposed(member);
        return value === undefined ? leftOut(member, exposes, gate[member]!) : same(member, gate[member]!, value);
      }),
    );
  });
}

/** Undocumented members must not change the kind of answer, the number of gates or their identity. */
const readsExtraMembers: DecodingReading = inFinished((gates, expected) => {
  if (gates === undefined) return pass();
  const pairs = pairGates(gates, expected.gates);
  if (pairs === undefined) return fail(formatGates(expected.gates), gatesOf(gates));
  const found = pairs.flatMap(({ read, expected: gate }) =>
    read.gateId === undefined ? [] : [sameLong('gateId', gate.gateId!, read.gateId)],
  );
  return found.find(({ outcome }) => outcome === 'fail') ?? pass();
});

const readsSerial: DecodingReading = (decoded, { expected }) => {
  if (decoded.kind !== expected.kind || (decoded.kind !== 'finished' && decoded.kind !== 'error')) return undefined;
  if (decoded.serial === undefined) return notExposed('theRequestSerialNumber');
  const serial = 'serial' in expected ? expected.serial : undefined;
  if (serial === undefined) return undefined;
  return decoded.serial === serial ? pass() : fail(serial, decoded.serial);
};

const readsError: DecodingReading = (decoded, { expected }, { exposes }) => {
  if (expected.kind === 'not-success') return isSuccess(decoded) ? fail('an error', readingOf(decoded)) : pass();
  if (expected.kind !== 'error') return undefined;
  if (decoded.kind === 'refused') return notExposed('errorCode and errorMessage');
  if (decoded.kind !== 'error') return fail(readingOf(expected), readingOf(decoded));
  const { errorCode, errorMessage } = decoded;
  const wrong =
    (errorCode === undefined ? exposes.has('error-code') : errorCode !== expected.errorCode) ||
    (errorMessage === undefined ? exposes.has('error-message') : errorMessage !== expected.errorMessage);
  if (wrong) return fail(readingOf(expected), readingOf(decoded));
  if (errorCode === undefined && errorMessage === undefined) return notExposed('errorCode and errorMessage');
  if (errorCode !== undefined && errorMessage !== undefined) return pass();
  return pass(`${errorCode === undefined ? 'errorCode' : 'errorMessage'} is not exposed`);
};

/** An answer that was not decoded as finished fails only `decodes-finished`, if the question tests that row. */
function inFinished(
  read: (
    gates: Finished['gates'],
    expected: ExpectedFinished,
    around: Pick<DecodingContext, 'open' | 'exposes'> & {
      readonly othersAnswer: boolean;
      readonly lockedApart: boolean;
    },
  ) => Finding | undefined,
): DecodingReading {
  return (decoded, { expected, answers }, { id, finishedUnread, open, exposes }) => {
    if (expected.kind !== 'finished') return undefined;
    const lockedApart = id !== 'close-day/decodes-locked-gate' && answers.includes('close-day/decodes-locked-gate');
    if (decoded.kind !== 'finished') {
      const othersFail = finishedUnread || lockedApart || answers.includes('close-day/decodes-finished');
      return othersFail ? undefined : fail('finished', readingOf(decoded));
    }
    const othersAnswer =
      lockedApart || (id !== 'close-day/decodes-gates' && answers.includes('close-day/decodes-gates'));
    const gates = decoded.gates ?? (exposes.has('gates') && !open ? [] : undefined);
    return read(gates, expected, { othersAnswer, lockedApart, open, exposes });
  };
}

function formatGates({ length }: readonly unknown[]): string {
  return pluralize(length, 'gate');
}

function gatesOf(gates: readonly DecodedGate[]): string {
  const ids = gates.map(({ gateId }) => (gateId === undefined ? '?' : Object.values(gateId)[0]));
  return gates.length === 0 ? 'no gates' : `${formatGates(gates)}: ${ids.join(', ')}`;
}

type ExpectedGate = Readonly<Record<string, string | boolean>>;

interface GatePair {
  readonly read: DecodedGate;
  readonly expected: ExpectedGate;
}

/** Pairs by gateId if the ids are the same, else by position. Undefined if gates are missing, added or mixed up. */
function pairGates(read: readonly DecodedGate[], expected: readonly ExpectedGate[]): readonly GatePair[] | undefined {
  if (read.length !== expected.length || hasTwins(read)) return undefined;
  const byId = new Map(read.map((gate) => [idOf(gate), gate]));
  const sameIds = expected.every(({ gateId }) => byId.has(String(gateId)));
  return expected.map((gate, at) => ({ read: sameIds ? byId.get(String(gate.gateId))! : read[at]!, expected: gate }));
}

function gateById(read: readonly DecodedGate[], { gateId }: ExpectedGate): DecodedGate | undefined {
  return read.find((gate) => idOf(gate) === String(gateId));
}

/** True if two gates are equal in every member, including an id: one gate was decoded twice. */
function hasTwins(gates: readonly DecodedGate[]): boolean {
  const named = gates.filter((gate) => idOf(gate) !== undefined);
  if (new Set(named.map(idOf)).size === named.length) return false;
  const told = named.map((gate) => JSON.stringify(Object.entries(gate).sort()));
  return new Set(told).size < told.length;
}

function idOf({ gateId }: DecodedGate): string | undefined {
  if (gateId === undefined) return undefined;
  return 'long' in gateId ? gateId.long : 'text' in gateId ? gateId.text : undefined;
}

type ExpectedParameters = Extract<ExpectedReading, { kind: 'parameters' }>;

/** Parameters with their own rows. Any other parameter of an error is its ID. */
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

/** Compares values without line feeds. The row on the type judges success or failure. */
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

const readsResponseType: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  if (!isSuccess(decoded) || decoded.kind === 'finished') return fail(`type ${acceptedType}`, readingOf(decoded));
  return decoded.kind === 'accepted' ? pass('the parameters are not exposed') : pass();
};

/** validation-error and error must be a failure with type, message and code, as far as the client exposes them. */
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

/** A client that exposes parameters must also expose unknown ones. */
const readsErrorId: DecodingReading = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  const [name, value] = expected.params.find(([found]) => !documented.includes(found)) ?? [];
  if (name === undefined || decoded.kind === 'undecodable' || isSuccess(decoded)) return undefined;
  if (decoded.kind !== 'parameters') return notExposed('the error id');
  const read = answerParameter(decoded.params, name);
  return read === value ? pass() : fail(`${name} ${value}`, read === undefined ? `no ${name}` : `${name} ${read}`);
};

/** A client that keeps the terminating line feed breaks another row. */
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
  // The row on the type judges any other reading.
  return read === sent.trim()
    ? fail('error-message with its own final line feed', 'error-message without it')
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

type DecodingId = Extract<TestableId<'client'>, `${string}/decodes-${string}` | `${string}/broken-body-not-success`>;

/** Fails only a client that reads application/json but nothing under text/html. Other rows report other problems. */
const readsTextHtml: ClientJudge = ({ id, cases }) => {
  const deaf = readsJsonTypeAlone(cases);
  return questionsFor(id, cases).flatMap((asked) => {
    const underHtml = asked.filter(({ call: { label } }) => label.decoding!.form !== 'json');
    const findings = underHtml.flatMap((testCase) => {
      const finding = findingOf(testCase, (decoded) => ofReading(decoded, testCase, deaf));
      return finding === undefined ? [] : [{ testCase, finding }];
    });
    const passed = findings.find(({ finding }) => finding.outcome === 'pass');
    return [passed ?? findings[0]].filter((verdict) => verdict !== undefined);
  });
};

const sameMember: Readonly<Record<GateReading, SameMember>> = {
  id: sameLong,
  truth: sameTruth,
  date: sameDate,
  count: sameQuantity,
  amount: sameQuantity,
  text: sameText,
};

const gateRows = Object.entries(gateResultFields).map(
  ([slug, { member, reading }]) =>
    ({ member, reading, id: `close-day/decodes-gate-${slug as keyof typeof gateResultFields}` }) as const,
);

const gateMemberJudges = Object.fromEntries(
  gateRows.map(({ id, member, reading }) => [id, judgeReading(readsGateMember(member, sameMember[reading]))]),
) as Record<(typeof gateRows)[number]['id'], ClientJudge>;

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
  ...gateMemberJudges,
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

function ofReading(decoded: Decoded, { call: { label } }: ClientCase, deaf: boolean): Finding | undefined {
  if (deaf) return fail('the answer, as under application/json', readingOf(decoded));
  return decoded.kind === label.decoding!.expected.kind ? pass() : undefined;
}

type Asked = Pick<DecodingQuestion, 'expected'> & { readonly answers: readonly DecodingId[] };

/** The suite's own lenient reading. Undefined if the answer is neither an acceptance nor a refusal but could be read as success. */
export function expectedOf(operation: Operation, exchange: Exchange): Asked | undefined {
  return expectations[operation](exchange);
}

const expectations: Readonly<Record<Operation, (exchange: Exchange) => Asked | undefined>> = {
  'close-day': (exchange) => {
    const meaning = answerReadings['close-day'].acceptance(exchange);
    const status = statusOf(exchange);
    if (meaning === 'accepted') return finished(exchange);
    if (meaning === 'unclear' && status === 'finished') return undefined;
    if (status === 'error') return failed(exchange);
    return { answers: ['close-day/broken-body-not-success'], expected: { kind: 'not-success' } };
  },
  'process-recurring-payments': (exchange) => {
    const meaning = answerReadings['process-recurring-payments'].acceptance(exchange);
    const body = recurringBody(exchange);
    if (body?.kind === 'parameters') return meaning === 'unclear' ? undefined : parameters(exchange);
    if (meaning === 'accepted') return { answers: ['recurring/decodes-accepted'], expected: { kind: 'accepted' } };
    if (meaning === 'refused' && body?.kind === 'empty') {
      const expected = { kind: 'refused', httpStatus: exchange.response!.status } as const;
      return { answers: ['recurring/decodes-refused'], expected };
    }
    return { answers: ['recurring/broken-body-not-success'], expected: { kind: 'not-success' } };
  },
};

/** A member that is absent or a list in the answer is not compared. */
function finished(exchange: Exchange): Asked {
  const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
  const elements = answeredGates(exchange) ?? [];
  const gates = elements.filter(isJsonObject).map((gate) => {
    const members = Object.entries(gate).flatMap(([name, value]) => {
      const plain = plainValue(value);
      const isDocumented = gateRows.some(({ member }) => member === name);
      return plain === undefined || !isDocumented ? [] : [[name, plain] as const];
    });
    return Object.fromEntries(members);
  });
  const rows = gateRows.filter(({ member }) => gates.every((gate) => Object.hasOwn(gate, member)));
  const isWhole = answeredGates(exchange) !== undefined && gates.length === elements.length;
  return {
    expected: { kind: 'finished', serial: typeof serial === 'string' ? serial : '', gates },
    answers: [
      'close-day/decodes-finished',
      ...(typeof serial === 'string' ? ['close-day/decodes-serial' as const] : []),
      ...(isWhole ? ['close-day/decodes-gates' as const] : []),
      ...(isWhole && gates.length > 0 ? rows.map(({ id }) => id) : []),
      ...(isWhole && gates.some(({ isDayClosing, gateId }) => isDayClosing === true && gateId !== undefined)
        ? ['close-day/decodes-locked-gate' as const]
        : []),
    ],
  };
}

function plainValue(value: JsonValue): string | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}

/** Without code or message in the answer, only success is wrong. */
function failed(exchange: Exchange): Asked {
  const [errorCode, errorMessage] = [errorCodeOf(exchange), errorMessageOf(exchange)];
  const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
  const isWritten = errorCode !== undefined && errorMessage !== undefined;
  const expected: ExpectedReading = isWritten
    ? { kind: 'error', errorCode, errorMessage, ...(typeof serial === 'string' ? { serial } : {}) }
    : { kind: 'not-success' };
  const withSerial = isWritten && typeof serial === 'string';
  return {
    answers: ['close-day/decodes-error', ...(withSerial ? ['close-day/decodes-serial' as const] : [])],
    expected,
  };
}

function parameters(exchange: Exchange): Asked {
  const body = recurringBody(exchange);
  const all = body?.kind === 'parameters' ? body.parameters : [];
  const params = all.map(({ name, value }) => [name, value] as const);
  const type = params.find(([name]) => name === 'type')?.[1];
  const expected = { kind: 'parameters', params } as const;
  if (type === 'process-recurring-payment-response') {
    return { answers: ['recurring/decodes-response-type', 'recurring/decodes-parameters'], expected };
  }
  const hasId = params.some(([name]) => !namedParameters.includes(name));
  return {
    answers: [
      type === 'error' ? 'recurring/decodes-error' : 'recurring/decodes-validation-error',
      'recurring/decodes-parameters',
      ...(hasId ? ['recurring/decodes-error-id' as const] : []),
    ],
    expected,
  };
}
