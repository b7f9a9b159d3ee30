/** Judges the calls of a client group by group, all rows at a time: what was read of one group is let go before the next. Pure. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { ClientJudge, ClientQuestion, ClientVerdict } from '../checks/client/client-judge.ts';
import { clientJudges } from '../checks/client/index.ts';
import { byOpenPoint, type ClientObserved, observeClient } from '../checks/client/observe-client.ts';
import { disagreementsOnRequests } from '../checks/client/two-voices.ts';
import type { NumberedFinding } from '../conclusion/evidence.ts';
import { newRowFindings } from '../conclusion/row-findings.ts';
import type { ClientCase } from '../exchange/client-case.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { laterMembers } from '../exchange/later-parts.ts';
import { bodyLength, storedBodyOf } from '../exchange/stored-body.ts';
import type { Hazard } from '../result/hazard.ts';
import type { Observation } from '../result/result.ts';
import { hazardsIn, type SentCall, sentCall } from './hazards.ts';

export interface JudgedCalls {
  /** Throws what the judge of the row threw. */
  findingsOn(id: RequirementId): readonly NumberedFinding[];
  observations(): readonly Observation[];
  hazards(): readonly Hazard[];
}

type Keys = Pick<ClientQuestion, 'keysOf' | 'hasKeys'>;
type Numbers = ReadonlyMap<Exchange, number>;

/** `calls` are in the order of their numbers. */
export function judgeCalls(calls: readonly ClientCase[], ids: readonly RequirementId[], keys: Keys): JudgedCalls {
  const rows = new Map(ids.map((id) => [id, newRow()]));
  const observations = newObservations();
  const sent: SentCall[] = [];
  const heads: ClientCase[] = [];
  for (const { group, numbers } of groupsOf(calls)) {
    for (const call of group) heads.push(headOf(call, calls[heads.length]!));
    const verdictsOf = askedOnce(group, keys);
    for (const [id, { take }] of rows) {
      if (!judgeOf(id).eachAlone) continue;
      take(numbers, () => {
        const verdicts = verdictsOf(id);
        return {
          sent: verdicts.filter(({ exchange }) => exchange !== undefined),
          unsent: verdicts.filter(({ exchange }) => exchange === undefined),
          disagreements: disagreementsOnRequests(id, group, verdictsOf),
        };
      });
    }
    observations.take(numbers, observeClient(group));
    sent.push(...group.flatMap((call) => sentCall(call, numbers) ?? []));
  }
  const numbers = numbersFrom(1, heads);
  for (const [id, { take }] of rows) {
    if (!judgeOf(id).eachAlone) take(numbers, () => ({ sent: askedOnce(heads, keys)(id) }));
  }
  return {
    findingsOn: (id) => rows.get(id)!.all(),
    observations: observations.all,
    hazards: () => hazardsIn(sent),
  };
}

/** Calls that are judged at a time, and bytes of their requests: what was read of a batch takes many times what that has. */
const [groupSize, groupBytes] = [500, 1024 * 1024] as const;

/** What was read of an exchange is kept as long as that is: a group has copies, which nobody keeps, and all of them in memory. */
function* groupsOf(calls: readonly ClientCase[]) {
  let [first, bytes] = [1, 0];
  let group: ClientCase[] = [];
  for (const [index, call] of calls.entries()) {
    const copy = { ...call, asked: call.asked && { ...call.asked }, wire: call.wire.map(inMemory) };
    group.push(copy);
    for (const { request } of copy.wire) bytes += bodyLength(request);
    if (group.length < groupSize && bytes < groupBytes && index < calls.length - 1) continue;
    const numbers = numbersFrom(first, group);
    yield { group, numbers };
    first += numbers.size;
    [group, bytes] = [[], 0];
  }
}

function inMemory(exchange: Exchange): Exchange {
  const { request, ...rest } = exchange;
  return { ...rest, request: storedBodyOf(request) === undefined ? request : { ...request } };
}

/** What is judged of all calls together is judged by their heads, which are kept: bodies are read again where they are asked for. */
function headOf({ wire, ...copy }: ClientCase, call: ClientCase): ClientCase {
  return {
    ...copy,
    asked: call.asked,
    wire: wire.map(({ request, ...exchange }, index) => {
      const [file, place] = [(at: number) => call.wire[at]!, index];
      const head = laterMembers(request, ['body'], { file, place, part: (whole) => whole.request });
      return laterMembers({ ...exchange, request: head }, ['response'], { file, place, part: (whole) => whole });
    }),
  };
}

function numbersFrom(first: number, calls: readonly ClientCase[]): Numbers {
  return new Map(calls.flatMap(({ wire }) => wire).map((exchange, index) => [exchange, first + index]));
}

function judgeOf(id: RequirementId): ClientJudge {
  return clientJudges[id as keyof typeof clientJudges];
}

/** Some rows are asked for by others. */
function askedOnce(cases: readonly ClientCase[], keys: Keys): (id: RequirementId) => readonly ClientVerdict[] {
  const known = new Map<RequirementId, readonly ClientVerdict[]>();
  return (id) => {
    const verdicts = known.get(id) ?? judgeOf(id)({ id, cases, ...keys });
    known.set(id, verdicts);
    return verdicts;
  };
}

/** What requests show comes first, then what became of the calls without any, then what the schemas say otherwise. */
function newRow() {
  const parts = { sent: newRowFindings(), unsent: newRowFindings(), disagreements: newRowFindings() };
  let fault: { readonly cause: unknown } | undefined;
  return {
    take(numbers: Numbers, judge: () => Partial<Record<keyof typeof parts, readonly ClientVerdict[]>>): void {
      if (fault !== undefined) return;
      try {
        for (const [part, verdicts] of Object.entries(judge())) {
          for (const { finding, examined, exchange } of verdicts) {
            const exchanges = (exchange === undefined ? examined.wire : [exchange]).map((one) => numbers.get(one)!);
            parts[part as keyof typeof parts].add({ finding, exchanges });
          }
        }
      } catch (cause) {
        fault = { cause };
      }
    },
    all(): readonly NumberedFinding[] {
      if (fault !== undefined) throw fault.cause;
      return Object.values(parts).flatMap(({ all }) => all);
    },
  };
}

function newObservations() {
  const known = new Map<string, Pick<ClientObserved, 'openPoint' | 'value'> & { readonly exchanges: number[] }>();
  return {
    take(numbers: Numbers, observed: readonly ClientObserved[]): void {
      for (const { openPoint, value, exchanges } of observed) {
        const key = `${openPoint} ${value}`;
        const one = known.get(key) ?? { openPoint, value, exchanges: [] };
        known.set(key, one);
        for (const exchange of exchanges) one.exchanges.push(numbers.get(exchange)!);
      }
    },
    all: () => [...known.values()].sort(byOpenPoint),
  };
}
