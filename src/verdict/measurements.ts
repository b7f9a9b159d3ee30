/** Derives from requests of `--measure` what a gateway accepts: limits as intervals, deviations in signatures. Pure. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import { credentialOf } from '../autopsy/facts.ts';
import { type DeviationId, deviationOf, searchedDeviations } from '../autopsy/index.ts';
import type { Case } from '../record/case.ts';
import { headerValues } from '../record/exchange.ts';
import { groupBy } from '../record/group-by.ts';
import {
  type DialectCard,
  formatInterval,
  type Measured,
  type MeasuredLimit,
  type Observation,
} from '../record/result/result.ts';
import type { NotSent } from '../record/run.ts';
import { wasAccepted } from '../rules/answers/acceptance.ts';

interface Limit {
  readonly id: string;
  readonly openPoint: OpenPointId;
  readonly unit: string;
  /** Set for a lower limit: a gateway refuses smaller values. */
  readonly isLower?: true;
  /** The lowest and the highest value that a case may have tested, because clocks show only whole seconds. */
  readonly range?: (testCase: Case, value: number) => readonly [number, number];
}

const limits: readonly Limit[] = [
  { id: 'timestamp-behind', openPoint: 'A3', unit: 'seconds behind the clock', range: behindRange },
  { id: 'timestamp-ahead', openPoint: 'A3', unit: 'seconds ahead of the clock', range: aheadRange },
  { id: 'nonces-remembered', openPoint: 'A3', unit: 'nonces remembered' },
  { id: 'request-id-longest', openPoint: 'A13', unit: 'characters of day_close_request_id at most' },
  { id: 'request-id-shortest', openPoint: 'A13', unit: 'characters of day_close_request_id at least', isLower: true },
  { id: 'order-id-longest', openPoint: 'A13', unit: 'characters of client-orderid at most' },
  { id: 'payment-id-longest', openPoint: 'A13', unit: 'characters of recurring-payment-id at most' },
  { id: 'payment-id-shortest', openPoint: 'A13', unit: 'characters of recurring-payment-id at least', isLower: true },
  { id: 'rows', openPoint: 'A23', unit: 'rows of a batch at most' },
  { id: 'body-bytes', openPoint: 'A23', unit: 'bytes of a body at most' },
];

/** Undefined if nothing was measured. `numberOf` gives the number of the exchange. */
export function measuredIn(
  cases: readonly Case[],
  notSent: readonly NotSent[],
  numberOf: (testCase: Case) => number,
): Measured | undefined {
  const measureCases = cases.filter(({ label }) => (label.measures ?? label.signedAs) !== undefined);
  if (measureCases.length === 0) return undefined;
  const notSentReason = (id: string) => (notSent.find(({ about }) => about === id) ?? notSent[0])?.reason;
  const body = limits.find(({ id }) => id === 'body-bytes')!;
  const { least: maxLength = Number.POSITIVE_INFINITY } = intervalOf(body, measureCases, undefined, numberOf);
  // Leave out bodies above `maxLength`: the gateway refuses them for their length, so they show no other limit.
  const usable = measureCases.filter(
    ({ label, exchanges: [{ request }] }) => label.measures?.limit === body.id || request.body.length <= maxLength,
  );
  return {
    limits: limits.map((limit) => intervalOf(limit, usable, notSentReason(limit.id), numberOf)),
    dialect: dialectOf(measureCases, notSent.find(({ about }) => about === 'dialect')?.reason, numberOf),
    requests: measureCases.length,
  };
}

/** The measured answers to open points. */
export function answersIn({ limits: found, dialect }: Measured): Observation[] {
  const limitAnswers = found
    .filter(({ least, most }) => least !== undefined || most !== undefined)
    .map((one) => ({ openPoint: one.openPoint, value: `${one.unit}: ${rounded(one)}`, exchanges: one.exchanges }));
  const dialectAnswers = (entries: DialectCard['follows'] = [], how: string) =>
    entries.map(({ deviation, exchanges }) => ({ openPoint: 'A1', value: `${deviation}: taken ${how}`, exchanges }));
  return [
    ...dialectAnswers(dialect?.follows, 'in place of RFC 5849'),
    ...dialectAnswers(dialect?.takes, 'beside RFC 5849'),
    ...limitAnswers,
  ];
}

