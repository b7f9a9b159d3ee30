/** The registry of client judges. A testable row without a judge does not compile, nor does a judge without a row. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientJudge } from './client-judge.ts';
import { decodingJudges } from './decoding/decoding.ts';
import { wireJudges } from './wire-judges.ts';

export const clientJudges = {
  ...wireJudges,
  ...decodingJudges,
} satisfies Record<TestableId<'client'>, ClientJudge>;
