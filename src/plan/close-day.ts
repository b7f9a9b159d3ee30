/** Requests to close-day that test how a gateway reacts: sections 2.1, 3, 4.1 and 7. */
import type { Arbitrary } from 'fast-check';
import type { TestableId } from '../../contracts/requirements/index.ts';
import { closeDayRequests, discriminatingInputs } from '../../generators/close-day-request.ts';
import { counts, sums } from '../../generators/counts-and-sums.ts';
import { dayCloseRequestIds } from '../../generators/day-close-request-id.ts';
import type { Labelled } from '../../generators/labelled.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import {
  batchOf,
  breachRequirements,
  caseOf,
  closeDay,
  concurrent,
  drawRows,
  edgeCase,
  faultsIn,
  freshIds,
  renameFields,
  scenariosOf,
  sendTwice,
  validCase,
  withoutRepeats,
  withTwin,
} from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario, Situation, TargetTotals } from './scenario.ts';
import { signatureScenarios } from './signature-faults.ts';
import { contentTypes, formScenarios } from './unusual-forms.ts';

const closeDayScenario = scenariosOf<'close-day'>('close-day');

const totals = [
  ['sale_approved_count', 'close-day/accepts-sale-approved-count'],
  ['sale_approved_sum', 'close-day/accepts-sale-approved-sum'],
  ['reversal_approved_count', 'close-day/accepts-reversal-approved-count'],
  ['reversal_approved_sum', 'close-day/accepts-reversal-approved-sum'],
] as const satisfies readonly (readonly [keyof TargetTotals, TestableId<'gateway'>])[];

