/** Compares the client's reading of an answer with the correct reading: sections 2.2, 2.4, 3, 4 and 7. */
import type { Operation } from '../../../contracts/operations.ts';
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import type { RequirementId, TestableId } from '../../../contracts/requirements/index.ts';
import { isJsonObject, JsonNumber, type JsonValue } from '../../protocol/json.ts';
import type { ClientCase, Decoded, DecodedGate, DecodingQuestion, ExpectedReading } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { answerReadings } from '../answers/acceptance.ts';
import {
  acceptedType,
  errorCodeOf,
  errorMessageOf,
  gatesOf,
  namedParameters,
  recurringBody,
  serialOf,
  statusOf,
} from '../answers/bodies.ts';
import { type ClientJudge, type Finding, fail, inconclusive, noReply, pass, type Verdict, worstOf } from '../judge.ts';
import { type CompareValue, compareAs } from './decoded-value.ts';

function isSuccess(decoded: Decoded): boolean {
  if (decoded.kind === 'parameters') return answerParameter(decoded.params, 'type') === acceptedType;
  return decoded.kind === 'finished' || decoded.kind === 'accepted';
}

export function isFailure(expected: ExpectedReading): boolean {
  if (expected.kind === 'parameters') return answerParameter(expected.params, 'type') !== acceptedType;
  return expected.kind !== 'finished' && expected.kind !== 'accepted';
}

function readsNoSuccess(decoded: Decoded, { question }: DecodingQuestion): Finding {
  return isSuccess(decoded) ? fail('anything but success', `${readingOf(decoded)}, read from ${question}`) : pass();
}

/** The value of a parameter without its final line feed: `decodes-parameters` judges the line feed. */
function answerParameter(
  params: readonly (readonly [name: string, value: string])[],
  name: string,
): string | undefined {
  return params.find(([found]) => found.replace(/^\n/, '') === name)?.[1].replace(/\n$/, '');
}

export function readingOf(decoded: Decoded): string {
  switch (decoded.kind) {
    case 'finished':
      return decoded.gates === undefined ? 'finished' : `finished with ${pluralize(decoded.gates.length, 'gate')}`;
    case 'error':
      return `error ${JSON.stringify(decoded.errorCode ?? null)}: ${JSON.stringify(decoded.errorMessage ?? null)}`;
    case 'refused':
      return `refused with HTTP ${decoded.http_status}`;
    case 'parameters':
      return `parameters of type ${JSON.stringify(answerParameter(decoded.params, 'type') ?? null)}`;
    case 'undecodable':
      return decoded.reason === undefined ? 'undecodable' : `undecodable: ${decoded.reason}`;
    case 'accepted':
      return 'accepted';
  }
}

/** No verdict: the client may know the value, but its adapter does not report the value. */
function notExposed(what: string): Finding {
  return { outcome: 'not-applicable', remark: `${what}: not exposed` };
}

function unreported(what: string, exposes: ReadonlySet<string>, expected: string | boolean): Finding {
  return exposes.has(what) ? fail(`${what} ${expected}`, `no ${what}, unlike in other answers`) : notExposed(what);
}

interface DecodingContext {
  readonly id: RequirementId;
  /** True if the client reads no ordinary `finished` answer as `finished`. Then only `decodes-finished` fails. */
  readonly neverFinished: boolean;
  /** True if the document leaves this answer open. A client may decline such an answer but must not misread it. */
  readonly open: boolean;
  /** Names that the adapter reported at least once, for a finished answer or for one that tests this requirement. */
  readonly exposes: ReadonlySet<string>;
}

/** Returns undefined if there is no verdict, for example because another requirement fails instead. */
type DecodingJudge = (decoded: Decoded, question: DecodingQuestion, context: DecodingContext) => Finding | undefined;

