/** rfc5849, and every `expected` row and every hazard judged: for the mock and for proving the judges, where everything is known. */
import type { Profile } from './profile.ts';

export const strict = {
  name: 'strict',
  summary:
    'rfc5849, and a deviation from an expected requirement is a failure, and so is a hazard. The default on the mock.',
  includes: ['rfc5849'],
  expectedIsJudged: true,
  hazardFails: true,
  answers: [],
} as const satisfies Profile;
