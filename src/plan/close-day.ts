/** What is sent to close-day to show what the gateway makes of a request: sections 2.1, 3, 4.1 and 7. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { validCloseDayRequest } from '../../generators/close-day-request.ts';
import { validDayCloseRequestId } from '../../generators/day-close-request-id.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import { contentTypes } from './batch-forms.ts';
import { headerForms } from './header-forms.ts';
import { framingScenario } from './open-forms.ts';
import {
  closeDay,
  faultOf,
  faultsIn,
  payments,
  recurring,
  renamed,
  rows,
  signedOtherwiseIn,
  withoutRepeats,
} from './requests.ts';
import type { Draw, OwnTotals, PlannedCase, RequestPlan, Scenario, Situation } from './scenario.ts';
import { signatureScenarios, withTwin } from './signature-faults.ts';

const common = { operation: 'close-day', effect: 'closes-day', inFlight: 1 } as const;

const totals = [
  ['sale_approved_count', 'close-day/accepts-sale-approved-count'],
  ['sale_approved_sum', 'close-day/accepts-sale-approved-sum'],
  ['reversal_approved_count', 'close-day/accepts-reversal-approved-count'],
  ['reversal_approved_sum', 'close-day/accepts-reversal-approved-sum'],
] as const satisfies readonly (readonly [keyof OwnTotals, TestableId<'gateway'>])[];

/** In other letters, and as frameworks read names. */
const otherNames = ['DAY_CLOSE_REQUEST_ID', 'request_id', 'day_close_request_id[]', 'day.close.request.id'];

export const closeDayScenarios: readonly Scenario[] = [
  plain('close-day/minimal', 'A right request with its required field only', 'open', [
    'authentication/close-day-valid-accepted',
    'close-day/open-gate-reported',
    'close-day/one-result-per-gate',
  ]),
  plain('close-day/closing-gate', 'A right request while the gate is closing: error 99', 'closing', [
    'close-day/closing-gate-error',
    'close-day/closing-gate-message',
  ]),
  plain('close-day/locked-gate', 'A right request for a gate that stays locked', 'locked', [
    'close-day/locked-gate-reported',
  ]),
  plain('close-day/lock-removal', 'A right request for a gate whose lock was removed', 'unlocked', [
    'close-day/lock-removal',
  ]),
  plain('close-day/manual-close', 'A right request after a closing day was closed by hand', 'closed-by-hand', [
    'close-day/manual-close',
  ]),
  plain('close-day/several-gates', 'A right request for an endpoint with several gates', 'several-gates', [
    'close-day/one-result-per-gate',
  ]),
  {
    ...common,
    id: 'close-day/totals',
    title: "All of the gateway's own totals, and each alone",
    situation: 'open',
    shows: [...totals.map(([, id]) => id), 'close-day/missing-request-id-refused'],
    together: totals.map(([, id]) => id),
    plan: (draw) => {
      // Totals that are not the gateway's own may be refused (A28).
      const all = draw.totals(0);
      if (all === undefined) return [];
      return withTwin(minimal(draw), (twin) => {
        const fields = Object.fromEntries(twin.body) as CloseDayFields;
        const each = totals.map(
          ([field, about], at): PlannedCase => ({
            label: { intent: 'valid', about, differsIn: field },
            request: closeDay({ ...fields, [field]: draw.totals(at + 1)![field] }),
          }),
        );
        return [
          { label: { intent: 'valid', differsIn: 'all four totals' }, request: closeDay({ ...fields, ...all }) },
          ...each,
        ];
      }).concat(
        [closeDay(all), closeDay({ day_close_request_id: '', ...all }, { keepsId: true })].map((request, at) => ({
          label: {
            intent: 'fault',
            about: 'close-day/missing-request-id-refused',
            twin: 0,
            differsIn: `${at === 0 ? 'no' : 'an empty'} id beside totals`,
          },
          request,
        })),
      );
    },
  },
  {
    ...common,
    id: 'close-day/request-id-bounds',
    title: 'Ids of 8 and of 32 characters',
    situation: 'open',
    shows: ['close-day/request-id-bounds-accepted'],
    plan: (draw) =>
      withTwin(minimal(draw), () =>
        [8, 32].map((length) => ({
          label: {
            intent: 'valid',
            about: 'close-day/request-id-bounds-accepted',
            differsIn: `an id of ${length} characters`,
          },
          request: closeDay({ day_close_request_id: idOfLength(draw, length) }, { keepsId: true }),
        })),
      ),
  },
  {
    ...common,
    id: 'close-day/request-id-faults',
    title: 'Requests without an id or with one outside its bounds',
    situation: 'open',
    shows: [
      'close-day/missing-request-id-refused',
      'close-day/request-id-length-enforced',
      'close-day/request-id-alphabet-enforced',
    ],
    plan: (draw) =>
      withTwin(closeDay({ day_close_request_id: idOfLength(draw, 16) }), ({ body }) => {
        const id = body[0]![1];
        const withId = (changed: string) => closeDay({ day_close_request_id: changed }, { keepsId: true });
        return [
          faultOf('close-day/missing-request-id-refused', 'no day_close_request_id', closeDay({})),
          faultOf('close-day/missing-request-id-refused', 'an empty day_close_request_id', withId('')),
          ...(draw.hasRoom ? otherNames : []).map((name) =>
            faultOf(
              'close-day/missing-request-id-refused',
              `${name} in place of day_close_request_id`,
              renamed(withId(id), () => name),
            ),
          ),
          faultOf('close-day/request-id-alphabet-enforced', 'a line feed behind the id', withId(`${id}\n`)),
          faultOf('close-day/request-id-length-enforced', 'an id of 7 characters', withId(id.slice(0, 7))),
          faultOf('close-day/request-id-length-enforced', 'an id of 33 characters', withId(idOfLength(draw, 33))),
          ...[['a dash', '-'] as const, ['an underscore', '_'] as const].map(([what, sign]) =>
            faultOf(
              'close-day/request-id-alphabet-enforced',
              `${what} in the id`,
              withId(`${id.slice(0, 7)}${sign}${id.slice(8)}`),
            ),
          ),
        ];
      }),
  },
  {
    ...common,
    id: 'close-day/generated',
    title: 'Generated right requests',
    situation: 'open',
    inFlight: 16,
    shows: ['close-day/generated-requests-accepted'],
    plan: (draw) =>
      withTwin(minimal(draw), () =>
        withoutRepeats(
          draw.generate(validCloseDayRequest, draw.cases, ({ value }) => ({
            label: {
              intent: 'valid',
              about: 'close-day/generated-requests-accepted',
              differsIn: 'a generated id',
            },
            request: closeDay(value, { keepsId: true }),
          })),
        ),
      ),
  },
  {
    ...common,
    id: 'close-day/reused-request-id',
    title: 'The same day_close_request_id in two signed requests',
    situation: 'open',
    shows: [],
    plan: (draw) => {
      const request = { ...minimal(draw), keepsId: true };
      return [
        { label: { intent: 'valid' }, request },
        { label: { intent: 'open', openPoint: 'A7', twin: 0, differsIn: 'an id used before' }, request },
      ];
    },
  },
  {
    ...common,
    id: 'close-day/content-types',
    title: 'Requests with another Content-Type',
    situation: 'open',
    shows: ['close-day/content-type-enforced'],
    plan: (draw) => withTwin(minimal(draw), contentTypes),
  },
  headerForms('close-day', minimal),
  framingScenario('close-day', minimal),
  ...signatureScenarios({
    operation: 'close-day',
    right: (draw) => closeDay({ day_close_request_id: idOfLength(draw, 16) }),
    // The other body is a right one too: another id of the same length, since ours are hexadecimal in lower case.
    altered: (plan) => ({ ...plan, body: plan.body.map(([name, id]) => [name, `X${id.slice(1)}`]) }),
    large: (plan) => ({ ...plan, body: [...plan.body, ['note', 'x'.repeat(2_000)]] }),
    own: (plan) => [
      faultsIn(plan)('wrong-key', 'a signature made with an empty secret', { key: 'empty' }),
      signedOtherwiseIn(plan).body(
        'a total that is not signed',
        (sent) => sent.filter(([name]) => name !== 'sale_approved_sum'),
        [...plan.body, ['sale_approved_sum', '10.42']],
      ),
    ],
    other: (draw) => recurring(payments(rows(draw, 1))),
  }),
];

