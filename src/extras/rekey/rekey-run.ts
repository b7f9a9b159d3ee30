/** A whole run re-keyed, judged before and after: the copy is worth something only where both verdicts agree. */

import type { Result, ResultRow } from '../../record/result/result.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { ConcludedRun } from '../../verdict/conclude-gateway.ts';
import { type JudgedRecordings, judgeRecordings } from '../../verdict/recordings/judge-recordings.ts';
import type { Rekeyed } from './rekey-recordings.ts';

interface RekeyedRun {
  /** The copy with its verdicts, as `countersign judge` comes to them without any keys. */
  readonly copy: ConcludedRun;
  /** Ids of the rows whose outcome is not that of the original. */
  readonly different: readonly string[];
}

/** Outcome of each row by its id. */
type Outcomes = ReadonlyMap<string, ResultRow['outcome']>;

/** What the original is judged as. */
export function originalOutcomes(original: JudgedRecordings): Outcomes {
  const { result } = judgeRecordings(original);
  return new Map(result.results.map(({ id, outcome }) => [id, outcome]));
}

/** `original` is what was re-keyed, with the keys that it is judged with, and `outcomes` what it was judged as. Pure. */
export function judgeRekeyed(original: JudgedRecordings, outcomes: Outcomes, rekeyed: Rekeyed): RekeyedRun {
  const copy = judgeRecordings({
    ...original,
    header: {
      ...original.header,
      subject: rekeyedSubject(original.header.subject, rekeyed),
      startedAt: new Date(rekeyed.time(Date.parse(original.header.startedAt))).toISOString(),
    },
    recordings: rekeyed.recordings,
    keys: { hasKeys: original.keys.hasKeys, keysOf: publishedKeys },
  });
  return { copy, different: copy.result.results.filter((row) => outcomes.get(row.id) !== row.outcome).map(idOf) };
}

function idOf({ id }: ResultRow): string {
  return id;
}

/** A gateway is named by its address. */
function rekeyedSubject(subject: Result['subject'], { text, host, target: url }: Rekeyed): Result['subject'] {
  const target = /^https?:\/\//.test(subject.target) ? url(subject.target) : subject.target;
  // Of a recording the name is that of its file.
  if (target === 'recording') return { ...subject, name: target };
  const name = subject.kind === 'gateway' && target !== subject.target ? host(subject.name) : text(subject.name);
  return { ...subject, name, target: text(target) };
}
