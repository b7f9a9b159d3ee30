/** Every defect of the reference client. The order is that of `list defects` and of the kill matrix. */
import { answerDefects } from './answers.ts';
import { bodyDefects } from './bodies.ts';
import type { ClientDefect } from './defect.ts';
import { environmentDefects } from './environment.ts';
import { requestDefects } from './requests.ts';
import { signingDefects } from './signing.ts';

export const clientDefects: readonly ClientDefect[] = [
  ...signingDefects,
  ...requestDefects,
  ...bodyDefects,
  ...environmentDefects,
  ...answerDefects,
];

/** Those that the reference client can be given: the others change no request to the two operations. */
export const usableClientDefects: readonly ClientDefect[] = clientDefects.filter(({ reach }) => reach === undefined);
