/** The gates of a scenario's mock: drawn, so that no judge learns one gateway's numbers by heart. Pure. */
import fc from 'fast-check';
import { type DrawnGate, edgeGateResult, validGateResult } from '../../../generators/gate-result.ts';
import { defaultWorld, type MockGate, newGate, type WorldOptions } from '../../mock/state.ts';
import { scenarioSeed } from '../../plan/seed.ts';

/** Drawn gates beside those of the default world at the endpoint with several. */
const further = 5;

/**
 * The endpoints of the default world; with the seed of a run, the gate of the open one has a drawn id and drawn totals, and
 * further drawn gates are at the one with several; one endpoint more is that of another consumer. The same seed and scenario give the same gates.
 */
export function mockEndpoints(seed: string, scenarioId: string): NonNullable<WorldOptions['endpoints']> {
  const byDefault = Object.fromEntries([...defaultWorld().endpoints].map(([id, { gates }]) => [id, gates]));
  const several = byDefault['1114']!;
  const [open, ...others] = drawnGates(scenarioSeed(seed, `${scenarioId} gates`), several);
  return {
    ...byDefault,
    '1111': [asGate(open!, '1111')],
    '1114': [...several, ...others.map((gate) => asGate(gate, '1114'))],
    '1115': [{ ...newGate('7104', '1115'), consumerKey: 'another-consumer' }],
  };
}

type Decoded = NonNullable<DrawnGate['decoded']>;

/** Gates that are not locked, each with an id of its own. A locked one would be another situation (section 3). */
function drawnGates(seed: number, taken: readonly MockGate[]): readonly Decoded[] {
  const ids = new Set(taken.map(({ gateId }) => gateId));
  const free = fc
    .oneof(validGateResult, edgeGateResult)
    .filter(({ label, value: { decoded } }) => label.kind === 'valid' && decoded?.isDayClosing === false)
    .map(({ value }) => value.decoded!)
    .filter(({ gateId }) => !ids.has(gateId));
  const drawn = fc.uniqueArray(free, {
    minLength: 1 + further,
    maxLength: 1 + further,
    selector: (gate) => gate.gateId,
  });
  return fc.sample(drawn, { seed, numRuns: 1 })[0]!;
}

function asGate(gate: Decoded, endpointId: string): MockGate {
  return newGate(gate.gateId, endpointId, 'open', {
    saleApprovedCount: Number(gate.saleApprovedCount),
    saleAmount: gate.saleAmount,
    reversalApprovedCount: Number(gate.reversalApprovedCount),
    reversalAmount: gate.reversalAmount,
  });
}
