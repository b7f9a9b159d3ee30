/** What the reference client needs of a transport: one request out, one answer or a failure back. */
import type { FailureKind, ReceivedResponse, SentRequest } from '../../record/exchange.ts';

/** How the client wants to be connected. */
export interface Connection {
  /** Whether it takes a certificate that does not verify; a right client never does. */
  readonly acceptAnyCertificate: boolean;
  /** Milliseconds for the whole exchange. */
  readonly deadlineMs: number;
}

export type Sent =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: { readonly kind: FailureKind; readonly message: string } };

/** Sends once; never rejects for what the network or the gateway does. */
export type Send = (request: SentRequest, connection: Connection) => Promise<Sent>;
