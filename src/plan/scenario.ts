/** What a scenario of a gateway or a client is: a plan, and what each case shows. Plans are pure; performing them is a run's business. */
import type { KeyObject } from 'node:crypto';
import type { Arbitrary } from 'fast-check';
import type { OAuthParameter } from '../../contracts/oauth-parameters.ts';
import type { Effect, Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Consumer } from '../../generators/consumer.ts';
import type { HeaderPlan } from '../../generators/header-plan.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import type { Pair } from '../protocol/form.ts';
import type { CaseLabel, ClientLabel, CloseDayInput, RecurringInput, ServerKind } from '../record/case.ts';
import type { Header, SentRequest } from '../record/exchange.ts';

/** A state of the target that a scenario needs; each is an endpoint of its own. */
export type Situation =
  | 'open'
  | 'closing'
  | 'locked'
  | 'several-gates'
  | 'unknown'
  /** The endpoint of another consumer. */
  | 'of-another-consumer'
  /** Locked before, and the lock was removed. */
  | 'unlocked'
  /** Closing before, and the day was closed by hand. */
  | 'closed-by-hand';

/** One request, as deviations from the right one: what is not named here is done right. */
export interface RequestPlan {
  readonly operation: Operation;
  /** Another situation than the scenario's: its request goes to that situation's endpoint. */
  readonly situation?: Situation;
  readonly body: readonly Pair[];
  /** The body exactly as sent, where it is not the ordinary form encoding of `body`; or what becomes of that. */
  readonly rawBody?: string | ((encoded: string) => string);
  /** What is put into the signature in place of what is sent. */
  readonly signed?: {
    readonly body?: (sent: readonly Pair[]) => readonly Pair[];
    readonly method?: string;
    readonly scheme?: (sent: 'http' | 'https') => 'http' | 'https';
    readonly host?: (sent: string) => string;
    readonly target?: (sent: string) => string;
    /** Changes the URL of the base string (RFC 5849 3.4.1.2), where scheme, host and target cannot say what is signed. */
    readonly uri?: (right: string) => string;
    readonly nonce?: string;
    /** Parameters of the header that are signed in place of those that are sent. */
    readonly parameters?: (sent: readonly Pair[]) => readonly Pair[];
    /** Query parameters that are signed in place of those that are sent. */
    readonly query?: readonly Pair[];
  };
  /**
   * `other`: a key that the target does not know for this consumer. `empty`: a consumer secret of no characters, `public`: the
   * PEM text of the consumer's public key as the secret, `consumer-key`: the consumer key, `other-case`: the right secret with its
   * capitals and small letters exchanged, all four HMAC only.
   */
  readonly key?: 'right' | 'other' | 'empty' | 'public' | 'consumer-key' | 'other-case';
  /** With the right key: `names` is what oauth_signature_method says, `signs` how the signature is made; in a lenient reader they may differ. */
  readonly otherMethod?: { readonly names: SigningMethod; readonly signs: SigningMethod | ImitatedMethod };
  /** Left out of header and base string. */
  readonly omit?: OAuthParameter;
  /** Sent without an Authorization header. */
  readonly unsigned?: boolean;
  /** The whole Authorization header, in place of one with a signature. */
  readonly authorization?: string | ((keys: ConsumerKeys) => string);
  /** The right OAuth parameters are in the body or in the query (RFC 5849 3.5.2, 3.5.3), and there is no Authorization header. */
  readonly credentialsIn?: 'body' | 'query';
  /** Sent behind the path, in form encoding, and signed unless `signed.query` says otherwise. */
  readonly query?: string;
  /** Changes the finished signature. */
  readonly signature?: (signature: string) => string;
  /** The signature in another way than RFC 5849's, base64, made from the request as it would be sent rightly. */
  readonly resigned?: (right: SentRequest, keys: ConsumerKeys & { readonly privateKey: KeyObject }) => string;
  /** The Authorization header in another form, or with other parameters; they are signed as written. */
  readonly header?: (right: FreshHeader) => HeaderPlan;
  readonly method?: string;
  /** Another request target than the operation's path, or what becomes of that. */
  readonly target?: string | ((right: string) => string);
  /** Null: no Content-Type at all. */
  readonly contentType?: string | null;
  /** Value of an Accept header; none is sent otherwise. */
  readonly accept?: string;
  readonly furtherHeaders?: readonly Header[];
  /** Sent after everything else where one target keeps its state through the run. */
  readonly late?: boolean;
  /** Sends the bytes of an earlier case of the same scenario once more. */
  readonly replay?: number;
  /** Signed anew, with the nonce and the timestamp of an earlier case of the same scenario. */
  readonly nonceOf?: number;
  /** Carries the signature of an earlier case of the same scenario in place of its own. */
  readonly signatureOf?: number;
  /** Whether ids are sent unchanged; otherwise every request gets ids of its own. */
  readonly keepsId?: boolean;
  /** Has the ids that an earlier case of the same scenario was given, in place of its own. */
  readonly idsOf?: number;
  /** Carries the cookies that the answer to an earlier case of the same scenario set. */
  readonly cookiesOf?: number;
  /** Signs with a new nonce until the signature, base64, is one that the case can be shown with. */
  readonly until?: (signature: string) => boolean;
  /** A recurring payment that the target does not know, or has stopped, when the request comes. */
  readonly profile?: { readonly id: string; readonly state: 'stopped' | 'unknown' };
  /** The scripted answer of the target, where its answers can be scripted. */
  readonly answer?: ScriptedAnswer;
  /** Sent over a bare connection in a form that HTTP libraries do not write. */
  readonly framing?: Framing;
}

