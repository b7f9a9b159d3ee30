/** Pairs the gates that a client read with those that it was sent; their order is free (section 2.2). */
import type { DecodedGate } from '../../../record/client-case.ts';

export type ExpectedGate = Readonly<Record<string, string | boolean>>;

export interface GatePair {
  readonly read: DecodedGate;
  readonly expected: ExpectedGate;
}

/**
 * By gateId where the client has the same ids, else by position, as ids may be what it misread.
 * Undefined where gates are missing, too many, or one is in the place of another.
 */
export function pairGates(
  read: readonly DecodedGate[],
  expected: readonly ExpectedGate[],
): readonly GatePair[] | undefined {
  if (read.length !== expected.length || hasTwins(read)) return undefined;
  const byId = new Map(read.map((gate) => [idOf(gate), gate]));
  const sameIds = expected.every(({ gateId }) => byId.has(String(gateId)));
  return expected.map((gate, at) => ({ read: sameIds ? byId.get(String(gate.gateId))! : read[at]!, expected: gate }));
}

/** The gate that was read under the id of the expected one. */
export function gateById(read: readonly DecodedGate[], { gateId }: ExpectedGate): DecodedGate | undefined {
  return read.find((gate) => idOf(gate) === String(gateId));
}

/** Two gates equal in every member, among them an id: one gate that was read twice. */
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
