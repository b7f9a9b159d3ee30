/** How doctor sends: every request says beforehand what it does at worst, so that whoever sends it can refuse. */
import type { Exchange, SentRequest } from '../../record/exchange.ts';

/** The worst that a request can do if the target accepts it. */
export type DeclaredEffect =
  | { readonly effect: 'none' }
  | { readonly effect: 'closes-day'; readonly endpointId: string }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      /** Decimal text with two decimals. */
      readonly total: string;
      readonly recurringIds: readonly string[];
    };

/** Never throws for what the target does. What is not sent comes back as an exchange with the failure `not-sent`. */
export type DoctorSend = (request: SentRequest, declared: DeclaredEffect) => Promise<Exchange>;
