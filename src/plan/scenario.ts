/** Defines scenarios: plans of cases for gateways and clients. Plans are pure; a run performs them. */
import type { KeyObject } from 'node:crypto';
import type { Arbitrary } from 'fast-check';
import type { Effect, OAuthParameter, Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { HeaderPlan } from '../../generators/authorization.ts';
import type { Consumer } from '../../generators/consumer.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import type { Pair } from '../protocol/form.ts';
import type { CallInput, CaseLabel, ClientLabel, ServerKind } from '../record/case.ts';
import type { Header, SentRequest } from '../record/exchange.ts';

/** A state of the target that a scenario needs. Each state is a separate endpoint. */
export type Situation =
  | 'open'
  | 'closing'
  | 'locked'
  | 'several-gates'
  | 'unknown'
  /** The endpoint belongs to another consumer. */
  | 'of-another-consumer'
  /** The endpoint was locked, and the lock was removed. */
  | 'unlocked'
  /** The endpoint was closing, and the day was closed manually. */
  | 'closed-by-hand';

/** One request, as deviations from the valid one. */
export interface RequestPlan {
  readonly operation: Operation;
  /** Overrides the situation of the scenario, and so the endpoint. */
  readonly situation?: Situation;
  readonly body: readonly Pair[];
  /** The exact body, or a change of the encoded one. Default: the form encoding of `body`. */
  readonly rawBody?: string | ((encoded: string) => string);
  readonly signed?: {
    readonly body?: (sent: readonly Pair[]) => readonly Pair[];
    readonly method?: string;
    readonly scheme?: (sent: 'http' | 'https') => 'http' | 'https';
    readonly host?: (sent: string) => string;
    readonly target?: (sent: string) => string;
    /** Changes the URL of the base string (RFC 5849 3.4.1.2) in ways that scheme, host and target cannot express. */
    readonly uri?: (right: string) => string;
    readonly nonce?: string;
    readonly parameters?: (sent: readonly Pair[]) => readonly Pair[];
    readonly query?: readonly Pair[];
  };
  /** `other`: an unknown key. The others are HMAC secrets: empty, the public key's PEM, the consumer key, the secret with swapped case. */
  readonly key?: 'right' | 'other' | 'empty' | 'public' | 'consumer-key' | 'other-case';
  /** `names` is the announced method, `signs` the one used, with the valid key. */
  readonly otherMethod?: { readonly names: SigningMethod; readonly signs: SigningMethod | ImitatedMethod };
  readonly omit?: OAuthParameter;
  readonly unsigned?: boolean;
  readonly authorization?: string | ((keys: ConsumerKeys) => string);
  /** Puts the OAuth parameters there, without an Authorization header (RFC 5849 3.5.2, 3.5.3). */
  readonly credentialsIn?: 'body' | 'query';
  /** Form encoded. Signed unless `signed.query` changes it. */
  readonly query?: string;
  readonly signature?: (signature: string) => string;
  /** Signs in another way than RFC 5849; returns base64. Its input is the valid request. */
  readonly resigned?: (right: SentRequest, keys: ConsumerKeys & { readonly privateKey: KeyObject }) => string;
  /** Another form of the Authorization header, or other parameters, which are signed as written. */
  readonly header?: (right: FreshHeader) => HeaderPlan;
  readonly method?: string;
  /** Replaces or changes the request target. */
  readonly target?: string | ((right: string) => string);
  /** Null sends no Content-Type. */
  readonly contentType?: string | null;
  /** Default: no Accept header. */
  readonly accept?: string;
  readonly furtherHeaders?: readonly Header[];
  /** Sent after all others if one target keeps its state during the run. */
  readonly late?: boolean;
  /** Repeats the bytes of an earlier case of the scenario. */
  readonly replay?: number;
  /** Signed again with the nonce and timestamp of an earlier case of the scenario. */
  readonly nonceOf?: number;
  readonly signatureOf?: number;
  /** Sends ids unchanged. By default every request gets new ids. */
  readonly keepsId?: boolean;
  /** Reuses the ids that an earlier case of the scenario got. */
  readonly idsOf?: number;
  /** Sends the cookies from the answer to an earlier case of the scenario. */
  readonly cookiesOf?: number;
  /** Signs with new nonces until the base64 signature fits the case. */
  readonly until?: (signature: string) => boolean;
  /** A recurring payment that the target has stopped or does not know. */
  readonly profile?: { readonly id: string; readonly state: 'stopped' | 'unknown' };
  readonly answer?: ScriptedAnswer;
  /** Uses a raw connection, because HTTP libraries cannot send this form. */
  readonly framing?: Framing;
}

export interface ConsumerKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/** RSA-SHA256 with one fault: no hash name (RFC 8017 9.2), zero padding, encryption block type, trailing bytes, or PSS. */
export type ImitatedMethod =
  | 'RSA-DIGEST-ALONE'
  | 'RSA-OTHER-PADDING'
  | 'RSA-OTHER-BLOCK'
  | 'RSA-BYTES-BEHIND'
  | 'RSA-PSS';

export type SigningMethod = `${'HMAC' | 'RSA'}-SHA${1 | 256 | 512}` | 'PLAINTEXT';

export interface FreshHeader {
  readonly consumerKey: string;
  readonly method: SigningMethod;
  readonly timestamp: string;
  readonly nonce: string;
}

export interface ScriptedAnswer {
  readonly kind: 'parameters';
  readonly type: 'process-recurring-payment-response' | 'validation-error' | 'error';
  readonly code?: '200' | '403' | '500';
  readonly httpStatus: number;
}

/** Unusual but possible framing (RFC 9112) with one deviation, on a separate connection. */
export type Framing =
  | 'absolute-form'
  | 'chunked'
  | 'duplicate-authorization'
  | 'duplicate-content-type'
  | 'duplicate-content-length'
  | 'content-length-too-long'
  | 'content-length-too-short'
  | 'duplicate-host'
  | 'http-1.0'
  | 'own-connection'
  /** Usual framing. The connection stays open and silent for one second more than the minute of section 8. */
  | 'kept-open';

export interface PlannedCase {
  readonly label: Omit<CaseLabel, 'operation' | 'twin' | 'about'> & {
    readonly about?: TestableId<'gateway'>;
    /** Number of the twin in this scenario. */ readonly twin?: number;
  };
  readonly request: RequestPlan;
  readonly generated?: Generated;
}

/** A case from a generated value, with what is needed to repeat and shrink it. */
export interface Generated<Planned = PlannedCase> {
  /** `scenario/stream/path`: the position of the value in the draws of a seed, for --path. */
  readonly path: string;
  /** Tries smaller values while `stillFails` is true. Resolves with the last failing one and its path. */
  shrink(stillFails: (planned: Planned) => Promise<boolean>): Promise<{ planned: Planned; path: string }>;
}

/** The smallest failing generated case of a requirement. */
export interface Counterexample {
  readonly about: string;
  readonly number: number;
  readonly path: string;
}

/** Draws the values of a scenario. The same seed and scenario give the same values. */
interface Drawing<Planned> {
  /** Number of cases in a generated scenario. */
  readonly cases: number;
  values<T>(arbitrary: Arbitrary<T>, count: number): T[];
  generate<T>(arbitrary: Arbitrary<T>, count: number, build: (value: T) => Planned): Planned[];
}

export type ClientDraw = Drawing<ClientPlan>;

export interface Draw extends Drawing<PlannedCase> {
  /** Maps a drawn payment (order id, recurring payment id, amount) to one that may be sent: live targets only get configured payments. */
  payment(cells: readonly string[]): string[];
  /** Maps an edge of an order id to one that may be sent. On a live target each run uses other letters and digits. */
  orderId(text: string): string;
  /** True if no earlier run sent this id with its changed letters and digits: a gateway may accept each id once (A7). */
  isFresh(text: string): boolean;
  /** The gateway's totals at the open endpoint after that number of closed days in the scenario; undefined if unknown. */
  totals(closedBefore: number): OwnTotals | undefined;
  /** The consumer secret may be in a request, as for PLAINTEXT: only if it stays on this machine. */
  readonly showsSecret: boolean;
  /** More requests are allowed than the rows need, on the mock or with a high limit. Then no refusal needs to be trusted. */
  readonly hasRoom: boolean;
}

export type OwnTotals = Required<Omit<CloseDayFields, 'day_close_request_id'>>;

export interface Scenario {
  readonly id: string;
  readonly operation: Operation;
  readonly title: string;
  readonly situation: Situation;
  readonly effect: Effect;
  readonly needsAnswers?: boolean;
  /** Takes more than a minute: runs only with --slow. */
  readonly slow?: boolean;
  /** Needs a target that can stop recurring payments. */
  readonly needsProfiles?: boolean;
  /** Requirements that its cases test, without those that every response shows. */
  readonly shows: readonly TestableId<'gateway'>[];
  /** Requirements of `shows` that need all cases: if one is selected, no case is dropped. */
  readonly together?: readonly TestableId<'gateway'>[];
  /** Maximum number of concurrent requests; 1 keeps their order. */
  readonly inFlight: number;
  plan(draw: Draw): readonly PlannedCase[];
}

export interface LocalReply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** The reaction of the local gateway to the request of a case. */
export type LocalAnswer =
  | LocalReply
  /** Resets the connection after reading the request, or closes it normally with `closed`. */
  | { readonly kind: 'reset'; readonly closed?: true }
  /** Delays `then` by `afterMs` milliseconds. */
  | { readonly kind: 'slow'; readonly afterMs: number; readonly then: LocalReply }
  /** Sends a body until the client gives up or the time limit is reached. */
  | { readonly kind: 'endless' };

/** The published identity that signs: `ordinary`, or one whose key and secret have such characters. */
export type ClientIdentity = 'ordinary' | 'reserved-characters' | 'both-cases' | 'punctuation';

export interface ClientPlan {
  readonly label: ClientLabel;
  readonly input: CallInput;
  readonly answer: LocalAnswer;
  /** Default `ordinary`. */
  readonly server?: ServerKind;
  /** Path between the prefix of the case and /api/, such as `/PayNet/v%20x`; default none. */
  readonly pathSuffix?: string;
  readonly identity?: ClientIdentity | Consumer;
  /** Default PKCS#8. */
  readonly keyForm?: 'PKCS#1';
  /** Default 1111. */
  readonly endpointId?: string;
  /** Only for clients that can inject. */
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Needs a client that is started with these variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Time limit in milliseconds for endless answers. Other cases have 10 s, scaled by the measured speed of the adapter. */
  readonly deadlineMs?: number;
  readonly generated?: Generated<ClientPlan>;
}

export interface ClientScenario {
  readonly id: string;
  /** `both`: each case names its operation. */
  readonly operation: Operation | 'both';
  readonly title: string;
  readonly shows: readonly TestableId<'client'>[];
  plan(draw: ClientDraw): readonly ClientPlan[];
}
