/** What went over the wire, and what the suite meant by it. Judges read the label, never the scenario. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Exchange } from './exchange.ts';
import { memoize } from './memoize.ts';

/** Scenario of the cases that measure. They have no plan, because each depends on earlier answers. */
export const measuringId = 'measure';

export interface CaseLabel {
  readonly operation: Operation;
  /** `valid`: a correct request. `fault`: it breaks the requirement `about`. `open`: the document is silent on it. */
  readonly intent: 'valid' | 'fault' | 'open';
  /** Requirement that acceptance (valid) or refusal (fault) answers. */
  readonly about?: string;
  /** Open point under which the answer is recorded. For a fault: the one that leaves open whether its form is accepted. */
  readonly openPoint?: string;
  readonly twin?: { readonly scenario: string; readonly number: number };
  /** The only property that differs from its twin, except values that must be new in each request. */
  readonly differsIn?: string;
  readonly edge?: { readonly generator: string; readonly name: string };
  /** The tried value of a limit. With `again` it is the number of the nonce that is used a second time. */
  readonly measures?: { readonly limit: string; readonly value: number; readonly again?: true };
  /** How the request is signed: with the deviations found so far, and one of `as`, which all give this signature. */
  readonly signedAs?: {
    readonly probe: string;
    /** Each with the deviations that cannot be distinguished from it yet. */
    readonly follows: readonly (readonly string[])[];
    readonly as: readonly string[];
  };
  readonly facts?: {
    readonly gate?: 'open' | 'closing' | 'locked' | 'unknown';
    /** Number of gates of the endpoint, if the suite set up the target. */
    readonly gates?: number;
  };
}

/** A request to a gateway with its answer; or a call of a client; or, in a report, one request of that call. */
export interface Case<Exchanges extends readonly Exchange[] = readonly [Exchange]> {
  readonly scenario: string;
  readonly number: number;
  readonly label: CaseLabel;
  readonly exchanges: Exchanges;
  readonly call?: Call;
}

export type AnyCase = Case<readonly Exchange[]>;

export function clientCase(place: Pick<ClientCase, 'scenario' | 'number' | 'exchanges'>, call: Call): ClientCase {
  const { operation, input, about, special } = call.label;
  return { ...place, label: { operation, intent: intents[input], about, differsIn: special }, call };
}

const intents: Readonly<Record<InputKind, CaseLabel['intent']>> = {
  mandatory: 'valid',
  hardening: 'valid',
  observed: 'valid',
  forbidden: 'fault',
  probe: 'open',
};

export interface Call {
  readonly label: ClientLabel;
  /** May be absent in a recording or a passive run. */
  readonly asked?: Asked;
  /** Absent if the client reports nothing: in recordings and at the desk. */
  readonly reply?: ClientReply;
  /** Why an expected reply is missing: code, sentence and hint of an AdapterError. */
  readonly adapterFault?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** The adapter ended during the case and was asked again: a second request is not a retry of the client. */
  readonly repeated?: true;
  /** Only for a call that shrinking made: the path of its input under the seed, for `--path`. */
  readonly path?: string;
  readonly incomplete?: string;
}

/** A case of a client: no exchange if it sent nothing, several if it tried again. */
export interface ClientCase extends Case<readonly Exchange[]> {
  readonly call: Call;
}

/** Business input of close-day for the adapter. An absent member is not sent; an empty one is. */
export interface CloseDayInput {
  readonly day_close_request_id?: string;
  readonly sale_approved_count?: string;
  readonly sale_approved_sum?: string;
  readonly reversal_approved_count?: string;
  readonly reversal_approved_sum?: string;
}

