/** The CSV of section 2.3: semicolons, quoted column names, quoting by RFC 4180. */
import { parse } from 'csv-parse/sync';
import { ProtocolError } from './protocol-error.ts';

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
export interface CsvOptions { readonly quoteRows?: boolean; readonly lineEnd?: '\n' | '\r\n'; readonly finalNewline?: boolean }

export function encodeCsv(table: CsvTable, options: CsvOptions = {}): string {
  const { quoteRows = false, lineEnd = '\n', finalNewline = true } = options;
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const cell = (text: string) => (quoteRows || /[;"\r\n]/.test(text) ? quoted(text) : text);
  const lines = [table.columns.map(quoted).join(';'), ...table.rows.map((row) => row.map(cell).join(';'))];
  return lines.join(lineEnd) + (finalNewline ? lineEnd : '');
}

export interface DecodedCsv extends CsvTable { readonly header: { readonly quoted: readonly boolean[] } }

export function decodeCsv(text: string): DecodedCsv {
  try {
    const records = parse(text, { delimiter: ';', relax_column_count: true, skip_empty_lines: true, info: false }) as string[][];
    const [columns = [], ...rows] = records;
    const first = text.split(/\r?\n/, 1)[0] ?? '';
    return { columns, rows, header: { quoted: first.split(';').map((c) => c.startsWith('"') && c.endsWith('"')) } };
  } catch (cause) {
    throw new ProtocolError('malformed-csv', 'the text is not CSV with semicolons', { cause });
  }
}
