/**
 * The number of statements in each section of the interface document. Each statement is covered by a requirement or an
 * open point (contract.spec.ts). For a new edition of the document, change these numbers first.
 *
 * The key of a statement is `section/row/n` (table row), `section/bullet/n`, `section/step/n` (numbered step),
 * `section/text/n` (another sentence that states something), or `section/silence/n`. A silence is a place where the
 * document says `not shown`, or the weaker `no bound given` and `none shown`.
 */
interface SectionShape {
  readonly rows: number;
  readonly bullets: number;
  readonly steps: number;
  readonly texts: number;
  /** Sentences that say that something is not shown. */
  readonly notShown: number;
  /** Cells that say that no bound is given, or that no effect is shown. */
  readonly weakSilences: number;
}

export const documentSections = {
  '0': shape({ texts: 2 }),
  '1': shape({ bullets: 4 }),
  '2.1': shape({ rows: 5, weakSilences: 4 }),
  '2.2': shape({ rows: 15, texts: 2 }),
  '2.3': shape({ rows: 3, texts: 3, notShown: 2 }),
  '2.4': shape({ rows: 5, texts: 1 }),
  '3': shape({ rows: 2, bullets: 2, notShown: 2, weakSilences: 2 }),
  '4.1': shape({ bullets: 7, notShown: 1 }),
  '4.2': shape({ bullets: 7, steps: 3, notShown: 1 }),
  '5': shape({ rows: 2, bullets: 10, notShown: 2 }),
  '6': shape({ notShown: 1 }),
  '7': shape({ rows: 3, bullets: 2, notShown: 2 }),
  '8': shape({ rows: 6, bullets: 2, notShown: 2 }),
  '9': shape({ bullets: 3, notShown: 1 }),
} as const satisfies Record<string, SectionShape>;

/** Keys of all statements and silences of the document, in order. */
export function documentStatements(): string[] {
  return Object.entries(documentSections).flatMap(([section, counts]) => [
    ...keys(section, 'text', counts.texts),
    ...keys(section, 'row', counts.rows),
    ...keys(section, 'bullet', counts.bullets),
    ...keys(section, 'step', counts.steps),
    ...keys(section, 'silence', counts.notShown + counts.weakSilences),
  ]);
}

function keys(section: string, kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${section}/${kind}/${index + 1}`);
}

function shape(counts: Partial<SectionShape>): SectionShape {
  return { rows: 0, bullets: 0, steps: 0, texts: 0, notShown: 0, weakSilences: 0, ...counts };
}
