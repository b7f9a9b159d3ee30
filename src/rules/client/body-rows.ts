/** The rows that take what is wrong with the body of a request as a whole, by operation (sections 2.1, 2.3, 4.1 and 4.2). */
import type { Operation } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';

interface BodyRows {
  /** That the input could be sent at all. */
  readonly input: RequirementId;
  /** That the body is a form of the right fields. */
  readonly form: RequirementId;
  /** On what is read inside of a field, such as a CSV: the rows that judge its values need these. */
  readonly inside: readonly RequirementId[];
  /** Fields whose absence from the body a row of their own names. */
  readonly missed: (input: object) => readonly string[];
}

export const bodyRows: Readonly<Record<Operation, BodyRows>> = {
  'close-day': {
    input: 'close-day/body-is-form',
    form: 'close-day/body-is-form',
    inside: [],
    missed: (input) => ['day_close_request_id', ...Object.keys(input)],
  },
  'process-recurring-payments': {
    input: 'recurring/csv-rows',
    form: 'recurring/payload-only',
    inside: [
      'recurring/payload-escaped',
      'recurring/payload-base64',
      'recurring/csv-delimiter',
      'recurring/csv-header-quoted',
      'recurring/csv-rows',
      'recurring/csv-utf-8',
    ],
    missed: () => ['payload'],
  },
};
