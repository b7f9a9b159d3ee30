/** What a recording holds: the run that a HAR file is of. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { type Case, clientCase, type ExpectedReading } from '../../record/case.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { HarError } from '../../record/har.ts';
import { lacks, type ReadExchange } from '../../record/har-entry.ts';
import { readHar } from '../../record/read-har.ts';
import { casesOf, perScenario, type RecordedRun, type Side } from '../../record/run.ts';
import { expectedOf } from '../../rules/client/decoding/decoding.ts';

export interface Recording extends RecordedRun {
  /** Whether another tool made it: it is not known what was meant, and `ofSide` says whose it is. */
  readonly isForeign?: true;
  readonly runId?: string;
  /** Entries that are of neither operation: nothing is judged of them. */
  readonly strangers: number;
  readonly unreadable?: readonly string[];
}

/**
 * Reads a HAR file, from its bytes, its text or its source. Entries of another tool become calls of a client under the
 * scenario `name`. Throws HarError.
 */
export function readRecording(har: Parameters<typeof readHar>[0], name: string): Recording {
  const { entries, run, runId } = readHar(har, (entry, number) => {
    refuseOtherAnswer(entry, number);
    return entry.examined !== undefined || operationOf(entry.exchange) !== undefined;
  });
  const unreadable = entries.flatMap((entry) => entry.unreadable?.message ?? []);
  const strangers = (known: number) => entries.length - known - unreadable.length;
  if (run !== undefined) {
    const own = entries.filter(({ examined }) => examined !== undefined);
    return { ...run, runId, strangers: strangers(own.length), unreadable };
  }
  const calls = entries.flatMap(({ exchange, incomplete }, index) => {
    const operation = operationOf(exchange);
    const place = { scenario: name, number: index + 1, exchanges: [exchange] };
    return operation === undefined ? [] : [clientCase(place, { label: { operation, input: 'observed' }, incomplete })];
  });
  const records = perScenario(calls);
  return { side: 'client', isForeign: true, records, runId, strangers: strangers(calls.length), unreadable };
}

/**
 * A recording of another tool as one of that side, any other as it is. Of a gateway the answers are looked at: acceptance and
 * refusal prove nothing.
 */
export function ofSide(recording: Recording, side: Side): Recording {
  if (recording.side === side || !recording.isForeign) return recording;
  const cases = casesOf(recording).map(
    ({ scenario, number, label: { operation }, call, exchanges: [exchange] }): Case => {
      const shown = lacks(call ?? {}, 'responseBody') ? withoutAnswer(exchange!) : exchange!;
      return { scenario, number, label: { operation, intent: 'open' }, exchanges: [shown] };
    },
  );
  return { ...recording, side, records: perScenario(cases) };
}

/** A body that the recorder left out is not an empty one, which would be an answer by itself. */
function withoutAnswer({ response: _, ...rest }: Exchange): Exchange {
  return { ...rest, failure: { kind: 'reset', message: 'the recorder left out the body of the answer' } };
}

/** By the path segment that the interface document gives each operation (sections 4.1 and 4.2); a browser's preflight asks for none. */
function operationOf({ request }: Exchange): Operation | undefined {
  if (request.method === 'OPTIONS' && headerValues(request.headers, 'access-control-request-method').length > 0)
    return undefined;
  const segments = request.target.split(/[?#]/)[0]!.split('/');
  return operationNames.find((operation) => segments.includes(operation));
}

/** Throws HarError for an answer that says something else than its call expected, unless it was only looked at, lost or cut off. */
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
  if (said?.kind === 'parameters')
    return said.params.some((one) => isDeepStrictEqual(one, ['type', 'process-recurring-payment-response']));
  return said?.kind === 'finished' || said?.kind === 'accepted';
}

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
