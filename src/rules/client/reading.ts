/** The one lenient reading of a request that all judges share: each looks at its own fault, and at the repaired rest. */

import { type Exchange, headerValues } from '../../record/exchange.ts';
import { memoizeLast } from '../../record/memoize.ts';
import { type FormReading, readForm } from './form-reading.ts';
import { type HeaderReading, readHeader } from './header-reading.ts';
import { type PayloadReading, readPayload } from './payload-reading.ts';

export interface RequestReading {
  /** All Authorization lines. */
  readonly authorization: readonly string[];
  /** The first of them. */
  readonly header: HeaderReading | undefined;
  readonly form: FormReading;
  readonly payload: PayloadReading | undefined;
  /** Path and query of the target, still encoded. */
  readonly path: string;
  readonly query: string;
}

/** Reads a request once for all who ask in a row; never throws. */
export const readRequest = memoizeLast(read);

/** Value of a header parameter; undefined where it is absent, empty or there twice, which another row names. */
export function parameter({ header }: Pick<RequestReading, 'header'>, name: string): string | undefined {
  const found = header?.parameters.filter((one) => one.name === name) ?? [];
  return found.length === 1 && found[0]!.value !== '' ? found[0]!.value : undefined;
}

function read({ request }: Exchange): RequestReading {
  const authorization = headerValues(request.headers, 'authorization');
  const form = readForm(request.body);
  const target = request.target.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/, '');
  const start = target.indexOf('?');
  return {
    authorization,
    header: authorization[0] === undefined ? undefined : readHeader(authorization[0]),
    form,
    payload: readPayload(form),
    path: start === -1 ? target : target.slice(0, start),
    query: start === -1 ? '' : target.slice(start + 1),
  };
}
