/** Every variant of the mock: a gateway that answers or takes requests in another permitted way, and conforms like the mock. */

import type { Variant } from './edit.ts';
import { answerVariants } from './variants/answers.ts';
import { requestVariants } from './variants/requests.ts';

export type { Variant } from './edit.ts';

export const variants: readonly Variant[] = [...answerVariants, ...requestVariants];
