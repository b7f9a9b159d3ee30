/** What defects of a gateway make of right answers: the edits are those that the mock is given. */
import { isDeepStrictEqual } from 'node:util';
import { gatewayDefects } from '../../../src/faults/index.ts';
import type { GateResult } from '../../../src/mock/responses.ts';
import type { About, Decision } from '../../../src/mock/step.ts';
import { casesOf, gatesOf, type TabledAnswer } from './answers.ts';
import { inGroup, listed, type TableOperator } from './operator.ts';

const make = inGroup<TabledAnswer>('answers of defects');

/** One answer does not show them, or shows more: a habit, what another answer had, a step, a request or a gate that no right answer is about. */
const unseen = [
  'authentication/known-session-trusted',
  ...listed('lock-not-removed¦refused-with-302¦other-types-answered-with-415¦gate-ids-changing').map(
    (what) => `close-day/${what}`,
  ),
  ...listed('refused-with-302¦refused-with-500¦batch-fault-with-401¦wrong-signature-with-200¦payload-not-needed').map(
    (what) => `recurring/${what}`,
  ),
  'recurring/parameters-said-to-be-packed',
  'recurring/parameters-with-one-serial',
];

export const defectOperators: readonly TableOperator<TabledAnswer>[] = gatewayDefects
  .filter(({ id, alteration }) => alteration.writes !== undefined && !unseen.includes(id))
  .map(({ id, breaks, alteration }) => ({
    ...make(id, breaks, (answer) => {
      const { request, response } = casesOf(answer).at(-1)!.exchanges[0];
      const { status, headers, body } = alteration.writes!(response!, aboutOf(answer, request));
      if (isDeepStrictEqual([status, headers, [...body]], [answer.status, answer.headers, [...response!.body]]))
        return false;
      return Object.assign(answer, { status, headers: headers.map((line) => [...line]), spoil: () => body });
    }),
    somewhere: true,
  }));

function aboutOf(answer: TabledAnswer, request: About['request']): About {
  const { operation, about, intent } = answer.label;
  const decision: Decision = answer.kind.startsWith('error 99')
    ? 'closing'
    : intent === 'fault'
      ? 'refused'
      : 'accepted';
  const target = about === 'close-day/manual-close' ? '/api/v2/close-day/1112' : request.target;
  const step = { 'close-day/missing-request-id-refused': 'request-id', 'recurring/missing-payload-refused': 'payload' }[
    about as string
  ];
  return {
    operation,
    decision,
    request: { ...request, target, body: Buffer.from('payload=') },
    ...(step === undefined ? {} : { step }),
    gates: gatesOf(answer) as readonly object[] as readonly GateResult[],
    // A defect of every third answer, too.
    serial: 6,
  };
}
