/** Every variant of the mock: a gateway that answers or takes requests in another permitted way, and conforms like the mock. */
import { closeDayVariants } from './variants/close-day.ts';
import { lenientVariants } from './variants/lenient.ts';
import { recurringVariants } from './variants/recurring.ts';
import { stricterVariants } from './variants/stricter.ts';
import type { Variant } from './variants/variant.ts';

export type { Variant } from './variants/variant.ts';

export const variants: readonly Variant[] = [
  ...closeDayVariants,
  ...recurringVariants,
  ...lenientVariants,
  ...stricterVariants,
];
