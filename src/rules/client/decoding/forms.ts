/** Rules for decoding: which readings mean success, which values are equal, and which form of an answer decides. */
import type { GateReading } from '../../../../contracts/requirements/gate-result.ts';
import type { RequirementId } from '../../../../contracts/requirements/index.ts';
import type { ClientCase, Decoded, DecodedValue, DecodingQuestion, ExpectedReading } from '../../../record/case.ts';
import { groupBy } from '../../../record/group-by.ts';
import { memoize } from '../../../record/memoize.ts';
import { pluralize } from '../../../record/pluralize.ts';
import { type ClientJudge, type Finding, fail, inconclusive, noReply, pass, type Verdict } from '../../judge.ts';
import { sameNumber } from '../inputs.ts';

export const acceptedType = 'process-recurring-payment-response';

export function isSuccess(decoded: Decoded): boolean {
  if (decoded.kind === 'parameters') return answerParameter(decoded.params, 'type') === acceptedType;
  return decoded.kind === 'finished' || decoded.kind === 'accepted';
}

export function isFailure(expected: ExpectedReading): boolean {
  if (expected.kind === 'parameters') return answerParameter(expected.params, 'type') !== acceptedType;
  return expected.kind !== 'finished' && expected.kind !== 'accepted';
}

/** The answer must not be read as success. Any other reading passes, also an exception. */
export function readsNoSuccess(decoded: Decoded, { question }: DecodingQuestion): Finding {
  return isSuccess(decoded) ? fail('anything but success', `${readingOf(decoded)}, read from ${question}`) : pass();
}

