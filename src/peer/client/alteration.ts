/** The steps of the reference client, and the hooks through which a defect changes them; the client knows none of them by name. */
import type { Operation } from '../../../contracts/operations.ts';
import type { CsvTable, Pair, RequestUrl, SigningKey } from '../../protocol/index.ts';
import type { CallInput, Decoded } from '../../record/case.ts';
import type { FailureKind, Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';

export interface ClientRefusal {
  readonly stage: string;
  readonly reason: string;
}

export interface Connection {
  /** Whether it takes a certificate that does not verify; a right client never does. */
  readonly acceptAnyCertificate: boolean;
  readonly deadlineMs: number;
}

export type Sent =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: { readonly kind: FailureKind; readonly message: string } };

/** Sends once; never rejects for what the network or the gateway does. */
export type Send = (request: SentRequest, connection: Connection) => Promise<Sent>;

export interface Steps {
  readonly input: CallInput;
  readonly credentials: { readonly consumerKey: string; readonly key: SigningKey };
  readonly refusal: ClientRefusal | undefined;
  /** Recurring batches only, as the three after it. */
  readonly table: CsvTable;
  readonly csv: string;
  readonly csvBytes: Uint8Array;
  readonly payload: string;
  readonly fields: readonly Pair[];
  readonly form: string;
  readonly body: Uint8Array;
  readonly url: RequestUrl;
  readonly fresh: { readonly timestamp: string; readonly nonce: string };
  readonly unsigned: readonly Pair[];
  /** What is signed (RFC 5849 section 3.4.1.3.1). */
  readonly parameters: readonly Pair[];
  /** RFC 5849 section 3.4.1.3.2. */
  readonly normalized: string;
  /** RFC 5849 section 3.4.1.2. */
  readonly baseStringUri: string;
  readonly baseString: string;
  readonly signature: string;
  readonly signed: readonly Pair[];
  readonly authorization: string;
  readonly headers: readonly Header[];
  readonly request: SentRequest;
  readonly connection: Connection;
  readonly send: Send;
  readonly response: ReceivedResponse;
  readonly decoded: Decoded;
}

export type ClientStepName = keyof Steps;

/** Takes a step: makes its value, alters it, and keeps it for the steps and hooks after it. */
export type TakeStep = <Name extends ClientStepName>(name: Name, make: () => Steps[Name]) => Steps[Name];

export interface Context {
  readonly operation: Operation;
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Values of the steps already taken; those to come, and those of the other operation, are undefined. */
  readonly done: Steps;
}

/** Each hook gets the value of its step and gives the one that is used instead. What throws there is the client's own error. */
export type ClientAlteration = {
  readonly [Name in ClientStepName]?: (value: Steps[Name], context: Context) => Steps[Name];
};

/** Alterations joined into one: the value of the step after every hook, in the order of the alterations. */
export type AlteredStep = <Name extends ClientStepName>(
  name: Name,
  value: Steps[Name],
  context: Context,
) => Steps[Name];

export function joinClientAlterations(alterations: readonly ClientAlteration[]): AlteredStep {
  return (name, value, context) => {
    let altered = value;
    for (const alteration of alterations) {
      const hook = alteration[name];
      if (hook !== undefined) altered = hook(altered, context);
    }
    return altered;
  };
}
