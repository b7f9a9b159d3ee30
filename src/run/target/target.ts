/** The target of a run: where requests go, and with which credentials they are signed and checked. */
import type { KeyObject } from 'node:crypto';
import { type Operation, type PathVersions, pathTo } from '../../../contracts/operations.ts';
import type { ScriptedAnswer, Situation } from '../../plan/scenario.ts';

export interface Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly privateKey: KeyObject;
  /** SPKI PEM of the same key, for the second voice. */
  readonly publicKeyPem: string;
}

export interface Target {
  readonly kind: 'mock' | 'live';
  readonly scheme: 'http' | 'https';
  /** Name, and port where one is written. */
  readonly host: string;
  /** Path before /api/, without a slash at its end; may be empty. */
  readonly prefix: string;
  /** Versions in the paths, where they are others than the interface document's. */
  readonly versions?: PathVersions;
  readonly credentials: Credentials;
  /** Keys that the target does not know, for the negatives. */
  readonly otherSecret: string;
  readonly otherPrivateKey: KeyObject;
  /** Endpoint for each situation that can be brought about. */
  readonly endpoints: Readonly<Partial<Record<Situation, string>>>;
  /** Scripts the target's answer to the next right batch at an endpoint; absent where that is not possible. */
  setNextAnswer?(endpointId: string, answer: ScriptedAnswer): Promise<void>;
  /** Stops a recurring payment, or makes the target forget it; absent where that cannot be done. */
  setProfile?(id: string, state: 'stopped' | 'unknown'): void;
  /** Brings the situation about before a request that needs it; absent where endpoints are kept in their states. */
  arrange?(situation: Situation): Promise<void>;
  /** Number of gates of an endpoint, where known. */
  readonly gates: Readonly<Record<string, number>>;
}

/** Path of an operation, with the prefix of the base URL (sections 4.1, 4.2 and 9). */
export function operationPath(
  { prefix, versions }: Pick<Target, 'prefix' | 'versions'>,
  operation: Operation,
  endpointId: string,
): string {
  return `${prefix}${pathTo(operation, versions)}${endpointId}`;
}
