/** Which defects a run notices, and which known mistakes explain its failures, by shown-by.json. Pure. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Case, CaseLabel } from '../../record/case.ts';
import { groupBy } from '../../record/group-by.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Cause, ResultRow } from '../../record/result/result.ts';
import type { Side } from '../../record/run.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import type { LiveConfig, LiveRun } from '../../run/target/live-config.ts';
import table from './shown-by.json' with { type: 'json' };

export interface Witnesses {
  /** Keys of cases that show the defect without another case. */
  readonly direct: readonly string[];
  /** Keys of cases that show the defect only if the gateway also accepts a valid request of the operation. */
  readonly withAccepted: readonly string[];
  /** Keys of cases that show the defect only in some runs, depending on random values or earlier requests. */
  readonly sometimes: readonly string[];
}

interface DefectTable {
  readonly cases: ReadonlySet<string>;
  readonly defects: ReadonlyMap<string, ReadonlyMap<string, Witnesses>>;
}

interface KnownDefect {
  readonly id: string;
  readonly operation: Operation | 'both';
  readonly breaks: readonly string[];
}

/** The content of shown-by.json, with defects by id. `npm run prove -- --write` makes the file. */
export interface StoredDefects {
  readonly cases: readonly string[];
  readonly gateway: Readonly<Record<string, StoredGatewayDefect>>;
  readonly client: Readonly<Record<string, Pick<KnownDefect, 'operation' | 'breaks'>>>;
}

interface StoredGatewayDefect extends Pick<KnownDefect, 'operation'> {
  readonly summary: string;
  /** By the requirement that the defect breaks. The texts are indexes of `cases`: `3 5-8` means 3, 5, 6, 7 and 8. */
  readonly shows: Readonly<Record<string, readonly [direct: string, withAccepted: string, sometimes: string]>>;
}

const stored = table as unknown as StoredDefects;

/** Known defects of gateways and clients. `npm run prove` tests what each defect breaks. */
export const knownDefects: Readonly<Record<Side, readonly KnownDefect[]>> = {
  gateway: Object.entries(stored.gateway).map(([id, { operation, shows }]) => ({
    id,
    operation,
    breaks: Object.keys(shows),
  })),
  client: Object.entries(stored.client).map(([id, rest]) => ({ id, ...rest })),
};

/** The cases that show each defect of a gateway. Expands the ranges on first use, because the expansion takes time. */
export function defectTable(): DefectTable {
  return expand(stored);
}

const expand = memoize(({ cases, gateway }: StoredDefects): DefectTable => {
  const keys = (ranges: string) =>
    ranges.split(' ').flatMap((range) => {
      if (range === '') return [];
      const [first = 0, last = first] = range.split('-').map(Number);
      return cases.slice(first, last + 1);
    });
  const witnesses = Object.entries(gateway).map(([defect, { shows }]) => {
    const rows = Object.entries(shows).map(([row, [direct, withAccepted, sometimes]]) => {
      return [row, { direct: keys(direct), withAccepted: keys(withAccepted), sometimes: keys(sometimes) }] as const;
    });
    return [defect, new Map(rows)] as const;
  });
  return { cases: new Set(cases), defects: new Map(witnesses) };
});

/** Which defects a run with the cases `sent` notices. `binding`: requirements that can make it non-conformant. */
export function noticedBy(sent: ReadonlySet<string>, binding: ReadonlySet<string>, table: DefectTable = defectTable()) {
  // The table lacks requests with random or configured values. So it is unknown which defects these requests show.
  const unlisted = new Set([...sent].filter((key) => !table.cases.has(key)).map((key) => key.split('|')[2]));
  const found = { noticed: [] as string[], unnoticed: [] as string[], notKnown: [] as string[] };
  for (const [id, all] of table.defects) {
    const rows = [...all].filter(([row]) => binding.has(row));
    if (rows.some(([, witnesses]) => certainKeys(witnesses, sent).length > 0)) found.noticed.push(id);
    else if (rows.some(([row, { sometimes }]) => unlisted.has(row) || sometimes.some((key) => sent.has(key))))
      found.notKnown.push(id);
    else found.unnoticed.push(id);
  }
  return found;
}

/** The keys of the sent cases that certainly show the defect. */
export function certainKeys(
  { direct, withAccepted }: Pick<Witnesses, 'direct' | 'withAccepted'>,
  sent: ReadonlySet<string>,
): string[] {
  return [
    ...direct.filter((key) => sent.has(key)),
    ...withAccepted.filter((key) => sent.has(key) && sent.has(acceptedKey(operationIn(key)))),
  ];
}

