/** HAR 1.2 as exchanges.har has it: its limits, why one cannot be read, and what HAR leaves to its users under names that start with `_`. */
import type { Call, CaseLabel, ClientCase } from './case.ts';
import { CodedError } from './errors.ts';
import type { Exchange, FailureKind } from './exchange.ts';
import type { RecordedRun, RecordedScenario } from './run.ts';

/** Bytes of a file that is read: most of it may be other traffic. */
export const largestHar = 4 * 1024 ** 3;

/** Bytes of the entries that are judged: they are in memory. */
export const largestJudged = 256 * 1024 * 1024;

/**
 * Why a HAR file cannot be read. `not-json`: no JSON at all. `not-har`: JSON without a HAR log. `bad-entry`: an entry that lacks what
 * HAR requires. `bad-run`: what this suite adds is not in its form.
 */
export class HarError extends CodedError<'not-json' | 'not-har' | 'bad-entry' | 'bad-run'> {}

export interface HarCase {
  readonly scenario: string;
  readonly case: number;
  readonly connection?: string;
  readonly silence?: Exchange['silence'];
  readonly number: number;
  readonly label: CaseLabel;
  readonly failure?: { readonly kind: FailureKind; readonly message: string };
  readonly call?: Call;
  /** SHA-256 of a long response body, in hexadecimal digits; entries behind the first one with that body do without its text. */
  readonly bodyDigest?: string;
  readonly requestBodyDigest?: string;
  readonly url?: { readonly scheme: 'http' | 'https'; readonly host: string; readonly target: string };
}

/** `log._client`: what a run with a client leaves to be judged beside its requests. */
export interface HarClient extends Pick<RecordedRun, 'skipped' | 'offered' | 'language' | 'aborted'> {
  readonly calls: readonly (Pick<ClientCase, 'scenario' | 'number'> & Call)[];
}

/** `log._gateway`: the same of a run against a gateway. */
export interface HarGateway extends Pick<RecordedRun, 'aborted' | 'misconfigured'> {
  readonly scenarios: readonly (Omit<RecordedScenario, 'cases'> & { readonly caseNumbers: readonly number[] })[];
}

/** What is on the wire of a URL, nothing normalised: a user name in front of the host is not. Undefined where it is not http or https. */
export function splitUrl(url: string): HarCase['url'] {
  const parts = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)(.*)$/is.exec(url);
  if (parts === null) return undefined;
  return { scheme: parts[1]!.toLowerCase() as 'http' | 'https', host: parts[2]!, target: parts[3]! };
}

/** Where a request went whose URL is not http or https, as of a web socket, an extension or data: to no operation. */
export const beyondHttp = { scheme: 'http', host: '', target: '' } satisfies HarCase['url'];