export const closeDayScenarios: readonly Scenario[] = [
  plain('minimal', 'A valid request with only the required field', 'open', [
    'authentication/close-day-valid-accepted',
    'close-day/open-gate-reported',
    'close-day/one-result-per-gate',
  ]),
  plain('closing-gate', 'A valid request while the gate is closing: error 99', 'closing', [
    'close-day/closing-gate-error',
    'close-day/closing-gate-message',
  ]),
  plain('locked-gate', 'A valid request for a gate that stays locked', 'locked', ['close-day/locked-gate-reported']),
  plain('lock-removal', 'A valid request for a gate whose lock was removed', 'unlocked', ['close-day/lock-removal']),
  plain('manual-close', 'A valid request for a closing gate after a person closed the day by hand', 'closed-by-hand', [
    'close-day/manual-close',
  ]),
  plain('several-gates', 'A valid request for an endpoint with several gates', 'several-gates', [
    'close-day/one-result-per-gate',
  ]),
  {
    ...closeDayScenario('totals', [...totals.map(([, id]) => id), 'missing-request-id-refused'], (draw) => {
      // Send the totals of the gateway, because a gateway may refuse other totals (A28).
      const allTotals = draw.totals(0);
      if (allTotals === undefined) return [];
      const valid = withTwin(minimal(draw), (twin) => {
        const fields = Object.fromEntries(twin.body) as CloseDayFields;
        return [
          { label: { intent: 'valid', differsIn: 'all four totals' }, request: closeDay({ ...fields, ...allTotals }) },
          ...totals.map(([field, about], at) =>
            validCase(about, field, closeDay({ ...fields, [field]: draw.totals(at + 1)![field] })),
          ),
        ];
      });
      const faulty = (differsIn: string, request: RequestPlan): PlannedCase => ({
        label: { intent: 'fault', about: 'close-day/missing-request-id-refused', twin: 0, differsIn },
        request,
      });
      return [
        ...valid,
        faulty('no id beside totals', closeDay(allTotals)),
        faulty('an empty id beside totals', closeDay({ day_close_request_id: '', ...allTotals }, { keepsId: true })),
      ];
    })`All totals of the gateway together, and each total alone`,
    needAllCases: totals.map(([, id]) => id),
  },
  closeDayScenario('request-id-bounds', ['request-id-bounds-accepted'], (draw) =>
    withTwin(minimal(draw), () =>
      [8, 32].map((length) =>
        validCase(
          'close-day/request-id-bounds-accepted',
          `an id of ${length} characters`,
          closeDay({ day_close_request_id: idOfLength(draw, length) }, { keepsId: true }),
        ),
      ),
    ),
  )`Ids of 8 and of 32 characters`,
  closeDayScenario(
    'request-id-faults',
    ['missing-request-id-refused', 'request-id-length-enforced', 'request-id-alphabet-enforced'],
    (draw) =>
      withTwin(closeDay({ day_close_request_id: idOfLength(draw, 16) }), ({ body }) => {
        const id = body[0]![1];
        const withId = (changed: string) => closeDay({ day_close_request_id: changed }, { keepsId: true });
        const missing = (differsIn: string, request: RequestPlan) =>
          caseOf('close-day/missing-request-id-refused', differsIn, request);
        const faulty = (rule: 'length' | 'alphabet', differsIn: string, changed: string) =>
          caseOf(`close-day/request-id-${rule}-enforced`, differsIn, withId(changed));
        const withSign = (sign: string) => `${id.slice(0, 7)}${sign}${id.slice(8)}`;
        return [
          missing('no day_close_request_id', closeDay({})),
          missing('an empty day_close_request_id', withId('')),
          // A web framework may treat these names as day_close_request_id.
          ...(draw.isThorough
            ? ['DAY_CLOSE_REQUEST_ID', 'request_id', 'day_close_request_id[]', 'day.close.request.id']
            : []
          ).map((name) => missing(`${name} in place of day_close_request_id`, renameFields(withId(id), name))),
          faulty('alphabet', 'a line feed behind the id', `${id}\n`),
          faulty('length', 'an id of 7 characters', id.slice(0, 7)),
          faulty('length', 'an id of 33 characters', idOfLength(draw, 33)),
          faulty('alphabet', 'a dash in the id', withSign('-')),
          faulty('alphabet', 'an underscore in the id', withSign('_')),
        ];
      }),
  )`Requests whose id is missing, or has a wrong length or a wrong character`,
  concurrent(
    closeDayScenario('generated', ['generated-requests-accepted'], (draw) =>
      withTwin(minimal(draw), () =>
        withoutRepeats(
          draw.generate(closeDayRequests.valid, draw.cases, ({ value }) =>
            validCase('close-day/generated-requests-accepted', 'a generated id', closeDay(value, { keepsId: true })),
          ),
        ),
      ),
    )`Generated valid requests`,
  ),
  closeDayScenario('reused-request-id', [], (draw) =>
    sendTwice('an id used before', { ...minimal(draw), keepsId: true }),
  )`The same day_close_request_id in two signed requests`,
  closeDayScenario('content-types', ['content-type-enforced'], (draw) => withTwin(minimal(draw), contentTypes))`
    Requests with another Content-Type`,
  ...formScenarios('close-day', minimal),
  ...signatureScenarios({
    operation: 'close-day',
    valid: (draw) => closeDay({ day_close_request_id: idOfLength(draw, 16) }),
    // The altered id is also valid. It is always new, because `makeId` makes no capital letters.
    alter: (plan) => ({ ...plan, body: plan.body.map(([name, id]) => [name, `X${id.slice(1)}`]) }),
    enlarge: (plan) => ({ ...plan, body: [...plan.body, ['note', 'x'.repeat(2_000)]] }),
    ownFaults: (plan) => {
      const { fault, body } = faultsIn(plan);
      return [
        fault('wrong-key', 'a signature made with an empty secret', { key: 'empty' }),
        body('a total that is not signed', (sent) => sent.filter(([name]) => name !== 'sale_approved_sum'), [
          ...plan.body,
          ['sale_approved_sum', '10.42'],
        ]),
      ];
    },
    otherOperation: (draw) => batchOf(drawRows(draw, 1)),
  }),
];

