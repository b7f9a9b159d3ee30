/** Reads the language-neutral vectors, and compares them without one Playwright test for each. */
import { readFileSync } from 'node:fs';

const folder = new URL('../../../contracts/vectors/', import.meta.url);

export interface Vector {
  readonly name: string;
  /** What is wrong with the input; `ok` where nothing is. */
  readonly class: string;
  readonly comment?: string;
}

/** The vectors of one file. Throws where the file has none, so that no test passes on an empty list. */
export function readVectors<V extends Vector>(file: string): V[] {
  const { vectors } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { vectors: V[] };
  if (vectors.length === 0) throw new Error(`${file} holds no vectors`);
  return vectors;
}

/** Text of a file beside the vectors, such as a key. */
export function readVectorFile(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** One line for each vector whose actual value differs from the expected one; what throws counts as its text. */
export function disagreements<V extends Vector>(
  vectors: readonly V[],
  expected: (vector: V) => unknown,
  actual: (vector: V) => unknown,
): string[] {
  if (vectors.length === 0) throw new Error('no vector was chosen');
  return vectors.flatMap((vector) => {
    const want = JSON.stringify(expected(vector));
    const have = JSON.stringify(valueOrError(() => actual(vector)));
    return want === have ? [] : [`${vector.name}: expected ${want}, got ${have}`];
  });
}

function valueOrError(compute: () => unknown): unknown {
  try {
    return compute();
  } catch (error) {
    return String(error);
  }
}
