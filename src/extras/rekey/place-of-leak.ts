/** Where a value of the original is left in a copy: what kind of value, and in which part of which exchange. Never shows it. Pure. */
import type { Case } from '../../record/case.ts';
import type { Header } from '../../record/exchange.ts';
import { LeakError, scannerFor } from '../../run/secrets/scan.ts';
import type { Secret } from '../../run/secrets/secret.ts';

/** The same refusal in the words of a copy. `cases` in the order of their numbers. */
export function leakInCopy(cause: LeakError, cases: readonly Case[], secrets: readonly Secret[]): LeakError {
  const place = placeIn(cases, secrets);
  if (place === undefined) return cause;
  return new LeakError(
    cause.code,
    `the copy would hold ${place}, so nothing is written`,
    'It is there in a form that rekey does not replace: take it out of the recording, or leave that exchange out.',
    cause,
  );
}

function placeIn(cases: readonly Case[], secrets: readonly Secret[]): string | undefined {
  const leaksIn = scannerFor(secrets);
  for (const [index, one] of cases.entries()) {
    for (const [place, value] of partsOf(one)) {
      const bytes = value instanceof Uint8Array ? value : Buffer.from(value);
      const [leak] = leaksIn({ name: place, bytes });
      if (leak !== undefined) return `${leak.secret}, in ${place} of exchange ${index + 1}`;
    }
  }
  return undefined;
}

function* partsOf({ exchange, ...noted }: Case): Generator<readonly [string, string | Uint8Array]> {
  const { request, response, failure } = exchange;
  yield ['the method, the host or the URL of the request', `${request.method} ${request.host} ${request.target}`];
  yield* headersOf('request', request.headers);
  yield ['the body of the request', request.body];
  if (response !== undefined) {
    yield ['the status line of the answer', response.reason];
    yield* headersOf('answer', response.headers);
    yield ['the body of the answer', response.body];
  }
  yield ['what is noted', JSON.stringify([noted, failure, exchange.connection])];
}

/** A name may be what leaks. */
function* headersOf(of: string, headers: readonly Header[]): Generator<readonly [string, string]> {
  for (const [index, [name, value]] of headers.entries()) {
    yield [`the name of header ${index + 1} of the ${of}`, name];
    yield [`the header ${name} of the ${of}`, value];
  }
}