function plain(what: string, title: string, situation: Situation, shows: readonly TestableId<'gateway'>[]): Scenario {
  const valid = closeDayScenario(what, shows, (draw) => [
    { label: { intent: 'valid', about: shows[0] }, request: minimal(draw) },
  ])`${title}`;
  // A live target has no endpoint for `several-gates`. So the open endpoint also tests `one-result-per-gate`.
  if (situation === 'open') return { ...valid, needAllCases: ['close-day/one-result-per-gate'] };
  const differsIn = `an endpoint that is ${situation}`;
  const plan: Scenario['plan'] = (draw) => {
    const request = minimal(draw);
    return [
      { label: { intent: 'valid', about: shows[0], twin: 1, differsIn }, request },
      // Compare with the same request to an open gate. If only that one is accepted, `situation` is the cause.
      { label: { intent: 'valid' }, request: { ...request, situation: 'open' } },
      ...(draw.isThorough && situation === 'several-gates' ? repeatedRequests(request) : []),
    ];
  };
  return { ...valid, situation, plan };
}

/** Repeats the request, because a gateway may omit a gate only sometimes. */
function repeatedRequests(request: RequestPlan): PlannedCase[] {
  return Array.from({ length: 4 }, () => ({
    label: { intent: 'valid', about: 'close-day/one-result-per-gate', twin: 1, differsIn: 'several gates' },
    request,
  }));
}

/** A request with only the required field. Nearly every gateway accepts an id of 16 characters. */
function minimal(draw: Draw): RequestPlan {
  return closeDay({ day_close_request_id: idOfLength(draw, 16) });
}

function idOfLength(draw: Draw, length: number): string {
  const letters = draw
    .values(dayCloseRequestIds.valid, 5)
    .map(({ value }) => value)
    .join('');
  return letters.slice(0, length).padEnd(length, '0');
}

const closeDayRules = ['close-day/request-id-length-enforced', 'close-day/request-id-alphabet-enforced'] as const;

export const closeDayEdges: readonly Scenario[] = [
  closeDayScenario('edges', ['generated-requests-accepted', ...closeDayRules], (draw) => {
    const fields = draw.values(closeDayRequests.valid, 1)[0]!.value;
    const edge = (what: string, name: string) =>
      edgeCase('close-day', what, (value: string) =>
        closeDay({ ...fields, [name]: value }, { keepsId: name === 'day_close_request_id' }),
      );
    return withTwin(closeDay(fields), (twin) => [
      ...freshIds(draw, dayCloseRequestIds.edges).map(edge('day-close-request-id', 'day_close_request_id')),
      ...counts.edges.map(edge('count', 'sale_approved_count')),
      ...sums.edges.map(edge('sum', 'sale_approved_sum')),
      ...discriminatingCases(twin),
    ]);
  })`Ids, counts and sums at and beyond their limits`,
  closeDayScenario('generated-edges', ['generated-requests-accepted', ...closeDayRules], (draw) =>
    closeDayCases(draw, closeDayRequests.odd),
  )`Generated requests at and beyond the limits`,
  closeDayScenario('generated-faults', breachRequirements('close-day'), (draw) =>
    closeDayCases(draw, closeDayRequests.faulty),
  )`Generated requests with one fault`,
].map(concurrent);

function closeDayCases(draw: Draw, arbitrary: Arbitrary<Labelled<CloseDayFields>>): readonly PlannedCase[] {
  const twin = draw.values(closeDayRequests.valid, 1)[0]!.value;
  return withTwin(closeDay(twin), () =>
    withoutRepeats(
      draw.generate(
        arbitrary,
        draw.cases,
        edgeCase('close-day', 'close-day-request', (fields) => closeDay(fields, { keepsId: true })),
      ),
    ),
  );
}

function discriminatingCases(twin: RequestPlan): PlannedCase[] {
  return discriminatingInputs.map(
    edgeCase('close-day', 'telling-input', (fields) => {
      const others = twin.body.filter(([name]) => !fields.some(([added]) => added === name));
      return { ...twin, body: [...others, ...fields] };
    }),
  );
}
