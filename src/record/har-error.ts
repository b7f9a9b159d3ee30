/** Why a HAR file cannot be read. */
import { CodedError } from './errors.ts';
/** `not-json`: no JSON at all. `not-har`: JSON without a HAR log. `bad-entry`: an entry that lacks what HAR requires. `bad-run`: what this suite adds is not in its form. */
export class HarError extends CodedError<'not-json' | 'not-har' | 'bad-entry' | 'bad-run'> {}