/** The value of a parameter without a line feed at its end, because `decodes-parameters` judges that line feed. */
export function answerParameter(
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

export type Same = (member: string, expected: string | boolean, read: DecodedValue) => Finding;

/** Passes for an equal text. If the client exposes the value in another type, that is only a remark. */
function sameText(type: 'long' | 'bool' | 'text'): Same {
  return (member, expected, read) => {
    if (textOf(read) !== String(expected)) return different(member, expected, read);
    return type in read ? pass() : pass(`${member} is exposed as ${type === 'text' ? 'a number' : 'text'}`);
  };
}

/** Passes for an equal text or an equal number. The notation of counts and amounts does not matter. */
const sameQuantity: Same = (member, expected, read) => {
  const text = textOf(read);
  if (text === expected) return pass();
  if (!sameNumber(text, String(expected))) return different(member, expected, read);
  return pass(`${member} is ${text} for ${expected}, equal in value`);
};

/** Passes for an equal text. A client may also parse the date, so the same instant passes with a remark. */
const sameDate: Same = (member, expected, read) => {
  const text = textOf(read);
  if (text === expected) return pass();
  const instants = instantsRead(text);
  if (instants.length === 0) return different(member, expected, read);
  const sent = instantOf(String(expected));
  if (sent === undefined) {
    return { outcome: 'not-applicable', remark: `${member} is exposed as an instant, and its zone is ambiguous` };
  }
  return instants.includes(sent) ? pass(`${member} is exposed as an instant`) : different(member, expected, read);
};

/** Compares a value that a client read with the expected one, by the kind of member. */
export const sameValue: Readonly<Record<GateReading, Same>> = {
  id: sameText('long'),
  truth: sameText('bool'),
  text: sameText('text'),
  date: sameDate,
  count: sameQuantity,
  amount: sameQuantity,
};

/** No verdict: the client may know the value, but its adapter does not report the value. */
export function notExposed(what: string): Finding {
  return { outcome: 'not-applicable', remark: `${what}: not exposed` };
}

/** A missing value is a failure if the client exposes this value in other answers. */
export function leftOut(what: string, exposes: ReadonlySet<string>, expected: string | boolean): Finding {
  return exposes.has(what) ? fail(`${what} ${expected}`, `no ${what}, unlike in other answers`) : notExposed(what);
}

export function worstOf(findings: readonly Finding[]): Finding | undefined {
  const failed = findings.find(({ outcome }) => outcome === 'fail');
  const passed = findings.filter(({ outcome }) => outcome === 'pass');
  return failed ?? passed.find(({ remark }) => remark !== undefined) ?? passed[0] ?? findings[0];
}

function different(member: string, expected: string | boolean, read: DecodedValue): Finding {
  return fail(`${member} ${expected}`, `${member} ${textOf(read)}`);
}

function textOf(value: DecodedValue): string {
  if ('long' in value) return value.long;
  return 'text' in value ? value.text : String(value.bool);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Offsets from UTC in minutes, for abbreviations that name only one time zone. */
const zones: ReadonlyMap<string, number> = new Map(Object.entries({ UTC: 0, GMT: 0, MSK: 180 }));

/** Milliseconds since the epoch. Undefined if the month is not English or the zone is ambiguous. */
function instantOf(date: string): number | undefined {
  const [, month = '', day, clock, zone = '', year] = date.split(' ');
  const offset = zones.get(zone) ?? offsetOf(zone.replace(/^(?:GMT|UTC)/, ''));
  const [hours, minutes, seconds] = (clock ?? '').split(':').map(Number);
  if (!months.includes(month) || offset === undefined || seconds === undefined) return undefined;
  return Date.UTC(Number(year), months.indexOf(month), Number(day), hours, minutes! - offset, seconds);
}

function instantsRead(text: string): number[] {
  if (/^-?\d{1,14}$/.test(text)) return [Number(text), Number(text) * 1000];
  // Java appends the name of the zone in brackets, so remove it.
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text.replace(/\[.*\]$/, ''));
  const instant = iso === null ? Number.NaN : Date.parse(iso[0].replace(' ', 'T'));
  return Number.isNaN(instant) ? [] : [instant];
}

function offsetOf(text: string): number | undefined {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(text);
  if (parts === null) return undefined;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return parts[1] === '-' ? -minutes : minutes;
}

export interface DecodingContext {
  readonly id: RequirementId;
  /** True if the client read no ordinary finished answer as finished. Then only `decodes-finished` fails. */
  readonly finishedUnread: boolean;
  /** True if the document leaves this answer open. A client may decline such an answer but must not misread it. */
  readonly open: boolean;
  /** Names of values that the client reports: members of gates, and values of errors in answers to this requirement. */
  readonly exposes: ReadonlySet<string>;
}

/** Judges one reading. Undefined if the reading is no evidence, for example because another requirement fails instead. */
export type DecodingReading = (
  decoded: Decoded,
  asked: DecodingQuestion,
  context: DecodingContext,
) => Finding | undefined;

/** Gives one verdict on each answer that tests the requirement, although the client gets the answer in several forms. */
export function judgeReading(read: DecodingReading): ClientJudge {
  return ({ id, cases }) => {
    const forms = formsOf(cases);
    const { readsNoFinished: finishedUnread, exposed } = decodingIn(cases);
    const questions = questionsFor(id, cases);
    const exposes = new Set([
      ...exposed,
      ...questions.flat().flatMap(({ call: { reply } }) => exposedBy(reply?.decoded)),
    ]);
    return questions.flatMap((asked) => {
      const readings = asked
        .filter(({ call: { label } }) => forms(label.decoding!.form))
        .flatMap((testCase): Verdict<ClientCase>[] => {
          const { decoding } = testCase.call.label;
          const context = { id, finishedUnread, open: isLeftOpen(testCase), exposes };
          const finding = findingOf(testCase, (decoded) => read(decoded, decoding!, context));
          return finding === undefined ? [] : [{ testCase, finding }];
        });
      const decided = decide(readings);
      return decided === undefined ? [] : [decided];
    });
  };
}

/** The cases that test the requirement. Each group has all forms of one answer. */
export function questionsFor(id: RequirementId, cases: readonly ClientCase[]): readonly (readonly ClientCase[])[] {
  return decodingIn(cases).questions.get(id) ?? [];
}

/** Values that all judges of decoding share. */
const decodingIn = memoize((cases: readonly ClientCase[]) => {
  const decoding = cases.filter(({ call: { label } }) => label.decoding !== undefined);
  const asked = decoding
    .filter(({ call: { label } }) => label.input !== 'probe')
    .flatMap((testCase) => [...new Set(testCase.call.label.decoding!.answers)].map((id) => ({ id, testCase })));
  const questionOf = ({ testCase: { label, scenario, call } }: (typeof asked)[number]) =>
    JSON.stringify([label.operation, scenario, call.label.decoding!.question]);
  const byId = [...groupBy(asked, ({ id }) => id)].map(([id, all]) => {
    const questions = [...groupBy(all, questionOf).values()];
    return [id, questions.map((same) => same.map(({ testCase }) => testCase))] as const;
  });
  return {
    questions: new Map<RequirementId, readonly (readonly ClientCase[])[]>(byId),
    readsNoFinished: readsNoFinished(decoding),
    readsJsonTypeAlone: findsJsonTypeAlone(decoding),
    exposed: new Set(
      decoding.flatMap(({ call: { reply } }) => (reply?.decoded?.kind === 'finished' ? exposedBy(reply.decoded) : [])),
    ),
  };
});

/** Names of the values in a reading. The code and message of an error are named like the parameters. */
function exposedBy(decoded: Decoded | undefined): string[] {
  if (decoded?.kind === 'finished') {
    return decoded.gates === undefined ? [] : ['gates', ...decoded.gates.flatMap((gate) => Object.keys(gate))];
  }
  if (decoded?.kind === 'parameters') return decoded.params.map(([name]) => name.replace(/^\n/, ''));
  if (decoded?.kind !== 'error') return [];
  const parts = { 'error-code': decoded.errorCode, 'error-message': decoded.errorMessage };
  return Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [name]));
}

