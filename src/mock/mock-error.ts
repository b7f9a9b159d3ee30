/** Errors of the mock gateway at start and in its control interface. */
import { CodedError, reasonOf } from '../record/errors.ts';

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

type ErrorText = readonly [code: MockError['code'], message: string, hint: string];

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
  const why = `cannot listen on ${host} port ${port}: ${reasonOf(cause)}`;
  return new MockError(...(known[code] ?? (['cannot-listen', why, 'choose another host or port'] as const)), cause);
}
