/** A whole run re-keyed, judged before and after: the copy is worth something only where both verdicts agree. */

import type { ConcludedRun } from '../conclusion/conclude-gateway.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { laterRequest } from '../exchange/later-parts.ts';
import type { Result, ResultRow } from '../result/result.ts';
import { publishedKeys } from '../target/published-keys.ts';
import { type JudgedRecordings, judgeRecordings } from './judge-recordings.ts';
import { newKeptParts } from './kept-exchanges.ts';
import type { Recording } from './recording.ts';
import type { Rekeyed } from './rekey-recordings.ts';

export interface RekeyedRun {
  /** The copy with its verdicts, as `countersign judge` comes to them without any keys. */
  readonly copy: ConcludedRun;
  /** Ids of the rows whose outcome is not that of the original. */
  readonly different: readonly string[];
}

/** Outcome of each row by its id. */
export type Outcomes = ReadonlyMap<string, ResultRow['outcome']>;

/** What the original is judged as. To be called before it is re-keyed: judging takes memory of its own, and so does what is made of it. */
export function originalOutcomes(original: JudgedRecordings): Outcomes {
  const { result } = judgeRecordings({ ...original, recordings: original.recordings.map((one) => atHand(one)) });
  return new Map(result.results.map(({ id, outcome }) => [id, outcome]));
}

/** `original` is what was re-keyed, with the keys that it is judged with, and `outcomes` what it was judged as. Pure. */
export function judgeRekeyed(original: JudgedRecordings, outcomes: Outcomes, rekeyed: Rekeyed): RekeyedRun {
  const inFile = new Map<Exchange, Exchange>();
  const judged = judgeRecordings({
    ...original,
    header: {
      ...original.header,
      subject: rekeyedSubject(original.header.subject, rekeyed),
      startedAt: new Date(rekeyed.time(Date.parse(original.header.startedAt))).toISOString(),
    },
    recordings: rekeyed.recordings.map((one) => atHand(one, inFile)),
    keys: { hasKeys: original.keys.hasKeys, keysOf: publishedKeys },
  });
  // What is written is read from the file again: writing takes memory of its own.
  const cases = judged.cases.map((one) => ({ ...one, exchange: inFile.get(one.exchange) ?? one.exchange }));
  const copy = { ...judged, cases };
  return { copy, different: copy.result.results.filter((row) => outcomes.get(row.id) !== row.outcome).map(idOf) };
}

/**
 * For each requirement all answers of a gateway are looked at: they are in memory meanwhile. Its requests, which are longer, are read
 * from the file where one is asked for. Requests of clients are judged group by group. `inFile` gets the exchange that each was made from.
 */
function atHand(recording: Recording, inFile?: Map<Exchange, Exchange>): Recording {
  const kept = newKeptParts();
  const messagesAt = (place: number) => ({ exchange: recording.cases[place]!.exchange });
  const cases = recording.cases.map((one, place) => {
    const { response } = one.exchange;
    const answered = { ...one.exchange, response: response && kept.response(response) };
    const exchange = laterRequest(answered, messagesAt, place);
    inFile?.set(exchange, one.exchange);
    return { ...one, exchange };
  });
  return { ...recording, cases };
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
