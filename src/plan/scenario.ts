/** What a scenario of a gateway or a client is: a plan, and what each case shows. Plans are pure; performing them is a run's business. */
import type { KeyObject } from 'node:crypto';
import type { Arbitrary } from 'fast-check';
import type { OAuthParameter } from '../../contracts/oauth-parameters.ts';
import type { Effect, Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { HeaderPlan } from '../../generators/authorization.ts';
import type { Consumer } from '../../generators/consumer.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import type { Pair } from '../protocol/form.ts';
import type { CallInput, CaseLabel, ClientLabel, ServerKind } from '../record/case.ts';
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
  readonly signed?: {
    readonly body?: (sent: readonly Pair[]) => readonly Pair[];
    readonly method?: string;
    readonly scheme?: (sent: 'http' | 'https') => 'http' | 'https';
    readonly host?: (sent: string) => string;
    readonly target?: (sent: string) => string;
    /** Changes the URL of the base string (RFC 5849 3.4.1.2), where scheme, host and target cannot say what is signed. */
    readonly uri?: (right: string) => string;
    readonly nonce?: string;
    readonly parameters?: (sent: readonly Pair[]) => readonly Pair[];
    readonly query?: readonly Pair[];
  };
  /** `other`: an unknown key. The rest are HMAC secrets: none, the public key's PEM, the consumer key, capitals exchanged. */
  readonly key?: 'right' | 'other' | 'empty' | 'public' | 'consumer-key' | 'other-case';
  /** `names` is what oauth_signature_method says, `signs` how it is signed, with the right key. */
  readonly otherMethod?: { readonly names: SigningMethod; readonly signs: SigningMethod | ImitatedMethod };
  readonly omit?: OAuthParameter;
  readonly unsigned?: boolean;
  readonly authorization?: string | ((keys: ConsumerKeys) => string);
  /** The OAuth parameters are there, and the request has no Authorization header (RFC 5849 3.5.2, 3.5.3). */
  readonly credentialsIn?: 'body' | 'query';
  /** Sent behind the path, in form encoding, and signed unless `signed.query` says otherwise. */
  readonly query?: string;
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
  readonly answer?: ScriptedAnswer;
  /** Sent over a bare connection in a form that HTTP libraries do not write. */
  readonly framing?: Framing;
}

export interface ConsumerKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/** RSA-SHA256 with one fault: no name of the hash (RFC 8017 9.2), zeros as padding, the block type of encryption, trailing bytes, or PSS. */
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
  readonly path: string;
}

/** Draws the values of a scenario; the same seed and scenario give the same values. */
interface Drawing<Planned> {
  /** Number of generated cases that a generated scenario shall have. */
  readonly cases: number;
  /** `count` values of an arbitrary. */
  values<T>(arbitrary: Arbitrary<T>, count: number): T[];
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
  readonly input: CallInput;
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
  readonly shows: readonly TestableId<'client'>[];
  plan(draw: ClientDraw): readonly ClientPlan[];
}
