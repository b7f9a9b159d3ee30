/** Whether an answer in the record of a client's run means what the record says: verdicts on its reading rest on both. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ExpectedReading } from '../../record/client-case.ts';
import { HarError } from '../../record/har.ts';
import type { ReadExchange } from '../../record/har-entry.ts';
import { expectedOf } from '../../rules/answers/expected-reading.ts';

/**
 * Throws HarError for an answer that says something else than its call expected to be read. `number` is that of the entry. One
 * that is only looked at, was lost or was cut off has nothing to be compared.
 */
export function refuseOtherAnswer({ exchange, examined }: ReadExchange, number: number): void {
  const { label, incomplete } = examined?.call ?? {};
  const expected = label?.decoding?.expected;
  if (label === undefined || expected === undefined || label.input === 'probe') return;
  if (exchange.response === undefined || incomplete !== undefined) return;
  const said = expectedOf(label.operation, exchange)?.expected;
  if (expected.kind === 'not-success' ? !meansSuccess(said) : isDeepStrictEqual(said, expected)) return;
  throw new HarError(
    'bad-entry',
    `entry ${number} of the HAR file has another answer than the one that it was judged by: ${differenceOf(said, expected)}`,
    'Give the file as the run wrote it.',
  );
}

function meansSuccess(said: ExpectedReading | undefined): boolean {
  if (said?.kind === 'parameters') return said.params.some((one) => isDeepStrictEqual(one, acceptedType));
  return said?.kind === 'finished' || said?.kind === 'accepted';
}

const acceptedType = ['type', 'process-recurring-payment-response'];

/** Values of the record are not repeated: the entry has them. */
function differenceOf(said: ExpectedReading | undefined, expected: ExpectedReading): string {
  if (said?.kind === expected.kind) return `its values are not those of \`_countersign.call.label.decoding.expected\``;
  return `it says ${words[said?.kind ?? 'not-success']}, and \`_countersign.call.label.decoding.expected\` is ${words[expected.kind]}`;
}

const words = {
  finished: 'finished',
  error: 'an error',
  accepted: 'accepted',
  refused: 'refused',
  parameters: 'parameters',
  'not-success': 'no success',
} as const;
