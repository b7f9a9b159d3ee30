/** Gateways that take an amount for a number as an ordinary function of their language does (section 8). */
import type { Alteration } from '../mock/alteration.ts';
import { isDecimal } from '../mock/decimal.ts';
import type { GatewayDefect } from './defect.ts';

const common = {
  side: 'gateway',
  operation: 'process-recurring-payments',
  breaks: ['recurring/amount-numeric-enforced'],
} as const;

export const amountDefects: readonly GatewayDefect[] = [
  {
    ...common,
    id: 'recurring/decimal-comma-taken',
    summary: 'An amount may have a comma before its fraction',
    alteration: alsoTakes((amount) => /^\d+,\d+$/.test(amount)),
  },
  {
    ...common,
    id: 'recurring/hexadecimal-amount-taken',
    summary: 'An amount may be hexadecimal: 0x10 is 16',
    alteration: alsoTakes((amount) => /^0x[0-9a-f]+$/i.test(amount)),
  },
  {
    ...common,
    id: 'recurring/not-a-number-taken',
    summary: 'NaN is an amount',
    alteration: alsoTakes((amount) => amount === 'NaN'),
  },
  {
    ...common,
    id: 'recurring/amount-with-currency-taken',
    summary: 'A currency may follow an amount',
    alteration: alsoTakes((amount) => /^\d+(\.\d+)?[A-Z]{3}$/.test(amount)),
  },
  {
    ...common,
    id: 'recurring/grouped-amount-taken',
    summary: 'The thousands of an amount may stand apart',
    alteration: alsoTakes((amount) => /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/.test(amount)),
  },
  {
    ...common,
    id: 'recurring/amount-with-two-points-taken',
    summary: 'An amount is read up to its second point',
    alteration: alsoTakes((amount) => /^\d+\.\d+\.\d+$/.test(amount)),
  },
];

/** Amounts that are no decimals are taken where they are as that. */
function alsoTakes(isTaken: (amount: string) => boolean): Alteration {
  return {
    skips: ['amount-numeric'],
    refuses: (reading) =>
      reading.operation === 'process-recurring-payments' &&
      reading
        .batch()
        .column('amount')
        .some((cell = '') => cell !== '' && !isDecimal(cell) && !isTaken(cell))
        ? 'an amount is not numeric'
        : undefined,
  };
}