/** What a client has been given besides its private key. */
export interface ConsumerKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/**
 * Near RSA-SHA256, with the right key: the digest without the name of its hash (RFC 8017 9.2), zeros where the padding has FF,
 * the block type of encryption, padding cut short for bytes behind the digest, and RSASSA-PSS.
 */
export type ImitatedMethod =
  | 'RSA-DIGEST-ALONE'
  | 'RSA-OTHER-PADDING'
  | 'RSA-OTHER-BLOCK'
  | 'RSA-BYTES-BEHIND'
  | 'RSA-PSS';

export type SigningMethod = `${'HMAC' | 'RSA'}-SHA${1 | 256 | 512}` | 'PLAINTEXT';

/** What is only known when the request is sent. */
export interface FreshHeader {
  readonly consumerKey: string;
  readonly method: SigningMethod;
  /** Seconds since the Unix epoch. */
  readonly timestamp: string;
  readonly nonce: string;
}

/** An answer to a batch that can be scripted on a mock: sections 2.4 and 4.2. */
export interface ScriptedAnswer {
  readonly kind: 'parameters';
  readonly type: 'process-recurring-payment-response' | 'validation-error' | 'error';
  readonly code?: '200' | '403' | '500';
  readonly httpStatus: number;
}

/** Unusual but writable framing (RFC 9112), one deviation each, over a connection of its own. */
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
  /** Right framing. */
  | 'own-connection'
  /** Right framing; the connection is left open and silent after the answer, for a second more than the minute of section 8. */
  | 'kept-open';

export interface PlannedCase {
  readonly label: Omit<CaseLabel, 'operation' | 'twin' | 'about'> & {
    readonly about?: TestableId<'gateway'>;
    /** Number of the twin in this scenario. */ readonly twin?: number;
  };
  readonly request: RequestPlan;
  readonly generated?: Generated;
}

/** A case made from a generated value: enough to make it again, smaller. */
export interface Generated<Planned = PlannedCase> {
  /** `scenario/stream/path`: where the value is in the draws of a seed; repeats it with --path. */
  readonly path: string;
  /** Tries smaller values for as long as `stillFails` says so; resolves with the last that did, and its path. */
  shrink(stillFails: (planned: Planned) => Promise<boolean>): Promise<{ planned: Planned; path: string }>;
}

/** The smallest failing generated case of a requirement. */
export interface Counterexample {
  readonly about: string;
  readonly number: number;
  /** Repeats it: `--path`. */
  readonly path: string;
}

/** Draws the values of a scenario; the same seed and scenario give the same values. */
interface Drawing<Planned> {
  /** Number of generated cases that a generated scenario shall have. */
  readonly cases: number;
  /** `count` values of an arbitrary. */
  values<T>(arbitrary: Arbitrary<T>, count: number): T[];
  /** One case or call for each of `count` values; a failing one can be shrunk. */
  generate<T>(arbitrary: Arbitrary<T>, count: number, build: (value: T) => Planned): Planned[];
}

