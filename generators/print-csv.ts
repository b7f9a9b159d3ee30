/** Prints a table as CSV text in any style, right or wrong: the generators' own writer, apart from the protocol's. */

export interface CsvStyle {
  readonly delimiter: string;
  /** `all`: each name in double quotes. `none`, `first-bare`, `last-bare` and `single` are what the document does not have. */
  readonly header: 'all' | 'none' | 'first-bare' | 'last-bare' | 'single';
  /** `needed`: a cell is quoted where it holds the delimiter, a quote or a line end. `never` breaks such cells. */
  readonly cells: 'needed' | 'all' | 'never';
  readonly lineEnd: string;
  readonly finalLineEnd: boolean;
  readonly byteOrderMark: boolean;
}

/** As section 2.3 has it; where that is silent, the simplest form. */
export const plainStyle: CsvStyle = {
  delimiter: ';',
  header: 'all',
  cells: 'needed',
  lineEnd: '\n',
  finalLineEnd: true,
  byteOrderMark: false,
};

export function printCsv(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  style: CsvStyle = plainStyle,
): string {
  const lines = [printHeader(columns, style), ...rows.map((cells) => printRow(cells, style))];
  const text = lines.join(style.lineEnd) + (style.finalLineEnd ? style.lineEnd : '');
  return style.byteOrderMark ? `\ufeff${text}` : text;
}

function printHeader(columns: readonly string[], { header, delimiter }: CsvStyle): string {
  return columns
    .map((name, at) => {
      const bare = header === 'first-bare' ? 0 : header === 'last-bare' ? columns.length - 1 : undefined;
      if (header === 'none' || at === bare) return name;
      return header === 'single' ? `'${name}'` : quoted(name);
    })
    .join(delimiter);
}

function printRow(cells: readonly string[], style: CsvStyle): string {
  return cells
    .map((cell) => {
      if (style.cells === 'never') return cell;
      const special = cell.includes(style.delimiter) || /["\r\n]/.test(cell);
      return special || style.cells === 'all' ? quoted(cell) : cell;
    })
    .join(style.delimiter);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
