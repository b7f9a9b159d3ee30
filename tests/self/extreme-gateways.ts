/** Gateways without any judgement: a suite that lets one of them pass proves nothing. */
import { type RequirementId, requirements } from '../../contracts/requirements/index.ts';
import type { Alteration } from '../../src/mock/alteration.ts';
import { withBody, withStatus } from '../../src/mock/responses.ts';
import { stepNames } from '../../src/mock/steps.ts';

export interface ExtremeGateway {
  readonly id: string;
  readonly summary: string;
  /** Outcomes that the rows about refusals may have, and no others; the conclusion is never `conformant`. */
  readonly expects: readonly ('fail' | 'inconclusive')[];
  readonly alteration: Alteration;
}

export const extremeGateways: readonly ExtremeGateway[] = [
  {
    id: 'accepts-everything',
    summary: 'Takes every request, whoever signed it and whatever is in it',
    expects: ['fail'],
    alteration: { skips: stepNames },
  },
  {
    id: 'refuses-everything',
    summary: 'Refuses every request, the right ones too',
    // Without an accepted twin a refusal shows nothing.
    expects: ['inconclusive', 'fail'],
    alteration: { refuses: () => 'nothing is accepted' },
  },
  {
    id: 'answers-500',
    summary: 'Answers every request with HTTP 500',
    expects: ['inconclusive', 'fail'],
    alteration: { writes: (reply) => withBody(withStatus(reply, 500), '') },
  },
  {
    id: 'answers-empty-200',
    summary: 'Answers every request with HTTP 200 and nothing in it',
    expects: ['inconclusive', 'fail'],
    alteration: { writes: (reply) => withBody(withStatus(reply, 200), '') },
  },
];

/** Rows that say what a gateway refuses. */
export const refusalRows: readonly RequirementId[] = requirements
  .filter(
    ({ id, side, untestable }) => side === 'gateway' && untestable === undefined && /-(?:refused|enforced)$/.test(id),
  )
  .map(({ id }) => id);