function operationIn(key: string): Operation {
  const [, operation = ''] = key.split('|');
  return operation in operations ? (operation as Operation) : 'close-day';
}

export function keysOfCases(cases: readonly Case[]): Set<string> {
  const keys = new Set<string>();
  for (const testCase of cases) {
    const { scenario, label } = testCase;
    const [exchange] = testCase.exchanges;
    if (exchange.response === undefined) continue;
    keys.add(caseKey(scenario, label.operation, label));
    if (label.intent === 'valid' && classify(testCase) === 'accepted') keys.add(acceptedKey(label.operation));
  }
  return keys;
}

/** If doctor sends requests to `unknownEndpointId`, adds `unknownEndpointKey` to `keys`. */
export function withUnknownEndpoint(
  keys: Set<string>,
  { config, accepted }: { readonly config: Pick<LiveConfig, 'unknownEndpointId'> } & Pick<LiveRun, 'accepted'>,
): Set<string> {
  return config.unknownEndpointId === undefined && accepted === undefined ? keys : keys.add(unknownEndpointKey);
}

/** Cases with the same key test the same thing, such as all generated cases of a scenario. */
export function caseKey(
  scenario: string,
  operation: Operation,
  { about, openPoint, differsIn }: Pick<CaseLabel, 'about' | 'openPoint' | 'differsIn'>,
): string {
  return [scenario, operation, about ?? '', openPoint ?? '', differsIn ?? ''].join('|');
}

/** The key of an accepted valid request of the operation. Without such a request, refusals prove nothing. */
export function acceptedKey(operation: Operation): string {
  return `${operation}|accepted`;
}

/** Key of the unsigned request that doctor sends to an endpoint id that does not exist, before the first case. */
export const unknownEndpointKey = 'unknown endpoint|unsigned';

/** Maximum number of mistakes that explain a run. More mistakes could explain any run, so they would prove nothing. */
const maxMistakes = 3;
/** If more mistakes than this explain the same failures, the report omits all of them: a long list does not help. */
const maxEqual = 2;
/** Requirements that depend on earlier requests. They are ignored, because these requests differ from run to run. */
const dependsOnOrder = /-reused-nonce-refused$/;

type Pair = `${string} ${string}`;
type Candidate = NonNullable<ReturnType<typeof fit>>;

/** Finds known mistakes that explain all failures of an operation in one dimension, such as `signing`. */
export function knownMistakes(failing: readonly ResultRow[], cases: readonly Case[]): readonly Cause[] {
  const failures = new Map<Pair, number[]>();
  for (const { id, exchanges } of failing.filter((row) => !dependsOnOrder.test(row.id))) {
    for (const number of exchanges) {
      const { scenario, label } = cases[number - 1]!;
      const pair: Pair = `${id} ${caseKey(scenario, label.operation, label)}`;
      failures.set(pair, [...(failures.get(pair) ?? []), number]);
    }
  }
  const sent = keysOfCases(cases);
  const candidates = [...defectTable().defects].flatMap(([id, witnesses]) => fit(id, witnesses, failures, sent) ?? []);
  const { found, left: remaining } = pickMistakes(new Set(failures.keys()), candidates);
  const unexplained = new Set([...remaining].map((pair) => areaOf(requirementIn(pair))));
  return found
    .filter((group) => group.length <= maxEqual)
    .filter(([{ requirements }]) => ![...requirements].some((id) => unexplained.has(areaOf(id))))
    .map((group) => causeOf(group, failures, cases, sent))
    .filter(({ exchanges }) => exchanges.length > 1);
}

function fit(
  id: string,
  witnesses: ReadonlyMap<string, Witnesses>,
  failures: ReadonlyMap<Pair, unknown>,
  sent: ReadonlySet<string>,
) {
  const rows = [...witnesses].filter(([row]) => !dependsOnOrder.test(row));
  const requirements = new Set(rows.map(([row]) => row));
  const pairs = (keysOf: (one: Witnesses) => readonly string[]) =>
    rows.flatMap(([row, one]) => keysOf(one).map((key): Pair => `${row} ${key}`));
  const certain = new Set(pairs((one) => certainKeys(one, sent)));
  if ([...certain].some((pair) => !failures.has(pair))) return undefined;
  const matched = new Set([...certain, ...pairs(({ sometimes }) => sometimes)].filter((pair) => failures.has(pair)));
  if (matched.size === 0) return undefined;
  // Also count failures that the table cannot list: cases with random values, or cases about another requirement.
  const unlisted = [...failures.keys()].filter((pair) => {
    const row = requirementIn(pair);
    const key = pair.slice(row.length + 1);
    return requirements.has(row) && (!defectTable().cases.has(key) || key.split('|')[2] !== row);
  });
  const failing = new Set([...failures.keys()].map(requirementIn));
  const passing = requirements.size - common(requirements, failing).length;
  return { id, requirements, passing, certain, explained: new Set([...matched, ...unlisted]) };
}