/** One right request and nothing else. */
function plain(id: string, title: string, situation: Situation, shows: readonly TestableId<'gateway'>[]): Scenario {
  return {
    ...common,
    id,
    title,
    situation,
    shows,
    // A live target has no endpoint with several gates beside its own.
    ...(situation === 'open' ? { together: ['close-day/one-result-per-gate'] } : {}),
    plan: (draw) => {
      const request = minimal(draw);
      if (situation === 'open') return [{ label: { intent: 'valid', about: shows[0] }, request }];
      // The same request to the endpoint whose gate is free: what comes is due to the gate only if that is accepted.
      return [
        {
          label: { intent: 'valid', about: shows[0], twin: 1, differsIn: `an endpoint that is ${situation}` },
          request,
        },
        { label: { intent: 'valid' }, request: { ...request, situation: 'open' } },
        ...(draw.hasRoom && situation === 'several-gates' ? again(request) : []),
      ];
    },
  };
}

/** A gateway may leave out a gate now and then. */
function again(request: RequestPlan): PlannedCase[] {
  return Array.from({ length: 4 }, () => ({
    label: { intent: 'valid', about: 'close-day/one-result-per-gate', twin: 1, differsIn: 'several gates' },
    request,
  }));
}

/** Of a length that hardly any gateway has trouble with: what it makes of the bounds is a row of its own. */
function minimal(draw: Draw): RequestPlan {
  return closeDay({ day_close_request_id: idOfLength(draw, 16) });
}

/** An id of exactly that length, also one that the document forbids. */
function idOfLength(draw: Draw, length: number): string {
  const letters = draw
    .values(validDayCloseRequestId, 5)
    .map(({ value }) => value)
    .join('');
  return letters.slice(0, length).padEnd(length, '0');
}
