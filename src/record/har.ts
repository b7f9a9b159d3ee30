/** HAR 1.2 as in exchanges.har: limits, errors, and our own members, whose names start with `_`. */
import type { Call, CaseLabel, ClientCase } from './case.ts';
import { CodedError } from './errors.ts';
import type { Exchange, FailureKind } from './exchange.ts';
import type { RecordedRun, RecordedScenario } from './run.ts';

/** In bytes. Most of a file may be other traffic. */
export const maxHarBytes = 4 * 1024 ** 3;

/** In bytes. Judged entries stay in memory. */
export const maxJudged = 256 * 1024 * 1024;

/** `not-json`: not JSON. `not-har`: no HAR log. `bad-entry`: an entry is invalid or too large. `bad-run`: our own members are invalid. */
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
  /** SHA-256 of a long response body, in hexadecimal. Only the first entry with that body has its text. */
  readonly bodyDigest?: string;
  readonly requestBodyDigest?: string;
  readonly url?: { readonly scheme: 'http' | 'https'; readonly host: string; readonly target: string };
}

/** `log._client`: what else is needed to judge a run with a client. */
export interface HarClient extends Pick<RecordedRun, 'skipped' | 'leftOut' | 'offered' | 'language' | 'aborted'> {
  readonly calls: readonly (Pick<ClientCase, 'scenario' | 'number'> & Call)[];
}

/** `log._gateway`: the same for a run against a gateway. */
export interface HarGateway extends Pick<RecordedRun, 'aborted' | 'misconfigured' | 'leftOut'> {
  readonly scenarios: readonly (Omit<RecordedScenario, 'cases'> & { readonly caseNumbers: readonly number[] })[];
}

/** The parts of a URL as they are on the wire, without a user name. Undefined if not http or https. */
export function splitUrl(url: string): HarCase['url'] {
  const parts = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)(.*)$/is.exec(url);
  if (parts === null) return undefined;
  return { scheme: parts[1]!.toLowerCase() as 'http' | 'https', host: parts[2]!, target: parts[3]! };
}

/** Stands for all URLs that are not http or https, such as web sockets: they belong to no operation. */
export const beyondHttp = { scheme: 'http', host: '', target: '' } satisfies HarCase['url'];