/** The client gets each answer in several forms, such as wrapped JSON. The judge gives one verdict for all forms. */
function judgeReading(read: DecodingJudge): ClientJudge {
  return ({ id, cases }) => {
    const { neverFinished, exposed, onlyJsonType, caseGroups } = decodingIn(cases);
    const unjudgedForms: readonly string[] = onlyJsonType ? ['unwrapped', 'wrapped'] : ['json'];
    const groups = caseGroups(id);
    const exposes = new Set([...exposed, ...groups.flat().flatMap(({ call: { reply } }) => exposedBy(reply?.decoded))]);
    return groups.flatMap((casesOfAnswer) => {
      const verdicts = casesOfAnswer
        .filter(({ call: { label } }) => !unjudgedForms.includes(label.decoding!.form))
        .flatMap((testCase): Verdict<ClientCase>[] => {
          const { decoding } = testCase.call.label;
          const context = { id, neverFinished, open: isUnusualAnswer(testCase), exposes };
          const finding = findingOf(testCase, (decoded) => read(decoded, decoding!, context));
          return finding === undefined ? [] : [{ testCase, finding }];
        });
      const verdict = decisiveVerdict(verdicts);
      return verdict === undefined ? [] : [verdict];
    });
  };
}

const decodingIn = memoize((cases: readonly ClientCase[]) => {
  const decoding = cases.filter(({ call: { label } }) => label.decoding !== undefined);
  const tests = decoding
    .filter(({ call: { label } }) => label.input !== 'probe')
    .flatMap((testCase) => [...new Set(testCase.call.label.decoding!.answers)].map((id) => ({ id, testCase })));
  const groupKey = ({ testCase: { label, scenario, call } }: (typeof tests)[number]) =>
    JSON.stringify([label.operation, scenario, call.label.decoding!.question]);
  const byId = groupBy(tests, ({ id }) => id);
  return {
    /** The cases that test the requirement, in groups. Each group has all forms of one answer. */
    caseGroups: (id: RequirementId): readonly (readonly ClientCase[])[] =>
      [...groupBy(byId.get(id) ?? [], groupKey).values()].map((same) => same.map(({ testCase }) => testCase)),
    neverFinished: isNeverFinished(decoding),
    onlyJsonType: readsOnlyJsonType(decoding),
    exposed: new Set(
      decoding.flatMap(({ call: { reply } }) => (reply?.decoded?.kind === 'finished' ? exposedBy(reply.decoded) : [])),
    ),
  };
});

function exposedBy(decoded: Decoded | undefined): string[] {
  if (decoded?.kind === 'finished') {
    return decoded.gates === undefined ? [] : ['gates', ...decoded.gates.flatMap((gate) => Object.keys(gate))];
  }
  if (decoded?.kind === 'parameters') return decoded.params.map(([name]) => name.replace(/^\n/, ''));
  if (decoded?.kind !== 'error') return [];
  const parts = { 'error-code': decoded.errorCode, 'error-message': decoded.errorMessage };
  return Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [name]));
}

function findingOf(testCase: ClientCase, read: (decoded: Decoded) => Finding | undefined): Finding | undefined {
  const { exchanges } = testCase;
  const { reply, adapterFault, label, incomplete } = testCase.call;
  // If the client sent nothing for a tested input, the judge of that input reports this.
  if (label.about !== undefined && exchanges.length === 0) return undefined;
  // A client may wait forever for an endless body, so its timeout gives no finding.
  if (adapterFault?.code === 'timed-out' && label.misbehaviour === 'endless') return undefined;
  if (adapterFault !== undefined) return noReply(adapterFault);
  if (reply === undefined) return undefined;
  const sendFailure = exchanges.find(({ failure }) => failure?.kind === 'not-sent')?.failure;
  if (sendFailure !== undefined) return inconclusive(sendFailure.message);
  const reason = reply.reason ?? 'no reason given';
  if (reply.outcome === 'unsupported') return inconclusive(`unsupported: ${reason}`, 'configuration');
  if (reply.outcome === 'transport_error') {
    // The answer is invalid, so a client whose HTTP library refuses it has read it correctly.
    if (label.decoding?.expected.kind === 'not-success' && exchanges.length > 0) return pass();
    return inconclusive(`transport error: ${reason}`, exchanges.length > 0 ? 'subject' : 'environment');
  }
  if (reply.outcome !== 'completed') return inconclusive(`${reply.outcome.replace('_', ' ')}: ${reason}`, 'subject');
  if (reply.decoded === undefined) return inconclusive('the adapter reported nothing decoded', 'configuration');
  // The local gateway refused the incomplete request, so the client never received the scripted answer.
  if (exchanges.length === 0 && incomplete !== undefined && !isSuccess(reply.decoded)) {
    return inconclusive(`the client got no answer, because the gateway received ${incomplete}`, 'subject');
  }
  const mayDecline = isUnusualAnswer(testCase) && label.decoding?.expected.kind !== 'not-success';
  if (mayDecline && reply.decoded.kind === 'undecodable') {
    return {
      outcome: 'not-applicable',
      remark: `the client declines an answer that the document leaves open: ${label.special}`,
    };
  }
  return read(reply.decoded);
}

