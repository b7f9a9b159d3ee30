/** Decides a question by the forms in which it was asked: of those that the document leaves open, a client need read only one. */

import type { RequirementId } from '../../../../contracts/requirements/index.ts';
import type { ClientCase, Decoded, DecodingQuestion } from '../../../record/client-case.ts';
import { memoize } from '../../../record/memoize.ts';
import { type Finding, inconclusive, noReply, pass } from '../../finding.ts';
import type { ClientJudge, ClientVerdict } from '../client-judge.ts';
import { isFailure, isSuccess } from './success.ts';

export interface DecodingContext {
  readonly id: RequirementId;
  /** Whether the client read none of the plain finished answers as such: the row of that then fails alone. */
  readonly finishedUnread: boolean;
  /** Whether the document leaves such an answer open: a client may decline it, and not misread it. */
  readonly open: boolean;
  /** What the client hands over in some answer: of gates in any at all, of failures in one about the row. */
  readonly exposes: ReadonlySet<string>;
}

/** What one reading says of the row; undefined where it says nothing, as when another row has to fail. */
export type DecodingReading = (
  decoded: Decoded,
  asked: DecodingQuestion,
  around: DecodingContext,
) => Finding | undefined;

/** Asks each question that answers the row once, whatever the number of its forms. */
export function judgeReading(read: DecodingReading): ClientJudge {
  return ({ id, cases }) => {
    const forms = formsOf(cases);
    const { readsNoFinished: finishedUnread, exposed } = decodingIn(cases);
    const questions = questionsFor(id, cases);
    const exposes = new Set([...exposed, ...questions.flat().flatMap(({ reply }) => exposedBy(reply?.decoded))]);
    return questions.flatMap((asked) => {
      const readings = asked
        .filter(({ label }) => forms(label.decoding!.form))
        .flatMap((examined): ClientVerdict[] => {
          const { decoding } = examined.label;
          const around = { id, finishedUnread, open: isLeftOpen(examined), exposes };
          const finding = findingOf(examined, (decoded) => read(decoded, decoding!, around));
          return finding === undefined ? [] : [{ examined, finding }];
        });
      const decided = decide(readings);
      return decided === undefined ? [] : [decided];
    });
  };
}

/** The cases that answer the row, those of one question together. */
export function questionsFor(id: RequirementId, cases: readonly ClientCase[]): readonly (readonly ClientCase[])[] {
  return [...(decodingIn(cases).questions.get(id)?.values() ?? [])];
}

interface DecodingCases {
  /** By row and by question. */
  readonly questions: ReadonlyMap<RequirementId, ReadonlyMap<string, readonly ClientCase[]>>;
  readonly readsNoFinished: boolean;
  readonly readsJsonTypeAlone: boolean;
  /** What it hands over of finished answers. */
  readonly exposed: ReadonlySet<string>;
}

const decodingIn = memoize(findDecoding);

function findDecoding(cases: readonly ClientCase[]): DecodingCases {
  const questions = new Map<RequirementId, Map<string, ClientCase[]>>();
  const decoding = cases.filter(({ label }) => label.decoding !== undefined);
  for (const examined of decoding) {
    const { operation, input } = examined.label;
    const { question, answers } = examined.label.decoding!;
    if (input === 'probe') continue;
    const key = JSON.stringify([operation, examined.scenario, question]);
    for (const id of new Set(answers)) {
      const ofRow = questions.get(id) ?? new Map<string, ClientCase[]>();
      questions.set(id, ofRow);
      const others = ofRow.get(key);
      if (others === undefined) ofRow.set(key, [examined]);
      else others.push(examined);
    }
  }
  return {
    questions,
    readsNoFinished: readsNoFinished(decoding),
    readsJsonTypeAlone: findsJsonTypeAlone(decoding),
    exposed: new Set(
      decoding.flatMap(({ reply }) => (reply?.decoded?.kind === 'finished' ? exposedBy(reply.decoded) : [])),
    ),
  };
}

/** Members of gates, parameters, and what there is of an error, under the names that parameters have. */
function exposedBy(decoded: Decoded | undefined): string[] {
  if (decoded?.kind === 'finished') {
    return decoded.gates === undefined ? [] : ['gates', ...decoded.gates.flatMap((gate) => Object.keys(gate))];
  }
  if (decoded?.kind === 'parameters') return decoded.params.map(([name]) => name.replace(/^\n/, ''));
  if (decoded?.kind !== 'error') return [];
  const parts = { 'error-code': decoded.errorCode, 'error-message': decoded.errorMessage };
  return Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [name]));
}

