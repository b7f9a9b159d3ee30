/** What of a live target may be addressed: its base URL, its endpoints and the profiles that may be charged. */
import type { PathVersions } from '../../../contracts/operations.ts';
import type { LiveConfig } from './live-config.ts';
import { centsOf } from './money.ts';

export interface Site {
  readonly scheme: 'http' | 'https';
  /** Name, and port where one is written. */
  readonly host: string;
  /** Path before /api/, without a slash at its end; may be empty. */
  readonly prefix: string;
  /** Versions in the paths, where they are others than the interface document's. */
  readonly versions?: PathVersions;
  /** Endpoints that may get requests with an effect. */
  readonly endpointIds: ReadonlySet<string>;
  /** Whether it is said to be an integration environment; at any other one nothing signed is sent to either operation. */
  readonly integration: boolean;
  /** An endpoint that does not exist there: what goes to it should do nothing. */
  readonly unknownEndpointId?: string;
  /** By recurring payment id. */
  readonly profiles: Profiles;
}

export type Profiles = ReadonlyMap<string, Chargeable>;

/** Cents. */
export interface Chargeable {
  /** What may be charged at once. */
  readonly amount: number;
  /** What is charged at most where a row names no amount; absent where not configured. */
  readonly saved?: number;
}

/** The most that one payment can charge. */
export function mostOf(profiles: Profiles): number {
  return Math.max(0, ...[...profiles.values()].map(({ amount, saved = 0 }) => Math.max(amount, saved)));
}

export function siteOf(
  config: Pick<
    LiveConfig,
    'environment' | 'target' | 'endpointId' | 'states' | 'unknownEndpointId' | 'recurring' | 'versions'
  >,
): Site {
  const url = new URL(config.target);
  const { environment, endpointId, states, unknownEndpointId, recurring, versions } = config;
  const endpoints = [endpointId, states.closing, states.locked].filter((id) => id !== undefined);
  return {
    scheme: url.protocol === 'https:' ? 'https' : 'http',
    host: url.host,
    prefix: url.pathname.replace(/\/+$/, ''),
    endpointIds: new Set(endpoints),
    integration: environment === 'integration',
    unknownEndpointId,
    versions,
    profiles: new Map(
      recurring.map(({ id, amount, savedAmount }) => [
        id,
        { amount: centsOf(amount)!, ...(savedAmount === undefined ? {} : { saved: centsOf(savedAmount)! }) },
      ]),
    ),
  };
}
