/** The payments inside a `payload`, decoded leniently: the steps judge strictness, so that each can be switched off alone. */
import { isUtf8 } from 'node:buffer';
import { readTable, type Table } from './csv.ts';
import type { CsvScan } from './csv-scan.ts';

export interface Batch {
  /** Whether the payload is base64 of RFC 4648 section 4: standard alphabet, padded, no line breaks. */
  readonly strictBase64: boolean;
  readonly utf8: boolean;
  readonly byteOrderMark: boolean;
  /** Absent where the text is not CSV. */
  readonly table?: Table;
  /** What is known of the rows where they were scanned as they arrived; the table then has none. */
  readonly scan?: Pick<CsvScan, 'broken' | 'payments'>;
}

/**
 * Decodes a payload as far as it goes; never throws.
 * @param delimiters what may be between cells; the first of them that the header row has is taken
 */
export function readBatch(payload: string, delimiters: readonly string[] = [';']): Batch {
  // Buffer also takes base64url, missing padding and line breaks: what a lenient gateway would understand.
  const bytes = Buffer.from(payload, 'base64');
  const text = bytes.toString('utf8');
  const byteOrderMark = text.startsWith('\uFEFF');
  return {
    strictBase64: bytes.toString('base64') === payload,
    utf8: isUtf8(bytes),
    byteOrderMark,
    table: readTable(byteOrderMark ? text.slice(1) : text, delimiterOf(text, delimiters)),
  };
}

/** Cells of one column, row by row; undefined where a row has none or the column is absent. */
export function column(batch: Batch, name: string): (string | undefined)[] {
  const index = batch.table?.columns.indexOf(name) ?? -1;
  return batch.table?.rows.map((row) => row[index]) ?? [];
}

function delimiterOf(text: string, delimiters: readonly string[]): string | undefined {
  if (delimiters.length < 2) return delimiters[0];
  const [header = ''] = text.split('\n', 1);
  return delimiters.find((delimiter) => header.includes(delimiter)) ?? delimiters[0];
}
