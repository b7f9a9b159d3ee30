/** Cases of the planned questions, answered by a client that reads everything right or has a fault. */
import type { RequirementId } from '../../../../contracts/requirements/index.ts';
import type { ClientPlan } from '../../../../src/plan/scenario.ts';
import {
  type Call,
  type ClientCase,
  type ClientLabel,
  type ClientReply,
  clientCase,
  type Decoded,
  type DecodedGate,
  type DecodingQuestion,
} from '../../../../src/record/case.ts';
import { decodingJudges } from '../../../../src/rules/client/decoding.ts';
import type { Verdict } from '../../../../src/rules/judge.ts';
import { planned } from '../../plan/client/planned.ts';

export const decodingIds = Object.keys(decodingJudges) as (keyof typeof decodingJudges)[];

type Question = ClientLabel & { readonly decoding: DecodingQuestion };

/** Every judged question of the plans, read by `read`. Questions about an input count only with `exchanges`. */
export function readAll(
  read: (right: Decoded, label: Question, plan: ClientPlan) => Decoded,
  exchanges: ClientCase['exchanges'] = [],
): ClientCase[] {
  return planned.flatMap(({ scenario, plan }, number) => {
    const label = plan.label as Question;
    if (label.decoding === undefined) return [];
    const decoded = read(rightReading(label), label, plan);
    return [{ ...caseOf(scenario, number, label, { outcome: 'completed', decoded }), exchanges }];
  });
}

/** Every judged question with the same reply. */
export function replyToAll(
  reply: ClientReply | undefined,
  change: Partial<Call> = {},
  exchanges: ClientCase['exchanges'] = [],
): ClientCase[] {
  return planned.flatMap(({ scenario, plan: { label } }, number) =>
    label.decoding === undefined ? [] : [clientCase({ scenario, number, exchanges }, { label, reply, ...change })],
  );
}

export function verdictsOn(id: RequirementId, cases: readonly ClientCase[]): readonly Verdict<ClientCase>[] {
  return decodingJudges[id as keyof typeof decodingJudges]({ id, cases, keysOf: () => undefined, hasKeys: false });
}

/** Requirements with a verdict of that outcome. */
export function rowsWith(outcome: string, cases: readonly ClientCase[]): RequirementId[] {
  return decodingIds.filter((id) => verdictsOn(id, cases).some(({ finding }) => finding.outcome === outcome));
}

/** The reading of a client that reads everything right and exposes everything. */
function rightReading({ decoding: { expected, form }, operation }: Question): Decoded {
  switch (expected.kind) {
    case 'finished':
      return { ...expected, gates: expected.gates.map(exposed) };
    case 'refused':
      return { kind: 'refused', http_status: expected.httpStatus };
    case 'not-success':
      return { kind: 'undecodable', reason: `${operation}, ${form}` };
    default:
      return expected;
  }
}

const longs = ['gateId', 'epntId'];

function exposed(gate: Readonly<Record<string, string | boolean>>): DecodedGate {
  return Object.fromEntries(
    Object.entries(gate).map(([name, value]) => {
      if (typeof value === 'boolean') return [name, { bool: value }];
      return [name, longs.includes(name) ? { long: value } : { text: value }];
    }),
  );
}

function caseOf(scenario: string, number: number, label: ClientLabel, reply: ClientReply | undefined): ClientCase {
  return clientCase({ scenario, number, exchanges: [] }, { label, reply });
}
