/** How much of the contract two runs compared: nothing that broke says little where little was asked. Pure. */
import { countedWord } from '../../record/counted-word.ts';
import type { Result } from '../../record/result/result.ts';
import type { Compared, Share } from './difference.ts';

/** @param requirements those that bind, determined by both runs */
export function comparedIn(old: Result, fresh: Result, requirements: Share): Compared {
  const [before, now] = [pointsIn(old), pointsIn(fresh)];
  const both = [...before].filter((id) => now.has(id)).length;
  // A run that left nothing out asked all that its suite knew: what only the other one asks is new, or did not come up.
  const missing = (leftOut(fresh) ? before.size - both : 0) + (leftOut(old) ? now.size - both : 0);
  const [lets, letsNow] = [letThrough(old), letThrough(fresh)];
  const of = fresh.unnoticed?.of ?? old.unnoticed?.of;
  return {
    requirements,
    openPoints: { both, of: both + missing },
    ...(lets === undefined || letsNow === undefined
      ? {}
      : { defects: { unnoticed: new Set([...lets, ...letsNow]).size, ...(of === undefined ? {} : { of }) } }),
  };
}

export function isThin({ requirements, openPoints, defects }: Compared): boolean {
  return requirements.both < requirements.of || openPoints.both < openPoints.of || defects?.unnoticed !== 0;
}

/** `compared 100 of 100 requirements and 38 open points; both runs would notice 68 of 400 known defects`. */
export function comparedInWords({ requirements, openPoints, defects }: Compared): string {
  const points = openPoints.both < openPoints.of ? `${openPoints.both} of ` : '';
  const { unnoticed = 0, of = 0 } = defects ?? {};
  const noticed =
    defects === undefined
      ? 'which defects both runs would notice is not known'
      : `both runs would notice ${unnoticed === 0 ? 'every known defect' : `${of - unnoticed} of ${of} known defects`}`;
  return `compared ${requirements.both} of ${countedWord(requirements.of, 'requirement')} and ${points}${countedWord(openPoints.of, 'open point')}; ${noticed}`;
}

function pointsIn({ observations }: Result): Set<string> {
  return new Set(observations.flatMap(({ openPoint, confidence }) => (confidence === 'none' ? [] : [openPoint])));
}

export function isLiveTarget({ kind, target }: Result['subject']): boolean {
  return kind === 'gateway' && target !== 'mock' && target !== 'recording';
}

function leftOut({ scope, conclusion, effects }: Result): boolean {
  return scope !== undefined || conclusion === 'aborted' || (effects.notSent ?? []).length > 0;
}

/**
 * Ids of the known defects that the run lets through or may let through; undefined where its report does not know. A failure of
 * what is merely expected is no verdict on a run, and a comparison shows it.
 */
function letThrough({ subject, scope, conclusion, unnoticed, results }: Result): string[] | undefined {
  const isLive = isLiveTarget(subject);
  const shown = new Set(isLive ? [] : results.flatMap(({ outcome, provenBy }) => (outcome === 'pass' ? provenBy : [])));
  if (unnoticed !== undefined) {
    return [...unnoticed.groups.flatMap(({ defects }) => defects), ...unnoticed.notKnown].filter(
      (id) => !shown.has(id),
    );
  }
  return isLive || conclusion === 'aborted' || scope?.shard !== undefined ? undefined : [];
}