/** A finding about a case that may have no reading at all: then it says why, or nothing where nothing was asked. */
export function findingOf(examined: ClientCase, read: (decoded: Decoded) => Finding | undefined): Finding | undefined {
  const { reply, adapterFault, label, wire, incomplete } = examined;
  // That an input was declined is told where it is asked for.
  if (label.about !== undefined && wire.length === 0) return undefined;
  // Who waits for what never comes takes it for nothing; who breaks off because of it is another matter.
  if (adapterFault?.code === 'timed-out' && label.misbehaviour === 'endless') return undefined;
  if (adapterFault !== undefined) return noReply(adapterFault);
  if (reply === undefined) return undefined;
  const unsent = wire.find(({ failure }) => failure?.kind === 'not-sent')?.failure;
  if (unsent !== undefined) return inconclusive(unsent.message);
  const why = reply.reason ?? 'no reason given';
  if (reply.outcome === 'unsupported') return inconclusive(`unsupported: ${why}`, 'configuration');
  if (reply.outcome === 'transport_error') {
    // An answer that is none may be refused by the client's HTTP library already.
    if (label.decoding?.expected.kind === 'not-success' && wire.length > 0) return pass();
    return inconclusive(`transport error: ${why}`, wire.length > 0 ? 'subject' : 'environment');
  }
  if (reply.outcome !== 'completed') return inconclusive(`${reply.outcome.replace('_', ' ')}: ${why}`, 'subject');
  if (reply.decoded === undefined) return inconclusive('the adapter reported nothing decoded', 'configuration');
  // The server has refused what it could not read, and the answer in question was never given: not even misread.
  if (wire.length === 0 && incomplete !== undefined && !isSuccess(reply.decoded)) {
    return inconclusive(`the answer was not given, since what arrived is ${incomplete}`, 'subject');
  }
  const isSuccessLeftOpen = isLeftOpen(examined) && label.decoding?.expected.kind !== 'not-success';
  if (isSuccessLeftOpen && reply.decoded.kind === 'undecodable') {
    return { outcome: 'not-applicable', remark: `the client declines an answer that is left open: ${label.special}` };
  }
  return read(reply.decoded);
}

/** Whether the answer is one that a client may decline: in a case about its input, that may be declined and not the answer. */
function isLeftOpen({ label }: ClientCase): boolean {
  return label.input === 'hardening' && label.about === undefined;
}

function readsNoFinished(cases: readonly ClientCase[]): boolean {
  const plain = cases.filter(
    ({ label, reply }) =>
      reply?.decoded !== undefined && label.decoding?.answers.includes('close-day/decodes-finished') === true,
  );
  return plain.length > 0 && plain.every(({ reply }) => reply!.decoded!.kind !== 'finished');
}

/** Whether a client reads JSON under application/json, and no JSON at all under text/html. */
export function readsJsonTypeAlone(cases: readonly ClientCase[]): boolean {
  return decodingIn(cases).readsJsonTypeAlone;
}

function findsJsonTypeAlone(cases: readonly ClientCase[]): boolean {
  const read = cases.filter(
    ({ label, reply }) =>
      label.decoding !== undefined && label.input !== 'probe' && reply?.decoded?.kind === label.decoding.expected.kind,
  );
  const under = (...forms: string[]) => read.some(({ label }) => forms.includes(label.decoding!.form));
  return under('json') && !under('unwrapped', 'wrapped');
}

/**
 * Which forms decide. The documented content type is text/html; a client that is deaf to it breaks the row of that type
 * alone, and what else it reads shows in what it makes of application/json.
 */
function formsOf(cases: readonly ClientCase[]): (form: DecodingQuestion['form']) => boolean {
  if (!readsJsonTypeAlone(cases)) return (form) => form !== 'json';
  return (form) => form !== 'unwrapped' && form !== 'wrapped';
}

/** The best of the forms, but a failure that was read as success in any of them is never outweighed. */
function decide(readings: readonly ClientVerdict[]): ClientVerdict | undefined {
  const ofOutcome = (outcome: Finding['outcome']) => readings.filter(({ finding }) => finding.outcome === outcome);
  const mistaken = ofOutcome('fail').find(
    ({ examined: { reply, label } }) => isFailure(label.decoding!.expected) && isSuccess(reply!.decoded!),
  );
  const passed = ofOutcome('pass');
  const [best] = passed;
  if (mistaken !== undefined || best === undefined) {
    return mistaken ?? ofOutcome('fail')[0] ?? ofOutcome('inconclusive')[0] ?? ofOutcome('not-applicable')[0];
  }
  const remarks = passed.flatMap(({ finding }) => (finding.remark === undefined ? [] : [finding.remark]));
  const others = readings
    .filter((one) => !passed.includes(one))
    .map(({ examined: { label }, finding: { actual } }) => [label.special, ...(actual === undefined ? [] : [actual])])
    .map((said) => said.join(': '));
  if (others.length > 0) remarks.push(`not read: ${others.join(', ')}`);
  return remarks.length === 0 ? best : { ...best, finding: pass([...new Set(remarks)].join('; ')) };
}