/** True for an unusual answer, which a client may decline. False if only the input of the case is unusual. */
function isUnusualAnswer({ call: { label } }: ClientCase): boolean {
  return label.input === 'hardening' && label.about === undefined;
}

function isNeverFinished(cases: readonly ClientCase[]): boolean {
  const plain = cases.filter(
    ({ call: { label, reply } }) =>
      reply?.decoded !== undefined && label.decoding?.answers.includes('close-day/decodes-finished') === true,
  );
  return plain.length > 0 && plain.every(({ call: { reply } }) => reply!.decoded!.kind !== 'finished');
}

/** True if the client reads JSON under application/json but never under text/html. */
function readsOnlyJsonType(cases: readonly ClientCase[]): boolean {
  const read = cases.filter(
    ({ call: { label, reply } }) =>
      label.decoding !== undefined && label.input !== 'probe' && reply?.decoded?.kind === label.decoding.expected.kind,
  );
  const readsAny = (...forms: string[]) => read.some(({ call: { label } }) => forms.includes(label.decoding!.form));
  return readsAny('json') && !readsAny('unwrapped', 'wrapped');
}

function decisiveVerdict(verdicts: readonly Verdict<ClientCase>[]): Verdict<ClientCase> | undefined {
  const ofOutcome = (outcome: Finding['outcome']) => verdicts.filter(({ finding }) => finding.outcome === outcome);
  const falseSuccess = ofOutcome('fail').find(
    ({ testCase: { call } }) => isFailure(call.label.decoding!.expected) && isSuccess(call.reply!.decoded!),
  );
  const passed = ofOutcome('pass');
  const [best] = passed;
  if (falseSuccess !== undefined || best === undefined) {
    return falseSuccess ?? ofOutcome('fail')[0] ?? ofOutcome('inconclusive')[0] ?? ofOutcome('not-applicable')[0];
  }
  const remarks = passed.flatMap(({ finding }) => (finding.remark === undefined ? [] : [finding.remark]));
  const others = verdicts
    .filter((one) => !passed.includes(one))
    .map(({ testCase: { call }, finding: { actual } }) =>
      [call.label.special, ...(actual === undefined ? [] : [actual])].join(': '),
    );
  if (others.length > 0) remarks.push(`not read: ${others.join(', ')}`);
  return remarks.length === 0 ? best : { ...best, finding: pass([...new Set(remarks)].join('; ')) };
}

type Finished = Extract<Decoded, { kind: 'finished' }>;
type ExpectedFinished = Extract<ExpectedReading, { kind: 'finished' }>;

const readsKind: DecodingJudge = (decoded, { expected }) =>
  decoded.kind === expected.kind ? pass() : fail(expected.kind, readingOf(decoded));

const readsGates: DecodingJudge = readsFinished((gates, expected, { othersJudgeLocked }) => {
  if (gates === undefined) return notExposed('gates');
  if (pairGates(gates, expected.gates) !== undefined) return pass();
  const freeGates = expected.gates.filter(({ isDayClosing }) => isDayClosing !== true);
  const lacksOnlyLocked = gates.length < expected.gates.length && freeGates.every((gate) => gateById(gates, gate));
  if (othersJudgeLocked && lacksOnlyLocked) return undefined;
  return fail(`${expected.gates.length} different gates`, describeGates(gates));
});

/** Each locked gate must be decoded as locked. `decodes-gate-is-day-closing` judges gates that are not locked. */
const readsLockedGate: DecodingJudge = readsFinished((gates, expected, { exposes }) => {
  if (gates === undefined) return notExposed('gates');
  const findings = expected.gates.flatMap((gate, at) => {
    if (gate.isDayClosing !== true) return [];
    const read = gateById(gates, gate) ?? (gates.length === expected.gates.length ? gates[at] : undefined);
    if (read === undefined) return [fail(`the locked gate ${gate.gateId}`, describeGates(gates))];
    const { isDayClosing } = read;
    if (isDayClosing !== undefined) return [compareAs.truth('isDayClosing', true, isDayClosing)];
    return [unreported('isDayClosing', exposes, true)];
  });
  return worstOf(findings);
});

