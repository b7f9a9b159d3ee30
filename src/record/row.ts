/** Rows of the tables of scenarios, defects and variants. */
import type { TestableId } from '../../contracts/requirements/index.ts';

/** The template after a row is its sentence. */
export type Row<T> = (text: TemplateStringsArray, ...values: readonly string[]) => T;

export function row<T>(make: (sentence: string) => T): Row<T> {
  return (text, ...values) => make(String.raw({ raw: text }, ...values).trim());
}

type Side = 'client' | 'gateway';

/** An id of a requirement, with or without its area. */
export type InArea<S extends Side, A extends string> = TestableId<S> | Suffix<TestableId<S>, `${A}/`>;

export type Suffix<Id, Prefix extends string> = Id extends `${Prefix}${infer Rest}` ? Rest : never;

export function fullIds<S extends Side>(area: string, ids: readonly string[]): TestableId<S>[] {
  return ids.map((id) => (id.includes('/') ? id : `${area}/${id}`) as TestableId<S>);
}
