/** A case: recorded exchanges, and a label that says what the suite meant by them. Judges never read the scenario. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Exchange } from './exchange.ts';
import { memoize } from './memoize.ts';

/** Id of the scenario of `--measure`. It has no plan, because each of its cases depends on earlier answers. */
export const measuringId = 'measure';

export interface CaseLabel {
  readonly operation: Operation;
  /** `valid`: a correct request. `fault`: it breaks the requirement `about`. `open`: the document is silent on it. */
  readonly intent: 'valid' | 'fault' | 'open';
  /** The requirement that the answer shows: by acceptance if `valid`, by refusal if `fault`. */
  readonly about?: string;
  /** The open point under which the answer is recorded. For a `fault` it may allow the form of the request. */
  readonly openPoint?: string;
  readonly twin?: { readonly scenario: string; readonly number: number };
  /** The only property that differs from its twin, except values that must be new in each request. */
  readonly differsIn?: string;
  readonly edge?: { readonly generator: string; readonly name: string };
  /** The limit that is measured, and the value that is tried. With `again` the value is the number of a nonce, sent again. */
  readonly measures?: { readonly limit: string; readonly value: number; readonly again?: true };
  /** The deviations of the signature: those found so far, and one of `as`. All of `as` give the same signature. */
  readonly signedAs?: {
    readonly probe: string;
    /** Each item lists deviations that no request has distinguished yet. */
    readonly follows: readonly (readonly string[])[];
    readonly as: readonly string[];
  };
  readonly facts?: {
    readonly gate?: 'open' | 'closing' | 'locked' | 'unknown';
    /** Number of gates of the endpoint, if the suite set up the target. */
    readonly gates?: number;
  };
}

/** One exchange with a gateway, or one call of a client. In a report each exchange of a call is a case. */
export interface Case<Exchanges extends readonly Exchange[] = readonly [Exchange]> {
  readonly scenario: string;
  readonly number: number;
  readonly label: CaseLabel;
  readonly exchanges: Exchanges;
  readonly call?: Call;
}

export type AnyCase = Case<readonly Exchange[]>;

export type CasePlace = Pick<AnyCase, 'scenario' | 'number'>;

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
  /** What the adapter was asked to send; may be absent in a recording. */
  readonly asked?: Asked;
  /** Absent if the client reports nothing: in recordings and at the desk. */
  readonly reply?: ClientReply;
  /** Why an expected reply is missing: code, sentence and hint of an AdapterError. */
  readonly adapterFault?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** The adapter ended during the case, so the suite asked it again. A second request is then no retry of the client. */
  readonly repeated?: true;
  /** Set if shrinking made the input: its path under the seed, for `--path`. */
  readonly path?: string;
  readonly incomplete?: string;
}

/** A case of a client. It has no exchange if the client sent nothing, and several if the client tried again. */
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

/** Business input of process-recurring-payments. Cells are in the order of the columns; null is an absent cell. */
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

/** A value that the client read, as the adapter protocol writes it. `long`: a 64-bit integer in decimal. */
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
 * `mandatory`: a conforming client must send it. `hardening`: it may decline. `forbidden`: the document forbids it.
 * `probe`: never judged. `observed`: the input is unknown.
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
  /** Anything but success: neither `finished` nor `accepted`, nor parameters whose type means success. */
  | { readonly kind: 'not-success' };

/** What a call tests about decoding. If the answer has several forms, the client must read only one of them. */
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
  /** Set if the call tests decoding. Its requests are judged too, but a missing request matters only with `about`. */
  readonly decoding?: DecodingQuestion;
  readonly server?: ServerKind;
  /** Cases of one group have the same input in different environments. */
  readonly permutation?: { readonly group: string; readonly environment: string; readonly round: number };
  readonly misbehaviour?: string;
}

/** How the local gateway is reached. `ordinary`: HTTPS on another port than 443, with a certificate that the client trusts. */
export type ServerKind =
  | 'ordinary'
  | 'mixed-case-host'
  | 'explicit-default-port'
  | 'other-authority'
  | 'wrong-name'
  | 'expired';

/** Sorts by scenario id and case number, not by arrival. */
export function inOrder<C extends AnyCase>(cases: readonly C[]): readonly C[] {
  return [...cases].sort((a, b) =>
    a.scenario === b.scenario ? a.number - b.number : a.scenario < b.scenario ? -1 : 1,
  );
}

/** One case for each exchange. Their places, from 1, are the numbers of exchanges in report.json and exchanges.har. */
export function perExchange(cases: readonly AnyCase[]): readonly Case[] {
  return inOrder(cases).flatMap((one) => one.exchanges.map((exchange) => ({ ...one, exchanges: [exchange] as const })));
}

/** The number of the first exchange of a case. */
export function numberOf(ordered: readonly Case[], { scenario, number }: CasePlace): number | undefined {
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