/** Judges one member in all gates. Gives no finding if another judge reports missing or added gates. */
function readsGateMember(member: string, compare: CompareValue): DecodingJudge {
  return readsFinished((gates, expected, { othersJudgeGates, othersJudgeLocked, open, exposes }) => {
    if (gates === undefined) return notExposed('gates');
    const pairs = pairGates(gates, expected.gates);
    if (pairs === undefined) {
      const all = pluralize(expected.gates.length, 'gate');
      return othersJudgeGates ? undefined : fail(`${member} of ${all}`, describeGates(gates));
    }
    const isFreeOnly = othersJudgeLocked && member === 'isDayClosing';
    const judged = isFreeOnly ? pairs.filter(({ expected: gate }) => gate.isDayClosing !== true) : pairs;
    return worstOf(
      judged.map(({ read, expected: gate }) => {
        const value = read[member];
        // If the document leaves the answer open, a client may leave out a value that it cannot interpret.
        const isDeclined = open && (value === undefined || ('text' in value && value.text === ''));
        if (isDeclined) return notExposed(member);
        return value === undefined ? unreported(member, exposes, gate[member]!) : compare(member, gate[member]!, value);
      }),
    );
  });
}

const readsExtraMembers: DecodingJudge = readsFinished((gates, expected) => {
  if (gates === undefined) return pass();
  const pairs = pairGates(gates, expected.gates);
  if (pairs === undefined) return fail(pluralize(expected.gates.length, 'gate'), describeGates(gates));
  const found = pairs.flatMap(({ read, expected: gate }) =>
    read.gateId === undefined ? [] : [compareAs.id('gateId', gate.gateId!, read.gateId)],
  );
  return found.find(({ outcome }) => outcome === 'fail') ?? pass();
});

const readsSerial: DecodingJudge = (decoded, { expected }) => {
  if (decoded.kind !== expected.kind || (decoded.kind !== 'finished' && decoded.kind !== 'error')) return undefined;
  if (decoded.serial === undefined) return notExposed('theRequestSerialNumber');
  const serial = 'serial' in expected ? expected.serial : undefined;
  if (serial === undefined) return undefined;
  return decoded.serial === serial ? pass() : fail(serial, decoded.serial);
};

const readsError: DecodingJudge = (decoded, { expected }, { exposes }) => {
  if (expected.kind === 'not-success') return isSuccess(decoded) ? fail('an error', readingOf(decoded)) : pass();
  if (expected.kind !== 'error') return undefined;
  if (decoded.kind === 'refused') return notExposed('errorCode and errorMessage');
  if (decoded.kind !== 'error') return fail(readingOf(expected), readingOf(decoded));
  const { errorCode, errorMessage } = decoded;
  const isCodeFaulty = errorCode === undefined ? exposes.has('error-code') : errorCode !== expected.errorCode;
  const isMessageFaulty =
    errorMessage === undefined ? exposes.has('error-message') : errorMessage !== expected.errorMessage;
  if (isCodeFaulty || isMessageFaulty) return fail(readingOf(expected), readingOf(decoded));
  if (errorCode === undefined && errorMessage === undefined) return notExposed('errorCode and errorMessage');
  if (errorCode !== undefined && errorMessage !== undefined) return pass();
  return pass(`${errorCode === undefined ? 'errorCode' : 'errorMessage'} is not exposed`);
};

/** Fails if the client does not read a finished answer as `finished`, unless another requirement fails for this. */
function readsFinished(
  read: (
    gates: Finished['gates'],
    expected: ExpectedFinished,
    context: DecodingContext & { readonly othersJudgeGates: boolean; readonly othersJudgeLocked: boolean },
  ) => Finding | undefined,
): DecodingJudge {
  return (decoded, { expected, answers }, context) => {
    if (expected.kind !== 'finished') return undefined;
    const { id, neverFinished, open, exposes } = context;
    const othersJudge = (other: DecodingId) => id !== other && answers.includes(other);
    const othersJudgeLocked = othersJudge('close-day/decodes-locked-gate');
    if (decoded.kind !== 'finished') {
      const othersFail = neverFinished || othersJudgeLocked || answers.includes('close-day/decodes-finished');
      return othersFail ? undefined : fail('finished', readingOf(decoded));
    }
    const gates = decoded.gates ?? (exposes.has('gates') && !open ? [] : undefined);
    return read(gates, expected, {
      ...context,
      othersJudgeLocked,
      othersJudgeGates: othersJudgeLocked || othersJudge('close-day/decodes-gates'),
    });
  };
}

