/** All defects of the reference client, in the order of `list defects` and the kill matrix. */
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

/** Defects that a run can show. The others change no request of the two operations. */
export const usableClientDefects: readonly ClientDefect[] = clientDefects.filter(({ reach }) => reach === undefined);
