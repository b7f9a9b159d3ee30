/** Cases: recorded exchanges with a label that says what they test. Verdicts depend on the label, not the scenario. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Exchange } from './exchange.ts';
import { memoize } from './memoize.ts';

/** The id of the scenario of `--measure`. It has no plan, because each request depends on earlier answers. */
export const measuringId = 'measure';

export interface CaseLabel {
  readonly operation: Operation;
  /** `valid`: correct. `fault`: breaks the requirement `about`. `open`: the document does not define the request. */
  readonly intent: 'valid' | 'fault' | 'open';
  /** The tested requirement. A gateway meets it by accepting a `valid` request, or by refusing a `fault`. */
  readonly about?: string;
  /** Id of the open point that the request concerns. If it is set, the refusal of a `fault` is not judged. */
  readonly openPoint?: string;
  readonly twin?: { readonly scenario: string; readonly number: number };
  /** The only difference from the case `twin`, except values that must be new in each request. */
  readonly differsIn?: string;
  readonly edge?: { readonly generator: string; readonly name: string };
  /** The limit to measure and the value to try. `again`: this request repeats the nonce of request number `value`. */
  readonly measures?: { readonly limit: string; readonly value: number; readonly again?: true };
  /** Set by `--measure`: the deviations with which the request was signed. The first id of each list was used. */
  readonly signedAs?: {
    readonly probe: string;
    /** Known deviations of the gateway. From a list with several ids, it has one, but it is not known which. */
    readonly follows: readonly (readonly string[])[];
    /** The deviation that the request tries besides the known ones. Several ids: they all give the same signature. */
    readonly as: readonly string[];
  };
  readonly facts?: {
    readonly gate?: 'open' | 'closing' | 'locked' | 'unknown';
    /** Number of gates of the endpoint; absent if the suite did not set up the target. */
    readonly gates?: number;
  };
}

/** One exchange with a gateway, or one call of a client with all its exchanges. `splitByExchange` splits a call. */
export interface Case<Exchanges extends readonly Exchange[] = readonly [Exchange]> {
  readonly scenario: string;
  readonly number: number;
  readonly label: CaseLabel;
  readonly exchanges: Exchanges;
  readonly call?: Call;
}

export type AnyCase = Case<readonly Exchange[]>;
type CasePlace = Pick<AnyCase, 'scenario' | 'number'>;

export function clientCase(place: CasePlace & Pick<ClientCase, 'exchanges'>, call: Call): ClientCase {
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
  /** The input that the suite sent to the adapter. A recording may lack the input. */
  readonly asked?: AdapterInput;
  /** The reply of the adapter. Absent in recordings and at the desk, because they use no adapter. */
  readonly reply?: ClientReply;
  /** Set if the adapter gave no valid reply, or if the client flooded the gateway: code, message and hint. */
  readonly adapterFault?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** Set if the suite repeated the call after the adapter ended. A second request is then not a retry of the client. */
  readonly repeated?: true;
  /** The value of `--path` that repeats the input. Set only if the suite made the input by shrinking. */
  readonly path?: string;
  readonly incomplete?: string;
}

/** A case of a client. `exchanges` is empty if the client sent nothing, and has several items if the client retried. */
export interface ClientCase extends Case<readonly Exchange[]> {
  readonly call: Call;
}

/** The input of close-day for the adapter. The client sends an empty field, but omits an absent field. */
export interface CloseDayInput {
  readonly day_close_request_id?: string;
  readonly sale_approved_count?: string;
  readonly sale_approved_sum?: string;
  readonly reversal_approved_count?: string;
  readonly reversal_approved_sum?: string;
}

/** The input of process-recurring-payments. Cells are in the order of `columns`. The client omits null cells. */
export interface RecurringInput {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export type CallInput = CloseDayInput | RecurringInput;

interface AdapterInput {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly input: CallInput;
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Environment variables that the suite sets for the client's process, such as TZ. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A value that the client read, as the adapter reports it. `long` is a 64-bit integer in decimal digits. */
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
 * `mandatory`: a client must send the input. `hardening`: a client may decline the input. `forbidden`: a client must
 * not send an altered form of it. `probe`: the call is not judged. `observed`: the input is unknown, as in recordings.
 */
type InputKind = 'mandatory' | 'hardening' | 'forbidden' | 'probe' | 'observed';

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
  /** The client must not report success: not `finished`, not `accepted`, not `parameters` of an accepted batch. */
  | { readonly kind: 'not-success' };

/** A question about reading an answer. If the answer has several `form`s, the client must read at least one. */
export interface DecodingQuestion {
  readonly question: string;
  readonly form: 'unwrapped' | 'wrapped' | 'json' | 'raw-line-feed' | 'escaped-line-feed' | 'only';
  readonly answers: readonly RequirementId[];
  readonly expected: ExpectedReading;
}

export interface ClientLabel {
  readonly operation: Operation;
  readonly input: InputKind;
  /** The requirement that fails if the client omits a `mandatory` input, or changes a `forbidden` one and sends it. */
  readonly about?: RequirementId;
  readonly special?: string;
  /** Set if the call tests how an answer is read. Its requests are judged too; a missing one only if `about` is set. */
  readonly decoding?: DecodingQuestion;
  readonly server?: ServerKind;
  /** The cases of a group have the same input, but different environment variables. Each environment has two rounds. */
  readonly permutation?: { readonly group: string; readonly environment: string; readonly round: number };
  readonly misbehaviour?: string;
}

/** How a client reaches the local gateway. `ordinary`: HTTPS with a trusted certificate, on a port other than 443. */
export type ServerKind =
  | 'ordinary'
  | 'mixed-case-host'
  | 'explicit-default-port'
  | 'other-authority'
  | 'wrong-name'
  | 'expired';

/** Sorts cases by scenario id and case number, not by time. */
export function inOrder<C extends AnyCase>(cases: readonly C[]): readonly C[] {
  return [...cases].sort((a, b) => {
    if (a.scenario === b.scenario) return a.number - b.number;
    return a.scenario < b.scenario ? -1 : 1;
  });
}

/** One case for each exchange, in the order of the exchange numbers in report.json and exchanges.har (from 1). */
export function splitByExchange(cases: readonly AnyCase[]): readonly Case[] {
  return inOrder(cases).flatMap((one) => one.exchanges.map((exchange) => ({ ...one, exchanges: [exchange] as const })));
}

/** The number, from 1, of the first exchange of a case. Undefined for an unknown case. */
export function numberOf(ordered: readonly Case[], { scenario, number }: CasePlace): number | undefined {
  return numbersIn(ordered).get(`${scenario}#${number}`);
}

const numbersIn = memoize((ordered: readonly Case[]): ReadonlyMap<string, number> => {
  const numbers = ordered.map(({ scenario, number }, index) => [`${scenario}#${number}`, index + 1] as const);
  return new Map(numbers.toReversed());
});

export interface LocalReply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** How the local gateway answers the request of a case. */
export type LocalAnswer =
  | LocalReply
  /** Resets the connection after the request, or closes it normally if `closed`. */
  | { readonly kind: 'reset'; readonly closed?: true }
  /** Sends the reply `slowReply` after `afterMs` milliseconds. */
  | { readonly kind: 'slow'; readonly afterMs: number; readonly slowReply: LocalReply }
  /** Sends a body until the client gives up or the time limit ends. */
  | { readonly kind: 'endless' };
