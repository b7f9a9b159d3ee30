/** The code of the ProtocolError that a call throws. */
import { ProtocolError } from '../../../src/protocol/protocol-error.ts';

/** `none` where nothing is thrown; any other error is passed on. */
export function errorCode(call: () => unknown): string {
  try {
    call();
    return 'none';
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}
