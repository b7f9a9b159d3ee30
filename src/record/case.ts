/** What went over the wire, and what the suite meant by it. Judges read the label; they never see the scenario's code. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Exchange } from './exchange.ts';
import { memoize } from './memoize.ts';

/** Scenario of the cases that measure: they have no plan, since each depends on the answers before. */
export const measuringId = 'measure';

export interface CaseLabel {
  readonly operation: Operation;
  /** `valid`: a right request. `fault`: breaks the row `about`. `open`: the document is silent on it. */
  readonly intent: 'valid' | 'fault' | 'open';
  /** Requirement that the target's acceptance (valid) or refusal (fault) answers. */
  readonly about?: string;
  /** Open point that the target's answer is recorded under; of a fault, the one that leaves open whether its form is taken. */
  readonly openPoint?: string;
  readonly twin?: { readonly scenario: string; readonly number: number };
  /** The one property in which the case differs from its twin, besides what must be fresh. */
  readonly differsIn?: string;
  readonly edge?: { readonly generator: string; readonly name: string };
  /** The value of a limit that is tried here; `again`: the number of the nonce that is used a second time. */
  readonly measures?: { readonly limit: string; readonly value: number; readonly again?: true };
  /** How the request is signed: with the deviations found so far, and one of `as`, which all give this signature. */
  readonly signedAs?: {
    readonly probe: string;
    /** Each with those that could not be told from it yet. */
    readonly follows: readonly (readonly string[])[];
    readonly as: readonly string[];
  };
  readonly facts?: {
    readonly gate?: 'open' | 'closing' | 'locked' | 'unknown';
    /** Number of gates of the endpoint, where the suite set the target up. */
    readonly gates?: number;
  };
}

/** A request to a gateway with its answer; of a client a call, or in a report one request of it. */
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
  /** Absent where a recording or a passive run does not have it. */
  readonly asked?: Asked;
  /** Absent where the client reports nothing: in recordings and at the desk. */
  readonly reply?: ClientReply;
  /** Why there is no reply although one was due: the code of an AdapterError, its sentence, and what to do. */
  readonly adapterFault?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** The adapter ended while the case was open and was asked once more: a second request is not a retry of the client. */
  readonly repeated?: true;
  /** Of a further call, which shrinking made: where its input comes from under the seed of the run, as `--path` takes it. */
  readonly path?: string;
  readonly incomplete?: string;
}

/** A case of a client: without a request where it sent none, with several where it tried again. */
export interface ClientCase extends Case<readonly Exchange[]> {
  readonly call: Call;
}

/** Business input of close-day, as the adapter gets it. An absent member is not to be sent; an empty one is. */
export interface CloseDayInput {
  readonly day_close_request_id?: string;
  readonly sale_approved_count?: string;
  readonly sale_approved_sum?: string;
  readonly reversal_approved_count?: string;
  readonly reversal_approved_sum?: string;
}

/** Business input of process-recurring-payments: cells in the order of the columns; null for a cell that is absent. */
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
  /** Variables in which the client's process differs from the ordinary one, such as TZ. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A 64-bit integer, a truth value or a text as the client read it; all as the adapter protocol writes them. */
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
 * `mandatory`: a conforming client has to manage it. `hardening`: it may decline. `forbidden`: the document forbids it.
 * `probe`: looked at, never judged. `observed`: it is not known what the client was asked.
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
  /** Anything but success: neither `finished` nor `accepted` nor parameters of a type that means success. */
  | { readonly kind: 'not-success' };

/** A question to the decoder. The same question can be asked in several forms, of which the client need read only one. */
export interface DecodingQuestion {
  readonly question: string;
  readonly form: 'unwrapped' | 'wrapped' | 'json' | 'raw-line-feed' | 'escaped-line-feed' | 'only';
  readonly answers: readonly RequirementId[];
  readonly expected: ExpectedReading;
}

export interface ClientLabel {
  readonly operation: Operation;
  readonly input: InputKind;
  /** For a forbidden input the row that it breaks, for a mandatory one the row that a refusal of it breaks. */
  readonly about?: RequirementId;
  readonly special?: string;
  /** Set where decoding is asked for. Its requests are judged too; that there is none matters only where `about` is set. */
  readonly decoding?: DecodingQuestion;
  readonly server?: ServerKind;
  /** Cases of one group have the same input in different environments; `environment` tells those apart. */
  readonly permutation?: { readonly group: string; readonly environment: string; readonly round: number };
  readonly misbehaviour?: string;
}

/** `ordinary`: HTTPS on a port that is not the default one, with a certificate that the client was told to trust. */
export type ServerKind =
  | 'ordinary'
  | 'mixed-case-host'
  | 'explicit-default-port'
  | 'other-authority'
  | 'wrong-name'
  | 'expired';

/** By scenario id and case number, never by arrival. */
export function inOrder<C extends AnyCase>(cases: readonly C[]): readonly C[] {
  return [...cases].sort((a, b) =>
    a.scenario === b.scenario ? a.number - b.number : a.scenario < b.scenario ? -1 : 1,
  );
}

/** One for each exchange, in order: report.json and exchanges.har name an exchange by its place here, from 1. */
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