// Repeatedly picks the mistake that explains most of the remaining failures. It must explain at least three of them
// if it breaks the same requirement as an earlier mistake, because two failures may be chance.
function pickMistakes(failures: ReadonlySet<Pair>, candidates: readonly Candidate[]) {
  const rest = new Set(failures);
  const found: [Candidate, ...Candidate[]][] = [];
  while (rest.size > 0 && found.length < maxMistakes) {
    const [best, ...others] = candidates
      .map((one) => ({ one, certain: common(one.certain, rest).length, explained: common(one.explained, rest) }))
      .filter(({ one, explained }) => {
        const isOverlapping = found.flat().some((other) => common(one.requirements, other.requirements).length > 0);
        return explained.length > (isOverlapping ? 2 : 0);
      })
      .sort(
        (a, b) => b.certain - a.certain || b.explained.length - a.explained.length || a.one.passing - b.one.passing,
      );
    if (best === undefined) break;
    const equal = others.filter(
      ({ one, explained }) =>
        one.passing === best.one.passing &&
        explained.length === best.explained.length &&
        common(best.one.explained, new Set(explained)).length === explained.length,
    );
    found.push([best.one, ...equal.map(({ one }) => one)]);
    for (const pair of best.explained) rest.delete(pair);
  }
  return { found, left: rest };
}

function causeOf(
  group: readonly [Candidate, ...Candidate[]],
  failures: ReadonlyMap<Pair, readonly number[]>,
  cases: readonly Case[],
  sent: ReadonlySet<string>,
): Cause {
  const [{ explained }] = group;
  const exchangesById = [...groupBy([...explained], requirementIn)].map(
    ([id, pairs]) => [id, pairs.flatMap((pair) => failures.get(pair)!)] as const,
  );
  const requirements = exchangesById.sort(([, a], [, b]) => b.length - a.length).map(([id]) => id);
  const exchanges = [...new Set(exchangesById.flatMap(([, numbers]) => numbers))].sort((a, b) => a - b);
  const requestCount = cases.filter(({ label }) => requirements.includes(label.about ?? '')).length;
  const extent =
    requestCount === 0
      ? `The mistake affects ${pluralize(exchanges.length, 'exchange')}`
      : `The mistake affects ${exchanges.length} of ${pluralize(requestCount, 'request')} about these requirements`;
  const mistakes = group.map(({ id }) => `${stored.gateway[id]!.summary} (${id})`).join(', or: ');
  const sentence =
    group.length === 1
      ? `The gateway behaves like a gateway with a known mistake: ${mistakes}. ${extent}.`
      : `The gateway behaves as if it had one of these known mistakes: ${mistakes}. ${extent}. ${distinguishingHint(group, sent)}`;
  return { outcome: 'fail', sentence, defects: group.map(({ id }) => id), requirements, exchanges };
}

function distinguishingHint(group: readonly Candidate[], sent: ReadonlySet<string>): string {
  const { cases, defects } = defectTable();
  const shows = ({ id }: Candidate, key: string) =>
    [...defects.get(id)!.values()].some(
      ({ direct, withAccepted }) => direct.includes(key) || withAccepted.includes(key),
    );
  const found = [...cases].find(
    (key) => !sent.has(key) && group.some((one) => shows(one, key)) && !group.every((one) => shows(one, key)),
  );
  if (found === undefined) return 'No request of the suite distinguishes these mistakes.';
  const [scenario, , , , differsIn] = found.split('|');
  return `The request "${differsIn}" of ${scenario} would distinguish these mistakes.`;
}

function common<T>(some: ReadonlySet<T>, all: ReadonlySet<T>): T[] {
  return [...some].filter((one) => all.has(one));
}

function requirementIn(pair: Pair): string {
  return pair.slice(0, pair.indexOf(' '));
}

function areaOf(id: string): string {
  const { dimension, operation } = requirementById(id)!;
  return `${dimension} ${operation}`;
}
