/** A client that can be asked to do one case after another: an adapter process, a one-shot command, or one in this process. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import type { Asked, ClientReply } from '../../record/case.ts';
export interface Noted {
  /** In the plural, for the count. */
  readonly kind: string;
  /** Some of the first, in full. */
  readonly first: readonly string[];
  /** Of all, also of those that are not kept; absent where the first says all. */
  readonly count?: number;
}

/** Who the client is and what its adapter offers: the `ready` message, with defaults filled in. */
export interface Introduction {
  readonly adapter: { readonly name: string; readonly version?: string };
  readonly client: {
    readonly name: string;
    readonly version?: string;
    readonly language?: string;
    readonly languageVersion?: string;
  };
  readonly offers: {
    readonly ops: readonly Operation[];
    readonly signatureMethods: readonly string[];
    readonly stages: readonly string[];
    readonly inject: readonly ('timestamp' | 'nonce')[];
    /** At least 1. */
    readonly maxInFlight: number;
    readonly tls: boolean;
  };
}

/** One call. The secret is of an identity that the suite publishes. */
export interface SessionCase extends Asked {
  /** What a person finds it by, for messages alone: the adapter never sees it. */
  readonly name?: string;
  readonly operation: Operation;
  readonly auth:
    | { readonly method: 'HMAC-SHA1'; readonly consumerKey: string; readonly secret: string }
    | { readonly method: 'RSA-SHA256'; readonly consumerKey: string; readonly privateKeyPem: string };
  readonly deadlineMs: number;
  /** Whether its answer has no end: an adapter in a debugger, whose cases may take an hour, is told the deadline all the same. */
  readonly isEndless?: boolean;
}

/**
 * What became of a case: the adapter's reply, or why there is none. `repeated`: the adapter ended while the case was open,
 * so that it was asked once more, alone, and may have sent twice.
 */
export type SessionReply =
  | { readonly reply: ClientReply; readonly fault?: undefined; readonly repeated?: true }
  | {
      readonly reply?: undefined;
      readonly fault: { readonly code: string; readonly message: string; readonly hint: string };
      readonly repeated?: true;
    };

export interface ClientSession {
  readonly introduction: Introduction;
  /**
   * Never rejects; a deadline stretches with the measured speed of the adapter, four times at most. May be called up to
   * `maxInFlight` times at once.
   */
  perform(asked: SessionCase): Promise<SessionReply>;
  /** What happened besides results since it was last asked: noise on stdout, late or repeated answers, restarts. */
  takeNotes(): readonly Noted[];
  /** Says goodbye, and ends every process that belongs to the client within a few seconds. Never rejects. */
  close(): Promise<void>;
}

/** What a client is given to sign a call of the operation with: the secret or the key of its method (section 5). */
export function authFor(
  operation: Operation,
  {
    consumerKey,
    consumerSecret: secret,
    privateKeyPem,
  }: Readonly<Record<'consumerKey' | 'consumerSecret' | 'privateKeyPem', string>>,
): SessionCase['auth'] {
  const { signatureMethod: method } = operations[operation];
  return method === 'HMAC-SHA1' ? { method, consumerKey, secret } : { method, consumerKey, privateKeyPem };
}