/** Judges the reading of a case, or says why there is no reading. Undefined if the case is no evidence. */
export function findingOf(testCase: ClientCase, read: (decoded: Decoded) => Finding | undefined): Finding | undefined {
  const { exchanges } = testCase;
  const { reply, adapterFault, label, incomplete } = testCase.call;
  // If the client declined the input, the judge of the input reports that.
  if (label.about !== undefined && exchanges.length === 0) return undefined;
  // A client may wait forever for an endless body, so a timeout there is no finding.
  if (adapterFault?.code === 'timed-out' && label.misbehaviour === 'endless') return undefined;
  if (adapterFault !== undefined) return noReply(adapterFault);
  if (reply === undefined) return undefined;
  const unsent = exchanges.find(({ failure }) => failure?.kind === 'not-sent')?.failure;
  if (unsent !== undefined) return inconclusive(unsent.message);
  const reason = reply.reason ?? 'no reason given';
  if (reply.outcome === 'unsupported') return inconclusive(`unsupported: ${reason}`, 'configuration');
  if (reply.outcome === 'transport_error') {
    // The HTTP library of the client may refuse an invalid answer, which is a correct reading.
    if (label.decoding?.expected.kind === 'not-success' && exchanges.length > 0) return pass();
    return inconclusive(`transport error: ${reason}`, exchanges.length > 0 ? 'subject' : 'environment');
  }
  if (reply.outcome !== 'completed') return inconclusive(`${reply.outcome.replace('_', ' ')}: ${reason}`, 'subject');
  if (reply.decoded === undefined) return inconclusive('the adapter reported nothing decoded', 'configuration');
  // The local gateway refused the incomplete request, so the client never received the scripted answer.
  if (exchanges.length === 0 && incomplete !== undefined && !isSuccess(reply.decoded)) {
    return inconclusive(`the client got no answer, because the gateway received ${incomplete}`, 'subject');
  }
  const isSuccessLeftOpen = isLeftOpen(testCase) && label.decoding?.expected.kind !== 'not-success';
  if (isSuccessLeftOpen && reply.decoded.kind === 'undecodable') {
    return {
      outcome: 'not-applicable',
      remark: `the client declines an answer that the document leaves open: ${label.special}`,
    };
  }
  return read(reply.decoded);
}

/** True if a client may decline this answer. If the case tests an input, the client may decline only that input. */
function isLeftOpen({ call: { label } }: ClientCase): boolean {
  return label.input === 'hardening' && label.about === undefined;
}

function readsNoFinished(cases: readonly ClientCase[]): boolean {
  const plain = cases.filter(
    ({ call: { label, reply } }) =>
      reply?.decoded !== undefined && label.decoding?.answers.includes('close-day/decodes-finished') === true,
  );
  return plain.length > 0 && plain.every(({ call: { reply } }) => reply!.decoded!.kind !== 'finished');
}

/** True if the client reads JSON under application/json but never under text/html. */
export function readsJsonTypeAlone(cases: readonly ClientCase[]): boolean {
  return decodingIn(cases).readsJsonTypeAlone;
}

function findsJsonTypeAlone(cases: readonly ClientCase[]): boolean {
  const read = cases.filter(
    ({ call: { label, reply } }) =>
      label.decoding !== undefined && label.input !== 'probe' && reply?.decoded?.kind === label.decoding.expected.kind,
  );
  const under = (...forms: string[]) => read.some(({ call: { label } }) => forms.includes(label.decoding!.form));
  return under('json') && !under('unwrapped', 'wrapped');
}

/** Answers under text/html decide. But for a client that reads only application/json, answers under application/json decide. */
function formsOf(cases: readonly ClientCase[]): (form: DecodingQuestion['form']) => boolean {
  if (!readsJsonTypeAlone(cases)) return (form) => form !== 'json';
  return (form) => form !== 'unwrapped' && form !== 'wrapped';
}

/** The best reading decides. But if a failure was read as success in any form, that reading decides. */
function decide(readings: readonly Verdict<ClientCase>[]): Verdict<ClientCase> | undefined {
  const ofOutcome = (outcome: Finding['outcome']) => readings.filter(({ finding }) => finding.outcome === outcome);
  const mistaken = ofOutcome('fail').find(
    ({ testCase: { call } }) => isFailure(call.label.decoding!.expected) && isSuccess(call.reply!.decoded!),
  );
  const passed = ofOutcome('pass');
  const [best] = passed;
  if (mistaken !== undefined || best === undefined) {
    return mistaken ?? ofOutcome('fail')[0] ?? ofOutcome('inconclusive')[0] ?? ofOutcome('not-applicable')[0];
  }
  const remarks = passed.flatMap(({ finding }) => (finding.remark === undefined ? [] : [finding.remark]));
  const others = readings
    .filter((one) => !passed.includes(one))
    .map(({ testCase: { call }, finding: { actual } }) =>
      [call.label.special, ...(actual === undefined ? [] : [actual])].join(': '),
    );
  if (others.length > 0) remarks.push(`not read: ${others.join(', ')}`);
  return remarks.length === 0 ? best : { ...best, finding: pass([...new Set(remarks)].join('; ')) };
}
