/** Answers whose gates a generator made: every named edge, and as many others as the run asks for (section 2.2). */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { type DrawnGate, gateResultEdges, validGateResult } from '../../../generators/gate-result.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import { finishedWith, serial } from './answers.ts';
import type { ClientDraw, ClientPlan } from './client-scenario.ts';
import { htmlQuestion } from './questions.ts';

export const gateRowIds = [
  'close-day/decodes-gate-id',
  'close-day/decodes-gate-is-day-closing',
  'close-day/decodes-gate-close-date',
  'close-day/decodes-gate-epnt-id',
  'close-day/decodes-gate-sale-approved-count',
  'close-day/decodes-gate-sale-amount',
  'close-day/decodes-gate-reversal-approved-count',
  'close-day/decodes-gate-reversal-amount',
  'close-day/decodes-gate-code39',
  'close-day/decodes-gate-rrn',
] as const satisfies readonly TestableId<'client'>[];

export const finishedRows = [
  'close-day/decodes-finished',
  'close-day/decodes-text-html',
  'close-day/decodes-gates',
  'close-day/decodes-serial',
] as const satisfies readonly TestableId<'client'>[];

/** Of answers with a locked gate; that it is locked, and there at all, is a row of its own. */
export const lockedRows = [
  'close-day/decodes-locked-gate',
  'close-day/decodes-gates',
  'close-day/decodes-serial',
  ...gateRowIds,
] as const satisfies readonly TestableId<'client'>[];

/** Gates of one generated answer: of locked ones fewer, since a gate that is lost has a row of its own. */
const gatesInAnswer = { free: 5, locked: 2 } as const;

/** Each edge alone in its answer. */
export function gateEdges(): ClientPlan[] {
  return gateResultEdges.flatMap((edge) => {
    const { decoded, text } = edge.value;
    return decoded === undefined
      ? []
      : answered(`a gate: ${edge.edge}`, rowsOf(edge), [{ decoded, text }], isOpen(edge));
  });
}

/** Free and locked gates apart: the latter have a row more. */
export function generatedGates(draw: ClientDraw): ClientPlan[] {
  const drawn = new Map<string, Required<DrawnGate>>();
  for (const { value } of draw.values(validGateResult, draw.cases)) {
    if (value.decoded !== undefined) drawn.set(value.decoded.gateId, { ...value, decoded: value.decoded });
  }
  return [...inAnswers('free', [...finishedRows, ...gateRowIds], drawn), ...inAnswers('locked', lockedRows, drawn)];
}

function inAnswers(
  state: 'free' | 'locked',
  answers: readonly TestableId<'client'>[],
  drawn: ReadonlyMap<string, Required<DrawnGate>>,
): ClientPlan[] {
  const gates = [...drawn.values()].filter(({ decoded }) => decoded.isDayClosing === (state === 'locked'));
  const size = gatesInAnswer[state];
  return Array.from({ length: Math.ceil(gates.length / size) }, (_, at) => {
    const some = gates.slice(at * size, (at + 1) * size);
    return answered(`generated ${state} gates ${at + 1}`, answers, some, false);
  }).flat();
}

/** Of open edges those of the date have a row that they may not spoil; the others are looked at alone. */
function rowsOf({ label, value: { decoded, text } }: Labelled<DrawnGate>): readonly TestableId<'client'>[] {
  if (label.kind === 'open') return label.openPoint === 'A11' ? ['close-day/decodes-gate-close-date'] : [];
  const members = Object.keys(JSON.parse(text) as object);
  if (members.some((member) => !(member in decoded!))) return ['close-day/decodes-extra-members'];
  return decoded!.isDayClosing ? lockedRows : [...finishedRows, ...gateRowIds];
}

function isOpen({ label }: Labelled<unknown>): boolean {
  return label.kind === 'open';
}

function answered(
  question: string,
  answers: readonly TestableId<'client'>[],
  gates: readonly Required<DrawnGate>[],
  open: boolean,
): ClientPlan[] {
  const expected = { kind: 'finished', serial, gates: gates.map(({ decoded }) => ({ ...decoded })) } as const;
  const body = finishedWith(gates.map(({ text }) => text));
  return htmlQuestion({ question, answers, expected, ...(open ? { open } : {}) }, body);
}