/** Business input of process-recurring-payments: cells in the order of the columns; null for an absent cell. */
export interface RecurringInput {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export type CallInput = CloseDayInput | RecurringInput;

export interface Asked {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly input: CallInput;
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Variables that differ from the usual environment of the client's process, such as TZ. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A 64-bit integer, a boolean or a text, as the client read it and the adapter protocol writes it. */
export type DecodedValue = { readonly long: string } | { readonly bool: boolean } | { readonly text: string };

export type DecodedGate = Readonly<Record<string, DecodedValue>>;

export type Decoded =
  | { readonly kind: 'finished'; readonly serial?: string; readonly gates?: readonly DecodedGate[] }
  | { readonly kind: 'error'; readonly errorCode?: string; readonly errorMessage?: string; readonly serial?: string }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly http_status: number }
  | { readonly kind: 'parameters'; readonly params: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'undecodable'; readonly reason?: string };

export interface ClientReply {
  readonly outcome: 'completed' | 'refused_locally' | 'transport_error' | 'unsupported' | 'adapter_error';
  readonly decoded?: Decoded;
  readonly stages?: Readonly<Record<string, string>>;
  readonly stage?: string;
  readonly reason?: string;
}

/**
 * `mandatory`: a conforming client must manage it. `hardening`: it may decline. `forbidden`: the document forbids it. `probe`:
 * never judged. `observed`: the client's input is unknown.
 */
export type InputKind = 'mandatory' | 'hardening' | 'forbidden' | 'probe' | 'observed';

export type ExpectedReading =
  | {
      readonly kind: 'finished';
      readonly serial: string;
      readonly gates: readonly Readonly<Record<string, string | boolean>>[];
    }
  | { readonly kind: 'error'; readonly errorCode: string; readonly errorMessage: string; readonly serial?: string }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly httpStatus: number }
  | { readonly kind: 'parameters'; readonly params: readonly (readonly [name: string, value: string])[] }
  /** Anything except success: not `finished`, not `accepted`, no parameters of a type that means success. */
  | { readonly kind: 'not-success' };

/** A question to the decoder. It may have several forms, of which the client must read only one. */
export interface DecodingQuestion {
  readonly question: string;
  readonly form: 'unwrapped' | 'wrapped' | 'json' | 'raw-line-feed' | 'escaped-line-feed' | 'only';
  readonly answers: readonly RequirementId[];
  readonly expected: ExpectedReading;
}

export interface ClientLabel {
  readonly operation: Operation;
  readonly input: InputKind;
  /** Requirement that a forbidden input breaks, or that refusing a mandatory input breaks. */
  readonly about?: RequirementId;
  readonly special?: string;
  /** Set if decoding is tested. Its requests are judged too, but a missing one matters only with `about`. */
  readonly decoding?: DecodingQuestion;
  readonly server?: ServerKind;
  /** Cases of one group have the same input in different environments. */
  readonly permutation?: { readonly group: string; readonly environment: string; readonly round: number };
  readonly misbehaviour?: string;
}

/** `ordinary`: HTTPS on a port that is not the default one, with a certificate that the client must trust. */
export type ServerKind =
  | 'ordinary'
  | 'mixed-case-host'
  | 'explicit-default-port'
  | 'other-authority'
  | 'wrong-name'
  | 'expired';

/** By scenario id and case number, not by arrival. */
export function inOrder<C extends AnyCase>(cases: readonly C[]): readonly C[] {
  return [...cases].sort((a, b) =>
    a.scenario === b.scenario ? a.number - b.number : a.scenario < b.scenario ? -1 : 1,
  );
}

/** One case for each exchange. report.json and exchanges.har number exchanges by their place here, from 1. */
export function perExchange(cases: readonly AnyCase[]): readonly Case[] {
  return inOrder(cases).flatMap((one) => one.exchanges.map((exchange) => ({ ...one, exchanges: [exchange] as const })));
}

export function numberOf(
  ordered: readonly Case[],
  { scenario, number }: Pick<Case, 'scenario' | 'number'>,
): number | undefined {
  return firstNumbers(ordered).get(`${scenario}#${number}`);
}

const firstNumbers = memoize((ordered: readonly Case[]): ReadonlyMap<string, number> => {
  const numbers = new Map<string, number>();
  for (const [index, { scenario, number }] of ordered.entries()) {
    const place = `${scenario}#${number}`;
    if (!numbers.has(place)) numbers.set(place, index + 1);
  }
  return numbers;
});
