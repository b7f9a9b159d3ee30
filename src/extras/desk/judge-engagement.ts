/** The verdicts on an engagement of the desk: the judges of clients on what was received, and words for what a desk cannot see. Pure. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import type { ClientRun } from '../../record/client-case.ts';
import { numberCalls } from '../../run/client/client-record.ts';
import { suite } from '../../run/options/suite-version.ts';
import { clientEvidence } from '../../verdict/client/client-evidence.ts';
import type { Evidence, NumberedFinding, Silence } from '../../verdict/evidence.ts';
import { finishRun } from '../../verdict/finish-run.ts';
import { provenBy } from '../../verdict/proven-by.ts';
import { clientCases } from './client-cases.ts';
import type { Judged } from './desk-service.ts';
import type { EngagementRecord } from './engagement.ts';
import { keysFor } from './signature-note.ts';

/** What nothing at the desk can show, and why. */
const unseen: Readonly<Record<string, string>> = {
  'authentication/uri-host-case':
    'the host was never written with capital letters: point the client at LocalHost to show it',
  'authentication/uri-default-port': 'the base URL of an engagement names no default port',
  'close-day/environment-independent': 'the desk cannot start the client in another environment',
  'recurring/environment-independent': 'the desk cannot start the client in another environment',
};

/** The result of everything that counts; at best `partial`, since the client's understanding cannot be seen. */
export function judgeEngagement(record: EngagementRecord): Judged {
  const { engagement } = record;
  const client: ClientRun = { calls: clientCases(record), skipped: [] };
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const startedAt = client.calls[0]?.wire[0]?.startedAt ?? engagement.createdAt;
  const last = client.calls.at(-1)?.wire[0];
  const result = finishRun({
    header: {
      suite,
      subject: { kind: 'client', name: engagement.name, target: 'desk' },
      runId: `${engagement.id}-${record.version}`,
      profile: 'rfc5849',
      seed: 'desk',
      startedAt: new Date(startedAt).toISOString(),
      durationMs: last === undefined ? 0 : Math.max(0, last.startedAt + last.durationMs - startedAt),
      reproduce: 'npx countersign desk',
      effects: { predicted: nothing, recorded: nothing },
      notes: notesOf(record),
    },
    only: [],
    planned: [],
    records: [{ scenario: 'desk', cases: client.calls, suiteErrors: [] }],
    evidence: atTheDesk(clientEvidence(client, keysFor(engagement)), record),
    provenBy: provenBy('client'),
  });
  // There is no command that would repeat a single row of what a person did.
  const results = result.results.map(({ repeat: _, ...row }) => row);
  return { result: { ...result, results }, cases: numberCalls(client.calls).cases, client };
}

function atTheDesk(evidence: Evidence, { engagement }: EngagementRecord): Evidence {
  return {
    ...evidence,
    judge: (id: RequirementId) => whatIsKnown(evidence.judge(id)),
    whySilent: (row) => whySilent(row, engagement.operations),
  };
}

/** A request outside of the plan, of which it is not known what was meant, takes nothing from what steps of the plan have shown. */
function whatIsKnown(findings: readonly NumberedFinding[]): readonly NumberedFinding[] {
  const known = findings.filter(
    ({ finding }) => finding.outcome !== 'inconclusive' || finding.blame !== 'configuration',
  );
  return known.length > 0 ? known : findings;
}

function whySilent(row: Requirement, operations: readonly string[]): Silence | undefined {
  if (row.operation !== 'both' && !operations.includes(row.operation)) {
    return { outcome: 'not-applicable', reason: `the engagement is not about ${row.operation}` };
  }
  const reason = row.dimension === 'response-decoding' ? 'decoding is not observed at the desk' : unseen[row.id];
  if (reason !== undefined) return { outcome: 'inconclusive', blame: 'configuration', actual: reason };
  if (row.condition !== undefined) return undefined;
  return { outcome: 'inconclusive', blame: 'configuration', actual: 'no request has shown it yet' };
}

/** What a person reported is kept apart from what was judged. */
function notesOf({ reported, skipped, superseded, unread }: EngagementRecord): readonly string[] {
  const said = (what: string) => [...reported].filter(([, one]) => one === what).map(([step]) => step);
  const showed = said('showed');
  const not = said('did-not-show');
  return [
    'What the client understood of the answers was not observed.',
    ...(showed.length === 0 ? [] : [`Reported by the person, not judged: shown at ${showed.join(', ')}.`]),
    ...(not.length === 0 ? [] : [`Reported by the person, not judged: not shown at ${not.join(', ')}.`]),
    ...(skipped.size === 0 ? [] : [`Steps that were skipped: ${[...skipped].join(', ')}.`]),
    ...(superseded.size === 0 ? [] : [`${superseded.size} earlier exchanges were replaced by later ones.`]),
    ...unread.map(({ reason }) => `Not recorded: ${reason}.`),
  ];
}
