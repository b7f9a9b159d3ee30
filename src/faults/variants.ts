/** All variants of the mock: gateways that differ from it in a permitted way, and conform as well. */

import type { Variant } from './edit.ts';
import { answerVariants } from './variants/answers.ts';
import { requestVariants } from './variants/requests.ts';

export type { Variant } from './edit.ts';

export const variants: readonly Variant[] = [...answerVariants, ...requestVariants];
