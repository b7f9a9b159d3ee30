/** What a run against a live target knows besides its other options: decided by the command. */

import type { Operation } from '../../../contracts/operations.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { MockCounters } from './control.ts';
import type { LiveConfig } from './live-config.ts';
import type { CredentialSources } from './live-credentials.ts';

/** The configuration without secrets: where they are kept is enough to open them again. */
export interface StoredConfig extends Omit<LiveConfig, 'credentials'> {
  /** Absent on loopback without a configuration: then it is the published test identity. */
  readonly credentials?: CredentialSources;
}

export interface LiveRun {
  readonly config: StoredConfig;
  /** Absolute path. */
  readonly ledger: string;
  /** Number of the process that holds the lock: when it is gone, nothing more is sent. */
  readonly holder: number;
  /** Seconds by which the target's clock is ahead of this machine's; undefined where it is not known. */
  readonly clockOffset?: number;
  /** Milliseconds after which the whole run is cut off. */
  readonly limitMs?: number;
  /** What was found before the first case and is in the report. */
  readonly notes?: readonly string[];
  /** Unsigned requests to the unknown endpoint that were accepted before the first case; `config` no longer names that endpoint. */
  readonly accepted?: readonly { readonly operation: Operation; readonly exchange: Exchange }[];
  /** What a mock with a control interface had counted before the first case. */
  readonly countersBefore?: MockCounters;
}

/** The configuration as it may be handed to another process. */
export function storedConfig({ credentials, ...rest }: LiveConfig): StoredConfig {
  return { ...rest, credentials: credentials?.sources };
}
