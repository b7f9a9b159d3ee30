/** Why the mock gateway does not start, or does not do what its control interface was asked for. */
import { CodedError } from '../record/errors.ts';

export type MockErrorCode =
  | 'port-in-use'
  | 'bad-port'
  | 'bad-host'
  | 'not-permitted'
  | 'bad-prefix'
  | 'bad-public-url'
  | 'bad-certificate'
  | 'cannot-listen'
  | 'bad-control-body'
  | 'no-such-thing';

export class MockError extends CodedError<MockErrorCode> {}

/** Turns what node says when it cannot listen into one clear sentence. */
export function listenError(cause: unknown, host: string, port: number): MockError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  switch (code) {
    case 'EADDRINUSE':
      return new MockError(
        'port-in-use',
        `port ${port} on ${host} is in use`,
        'choose another port, or 0 for any',
        cause,
      );
    case 'EACCES':
      return new MockError(
        'not-permitted',
        `port ${port} on ${host} may not be opened`,
        'choose a port above 1023, or 0 for any',
        cause,
      );
    case 'ERR_SOCKET_BAD_PORT':
      return new MockError('bad-port', `${port} is not a port`, 'choose a whole number from 0 to 65535', cause);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new MockError('bad-host', `${host} is not an address of this machine`, 'use 127.0.0.1', cause);
    default:
      return new MockError('cannot-listen', `cannot listen on ${host} port ${port}`, 'see the cause', cause);
  }
}
