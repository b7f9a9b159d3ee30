/** A re-keyed run, judged before and after: the copy is worth something only where both verdicts agree. And where a value of the original is left in it. */
import type { Case } from '../../record/case.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import { LeakError, scannerFor } from '../../run/secrets/scan.ts';
import type { Secret } from '../../run/secrets/secret.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { ConcludedRun } from '../../verdict/conclude.ts';
import { type JudgedRecordings, judgeRecordings } from '../../verdict/conclude.ts';
import type { Rekeyed } from './rekey.ts';

export interface RekeyedRun {
  /** The copy with its verdicts, as `countersign judge` comes to them without any keys. */
  readonly copy: ConcludedRun;
  /** Ids of the rows whose outcome is not that of the original. */
  readonly different: readonly string[];
}

export type Outcomes = ReadonlyMap<string, ResultRow['outcome']>;

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
  return {
    copy,
    different: copy.result.results.flatMap(({ id, outcome }) => (outcomes.get(id) === outcome ? [] : [id])),
  };
}

function rekeyedSubject(subject: Result['subject'], { text, host, target: url }: Rekeyed): Result['subject'] {
  const target = /^https?:\/\//.test(subject.target) ? url(subject.target) : subject.target;
  // Of a recording the name is that of its file.
  if (target === 'recording') return { ...subject, name: target };
  const name = subject.kind === 'gateway' && target !== subject.target ? host(subject.name) : text(subject.name);
  return { ...subject, name, target: text(target) };
}

/** The same refusal in the words of a copy. `cases` in the order of their numbers. */
export function leakInCopy(cause: LeakError, cases: readonly Case[], secrets: readonly Secret[]): LeakError {
  const place = placeIn(cases, secrets);
  if (place === undefined) return cause;
  return new LeakError(
    cause.code,
    `the copy would hold ${place}, so nothing is written`,
    'It is there in a form that rekey does not replace: take it out of the recording, or leave that exchange out.',
    cause,
  );
}

function placeIn(cases: readonly Case[], secrets: readonly Secret[]): string | undefined {
  const leaksIn = scannerFor(secrets);
  for (const [index, one] of cases.entries()) {
    for (const [place, value] of partsOf(one)) {
      const bytes = value instanceof Uint8Array ? value : Buffer.from(value);
      const [leak] = leaksIn({ name: place, bytes });
      if (leak !== undefined) return `${leak.secret}, in ${place} of exchange ${index + 1}`;
    }
  }
  return undefined;
}

function* partsOf({ exchanges: [exchange], ...noted }: Case): Generator<readonly [string, string | Uint8Array]> {
  const { request, response, failure } = exchange;
  yield ['the method, the host or the URL of the request', `${request.method} ${request.host} ${request.target}`];
  for (const [of, message] of Object.entries({ request, answer: response })) {
    for (const [index, [name, value]] of (message?.headers ?? []).entries()) {
      // A name may be what leaks.
      yield [`the name of header ${index + 1} of the ${of}`, name];
      yield [`the header ${name} of the ${of}`, value];
    }
    yield [`the body of the ${of}`, message?.body ?? ''];
  }
  yield ['the status line of the answer', response?.reason ?? ''];
  yield ['what is noted', JSON.stringify([noted, failure, exchange.connection])];
}
