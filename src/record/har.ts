/** HAR 1.2 in exchanges.har: limits, errors, and our own members, whose names start with `_`. */
import type { Call, CaseLabel, ClientCase } from './case.ts';
import { CodedError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { RecordedRun, RecordedScenario } from './run.ts';

/** The largest HAR file, in bytes. The limit is high, because most of a file may be traffic that is not judged. */
export const maxHarBytes = 4 * 1024 ** 3;

/** Maximum size in bytes of all judged entries together, because the suite keeps them in memory. */
export const maxJudgedBytes = 256 * 1024 * 1024;

/** `not-har`: the file has no log. `bad-entry`: an invalid or too large entry. `bad-run`: invalid `_` members. */
export class HarError extends CodedError<'not-json' | 'not-har' | 'bad-entry' | 'bad-run'> {}

export interface HarCase {
  readonly scenario: string;
  readonly case: number;
  readonly connection?: string;
  readonly silence?: Exchange['silence'];
  readonly number: number;
  readonly label: CaseLabel;
  readonly failure?: Exchange['failure'];
  readonly call?: Call;
  /** SHA-256 of a long response body, in hexadecimal. Only the first entry with this body contains the body itself. */
  readonly bodyDigest?: string;
  readonly requestBodyDigest?: string;
  readonly url?: { readonly scheme: 'http' | 'https'; readonly host: string; readonly target: string };
}

/** `log._client`: data of a client run that no HAR entry contains. */
export interface HarClient extends Pick<RecordedRun, 'skipped' | 'leftOut' | 'offered' | 'language' | 'aborted'> {
  readonly calls: readonly (Pick<ClientCase, 'scenario' | 'number'> & Call)[];
}

/** `log._gateway`: data of a gateway run that no HAR entry contains. */
export interface HarGateway extends Pick<RecordedRun, 'aborted' | 'misconfigured' | 'leftOut'> {
  readonly scenarios: readonly (Omit<RecordedScenario, 'cases'> & { readonly caseNumbers: readonly number[] })[];
}

/** Splits a URL without changing host or target. Drops user name and password. Undefined if not http or https. */
export function splitUrl(url: string): HarCase['url'] {
  const parts = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)(.*)$/is.exec(url);
  if (parts === null) return undefined;
  return { scheme: parts[1]!.toLowerCase() as 'http' | 'https', host: parts[2]!, target: parts[3]! };
}