function describeGates(gates: readonly DecodedGate[]): string {
  const ids = gates.map(({ gateId }) => (gateId === undefined ? '?' : Object.values(gateId)[0]));
  return gates.length === 0 ? 'no gates' : `${pluralize(gates.length, 'gate')}: ${ids.join(', ')}`;
}

type ExpectedGate = Readonly<Record<string, string | boolean>>;

function pairGates(read: readonly DecodedGate[], expected: readonly ExpectedGate[]) {
  if (read.length !== expected.length || hasRepeatedGates(read)) return undefined;
  const byId = new Map(read.map((gate) => [idOf(gate), gate]));
  const sameIds = expected.every(({ gateId }) => byId.has(String(gateId)));
  return expected.map((gate, at) => ({ read: sameIds ? byId.get(String(gate.gateId))! : read[at]!, expected: gate }));
}

function gateById(read: readonly DecodedGate[], { gateId }: ExpectedGate): DecodedGate | undefined {
  return read.find((gate) => idOf(gate) === String(gateId));
}

function hasRepeatedGates(gates: readonly DecodedGate[]): boolean {
  const textOf = (gate: DecodedGate) => JSON.stringify(Object.entries(gate).sort());
  const groups = [...groupBy(gates, idOf)].filter(([id, { length }]) => id !== undefined && length > 1);
  return groups.some(([, group]) => new Set(group.map(textOf)).size < group.length);
}

function idOf({ gateId }: DecodedGate): string | undefined {
  if (gateId === undefined) return undefined;
  return 'long' in gateId ? gateId.long : 'text' in gateId ? gateId.text : undefined;
}

type ExpectedParameters = Extract<ExpectedReading, { kind: 'parameters' }>;

const readsRefused: DecodingJudge = (decoded, { expected }) => {
  if (expected.kind !== 'refused') return undefined;
  if (decoded.kind === 'error') return pass('the HTTP status is not exposed');
  const isSame = decoded.kind === 'refused' && decoded.http_status === expected.httpStatus;
  return isSame ? pass() : fail(`refused with HTTP ${expected.httpStatus}`, readingOf(decoded));
};

const readsParameters: DecodingJudge = (decoded, { expected }) => {
  if (expected.kind !== 'parameters' || decoded.kind === 'undecodable') return undefined;
  // If the client confuses success and failure, another judge reports this.
  if (isSuccess(decoded) === isFailure(expected)) return undefined;
  if (decoded.kind !== 'parameters') return notExposed('parameters');
  const untrimmed = expected.params.find(([name, value]) =>
    decoded.params.some(([found, read]) => found === `\n${name}` || (found === name && read === `${value}\n`)),
  );
  if (untrimmed !== undefined) return fail(`${untrimmed[0]} without a line feed`, `${untrimmed[0]} with its line feed`);
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

const readsResponseType: DecodingJudge = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  if (!isSuccess(decoded) || decoded.kind === 'finished') return fail(`type ${acceptedType}`, readingOf(decoded));
  return decoded.kind === 'accepted' ? pass('the parameters are not exposed') : pass();
};

const readsFailureType: DecodingJudge = (decoded, { expected }, { exposes }) => {
  if (expected.kind !== 'parameters') return undefined;
  if (decoded.kind === 'refused') return notExposed('error-message and error-code');
  if (decoded.kind === 'error') {
    return compareParams(expected, { 'error-message': decoded.errorMessage, 'error-code': decoded.errorCode }, exposes);
  }
  if (decoded.kind !== 'parameters') {
    const [type, code] = ['type', 'error-code'].map((name) => answerParameter(expected.params, name));
    return fail(`type ${type} with code ${code}`, readingOf(decoded));
  }
  const names = ['type', 'error-message', 'error-code'];
  const read = Object.fromEntries(names.map((name) => [name, answerParameter(decoded.params, name)]));
  return compareParams(expected, read, exposes);
};

