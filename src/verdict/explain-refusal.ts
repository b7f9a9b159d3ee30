/** What the suite signed where a gateway refused a right request: the one thing to compare where every credential is right. Pure. */
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { formParameters, ProtocolError, parseAuthorization, unsignedSteps } from '../protocol/index.ts';
import type { Case } from '../record/case.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import type { ResultRow } from '../record/result/result.ts';
import { classify } from '../rules/answers/acceptance.ts';

/** Of the refused requests the one with the shortest body, since base strings are compared by eye. */
export function explainRefusal(
  { id }: Pick<Requirement, 'id'>,
  exchanges: readonly number[],
  cases: readonly Case[],
): Pick<ResultRow, 'explanations'> {
  if (!/^authentication\/(close-day|recurring)-valid-accepted$/.test(id)) return {};
  const [shortest] = exchanges
    .filter((number) => classify(cases[number - 1]!) === 'refused')
    .map((exchange) => ({ exchange, request: cases[exchange - 1]!.exchanges[0].request }))
    .sort((a, b) => a.request.body.length - b.request.body.length);
  const baseString = shortest && baseStringOf(shortest.request);
  if (baseString === undefined) return {};
  const { exchange } = shortest!;
  const facts = [advice(exchange, areTaken(cases[exchange - 1]!, cases))];
  return { explanations: [{ exchange, deviations: [], facts, triedCount: 0, baseString }] };
}

/** Whether another right request of the operation was accepted: then the key is right. */
function areTaken({ label: { operation } }: Case, cases: readonly Case[]): boolean {
  return cases.some(
    (one) => one.label.operation === operation && one.label.intent === 'valid' && classify(one) === 'accepted',
  );
}

/** RFC 5849 3.4.1; undefined where the header of a recording cannot be read. */
export function baseStringOf(request: SentRequest): string | undefined {
  const [line] = headerValues(request.headers, 'authorization');
  try {
    const { parameters } = parseAuthorization(line ?? '');
    const signed = parameters.filter(([name]) => name !== 'oauth_signature');
    return unsignedSteps({ ...request, body: formParameters(request) }, signed).baseString;
  } catch (cause) {
    if (cause instanceof ProtocolError) return undefined;
    throw cause;
  }
}

function advice(exchange: number, othersAreTaken: boolean): string {
  const compare = othersAreTaken
    ? 'Other right requests of this operation were accepted, so that the key is right: compare the values of this one with ' +
      'theirs. What is unknown, stopped, charged or closed already at the gateway may be refused too'
    : 'If credentials, clock and base URL are right (countersign doctor checks them), compare it with the one that the gateway ' +
      'computes; where they are equal, the keys differ';
  return (
    `the suite signed the base string below (RFC 5849 3.4.1). ${compare}. ` +
    `countersign autopsy exchanges.har --entry ${exchange} looks at the request by itself.`
  );
}
