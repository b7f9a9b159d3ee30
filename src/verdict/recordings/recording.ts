/** What a recording holds: the calls of a client, or the cases of a gateway, from a HAR file. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { type Case, type ClientRun, clientCase, type ExpectedReading } from '../../record/case.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';
import type { GatewayRun } from '../../record/gateway-run.ts';
import { HarError } from '../../record/har.ts';
import type { ReadExchange } from '../../record/har-entry.ts';
import { lacks } from '../../record/har-losses.ts';
import { type ReadHar, readHar } from '../../record/read-har.ts';
import { expectedOf } from '../../rules/client/decoding/decoding.ts';

export type Side = 'client' | 'gateway';

export interface Recording {
  /** Whom a run of this suite had examined; undefined where another tool made the recording. */
  readonly examined?: Side;
  readonly client: ClientRun;
  readonly cases: readonly Case[];
  /** Id of that run, as its report has it; undefined where the file does not say. */
  readonly runId?: string;
  /** What a run against a gateway said beside its cases. */
  readonly gateway?: GatewayRun;
  /** Entries that are of neither operation: nothing is judged of them. */
  readonly strangers: number;
  /** Why entries could not be read: each is left out. */
  readonly unreadable?: readonly string[];
}

/**
 * Reads a HAR file, from its bytes, its text or its source. Entries of another tool become cases under the scenario `name`.
 * Throws HarError.
 */
export function readRecording(har: Parameters<typeof readHar>[0], name: string): Recording {
  const read = readHar(har, (entry, number) => {
    refuseOtherAnswer(entry, number);
    return entry.examined !== undefined || operationOf(entry.exchange) !== undefined;
  });
  const { entries } = read;
  if (entries.some(({ examined }) => examined !== undefined)) return ownRun(read);
  const known = entries.flatMap((entry, index) => {
    const operation = operationOf(entry.exchange);
    return operation === undefined ? [] : [{ ...entry, operation, number: index + 1 }];
  });
  return {
    runId: read.runId,
    client: {
      calls: known.map(({ exchange, operation, number, incomplete }) =>
        clientCase(
          { scenario: name, number, exchanges: [exchange] },
          { label: { operation, input: 'observed' }, incomplete },
        ),
      ),
      skipped: [],
    },
    // It is not known what was meant: the answers are looked at, acceptance and refusal prove nothing.
    cases: known.map(({ exchange, operation, number, incomplete }) => ({
      scenario: name,
      number,
      label: { operation, intent: 'open' },
      exchanges: [lacks({ incomplete }, 'responseBody') ? withoutAnswer(exchange) : exchange],
    })),
    ...leftOut(entries, known.length),
  };
}

/** A body that the recorder left out is not an empty one, which would be an answer by itself. */
function withoutAnswer({ response: _, ...rest }: Exchange): Exchange {
  return { ...rest, failure: { kind: 'reset', message: 'the recorder left out the body of the answer' } };
}

function ownRun({ entries, runId, client, gateway }: ReadHar): Recording {
  const cases = entries.flatMap(({ examined }) => (examined === undefined ? [] : [examined]));
  return {
    examined: client === undefined ? 'gateway' : 'client',
    runId,
    client: client ?? { calls: [], skipped: [] },
    cases,
    gateway,
    ...leftOut(entries, cases.length),
  };
}

function leftOut(entries: ReadHar['entries'], known: number): Pick<Recording, 'strangers' | 'unreadable'> {
  const unreadable = entries.flatMap((entry) => entry.unreadable?.message ?? []);
  return { strangers: entries.length - known - unreadable.length, unreadable };
}

/** By the path segment that the interface document gives each operation (sections 4.1 and 4.2); a browser's preflight asks for none. */
function operationOf({ request }: Exchange): Operation | undefined {
  if (request.method === 'OPTIONS' && headerValues(request.headers, 'access-control-request-method').length > 0)
    return undefined;
  const segments = request.target.split(/[?#]/)[0]!.split('/');
  return operationNames.find((operation) => segments.includes(operation));
}

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
  if (said?.kind === 'parameters')
    return said.params.some((one) => isDeepStrictEqual(one, ['type', 'process-recurring-payment-response']));
  return said?.kind === 'finished' || said?.kind === 'accepted';
}

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
