/** Reads the CSV of 2.3 leniently, with its uneven rows: the mock's steps refuse them, not its reader. */
import { parse } from 'csv-parse/sync';

export interface Table {
  readonly columns: readonly string[];
  /** For each column name whether it stood in double quotes. */
  readonly quoted: readonly boolean[];
  /** As long as each row is. */
  readonly rows: readonly (readonly string[])[];
}

const shape = { delimiter: ';', record_delimiter: ['\r\n', '\n'], relax_column_count: true };

/** The table of a text whose quotes are balanced (RFC 4180); undefined for any other text. */
export function readTable(text: string): Table | undefined {
  try {
    const [columns = [], ...rows] = parse(text, shape);
    return { columns, quoted: readQuotes(text), rows };
  } catch {
    return undefined;
  }
}

function readQuotes(text: string): boolean[] {
  // csv-parse passes on what `cast` makes of a cell; here that is whether it was quoted.
  const cast = (_: string, { quoting }: { quoting: boolean }) => quoting as never;
  const [header = []] = parse(text, { ...shape, to: 1, cast });
  return header as unknown as boolean[];
}