export type ClientDraw = Drawing<ClientPlan>;

export interface Draw extends Drawing<PlannedCase> {
  /** A drawn payment - order id, recurring payment id, amount - as it may be sent: a live target is charged for what its configuration lists only. */
  payment(cells: readonly string[]): string[];
  /** An order id that is an edge, so that it may be sent: on a live target with other letters and digits in every run. */
  orderId(text: string): string;
  /** Whether such an id, sent with other letters and digits in every run, is one that no earlier run has sent: a gateway may take each once (A7). */
  isFresh(text: string): boolean;
  /** The gateway's own totals at the open endpoint, after the scenario has closed so many days there; undefined where they are not known. */
  totals(closedBefore: number): OwnTotals | undefined;
  /** Whether the consumer secret may be in a request, as PLAINTEXT has it: only where it stays on this machine. */
  readonly showsSecret: boolean;
  /** Whether there is room for requests beyond those that settle a row: on the mock, or where plenty is allowed, so that no refusal has to be believed. */
  readonly hasRoom: boolean;
}

/** All four totals of a close-day request. */
export type OwnTotals = Required<Omit<CloseDayFields, 'day_close_request_id'>>;

export interface Scenario {
  readonly id: string;
  readonly operation: Operation;
  readonly title: string;
  readonly situation: Situation;
  readonly effect: Effect;
  /** Whether it needs a target whose answers can be scripted. */
  readonly needsAnswers?: boolean;
  /** Whether it takes more than a minute: performed with --slow only. */
  readonly slow?: boolean;
  /** Whether it needs a target whose recurring payments can be stopped. */
  readonly needsProfiles?: boolean;
  /** Requirements that its cases are about, besides those that every response shows. */
  readonly shows: readonly TestableId<'gateway'>[];
  /** Those of them that its other cases say something of too: none of these is left out where one of them is asked for. */
  readonly together?: readonly TestableId<'gateway'>[];
  /** How many requests may be under way at once; 1 keeps their order. */
  readonly inFlight: number;
  plan(draw: Draw): readonly PlannedCase[];
}

/** What the local gateway does with the request of one case. */
export type LocalAnswer =
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: Uint8Array;
    }
  /** The connection is reset once the request was read, or `closed` in good order. */
  | { readonly kind: 'reset'; readonly closed?: true }
  /** The same as `then`, that many milliseconds later. */
  | { readonly kind: 'slow'; readonly afterMs: number; readonly then: LocalAnswer }
  /** A body that does not end until the client gives up or the limit of the case is reached. */
  | { readonly kind: 'endless' };

/** Which of the suite's published identities signs: `ordinary`, or the one whose key and secret have such characters. */
export type ClientIdentity = 'ordinary' | 'reserved-characters' | 'both-cases' | 'punctuation';

export interface ClientPlan {
  readonly label: ClientLabel;
  readonly input: CloseDayInput | RecurringInput;
  readonly answer: LocalAnswer;
  /** Default `ordinary`. */
  readonly server?: ServerKind;
  /** Path between the case's own prefix and /api/, such as `/PayNet/v%20x`; default none. */
  readonly pathSuffix?: string;
  readonly identity?: ClientIdentity | Consumer;
  /** Default PKCS#8. */
  readonly keyForm?: 'PKCS#1';
  /** Default 1111. */
  readonly endpointId?: string;
  /** Offered only to clients that can inject. */
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Needs a client started with these variables changed. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds that a case may take whose answer has no end; the others have 10 s, scaled by the measured speed of the adapter. */
  readonly deadlineMs?: number;
  readonly generated?: Generated<ClientPlan>;
}

export interface ClientScenario {
  readonly id: string;
  /** Scenarios that examine both operations have `both`; their cases name one. */
  readonly operation: Operation | 'both';
  readonly title: string;
  /** Requirements that its cases are about. */
  readonly shows: readonly TestableId<'client'>[];
  plan(draw: ClientDraw): readonly ClientPlan[];
}
