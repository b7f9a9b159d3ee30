/** Why a live run may not begin, or may not go on: nothing of it is the target's fault. */
import { CodedError } from '../../record/coded-error.ts';

export type LiveErrorCode = 'in-use' | 'bad-ledger';

export class LiveError extends CodedError<LiveErrorCode> {}
