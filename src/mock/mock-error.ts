/** Errors of the mock gateway at start and in its control interface. */
import { CodedError, reasonOf } from '../record/errors.ts';

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

type ErrorText = readonly [code: MockErrorCode, message: string, hint: string];

export function listenError(cause: unknown, host: string, port: number): MockError {
  const noAddress: ErrorText = ['bad-host', `${host} is not an address of this machine`, 'use 127.0.0.1'];
  const known: Readonly<Record<string, ErrorText>> = {
    EADDRINUSE: ['port-in-use', `port ${port} on ${host} is in use`, 'choose another port, or 0 for any'],
    EACCES: ['not-permitted', `port ${port} on ${host} may not be opened`, 'choose a port above 1023, or 0 for any'],
    ERR_SOCKET_BAD_PORT: ['bad-port', `${port} is not a port`, 'choose a whole number from 0 to 65535'],
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
    EINVAL: noAddress,
  };
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const found =
    known[code] ??
    ([
      'cannot-listen',
      `cannot listen on ${host} port ${port}: ${reasonOf(cause)}`,
      'choose another host or port',
    ] as const);
  return new MockError(...found, cause);
}