const readsErrorId: DecodingJudge = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  const [name, value] = expected.params.find(([found]) => !namedParameters.includes(found)) ?? [];
  if (name === undefined || decoded.kind === 'undecodable' || isSuccess(decoded)) return undefined;
  if (decoded.kind !== 'parameters') return notExposed('the error id');
  const read = answerParameter(decoded.params, name);
  return read === value ? pass() : fail(`${name} ${value}`, read === undefined ? `no ${name}` : `${name} ${read}`);
};

/** The tested message ends with a line feed. The usual line feed follows, which `decodes-parameters` judges. */
const readsOwnLineFeed: DecodingJudge = (decoded, { expected }) => {
  if (expected.kind !== 'parameters') return undefined;
  const messageIn = ({ params }: Pick<ExpectedParameters, 'params'>) =>
    params.find(([name]) => name === 'error-message')?.[1];
  const messageOfError = decoded.kind === 'error' ? decoded.errorMessage : undefined;
  const read = decoded.kind === 'parameters' ? messageIn(decoded) : messageOfError;
  if (read === undefined) return notExposed('error-message');
  const sent = messageIn(expected)!;
  if (read === sent || read === `${sent}\n`) return pass();
  // Another judge reports a message that differs in any other way.
  return read === sent.trim()
    ? fail('error-message with its own final line feed', 'error-message without it')
    : undefined;
};

function compareParams(
  expected: ExpectedParameters,
  read: Readonly<Record<string, string | undefined>>,
  exposes: ReadonlySet<string>,
): Finding {
  const correct = (name: string) => answerParameter(expected.params, name);
  const [name, value] = Object.entries(read).find(([one, text]) => text !== undefined && text !== correct(one)) ?? [];
  if (name !== undefined) return fail(`${name} ${correct(name)}`, `${name} ${value}`);
  const hidden = ['error-message', 'error-code'].filter((one) => read[one] === undefined);
  const missing = hidden.find((one) => exposes.has(one));
  if (missing !== undefined) return unreported(missing, exposes, correct(missing)!);
  if (hidden.length === 2) return notExposed(hidden.join(' and '));
  return hidden.length === 0 ? pass() : pass(`${hidden[0]} is not exposed`);
}

type DecodingId = Extract<TestableId<'client'>, `${string}/decodes-${string}` | `${string}/broken-body-not-success`>;

const readsTextHtml: ClientJudge = ({ id, cases }) => {
  const { onlyJsonType, caseGroups } = decodingIn(cases);
  return caseGroups(id).flatMap((casesOfAnswer) => {
    const htmlCases = casesOfAnswer.filter(({ call: { label } }) => label.decoding!.form !== 'json');
    const verdicts = htmlCases.flatMap((testCase) => {
      const finding = findingOf(testCase, (decoded) => {
        if (onlyJsonType) return fail('the same reading as with application/json', readingOf(decoded));
        return decoded.kind === testCase.call.label.decoding!.expected.kind ? pass() : undefined;
      });
      return finding === undefined ? [] : [{ testCase, finding }];
    });
    return verdicts.find(({ finding }) => finding.outcome === 'pass') ?? verdicts.slice(0, 1);
  });
};

const gateRows = Object.entries(gateResultFields).map(
  ([slug, { member, reading }]) =>
    ({ member, reading, id: `close-day/decodes-gate-${slug as keyof typeof gateResultFields}` }) as const,
);

const gateMemberJudges = Object.fromEntries(
  gateRows.map(({ id, member, reading }) => [id, judgeReading(readsGateMember(member, compareAs[reading]))]),
) as Record<(typeof gateRows)[number]['id'], ClientJudge>;

export const decodingJudges = {
  'close-day/decodes-finished': judgeReading(readsKind),
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
  'recurring/decodes-accepted': judgeReading(readsKind),
  'recurring/decodes-refused': judgeReading(readsRefused),
  'recurring/decodes-parameters': judgeReading(readsParameters),
  'recurring/decodes-response-type': judgeReading(readsResponseType),
  'recurring/decodes-validation-error': judgeReading(readsFailureType),
  'recurring/decodes-error': judgeReading(readsFailureType),
  'recurring/decodes-error-id': judgeReading(readsErrorId),
  'recurring/decodes-own-line-feed': judgeReading(readsOwnLineFeed),
  'recurring/broken-body-not-success': judgeReading(readsNoSuccess),
} as const satisfies Record<DecodingId, ClientJudge>;

