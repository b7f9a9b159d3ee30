/** Errors of the mock gateway at start and in its control interface. */
import { CodedError } from '../record/errors.ts';

export class MockError extends CodedError<
  | 'port-in-use'
  | 'bad-port'
  | 'bad-host'
  | 'not-permitted'
  | 'bad-prefix'
  | 'bad-public-url'
  | 'bad-certificate'
  | 'cannot-listen'
  | 'bad-control-body'
  | 'no-such-thing'
> {}
