/** What counts as success, and what a client's reading is called in a report. */
import type { Decoded, DecodingQuestion, ExpectedReading } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';

/** The one type of 2.4 that means success. */
export const acceptedType = 'process-recurring-payment-response';

export function isSuccess(decoded: Decoded): boolean {
  if (decoded.kind === 'parameters') return answerParameter(decoded.params, 'type') === acceptedType;
  return decoded.kind === 'finished' || decoded.kind === 'accepted';
}

/** Whether the answer that was given is anything but success. */
export function isFailure(expected: ExpectedReading): boolean {
  if (expected.kind === 'parameters') return answerParameter(expected.params, 'type') !== acceptedType;
  return expected.kind !== 'finished' && expected.kind !== 'accepted';
}

/** The answer is none that means success: any other reading will do, throwing included. */
export function readsNoSuccess(decoded: Decoded, { question }: DecodingQuestion): Finding {
  return isSuccess(decoded) ? fail('anything but success', `${readingOf(decoded)}, read from ${question}`) : pass();
}

/**
 * The value of the first parameter of that name, without one line feed at its end; undefined where there is none.
 * The line feed has a row of its own, so all others look past it.
 */
export function answerParameter(
  params: readonly (readonly [name: string, value: string])[],
  name: string,
): string | undefined {
  return params.find(([found]) => found.replace(/^\n/, '') === name)?.[1].replace(/\n$/, '');
}

/** A reading in a few words. */
export function readingOf(decoded: Decoded): string {
  switch (decoded.kind) {
    case 'finished':
      return decoded.gates === undefined ? 'finished' : `finished with ${gates(decoded.gates.length)}`;
    case 'error':
      return `error ${JSON.stringify(decoded.errorCode ?? null)}: ${JSON.stringify(decoded.errorMessage ?? null)}`;
    case 'refused':
      return `refused with HTTP ${decoded.http_status}`;
    case 'parameters':
      return `parameters of type ${JSON.stringify(answerParameter(decoded.params, 'type') ?? null)}`;
    case 'undecodable':
      return decoded.reason === undefined ? 'undecodable' : `undecodable: ${decoded.reason}`;
    case 'accepted':
      return 'accepted';
  }
}

function gates(count: number): string {
  return count === 1 ? 'one gate' : `${count} gates`;
}