type Expectation = Pick<DecodingQuestion, 'expected'> & { readonly answers: readonly DecodingId[] };

const notSuccess = { kind: 'not-success' } as const;

/** The correct reading of a recorded answer. Undefined for an unclear answer that a client may read as success. */
export const expectedReading: Readonly<Record<Operation, (exchange: Exchange) => Expectation | undefined>> = {
  'close-day': (exchange) => {
    const meaning = answerReadings['close-day'].acceptance(exchange);
    const status = statusOf(exchange);
    if (meaning === 'accepted') return finishedExpectation(exchange);
    if (meaning === 'unclear' && status === 'finished') return undefined;
    if (status === 'error') return errorExpectation(exchange);
    return { answers: ['close-day/broken-body-not-success'], expected: notSuccess };
  },
  'process-recurring-payments': (exchange) => {
    const meaning = answerReadings['process-recurring-payments'].acceptance(exchange);
    const body = recurringBody(exchange);
    if (body?.kind === 'parameters') return meaning === 'unclear' ? undefined : parametersExpectation(exchange);
    if (meaning === 'accepted') return { answers: ['recurring/decodes-accepted'], expected: { kind: 'accepted' } };
    if (meaning === 'refused' && body?.kind === 'empty') {
      const expected = { kind: 'refused', httpStatus: exchange.response!.status } as const;
      return { answers: ['recurring/decodes-refused'], expected };
    }
    return { answers: ['recurring/broken-body-not-success'], expected: notSuccess };
  },
};

function finishedExpectation(exchange: Exchange): Expectation {
  const serial = serialOf(exchange);
  const elements = gatesOf(exchange);
  const gates = (elements ?? []).filter(isJsonObject).map((gate) => {
    const members = Object.entries(gate).flatMap(([name, value]) => {
      const plain = plainValue(value);
      const isDocumented = gateRows.some(({ member }) => member === name);
      return plain === undefined || !isDocumented ? [] : [[name, plain] as const];
    });
    return Object.fromEntries(members);
  });
  const allObjects = gates.length === elements?.length;
  const answers: DecodingId[] = ['close-day/decodes-finished'];
  if (typeof serial === 'string') answers.push('close-day/decodes-serial');
  if (allObjects) answers.push('close-day/decodes-gates');
  if (allObjects && gates.length > 0) {
    const commonRows = gateRows.filter(({ member }) => gates.every((gate) => Object.hasOwn(gate, member)));
    answers.push(...commonRows.map(({ id }) => id));
  }
  const isLocked = gates.some(({ isDayClosing, gateId }) => isDayClosing === true && gateId !== undefined);
  if (allObjects && isLocked) answers.push('close-day/decodes-locked-gate');
  return { answers, expected: { kind: 'finished', serial: typeof serial === 'string' ? serial : '', gates } };
}

function plainValue(value: JsonValue): string | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}

function errorExpectation(exchange: Exchange): Expectation {
  const errorCode = errorCodeOf(exchange);
  const errorMessage = errorMessageOf(exchange);
  const serial = serialOf(exchange);
  if (errorCode === undefined || errorMessage === undefined) {
    return { answers: ['close-day/decodes-error'], expected: notSuccess };
  }
  const expected = { kind: 'error', errorCode, errorMessage } as const;
  if (typeof serial !== 'string') return { answers: ['close-day/decodes-error'], expected };
  return { answers: ['close-day/decodes-error', 'close-day/decodes-serial'], expected: { ...expected, serial } };
}

function parametersExpectation(exchange: Exchange): Expectation {
  const body = recurringBody(exchange);
  const all = body?.kind === 'parameters' ? body.parameters : [];
  const params = all.map(({ name, value }) => [name, value] as const);
  const type = params.find(([name]) => name === 'type')?.[1];
  const expected = { kind: 'parameters', params } as const;
  if (type === acceptedType) {
    return { answers: ['recurring/decodes-response-type', 'recurring/decodes-parameters'], expected };
  }
  const answers: DecodingId[] = [
    type === 'error' ? 'recurring/decodes-error' : 'recurring/decodes-validation-error',
    'recurring/decodes-parameters',
  ];
  if (params.some(([name]) => !namedParameters.includes(name))) answers.push('recurring/decodes-error-id');
  return { answers, expected };
}
