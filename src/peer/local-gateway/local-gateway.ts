/** The gateway that a client under test talks to: places with scripted answers, and a record of what was received. */

import type { LocalAnswer } from '../../plan/scenario.ts';
import type { ServerKind } from '../../record/client-case.ts';
import type { Exchange, FailureKind, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import type { TrustedAuthority } from '../adapter/messages.ts';

export interface LocalGateway {
  /** The authority that a client has to trust; absent without HTTPS. */
  readonly ca?: TrustedAuthority;
  /** Opens a place that gives one answer to every request. Never rejects for a kind that cannot be had: then there is a reason. */
  open(answer: LocalAnswer, options?: PlaceOptions): Promise<Place | Unavailable>;
  /** Requests for no open place, the latest thousand. They were answered with 404. */
  unclaimed(): readonly Exchange[];
  /** Why the client should be asked nothing more: five places in a row got more than a place takes. */
  flood(): string | undefined;
  /** The same treatment without a socket. Time is not spent: what comes later than the limit is a time-out at once. */
  handle(request: SentRequest, connection?: InProcessConnection): Promise<Handled>;
  /** Closes every place, stops listening and ends open connections at once. */
  close(): Promise<void>;
}

export interface PlaceOptions {
  /** Default `ordinary`. */
  readonly server?: ServerKind;
  /** Path between the place's own segment and /api/, such as `/PayNet/v%20x`; default none. */
  readonly pathSuffix?: string;
  /** Whether requests that name no place are this one's as long as no other place is open: for clients that drop the prefix. */
  readonly claimStrays?: boolean;
}

/** A kind of server that cannot be had here, and why, in one sentence. */
export interface Unavailable {
  readonly unavailable: string;
}

export interface Place {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Requests for this place, in order. One whose answer is under way has the failure `timeout`. */
  exchanges(): readonly Exchange[];
  /** How many requests came, those included that the record leaves out. */
  arrived(): number;
  /** What the record leaves out, where it does. */
  incomplete(): string | undefined;
  /** Whether more came than a place takes: it takes nothing any more. */
  isFull(): boolean;
  /** Waits until no answer is under way, at most `limitMs` (2 s). */
  settled(limitMs?: number): Promise<void>;
  /** Ends answers that are under way; later requests are unclaimed. The record stays readable. */
  close(): void;
}

/** How a client in this process connects. */
export interface InProcessConnection {
  /** Whether it takes a certificate that does not verify. Default: it does not. */
  readonly acceptAnyCertificate?: boolean;
  /** Milliseconds that it waits for the whole answer; default 10 s. */
  readonly deadlineMs?: number;
}

export type Handled =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: Failure };

export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
}
