/** Reads a recording: the run that a HAR file holds. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { type Case, clientCase } from '../../record/case.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { HarError } from '../../record/har.ts';
import { lacks } from '../../record/losses.ts';
import { type ReadExchange, readHar } from '../../record/read-har.ts';
import { casesOf, groupByScenario, type RecordedRun, type Side } from '../../record/run.ts';
import { expectedReading, isFailure } from '../../rules/client/decoding.ts';

export interface Recording extends RecordedRun {
  /** Set if another tool made the recording. Then `side` is a default, and it is unknown which requests are valid. */
  readonly isForeign?: true;
  readonly runId?: string;
  /** Number of entries that are not judged, because they call no operation of the gateway. */
  readonly unrelated: number;
  readonly unreadable?: readonly string[];
}

/** Reads a HAR file. Entries of another tool become calls of a client in the scenario `name`. Throws HarError. */
export function readRecording(har: Parameters<typeof readHar>[0], name: string): Recording {
  const { entries, run, runId } = readHar(har, (entry, number) => {
    validateAnswer(entry, number);
    return entry.testCase !== undefined || operationOf(entry.exchange) !== undefined;
  });
  const unreadable = entries.flatMap((entry) => entry.unreadable?.message ?? []);
  const unrelated = (judgedCount: number) => entries.length - judgedCount - unreadable.length;
  if (run !== undefined) {
    const own = entries.filter(({ testCase }) => testCase !== undefined);
    return { ...run, runId, unrelated: unrelated(own.length), unreadable };
  }
  const calls = entries.flatMap(({ exchange, incomplete }, index) => {
    const operation = operationOf(exchange);
    const place = { scenario: name, number: index + 1, exchanges: [exchange] };
    return operation === undefined ? [] : [clientCase(place, { label: { operation, input: 'observed' }, incomplete })];
  });
  const records = groupByScenario(calls);
  return { side: 'client', isForeign: true, records, runId, unrelated: unrelated(calls.length), unreadable };
}

/** Assigns a recording of another tool to a side. A gateway is then judged only on the form of its answers. */
export function assignSide(recording: Recording, side: Side): Recording {
  if (recording.side === side || !recording.isForeign) return recording;
  const cases = casesOf(recording).map(
    ({ scenario, number, label: { operation }, call, exchanges: [exchange] }): Case => {
      // If the recorder left out the body, drop the response: it must not look like a response with an empty body.
      const { response: _, ...rest } = exchange!;
      const usable = lacks(call ?? {}, 'responseBody') ? { ...rest, failure: missingBody } : exchange!;
      return { scenario, number, label: { operation, intent: 'open' }, exchanges: [usable] };
    },
  );
  return { ...recording, side, records: groupByScenario(cases) };
}

const missingBody = { kind: 'reset', message: 'the recorder left out the body of the answer' } as const;

/** Finds the operation by its path segment (sections 4.1 and 4.2). A preflight of a browser belongs to no operation. */
function operationOf({ request }: Exchange): Operation | undefined {
  if (request.method === 'OPTIONS' && headerValues(request.headers, 'access-control-request-method').length > 0)
    return undefined;
  const segments = request.target.split(/[?#]/)[0]!.split('/');
  return operationNames.find((operation) => segments.includes(operation));
}

/** Throws HarError if an answer differs from the expected answer. Ignores probes and incomplete answers. */
export function validateAnswer({ exchange, testCase }: ReadExchange, number: number): void {
  const { label, incomplete } = testCase?.call ?? {};
  const expected = label?.decoding?.expected;
  if (label === undefined || expected === undefined || label.input === 'probe') return;
  if (exchange.response === undefined || incomplete !== undefined) return;
  const actual = expectedReading[label.operation](exchange)?.expected;
  const isExpected =
    expected.kind === 'not-success' ? actual === undefined || isFailure(actual) : isDeepStrictEqual(actual, expected);
  if (isExpected) return;
  const what = `entry ${number} of the HAR file has another answer than \`_countersign.call.label.decoding.expected\``;
  throw new HarError('bad-entry', what, 'Give the unchanged file of the run.');
}
