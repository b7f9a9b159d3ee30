/** What the desk writes down: one event, one line of the state file. */
import type { Exchange } from '../../record/exchange.ts';
import type { Engagement, Reported } from './engagement.ts';

export type DeskEvent =
  | { readonly t: 'engagement'; readonly engagement: Engagement }
  | {
      readonly t: 'exchange';
      readonly engagement: string;
      readonly number: number;
      readonly step?: string;
      readonly baseUrl: string;
      readonly exchange: Exchange;
    }
  | { readonly t: 'unread'; readonly engagement: string; readonly at: number; readonly reason: string }
  | {
      readonly t: 'step';
      readonly engagement: string;
      readonly step: string;
      readonly at: number;
      readonly action: StepAction;
    }
  /** Everything before it is kept and no longer counts. */
  | { readonly t: 'restart'; readonly engagement: string; readonly at: number }
  | { readonly t: 'private-key-given'; readonly engagement: string; readonly at: number }
  | { readonly t: 'certificate'; readonly certificate: KeptCertificate };

/** `showed` and `did-not-show`: what the person saw. `repeat`: requests for the step so far no longer count. */
export type StepAction = Reported | 'skip' | 'repeat';

export const stepActions: readonly StepAction[] = ['showed', 'did-not-show', 'skip', 'repeat'];

/** The server's certificate outlives a restart, so that clients need to be told only once whom to trust. All PEM. */
export interface KeptCertificate {
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since the Unix epoch. */
  readonly issuedAt: number;
}
