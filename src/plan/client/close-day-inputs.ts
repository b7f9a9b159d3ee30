/** Inputs of close-day that a client must send, and inputs that it must refuse: sections 2.1 and 8. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { closeDayRequestWithTotals, discriminatingInputs } from '../../../generators/close-day-request.ts';
import { counts, sums } from '../../../generators/counts-and-sums.ts';
import { dayCloseRequestIds } from '../../../generators/day-close-request-id.ts';
import { fault, type Labelled, open } from '../../../generators/labelled.ts';
import type { CloseDayInput } from '../../record/case.ts';
import type { ClientPlan, ClientScenario } from '../scenario.ts';
import { underOtherStatuses } from './broken-bodies.ts';
import { classified, clientScenario, closeDayCase, closeDayRowIds, fullCloseDay, plainCloseDay } from './cases.ts';

const totals = [
  ['sale_approved_count', 'close-day/sale-approved-count', counts.edges],
  ['sale_approved_sum', 'close-day/sale-approved-sum', sums.edges],
  ['reversal_approved_count', 'close-day/reversal-approved-count', counts.edges],
  ['reversal_approved_sum', 'close-day/reversal-approved-sum', sums.edges],
] as const satisfies readonly (readonly [keyof CloseDayInput, TestableId<'client'>, readonly Labelled<string>[]])[];

type Total = (typeof totals)[number][0];

/** Totals in usual notation. */
const plausible = ['zero', 'ten-after-nine', 'trailing-zero', 'whole-with-fraction'];

/** Totals that exceed the range of common number types. */
const wide = ['above-2-to-the-53', 'forty-digits'];

/** Both counts are equal, and both sums are equal. A client that finds a field by its value mixes up these fields. */
const dayWithoutTurnover: CloseDayInput = {
  ...plainCloseDay,
  sale_approved_count: '0',
  sale_approved_sum: '0.00',
  reversal_approved_count: '0',
  reversal_approved_sum: '0.00',
};

export const closeDayInputScenarios: readonly ClientScenario[] = [
  clientScenario('close-day/generated', closeDayRowIds, (draw) =>
    draw.generate(closeDayRequestWithTotals, draw.cases, (drawn) =>
      closeDayCase(drawn.value, classified(drawn, 'close-day/body-is-form', { mandatory: ['drawn-totals'] })),
    ),
  )`Generated valid requests`,
  clientScenario('close-day/edges', [...closeDayRowIds, 'broken-body-not-success'], () =>
    underOtherStatuses([
      ...dayCloseRequestIds.edges
        .filter(({ label }) => label.kind !== 'fault')
        .map((edge) => {
          const about = edge.edge?.startsWith('length-')
            ? 'close-day/request-id-length'
            : 'close-day/request-id-alphabet';
          return closeDayCase({ day_close_request_id: edge.value }, classified(edge, about));
        }),
      ...totals.flatMap(([field, , edges]) => edges.filter(isNumber).map((edge) => totalCase(field, edge))),
    ]),
  )`Valid ids, counts and sums at their limits, each answered with another HTTP status`,
  clientScenario('close-day/odd-totals', closeDayRowIds, () =>
    oddTotals().map(({ field, edge }) => totalCase(field, edge)),
  )`Counts and sums that show how a client encodes and signs`,
  clientScenario('close-day/optional-fields', closeDayRowIds, () => [
    mandatory(plainCloseDay, 'close-day/body-is-form', 'no totals'),
    mandatory(fullCloseDay, 'close-day/body-is-form', 'all totals'),
    mandatory(dayWithoutTurnover, 'close-day/body-is-form', 'equal totals'),
    ...totals.map(([field, about]) =>
      mandatory({ ...plainCloseDay, [field]: fullCloseDay[field] }, about, `${field} alone`),
    ),
    ...totals
      .filter(([field]) => field !== 'sale_approved_sum')
      .map(([field]) => totalCase(field, open('A9', 'empty', ''))),
  ])`Optional fields absent, present and empty`,
  clientScenario('close-day/forbidden', closeDayRowIds, () => [
    closeDayCase(
      { sale_approved_count: '2' },
      { input: 'forbidden', about: 'close-day/request-id-present', special: 'no-id' },
    ),
    ...forbiddenIds.map((edge) =>
      closeDayCase({ day_close_request_id: edge.value }, classified(edge, 'close-day/request-id-present')),
    ),
  ])`Ids outside their limits, and a missing id`,
];

function mandatory(input: CloseDayInput, about: TestableId<'client'>, special: string): ClientPlan {
  return closeDayCase(input, { input: 'mandatory', about, special });
}

const forbiddenIds: readonly Labelled<string>[] = [
  ...dayCloseRequestIds.edges.filter(({ label }) => label.kind === 'fault'),
  fault('close-day/request-id-length', 'empty', ''),
  ...(['-', '_', ' ', '.', '\u20ac'] as const).map((character) =>
    fault('close-day/request-id-alphabet', `character ${JSON.stringify(character)}`, `a1b2${character}c3d4`),
  ),
];

function totalCase(field: Total, edge: Labelled<string>): ClientPlan {
  const [, about] = totals.find(([name]) => name === field)!;
  const label = classified(edge, about, { mandatory: plausible, hardening: wide });
  return closeDayCase({ ...fullCloseDay, [field]: edge.value }, { ...label, special: `${field}: ${edge.edge}` });
}

function isNumber({ edge }: Labelled<string>): boolean {
  return [...plausible, ...wide].includes(edge!);
}

/** Puts each unusual value into one of the four totals. */
function oddTotals(): { field: Total; edge: Labelled<string> }[] {
  const seen = new Set<string>();
  const fresh = (edge: Labelled<string>) =>
    !isNumber(edge) && !seen.has(edge.value) && seen.add(edge.value) !== undefined;
  const alternating = (fields: readonly [Total, Total]) => (edge: Labelled<string>, at: number) => ({
    field: fields[at % 2]!,
    edge,
  });
  return [
    ...discriminatingTotals().filter(({ edge }) => fresh(edge)),
    ...counts.edges.filter(fresh).map(alternating(['sale_approved_count', 'reversal_approved_count'])),
    ...sums.edges.filter(fresh).map(alternating(['sale_approved_sum', 'reversal_approved_sum'])),
    // After signing, an HTTP library may change the line feed to CR LF, or several blanks to one space.
    { field: 'sale_approved_sum', edge: open('A9', 'bare-line-feed', '1\n2\t3  4') },
    { field: 'reversal_approved_sum', edge: open('A9', 'other-punctuation', '"<>\\^`{|}') },
  ];
}

function discriminatingTotals(): { field: Total; edge: Labelled<string> }[] {
  return discriminatingInputs.flatMap((telling) => {
    const [only, ...others] = telling.value;
    const total = totals.find(([field]) => field === only?.[0]);
    if (only === undefined || total === undefined || others.length > 0) return [];
    return [{ field: total[0], edge: { ...telling, value: only[1] } }];
  });
}