/** Rounds seconds to tens, so that a difference of one second is not reported as another answer. */
function rounded({ unit, least, most }: MeasuredLimit): string {
  if (!unit.startsWith('seconds') || least === undefined || most === undefined) return formatInterval({ least, most });
  return `about ${10 * Math.round((least + most) / 20)}`;
}

function intervalOf(
  limit: Limit,
  measureCases: readonly Case[],
  unsentReason: string | undefined,
  numberOf: (testCase: Case) => number,
): MeasuredLimit {
  const { id, openPoint, unit } = limit;
  const own = measureCases.filter(({ label }) => label.measures?.limit === id);
  const common = { id, openPoint, unit, requests: own.length, exchanges: own.map(numberOf) };
  if (own.length === 0) return { ...common, reason: unsentReason ?? 'no request with the first value could be sent' };
  const found = id === 'nonces-remembered' ? nonceMemory(own) : bounds(limit, own);
  if ('reason' in found) return { ...common, ...found };
  const isUnanswered = own.some((testCase) => wasAccepted(testCase) === undefined);
  const cutReason = isUnanswered ? 'one of the requests was not answered' : unsentReason;
  const isWide = found.most === undefined || found.most - (found.least ?? found.most) > 1;
  return { ...common, ...found, reason: isWide ? cutReason : undefined };
}

type Bounds = Pick<MeasuredLimit, 'least' | 'most'> | { readonly reason: string };

function bounds({ isLower, range = (_, value) => [value, value] }: Limit, own: readonly Case[]): Bounds {
  const [first, last] = [own[0]!, own.at(-1)!];
  const start = first.label.measures!.value;
  if (wasAccepted(first) !== true) {
    return { reason: `a request with ${start} was not accepted, perhaps for a reason other than the limit` };
  }
  // At the end the run tries the first value again. If only the second try is refused, the value is not the reason.
  if (last.label.measures!.value === start && wasAccepted(last) === false) {
    const reason = `a request with ${start} was accepted at first and refused at the end, so the value is not the reason`;
    return { reason };
  }
  // To find a lower limit, search for the upper limit of the negated values.
  const ranges = (accepted: boolean) =>
    own
      .filter((testCase) => wasAccepted(testCase) === accepted)
      .map((testCase) => range(testCase, testCase.label.measures!.value))
      .map(([from, to]) => (isLower ? [-to, -from] : [from, to]) as readonly [number, number]);
  const least = Math.max(...ranges(true).map(([from]) => from));
  const refused = Math.min(...ranges(false).map(([, to]) => to));
  const most = Number.isFinite(refused) ? Math.max(least, refused - 1) : undefined;
  return isLower ? { least: most && -most, most: -least } : { least, most };
}

/** How many nonces a gateway remembers. A nonce that is accepted again becomes the newest and displaces the oldest. */
function nonceMemory(own: readonly Case[]): Bounds {
  const newNonces = own.filter(({ label }) => label.measures!.again !== true);
  if (newNonces.some((testCase) => wasAccepted(testCase) !== true)) {
    return { reason: 'a request with a new nonce was not accepted' };
  }
  let least = 0;
  let most: number | undefined;
  let acceptedAgain = 0;
  for (const testCase of own.filter(({ label }) => label.measures!.again === true)) {
    const older = newNonces.length - testCase.label.measures!.value + acceptedAgain;
    if (wasAccepted(testCase) === true) {
      most = Math.min(most ?? older, older);
      acceptedAgain += 1;
    } else if (wasAccepted(testCase) === false) least = Math.max(least, older + 1);
  }
  return { least, most };
}

// Minimum and maximum age of the timestamp, in seconds, when the gateway read the request.
// The gateway wrote the Date header after that, but at most `seconds` seconds later.
function behindRange({ exchanges: [{ request, response, startedAt, durationMs }] }: Case): readonly [number, number] {
  const seconds = Math.ceil(durationMs / 1000);
  const date = Date.parse(headerValues(response?.headers ?? [], 'date')[0] ?? '') / 1000;
  const from = Number.isFinite(date) ? date - seconds : Math.floor(startedAt / 1000);
  const timestamp = Number(credentialOf(request, 'oauth_timestamp'));
  return [from - timestamp, from + seconds - timestamp];
}

