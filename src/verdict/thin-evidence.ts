/** Signs that a run against a live target spoke with something else than the gateway, so that its verdicts are worth little. Pure. */

import type { Case } from '../record/case.ts';
import type { ReceivedResponse } from '../record/exchange.ts';
import { isLoopback } from '../record/hosts.ts';
import { classify } from '../rules/answers/acceptance.ts';
import { answerReadings } from '../rules/answers/answer-reading.ts';

/** Below that, equal answers prove nothing. */
const fewest = 10;

/** Milliseconds in which no gateway checks a signature over a network. */
const tooFast = 2;

/** A sentence for each sign. */
export function thinEvidence(cases: readonly Case[]): string[] {
  const answered = cases.filter(({ exchange }) => exchange.response !== undefined);
  if (answered.length < fewest) return [];
  const refused = answered.filter((examined) => classify(examined) === 'refused');
  const quick = refused.length >= fewest && refused.every(({ exchange }) => exchange.durationMs <= tooFast);
  const [first, ...others] = answered.map(({ exchange }) => exchange.response!);
  const identical = others.every((other) => other.status === first!.status && hasBodyOf(other, first!));
  return [
    ...(quick && !refused.every(isLocal)
      ? [
          `All ${refused.length} refusals arrived within ${tooFast} ms: something in front of the gateway may have made them.`,
        ]
      : []),
    ...(answered.some(reachedDecoder)
      ? []
      : ['No answer had a body that the document describes: no case reached a decoder.']),
    ...(identical ? [`All ${answered.length} answers are identical.`] : []),
  ];
}

function hasBodyOf(one: ReceivedResponse, other: ReceivedResponse): boolean {
  return one.body === other.body || Buffer.compare(one.body, other.body) === 0;
}

function isLocal({ exchange: { request } }: Case): boolean {
  return isLoopback(request.host);
}

function reachedDecoder({ label, exchange }: Case): boolean {
  return answerReadings[label.operation].hasDocumentedBody(exchange);
}
