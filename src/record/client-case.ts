/** One call of a client under test: what it was asked, what reached the wire, and what it made of the answer. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Exchange } from './exchange.ts';

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

export interface Asked {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly input: CloseDayInput | RecurringInput;
  /** Given to clients that let timestamp and nonce be injected. */
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Variables in which the client's process differs from the ordinary one, such as TZ. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A 64-bit integer, a truth value or a text as the client read it; all as the adapter protocol writes them. */
export type DecodedValue = { readonly long: string } | { readonly bool: boolean } | { readonly text: string };

export type DecodedGate = Readonly<Record<string, DecodedValue>>;

/** What the client understood of an answer. */
export type Decoded =
  | { readonly kind: 'finished'; readonly serial?: string; readonly gates?: readonly DecodedGate[] }
  | { readonly kind: 'error'; readonly errorCode?: string; readonly errorMessage?: string; readonly serial?: string }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly http_status: number }
  | { readonly kind: 'parameters'; readonly params: readonly (readonly [name: string, value: string])[] }
  /** The client threw, or said that the answer is none. */
  | { readonly kind: 'undecodable'; readonly reason?: string };

/** What the adapter reported of one case; the five outcomes of the adapter protocol. */
export interface ClientReply {
  readonly outcome: 'completed' | 'refused_locally' | 'transport_error' | 'unsupported' | 'adapter_error';
  readonly decoded?: Decoded;
  /** Artefacts of the client's own steps, by the names of the adapter protocol. */
  readonly stages?: Readonly<Record<string, string>>;
  readonly stage?: string;
  readonly reason?: string;
}

/**
 * `mandatory`: a conforming client has to manage it. `hardening`: it may decline. `forbidden`: the document forbids it.
 * `probe`: looked at, never judged. `observed`: it is not known what the client was asked.
 */
export type InputKind = 'mandatory' | 'hardening' | 'forbidden' | 'probe' | 'observed';

/** What the client is expected to read out of the answer that it got. */
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
  /** Name of the question, the same for all of its forms. */
  readonly question: string;
  /** `unwrapped`, `wrapped`, `json` (under application/json), `raw-line-feed`, `escaped-line-feed`, or `only`. */
  readonly form: 'unwrapped' | 'wrapped' | 'json' | 'raw-line-feed' | 'escaped-line-feed' | 'only';
  /** Rows that the reading answers. */
  readonly answers: readonly RequirementId[];
  readonly expected: ExpectedReading;
}

export interface ClientLabel {
  readonly operation: Operation;
  readonly input: InputKind;
  /**
   * Row that the treatment of the input answers: for a forbidden input the one that it breaks, for a mandatory one the
   * row that a refusal of it breaks.
   */
  readonly about?: RequirementId;
  /** In a few words, what is special about the case: for reports. */
  readonly special?: string;
  /** Set where decoding is asked for. Its requests are judged too; that there is none matters only where `about` is set. */
  readonly decoding?: DecodingQuestion;
  /** The server that the base URL leads to, where it is not the ordinary one. */
  readonly server?: ServerKind;
  /** Cases of one group have the same input in different environments; `environment` tells those apart. */
  readonly permutation?: { readonly group: string; readonly environment: string; readonly round: number };
  /** How the answer misbehaves, where it does: `slow`, `reset`, `endless` and the like. */
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

export interface ClientCase {
  readonly scenario: string;
  readonly number: number;
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
  /** The requests received for this case, in order; more than one shows a retry. */
  readonly wire: readonly Exchange[];
  /** What the record leaves out, where it does. */
  readonly incomplete?: string;
}

/** Rows that could not be asked for, and why: a port that cannot be bound, a feature that the adapter does not offer. */
export interface Skipped {
  readonly ids: readonly RequirementId[];
  readonly reason: string;
}

/** Everything that a run with a client leaves to be judged. */
export interface ClientRun {
  readonly calls: readonly ClientCase[];
  readonly skipped: readonly Skipped[];
  /** Why the run has no conclusion. */
  readonly aborted?: string;
  /** Operations that the adapter offers; absent where not known. */
  readonly offered?: readonly Operation[];
  /** The client's language, as its adapter names it. */
  readonly language?: string;
}