function aheadRange(testCase: Case): readonly [number, number] {
  const [from, to] = behindRange(testCase);
  return [-to, -from];
}

type SignedCase = Case & { readonly label: { readonly signedAs: NonNullable<Case['label']['signedAs']> } };

function dialectOf(
  measureCases: readonly Case[],
  unsentReason: string | undefined,
  numberOf: (testCase: Case) => number,
): DialectCard | undefined {
  const own = measureCases.filter((testCase): testCase is SignedCase => testCase.label.signedAs !== undefined);
  if (own.length === 0) return undefined;
  const follows = followedIn(own);
  if (follows === undefined) {
    const reason = unsentReason ?? 'the simplest request was not accepted with any of the tried signatures';
    const undetermined = searchedDeviations.map(({ id }) => id);
    return { follows: [], takes: [], refuses: [], undetermined, reason, requests: own.length };
  }
  const followed = new Set(follows.flat());
  const outcomes = new Map(own.map((testCase) => [keyOf(testCase), wasAccepted(testCase)]));
  // An answer counts only if the same request without the deviation was accepted.
  const usable = own.filter(
    ({ label: { signedAs } }) =>
      signedAs.as.length > 0 &&
      headsOf(signedAs.follows) === headsOf(follows) &&
      outcomes.get(`${signedAs.probe} ${headsOf(signedAs.follows)} `) === true,
  );
  const tried = attemptsIn(usable.filter((testCase) => wasAccepted(testCase) !== undefined));
  const refuses = [...tried].filter(([, attempts]) => attempts.some(({ isAccepted }) => !isAccepted)).map(([id]) => id);
  const accepted = new Map([...tried].filter(([id]) => !refuses.includes(id) && !followed.has(id)));
  const numbersOf = (id: string) => accepted.get(id)!.map(({ testCase }) => numberOf(testCase));
  return {
    follows: follows.map((ids) =>
      toEntry(ids, own.filter((one) => wasAccepted(one) && one.label.signedAs.as.includes(ids[0]!)).map(numberOf)),
    ),
    takes: groupWidest(accepted).map((ids) => toEntry(ids, numbersOf(ids[0]))),
    refuses,
    undetermined: searchedDeviations.map(({ id }) => id).filter((id) => !followed.has(id) && !tried.has(id)),
    reason: unsentReason,
    requests: own.length,
  };
}

function followedIn(own: readonly SignedCase[]): readonly (readonly string[])[] | undefined {
  const plain = own.filter(({ label: { signedAs } }) => signedAs.probe === own[0]!.label.signedAs.probe);
  const last = plain.findLast((testCase) => testCase.label.signedAs.as.length === 0 && wasAccepted(testCase) === true);
  return last?.label.signedAs.follows;
}

function attemptsIn(cases: readonly SignedCase[]) {
  const all = cases.flatMap((testCase) =>
    testCase.label.signedAs.as.map((id) => ({ id, testCase, isAccepted: wasAccepted(testCase) === true })),
  );
  return groupBy(all, ({ id }) => id);
}

/** Groups deviations with the same accepted requests. Drops a deviation if another has its requests and more. */
function groupWidest(accepted: ReturnType<typeof attemptsIn>): [string, ...string[]][] {
  const within = (one: string, other: string) =>
    accepted.get(one)!.every(({ testCase }) => accepted.get(other)!.some((tries) => tries.testCase === testCase));
  const ids = [...accepted.keys()];
  const rest = ids.filter((one) => !ids.some((other) => other !== one && within(one, other) && !within(other, one)));
  return [...groupBy(rest, (id) => rest.find((other) => within(id, other) && within(other, id))).values()];
}

function toEntry(
  [deviation = '', ...others]: readonly string[],
  exchanges: readonly number[],
): DialectCard['follows'][number] {
  const alternatives = others.length === 0 ? undefined : others;
  return { deviation, alternatives, means: deviationOf(deviation as DeviationId).developer, exchanges };
}

function keyOf({ label: { signedAs } }: SignedCase): string {
  return `${signedAs.probe} ${headsOf(signedAs.follows)} ${signedAs.as[0] ?? ''}`;
}

function headsOf(follows: readonly (readonly string[])[]): string {
  return JSON.stringify(follows.map(([head]) => head));
}
