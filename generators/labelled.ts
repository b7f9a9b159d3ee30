/** Labels of generated values (valid, faulty, or not defined by the document), and generators of texts. */
import * as fc from 'fast-check';
import type { OpenPointId } from '../contracts/open-points.ts';
import type { RequirementId, TestableId } from '../contracts/requirements/index.ts';

/** How a gateway must answer a faulty value: id of a requirement, or of an open point if the document is silent. */
export type AtGateway = TestableId<'gateway'> | OpenPointId;

export type Label =
  | { readonly kind: 'valid' }
  /** The value breaks only the requirement `breaks`. `atGateway` overrides its `breachAtGateway`. */
  | { readonly kind: 'fault'; readonly breaks: RequirementId; readonly atGateway?: AtGateway }
  /** The document does not define the value. The answer is recorded under the open point. */
  | { readonly kind: 'open'; readonly openPoint: OpenPointId };

export interface Labelled<T> {
  readonly value: T;
  readonly label: Label;
  /** Name of the edge case or fault. All values of one edge case or fault have the same name. */
  readonly edge?: string;
  /** True for a fault in a table of rows and columns. A client can get such a table as its input. */
  readonly inTable?: true;
}

/** The generators of one kind of value. `odd` draws values near a limit or with one unusual feature. */
export interface Domain<T> {
  readonly valid: fc.Arbitrary<Labelled<T>>;
  /** Edge cases, each with its own name. */
  readonly edges: readonly Labelled<T>[];
  /** Draws edge cases and odd values. */
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

export function tableFault<T>(...row: Parameters<typeof fault<T>>): Labelled<T> {
  return { ...fault(...row), inTable: true };
}

export function open<T>(openPoint: OpenPointId, edge: string, value: T): Labelled<T> {
  return { value, label: { kind: 'open', openPoint }, edge };
}

/** Copies label and edge to another value, for example from a cell to its row. */
export function relabel<A, B>(part: Labelled<A>, change: (value: A) => B): Labelled<B> {
  return { ...part, value: change(part.value) };
}

/** Draws each case with equal probability. Shrinks towards the first case. */
export function anyOf<T>(cases: readonly Labelled<T>[]): fc.Arbitrary<Labelled<T>> {
  return fc.constantFrom(...cases);
}

/** Draws texts of an alphabet. A failing text shrinks to a short text with the first characters of the alphabet. */
export function textOf(alphabet: readonly string[], minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength, maxLength, size: 'max' })
    .map((characters) => characters.join(''));
}

export function withInsert(text: fc.Arbitrary<string>, inserts: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(text, fc.nat({ max: 255 }), fc.constantFrom(...inserts)).map(([plain, place, insert]) => {
    const at = place % (plain.length + 1);
    return plain.slice(0, at) + insert + plain.slice(at);
  });
}

/** Formats cents with two decimals. */
export function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
