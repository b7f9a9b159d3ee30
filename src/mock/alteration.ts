/** How a defect or a variant changes the gateway. The gateway does not know the names of defects and variants. */
import { defaultSettings, type MockSettings } from './assumptions.ts';
import type { StepName } from './operations.ts';
import type { Reading, Received } from './received.ts';
import type { Reply } from './responses.ts';
import type { About, SignatureMaterial } from './step.ts';
import type { World } from './world.ts';

/** What a defect or a variant changes in the mock. */
export interface Alteration {
  /** Names of the steps that the gateway skips. */
  readonly skips?: readonly StepName[];
  /** If true, the gateway acts on a request that this authentication step refuses, and runs no further steps. */
  readonly takes?: (reading: Reading, step: string, world: World) => boolean;
  /** A further check after all steps: the reason for a refusal, or undefined. */
  readonly refuses?: (reading: Reading, world: World) => string | undefined;
  /** The request that the gateway sees instead of the real one. */
  readonly reads?: (request: Received) => Received;
  /** Changes the input of the base string. `original` is the request before `reads`. */
  readonly signs?: (material: SignatureMaterial, original: Received) => SignatureMaterial;
  /** Changes the answer before it is sent. */
  readonly writes?: (reply: Reply, about: About) => Reply;
  /** Overrides for the default settings. */
  readonly settings?: Partial<MockSettings>;
}

export type Altered = Required<Omit<Alteration, 'skips' | 'settings'>> & { readonly skips: ReadonlySet<string> };

export function joinAlterations(alterations: readonly Alteration[]): Altered {
  return {
    skips: new Set(alterations.flatMap(({ skips }) => skips ?? [])),
    takes: (reading, step, world) => alterations.some(({ takes }) => takes?.(reading, step, world) === true),
    refuses: (reading, world) => {
      for (const { refuses } of alterations) {
        const reason = refuses?.(reading, world);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
    reads: (request) => alterations.reduce((seen, { reads }) => reads?.(seen) ?? seen, request),
    signs: (material, original) => alterations.reduce((seen, { signs }) => signs?.(seen, original) ?? seen, material),
    writes: (reply, about) => alterations.reduce((seen, { writes }) => writes?.(seen, about) ?? seen, reply),
  };
}

/** Later sources win: defaults, alterations, then `settings`. An undefined value in `settings` changes nothing. */
export function settingsWith(alterations: readonly Alteration[], settings: Partial<MockSettings> = {}): MockSettings {
  const wanted = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return Object.assign({}, defaultSettings, ...alterations.map(({ settings }) => settings), wanted);
}
