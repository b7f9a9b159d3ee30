/** Every variant of the mock: a gateway that answers or takes requests in another permitted way, and conforms like the mock. */
import { answerVariants } from './variants/answers.ts';
import { requestVariants } from './variants/requests.ts';
import type { Variant } from './variants/variant.ts';

export type { Variant } from './variants/variant.ts';

export const variants: readonly Variant[] = [...answerVariants, ...requestVariants];
