/** The findings on one row of a long record: of what is said again and again only the numbers of the exchanges are kept. */
import type { Finding } from '../checks/finding.ts';
import type { NumberedFinding } from './evidence.ts';

/** Takes findings in their order. */
export interface RowFindings {
  add(found: NumberedFinding): void;
  /**
   * All of them. Texts are those of the first finding of each outcome, and of its first one with a remark: no report has
   * any other.
   */
  readonly all: readonly NumberedFinding[];
}

interface Kept {
  readonly finding: Finding;
  readonly exchanges: number[];
  times: number;
}

export function newRowFindings(): RowFindings {
  const all: Kept[] = [];
  const known = new Map<string, { readonly bare: Finding; hasRemark: boolean }>();
  const kept = (finding: Finding): Finding => {
    const { outcome, blame, remark, because } = finding;
    const key = `${outcome} ${blame} ${because?.text}`;
    const before = known.get(key);
    if (before !== undefined && (remark === undefined || before.hasRemark)) return before.bare;
    const bare = before?.bare ?? { outcome, blame, because };
    known.set(key, { bare, hasRemark: remark !== undefined });
    return finding;
  };
  return {
    all,
    add: ({ finding, exchanges, times = 1 }) => {
      const said = kept(finding);
      const last = all.at(-1);
      if (last?.finding !== said) all.push({ finding: said, exchanges: [...exchanges], times });
      else {
        for (const exchange of exchanges) last.exchanges.push(exchange);
        last.times += times;
      }
    },
  };
}
