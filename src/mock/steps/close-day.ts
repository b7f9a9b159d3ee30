/** Steps on the fields of a close-day request (2.1, 8). */
import { firstValue, type Reading } from '../received.ts';
import { step } from './step.ts';

export const closeDaySteps = [
  step('request-id', (reading) => (requestId(reading) ? undefined : 'day_close_request_id is missing or empty')),

  step('request-id-length', (reading) => {
    const length = [...(requestId(reading) ?? '12345678')].length;
    return length >= 8 && length <= 32 ? undefined : 'day_close_request_id has not 8 to 32 characters';
  }),

  step('request-id-characters', (reading) =>
    /^[A-Za-z0-9]*$/.test(requestId(reading) ?? '')
      ? undefined
      : 'day_close_request_id has other characters than letters and digits',
  ),
] as const;

function requestId({ form }: Reading): string | undefined {
  return firstValue(form, 'day_close_request_id');
}
