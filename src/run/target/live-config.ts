/** What a run against a live target keeps to: its file and its flags, checked and joined. Secrets stay in memory and are never printed. */
import type { PathVersions } from '../../../contracts/operations.ts';
import type { ProfileName } from '../../../contracts/profiles/index.ts';
import type { OwnTotals } from '../../plan/scenario.ts';
import type { LiveCredentials } from './live-credentials.ts';

/** How much a run may do to the target. Nothing is allowed that has no number here. */
export interface Allowance {
  /** Number of close-days. */
  readonly 'closes-day': number;
  /** Number of payments, and their sum as decimal text with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export const nothingAllowed: Allowance = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } };

/** A recurring profile that may be charged, with the amount to charge as decimal text with two decimals. */
export interface ChargeableProfile {
  readonly id: string;
  readonly amount: string;
  /** What it charges at most where a row names no amount that can be read; without it no such row is sent. */
  readonly savedAmount?: string;
}

/** JSON of it holds where each secret is kept, and no secret. */
export interface LiveConfig {
  /** Absolute path of the file itself, behind all links; absent where there is none. */
  readonly path?: string;
  /** Absolute path of the folder of the ledgers, where it is not the user's own. */
  readonly ledger?: string;
  /** Absent where the file does not say; then nothing with an effect may be sent. */
  readonly environment?: 'integration' | 'production';
  /** `mock`, or the base URL without a slash at its end. */
  readonly target: string;
  readonly endpointId?: string;
  readonly credentials?: LiveCredentials;
  readonly recurring: readonly ChargeableProfile[];
  readonly allow: Allowance;
  /** Versions in the paths, where they are others than the interface document's. */
  readonly versions?: PathVersions;
  /** An endpoint that the target does not have: requests to it do nothing, even when accepted. */
  readonly unknownEndpointId?: string;
  /** Endpoints that are kept in a state. */
  readonly states: { readonly closing?: string; readonly locked?: string };
  readonly controlUrl?: string;
  /** The gateway's own totals at the endpoint, the same at each close-day of a run. */
  readonly totals?: OwnTotals;
  /** Number of gates of the endpoint. */
  readonly gates?: number;
  readonly profile?: ProfileName;
  /** Patterns of requirements that have to arise. */
  readonly require?: readonly string[];
  /** PEM text of the authority that the target's certificate comes from. */
  readonly ca?: string;
  /** Requests in a second at most; they go one at a time. */
  readonly rate: number;
  /** Milliseconds for one exchange, connecting included. */
  readonly deadlineMs: number;
  /** How many refusals of each operation are believed: what they are about counts as not done, although only the target says so. */
  readonly trustRefusals: number;
}

/** The same values as the schema's defaults (schemas/files/config.json). */
export const liveDefaults = { rate: 2, deadlineMs: 10_000, trustRefusals: 10 } as const;

/** Whether anything with an effect may be sent at all. */
export function allowsEffects(allow: Allowance): boolean {
  return allow['closes-day'] > 0 || allow['starts-payments'].count > 0;
}
