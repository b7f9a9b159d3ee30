/** Why the desk does not start, or does not do what its page or its API was asked for. */
import { CodedError } from '../../record/errors.ts';

export type DeskErrorCode =
  | 'state-in-use'
  | 'state-unwritable'
  | 'state-damaged'
  | 'state-foreign'
  | 'state-full'
  | 'bad-request'
  | 'bad-public-key'
  | 'foreign-origin'
  | 'no-such-thing'
  | 'already-given'
  | 'too-many';

export class DeskError extends CodedError<DeskErrorCode> {}
