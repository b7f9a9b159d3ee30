/** Judges calls that a person made: there was no run with scenarios, and no command repeats one. Pure. */
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { type ClientRun, perExchange } from '../../record/case.ts';
import type { Result } from '../../record/result/result.ts';
import { suite } from '../../run/options/suite-version.ts';
import type { NoVerdict, NumberedFinding } from '../evidence.ts';
import { finishRun, type RunRecord } from '../finish-run.ts';
import { provenBy } from '../forecast/by-requirements.ts';
import { clientEvidence, type KnownKeys } from './client-evidence.ts';

interface JudgedCalls {
  readonly header: Omit<RunRecord['header'], 'suite'>;
  readonly client: ClientRun;
  readonly keys: KnownKeys;
  /** Why nothing was found on a requirement. */
  noVerdictReason(row: Requirement): NoVerdict | undefined;
}

/** The result, with the exchanges in the order of their numbers. */
export function judgeCalls({ header, client, keys, noVerdictReason }: JudgedCalls) {
  const evidence = clientEvidence(client, keys);
  const { results, ...result }: Result = finishRun({
    header: { suite, ...header },
    only: [],
    planned: [],
    records: [{ scenario: header.seed, cases: client.calls, suiteErrors: [] }],
    evidence: { ...evidence, judge: (id) => whatIsKnown(evidence.judge(id)), noVerdictReason },
    provenBy: provenBy('client'),
  });
  return {
    result: { ...result, results: results.map(({ repeat: _, ...row }) => row) },
    cases: perExchange(client.calls),
  };
}

/** A call of which it is not known what was meant takes nothing from what the others have shown. */
function whatIsKnown(findings: readonly NumberedFinding[]): readonly NumberedFinding[] {
  const known = findings.filter(
    ({ finding }) => finding.outcome !== 'inconclusive' || finding.blame !== 'configuration',
  );
  return known.length > 0 ? known : findings;
}
