/** The exchanges of an engagement as cases that the judges of clients know. Pure. */

import { decodeForm } from '../../protocol/index.ts';
import type { ClientCase, CloseDayInput, RecurringInput } from '../../record/client-case.ts';
import { countingExchanges, type Engagement, type EngagementRecord, type KeptExchange } from './engagement.ts';
import { operationOfRequest } from './recognise.ts';
import { stepById } from './script.ts';
import { type DeskStep, operationOfStep } from './step.ts';

/** Scenario of the cases; the number of a case is that of its exchange. */
const scenario = 'desk';

/** What counts, in the order of its arrival. The input of a request outside of the plan is not known. */
export function clientCases(record: EngagementRecord): ClientCase[] {
  return countingExchanges(record).map((kept) => caseOf(kept, record.engagement));
}

function caseOf(kept: KeptExchange, engagement: Engagement): ClientCase {
  const common = { scenario, number: kept.number, wire: [kept.exchange] };
  const step = kept.step === undefined ? undefined : stepById(kept.step);
  if (step === undefined) {
    const operation = operationOfRequest(kept.exchange.request) ?? engagement.operations[0] ?? 'close-day';
    return { ...common, label: { operation, input: 'observed' } };
  }
  return {
    ...common,
    label: { ...step.plan.label, special: `step ${step.id}` },
    asked: {
      baseUrl: kept.baseUrl,
      endpointId: engagement.endpointId,
      consumerKey: engagement.consumerKey,
      input: inputOf(step, kept),
    },
  };
}

/** Many clients make up the id of a close-day request themselves: then the one received is the one that was meant. */
function inputOf(step: DeskStep, { exchange }: KeptExchange): CloseDayInput | RecurringInput {
  const { input } = step.plan;
  if (step.ownRequestId !== true || operationOfStep(step) !== 'close-day') return input;
  const [, sent] = decodeForm(exchange.request.body).find(([name]) => name === 'day_close_request_id') ?? [];
  return sent !== undefined && /^[A-Za-z0-9]{8,32}$/.test(sent) ? { ...input, day_close_request_id: sent } : input;
}
