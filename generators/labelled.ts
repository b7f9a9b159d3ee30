/** What a generated value is held to mean: right, wrong by one named rule, or something that the document leaves open. */
import * as fc from 'fast-check';
import type { OpenPointId } from '../contracts/open-points.ts';
import type { RequirementId, TestableId } from '../contracts/requirements/index.ts';

/** What becomes of a fault at a gateway: the row that must refuse it, or the open point. */
export type AtGateway = TestableId<'gateway'> | OpenPointId;

export type Label =
  | { readonly kind: 'valid' }
  /** Breaks this one row, and no other, by what the document says. `atGateway` goes before the row's own `breachAtGateway`. */
  | { readonly kind: 'fault'; readonly breaks: RequirementId; readonly atGateway?: AtGateway }
  /** Neither right nor wrong by the document: the answer to it is recorded under this point of the register. */
  | { readonly kind: 'open'; readonly openPoint: OpenPointId };

export interface Labelled<T> {
  readonly value: T;
  readonly label: Label;
  /** Name of the edge or of the fault, the same for every value of that kind. */
  readonly edge?: string;
}

/** The values of one kind. `odd` are those near a bound or with one thing unusual, beyond the table of edges. */
export interface Domain<T> {
  readonly valid: fc.Arbitrary<Labelled<T>>;
  /** Each once, and each with a name of its own. */
  readonly edges: readonly Labelled<T>[];
  /** Edges and odd values, as often as they are needed. */
  readonly edge?: fc.Arbitrary<Labelled<T>>;
  readonly odd?: fc.Arbitrary<Labelled<T>>;
  readonly faulty?: fc.Arbitrary<Labelled<T>>;
}

export function valid<T>(value: T, edge?: string): Labelled<T> {
  return edge === undefined ? { value, label: { kind: 'valid' } } : { value, label: { kind: 'valid' }, edge };
}

export function fault<T>(breaks: RequirementId, edge: string, value: T, atGateway?: AtGateway): Labelled<T> {
  return { value, label: { kind: 'fault', breaks, atGateway }, edge };
}

export function open<T>(openPoint: OpenPointId, edge: string, value: T): Labelled<T> {
  return { value, label: { kind: 'open', openPoint }, edge };
}

/** The same label and edge on another value: a part inside its whole. */
export function relabel<A, B>(part: Labelled<A>, change: (value: A) => B): Labelled<B> {
  return { ...part, value: change(part.value) };
}

/** Draws from a table of named cases, each as likely as any other; shrinks towards the first. */
export function drawn<T>(cases: readonly Labelled<T>[]): fc.Arbitrary<Labelled<T>> {
  return fc.constantFrom(...cases);
}

/** Draws a named maker and a seed for what is arbitrary in the value; shrinks towards the first maker and seed 0. */
export function made<T>(makers: readonly ((seed: number) => Labelled<T>)[]): fc.Arbitrary<Labelled<T>> {
  return fc.tuple(fc.nat({ max: makers.length - 1 }), fc.nat()).map(([at, seed]) => makers[at]!(seed));
}
