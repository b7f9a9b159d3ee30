/** Types of scenarios: plans of test cases for gateways and clients. A plan sends nothing; a run sends its requests. */
import type { KeyObject } from 'node:crypto';
import type { Arbitrary } from 'fast-check';
import type { Effect, OAuthParameter, Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { HeaderPlan } from '../../generators/authorization.ts';
import type { Consumer } from '../../generators/consumer.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import type { Pair } from '../protocol/form.ts';
import type { CallInput, CaseLabel, ClientLabel, LocalAnswer, ServerKind } from '../record/case.ts';
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

/** A request, described by its differences from a valid request. */
export interface RequestPlan {
  readonly operation: Operation;
  /** Sends this request to the endpoint in this situation. Default: the situation of the scenario. */
  readonly situation?: Situation;
  readonly body: readonly Pair[];
  /** The body as text, or a function that changes the encoded body. By default, `body` is sent in form encoding. */
  readonly rawBody?: string | ((encoded: string) => string);
  readonly signed?: {
    readonly body?: (sent: readonly Pair[]) => readonly Pair[];
    readonly method?: string;
    readonly scheme?: (sent: 'http' | 'https') => 'http' | 'https';
    readonly host?: (sent: string) => string;
    readonly target?: (sent: string) => string;
    /** Changes the signed URL (RFC 5849 3.4.1.2) in ways for which `scheme`, `host` and `target` are not enough. */
    readonly uri?: (correct: string) => string;
    readonly parameters?: (sent: readonly Pair[]) => readonly Pair[];
    readonly query?: readonly Pair[];
  };
  /** `other`: an unrelated key. `public`: the public key as the secret. `other-case`: the secret in swapped case. */
  readonly key?: 'right' | 'other' | 'empty' | 'public' | 'consumer-key' | 'other-case';
  /** The header names the method `names`, but the signature is made with the method `signs`. */
  readonly otherMethod?: { readonly names: SigningMethod; readonly signs: SigningMethod | ImitatedMethod };
  readonly omit?: OAuthParameter;
  readonly unsigned?: boolean;
  readonly authorization?: string | ((keys: Credentials) => string);
  /** Puts the OAuth parameters into the body or the query, not into a header (RFC 5849 3.5.2, 3.5.3). */
  readonly credentialsIn?: 'body' | 'query';
  /** A form-encoded query. The signature covers `signed.query` if it is set, else this query. */
  readonly query?: string;
  readonly signature?: (signature: string) => string;
  /** Makes a signature that deviates from RFC 5849, in base64. */
  readonly signWrongly?: (valid: SentRequest, keys: Credentials & { readonly privateKey: KeyObject }) => string;
  /** Changes the syntax or the parameters of the Authorization header. The signature covers the new parameters. */
  readonly header?: (fresh: FreshHeader) => HeaderPlan;
  readonly method?: string;
  /** A text replaces the request target. A function changes it. */
  readonly target?: string | ((valid: string) => string);
  /** If null, the request has no Content-Type header. */
  readonly contentType?: string | null;
  readonly extraHeaders?: readonly Header[];
  /** A run on a live target sends this request in its last phase. */
  readonly late?: boolean;
  /** Index of an earlier case. This request sends the same bytes again. */
  readonly replay?: number;
  /** Index of an earlier case. This request uses its nonce and timestamp. */
  readonly nonceOf?: number;
  readonly signatureOf?: number;
  /** By default, each request gets new ids. If true, it keeps the ids in `body`, except in a live run. */
  readonly keepsId?: boolean;
  /** Index of an earlier case. This request has the same ids. */
  readonly idsOf?: number;
  /** Index of an earlier case. This request sends the cookies that the target set in its answer to that case. */
  readonly cookiesOf?: number;
  /** The run signs with new nonces until this function returns true for the base64 signature. */
  readonly signUntil?: (signature: string) => boolean;
  /** Before the request is sent, the target stops this recurring payment or forgets it. */
  readonly profile?: { readonly id: string; readonly state: 'stopped' | 'unknown' };
  readonly answer?: ScriptedAnswer;
  /** Sends the request over a raw socket, because HTTP libraries cannot send it in this form. */
  readonly framing?: Framing;
}

interface Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/** Wrong RSA signatures (RFC 8017 8.1, 9.2): no hash name, zeros as padding, wrong block type, extra bytes, PSS. */
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

/** How a request is framed (RFC 9112). Each request with a framing has its own connection. */
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
  /** Waits 61 seconds after the answer, because section 8 promises that the connection stays open for 60 seconds. */
  | 'kept-open';

export interface PlannedCase {
  readonly label: Omit<CaseLabel, 'operation' | 'twin' | 'about'> & {
    readonly about?: TestableId<'gateway'>;
    /** Index of the case in this scenario with which this case is compared. */
    readonly twin?: number;
  };
  readonly request: RequestPlan;
  readonly generated?: Generated;
}

/** How to repeat a case with a random value, and how to find a smaller value that also fails. */
interface Generated<Planned = PlannedCase> {
  /** With this value of `--path` (`scenario/stream/path`), the same seed generates the same value again. */
  readonly path: string;
  /** Tries smaller values that still fail. Resolves with the last failing case and its path. */
  shrink(stillFails: (planned: Planned) => Promise<boolean>): Promise<{ planned: Planned; path: string }>;
}

/** The smallest failing generated case of a requirement. */
export interface Counterexample {
  readonly about: string;
  readonly number: number;
  readonly path: string;
}

/** Draws random values. The same seed and scenario give the same values. */
interface RandomSource<Planned> {
  readonly cases: number;
  values<T>(arbitrary: Arbitrary<T>, count: number): T[];
  generate<T>(arbitrary: Arbitrary<T>, count: number, build: (value: T) => Planned): Planned[];
}

export type ClientDraw = RandomSource<ClientPlan>;

/** Facts about the target, and functions that adapt planned values to it. */
export interface TargetFacts {
  /** Returns the payment to send. A live target gets only the payments of its configuration. */
  payment(cells: readonly string[]): string[];
  /** Returns the order id to send. On a live target, its letters and digits differ in each run. */
  orderId(text: string): string;
  /** True if an earlier run has almost certainly not sent this id. A gateway may refuse a used id (A7). */
  isFresh(text: string): boolean;
  /** The totals of the open endpoint after the scenario has closed `closedBefore` days. Undefined if unknown. */
  totals(closedBefore: number): TargetTotals | undefined;
  /** True if a request may contain the consumer secret (PLAINTEXT), because it does not leave this machine. */
  readonly showsSecret: boolean;
  /** If true, scenarios plan additional requests. True on the mock, and on a live target with a large allowance. */
  readonly isThorough: boolean;
}

export type Draw = RandomSource<PlannedCase> & TargetFacts;
export type TargetTotals = Required<Omit<CloseDayFields, 'day_close_request_id'>>;

export interface Scenario {
  readonly id: string;
  readonly operation: Operation;
  readonly title: string;
  readonly situation: Situation;
  readonly effect: Effect;
  readonly needsAnswers?: boolean;
  /** The scenario takes more than a minute, so it runs only with --slow. */
  readonly slow?: boolean;
  readonly needsProfiles?: boolean;
  /** The requirements that the cases test. Requirements that every response tests are not listed. */
  readonly shows: readonly TestableId<'gateway'>[];
  /** Requirements of `shows` that need all cases. If a run selects one of them, it sends every case. */
  readonly needAllCases?: readonly TestableId<'gateway'>[];
  /** Maximum number of concurrent requests. With 1, requests keep their order. */
  readonly maxInFlight: number;
  plan(draw: Draw): readonly PlannedCase[];
}

/** Published test credentials. The name says which characters the consumer key and the secret contain. */
export type ClientIdentity = 'ordinary' | 'reserved-characters' | 'both-cases' | 'punctuation';

export interface ClientPlan {
  readonly label: ClientLabel;
  readonly input: CallInput;
  readonly answer: LocalAnswer;
  /** By default `ordinary`. */
  readonly server?: ServerKind;
  /** End of the base URL that the client gets, such as `/PayNet/v%20x`. By default empty. */
  readonly pathSuffix?: string;
  readonly identity?: ClientIdentity | Consumer;
  /** Format of the private key file: PKCS#1 is RFC 8017 appendix A.1.2. By default PKCS#8. */
  readonly keyForm?: 'PKCS#1';
  /** By default 1111. */
  readonly endpointId?: string;
  /** Timestamp and nonce that the client must use. Only clients that offer `inject` get such a case. */
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Environment variables of the client process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Time limit of an endless answer, in milliseconds. By default 10 s, or more if the adapter is slow. */
  readonly deadlineMs?: number;
  readonly generated?: Generated<ClientPlan>;
}

export interface ClientScenario {
  readonly id: string;
  /** If `both`, each case names its operation. */
  readonly operation: Operation | 'both';
  readonly title: string;
  readonly shows: readonly TestableId<'client'>[];
  plan(draw: ClientDraw): readonly ClientPlan[];
}
