/** The hooks through which a defect or a variant changes the gateway; the gateway itself knows none of them by name. */
import { defaultSettings, type MockSettings } from './assumptions.ts';
import type { StepName } from './operations.ts';
import type { Reading, Received } from './received.ts';
import type { Reply } from './responses.ts';
import type { About, SignatureMaterial } from './step.ts';
import type { World } from './world.ts';

/** What a defect or a variant changes about the mock. */
export interface Alteration {
  /** Decisions that are not taken. */
  readonly skips?: readonly StepName[];
  /** Whether a request that this step of authentication refuses is acted on all the same, with no further step. */
  readonly takes?: (reading: Reading, step: string, world: World) => boolean;
  /** A further decision, taken last: the reason for a refusal, or undefined. */
  readonly refuses?: (reading: Reading, world: World) => string | undefined;
  /** What the gateway takes the request to be when it checks and acts. */
  readonly reads?: (request: Received) => Received;
  /** What it puts into the signature base string; `original` is the request before `reads`. */
  readonly signs?: (material: SignatureMaterial, original: Received) => SignatureMaterial;
  /** The answer that goes out instead. */
  readonly writes?: (reply: Reply, about: About) => Reply;
  /** Settings in place of the default ones. */
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

/** Defaults, then the alterations' settings, then what was asked for explicitly; undefined asks for nothing. */
export function settingsWith(alterations: readonly Alteration[], asked: Partial<MockSettings> = {}): MockSettings {
  const wanted = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return Object.assign({}, defaultSettings, ...alterations.map(({ settings }) => settings), wanted);
}
