/** Keeps what a `--path` asks for: the one generated case that it names, and its twin. Pure. */
import type { PlannedCase } from '../../plan/scenario.ts';

/** The generated cases and the twins that they name, numbered anew; nothing where none is generated. */
export function onlyGenerated(planned: readonly PlannedCase[]): readonly PlannedCase[] {
  const generated = planned.flatMap((plan, number) => (plan.generated === undefined ? [] : [number]));
  const twins = generated.map((number) => planned[number]!.label.twin);
  const kept = [...new Set([...generated, ...twins])].filter((number) => number !== undefined).sort((a, b) => a - b);
  return kept.map((number) => {
    const plan = planned[number]!;
    const { twin } = plan.label;
    return twin === undefined ? plan : { ...plan, label: { ...plan.label, twin: kept.indexOf(twin) } };
  });
}
