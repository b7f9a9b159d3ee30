/** Rows of the tables of scenarios, defects and variants. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Side } from './run.ts';

/** A template tag that makes a row. The text of the template is the sentence of the row. */
export type Tag<T> = (text: TemplateStringsArray, ...values: readonly string[]) => T;

export function row<T>(make: (sentence: string) => T): Tag<T> {
  return (text, ...values) => make(String.raw({ raw: text }, ...values).trim());
}

/** The id of a requirement, with its area or without it. */
export type InArea<S extends Side, A extends string> = TestableId<S> | Suffix<TestableId<S>, `${A}/`>;

export type Suffix<Id, Prefix extends string> = Id extends `${Prefix}${infer Rest}` ? Rest : never;

export function fullIds<S extends Side>(area: string, ids: readonly string[]): TestableId<S>[] {
  return ids.map((id) => (id.includes('/') ? id : `${area}/${id}`) as TestableId<S>);
}
