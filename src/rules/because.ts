/** What is in the way of a verdict on a gateway: answers that say nothing, and right requests that are refused. */

import type { Case } from '../record/case.ts';
import { formOfAnswer } from './answers/acceptance.ts';
import { answerReadings } from './answers/answer-reading.ts';
import type { Because } from './finding.ts';

export function unclearAnswer(examined: Case): Because {
  return {
    text: `requests were neither accepted nor refused: ${formOfAnswer(examined.exchanges[0])}${tooFast(examined)}`,
    cases: [examined],
    mayBreak: answerReadings[examined.label.operation].readBy,
  };
}

function tooFast({ exchanges: [exchange] }: Case): string {
  return exchange.response?.status === 429
    ? ', since they came too fast for the target: a lower rate in the configuration file helps'
    : '';
}

export function refusedTwin(twin: Case): Because {
  return {
    text: `right requests were refused: ${formOfAnswer(twin.exchanges[0])}`,
    cases: [twin],
    mayBreak: answerReadings[twin.label.operation].takenBy,
  };
}

export function openCode(code: string): Because {
  return {
    text: `right requests were refused with errorCode ${code}, which no wrong one got: what it stands for is open`,
    openPoint: 'A6',
  };
}

/** The batch has a recurring payment twice, which no row of the interface document speaks of. */
export const repeatedPayment: Because = {
  text: 'right batches were refused that have one recurring payment twice: whether a batch may is open; a configuration that lists two has each once',
  openPoint: 'A7',
};

export function openForm(form: string): Because {
  return {
    text: `right batches were refused, and the same ones with ${form} were accepted: which form they have is open`,
    openPoint: 'A12',
  };
}
