/** The kill matrix counts honestly: a crash is not a kill, a further row is stray, and many rows at once prove none of them. */
import { requirements } from '../../../contracts/requirements/index.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import type { Kill } from '../../../src/app/prove/kill.ts';
import { matrixOf, matrixPage, matrixText, mutatedPart } from '../../../src/app/prove/matrix.ts';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { textOf } from '../../house/tree.ts';

const row = (id: string): Requirement => ({ ...requirements[0]!, id: `close-day/${id}`, kind: 'required' });
const kill = (id: string, breaks: string[], failing = breaks, crashed?: string): Kill => ({
  id,
  side: 'client',
  summary: 'Does something else',
  breaks: breaks.map((one) => `close-day/${one}`),
  failing: failing.map((one) => `close-day/${one}`),
  ...(crashed === undefined ? {} : { crashed }),
});

test('a defect is killed where exactly its rows fail', () => {
  const matrix = matrixOf([kill('exact', ['a']), kill('weak', ['a', 'b'], ['a']), kill('wide', ['a'], ['a', 'c'])], []);
  expect(matrix.killed.map(({ id }) => id)).toEqual(['exact']);
  expect(matrix.survived.map(({ id }) => id)).toEqual(['weak']);
  expect(matrix.stray).toEqual(['wide: close-day/c']);
});

test('a run without a verdict kills nothing', () => {
  const matrix = matrixOf([kill('crash', ['a'], ['a'], 'the run was aborted')], []);
  expect(matrix.killed).toEqual([]);
  expect(matrixText(matrix)).toContain('crash ended the run: the run was aborted');
});

test('a required row needs a killer of at most three rows', () => {
  const rows = ['a', 'b', 'c', 'd'].map(row);
  expect(matrixOf([kill('broad', ['a', 'b', 'c', 'd'])], rows).unproven).toHaveLength(4);
  expect(matrixOf([kill('narrow', ['a', 'b', 'c'])], rows).unproven).toEqual(['close-day/d']);
});

test('a defect that no run can be given proves no row, and the row is named', () => {
  const matrix = matrixOf(
    [{ ...kill('record', ['a', 'b']), reach: 'stored' }, kill('run', ['b'])],
    ['a', 'b'].map(row),
  );
  expect([matrix.unproven, matrix.inRecordsAlone]).toEqual([[], ['close-day/a']]);
  expect(matrixText(matrix)).toContain('required ids that fail in a record alone 1 close-day/a');
  expect(matrixPage(matrix)).not.toContain('| close-day/a | record');
});

test('the page of reports/samples is that of the defects as they are', () => {
  const declared = [...gatewayDefects, ...clientDefects].map(({ id, side, summary, breaks, reach }): Kill => {
    const sorted = [...breaks].sort();
    return { id, side, summary, breaks: sorted, failing: sorted, ...(reach === undefined ? {} : { reach }) };
  });
  const written = textOf('reports/samples/kill-matrix.md');
  const page = matrixPage(matrixOf(declared, requirements)) + mutatedPart(written);
  expect(written === page, 'npm run prove -- --write makes it anew').toBe(true);
});
