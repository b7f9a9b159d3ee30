/** Judges of a batch: its form, base64 (section 4.2, RFC 4648 section 4) and CSV (section 2.3, quoting by RFC 4180). */
import { type ClientJudges, type Finding, fail, pass } from '../judge.ts';
import { type BatchCell, batchOf, type CellDifference, columnCells, namesOf, type SentBatch } from './batch.ts';
import { atMost, judgeForm } from './close-day-fields.ts';
import { isPlainNumber, recurringInput, sameNumber, unknownInput } from './inputs.ts';
import { payloadPair } from './reading.ts';
import { bodyJudge, type WireCase } from './wire-judge.ts';

export const batchJudges = {
  'recurring/payload-only': bodyJudge('process-recurring-payments', ({ reading: { form } }) =>
    judgeForm(form, 'a form with only payload', (names) => {
      if (names.length === 1 && names[0] === 'payload') return undefined;
      if (names.length > 8) return `${names.length} parameters`;
      return names.map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name)).join(', ');
    }),
  ),
  /** Only a payload with a + shows whether the client escapes +. */
  'recurring/payload-escaped': bodyJudge('process-recurring-payments', ({ reading: { form, payload } }) => {
    if (payload === undefined) return null;
    const [fault] = payload.escapeFaults;
    if (fault !== undefined) return fail('+ sent as %2B', fault);
    return payload.sent.includes('+') && /%2B/i.test(payloadPair(form)!.raw) ? pass() : null;
  }),
  'recurring/payload-base64': bodyJudge('process-recurring-payments', ({ reading: { payload } }) => {
    if (payload === undefined) return null;
    const [fault] = payload.base64Faults;
    return fault === undefined ? pass() : fail('standard base64, padded, in one line, encoded once', fault);
  }),
  /** A CSV with only one column has no delimiter, so there is no finding. */
  'recurring/csv-delimiter': ofBatch(({ csv, columns }) =>
    csv.delimiter !== ';' ? fail(';', JSON.stringify(csv.delimiter)) : columns.length > 1 ? pass() : null,
  ),
  'recurring/csv-header-quoted': ofBatch(({ headerFaults, further }) => {
    if (headerFaults[0] !== undefined) {
      const finding = fail('a first row with the column names, each in double quotes', headerFaults[0]);
      const hint = 'Write the column names into the first line.';
      return headerFaults[0].endsWith(' before the names') ? { ...finding, hint } : finding;
    }
    return further.length === 0 ? pass() : pass(`a column ${namesOf(further)} that was not given`);
  }),
  /** Judges the number of rows and cells, the quoting, and all values that no other requirement judges. */
  'recurring/csv-rows': ofBatch(({ rows, rowFaults, differences }, { testCase }) => {
    if (rowFaults[0] !== undefined) return fail('one complete row for each payment', rowFaults[0]);
    const others = differences.filter((difference) => !hasOwnRow(difference));
    const unusual = testCase.call.label.input === 'hardening';
    const changed = others.find((one) => !(unusual && isLineEndOnly(one)) && !isRewrittenAmount(one));
    if (changed !== undefined) {
      const where = `${changed.column} of row ${changed.row}`;
      return fail(`${JSON.stringify(changed.given)} as ${where}`, JSON.stringify(changed.sent));
    }
    if (recurringInput(testCase) === undefined) return unknownInput();
    if (rows.length === 0) return null;
    const rewritten = others.find(isRewrittenAmount);
    if (rewritten !== undefined) return pass(`${rewritten.given} is sent as ${rewritten.sent}`);
    return others.length > 0 ? pass('line ends inside a cell are changed like the line ends of rows') : pass();
  }),
  /** Many charsets have the same ASCII characters, so only a CSV with other characters is evidence. */
  'recurring/csv-utf-8': ofBatch(({ csv, differences, headerFaults }) => {
    // If the column names are missing, the CSV starts with a value, which may itself begin with a byte-order mark.
    if (headerFaults.includes('no row of names')) return null;
    if (csv.charsetFaults[0] !== undefined) return fail('UTF-8 without a byte-order mark', csv.charsetFaults[0]);
    const changed = differences.find(({ charset }) => charset);
    if (changed !== undefined) return fail(changed.given, changed.sent);
    return csv.nonAscii ? pass() : null;
  }),
  'recurring/client-orderid-present': presentOf('client-orderid'),
  'recurring/client-orderid-length': ofCells('client-orderid', ({ sent, given }) => {
    if (given !== undefined && isCut(given, sent)) return fail(given, sent);
    return atMost(longest['client-orderid'], sent);
  }),
  'recurring/recurring-payment-id-present': presentOf('recurring-payment-id'),
  /** Also fails if an id was changed, because an id without its leading zeros has another length. */
  'recurring/recurring-payment-id-length': ofCells('recurring-payment-id', ({ sent, given, charset }) => {
    if (charset) return null;
    if (given !== undefined && sent !== given) return fail(given, sent);
    return atMost(longest['recurring-payment-id'], sent);
  }),
  'recurring/amount-conditional': ofBatch((batch) => {
    const { columns, rows } = batch;
    const whole = rows.filter((cells) => cells !== undefined);
    const without = whole.findIndex((cells) => {
      const has = (name: string) => (cells[columns.indexOf(name)] ?? '') !== '';
      return !has('amount') && !has('amount-sequence') && !(has('amount-from') && has('amount-to'));
    });
    if (without !== -1) return fail('an amount in every row', `no amount in row ${without + 1}`);
    return whole.length === 0 ? null : pass();
  }),
  /** Fails if a locale or a number type changed the amount. Signs, exponents and other digits pass if the input has them. */
  'recurring/amount-numeric': ofCells('amount', ({ sent, given }) => {
    if (isPlainNumber(sent)) {
      if (given === undefined || sent === given) return pass();
      return sameNumber(given, sent) ? pass(`${given} is sent as ${sent}`) : null;
    }
    const isGiven = given === undefined || sent === given;
    return isGiven && isLenientNumber(sent)
      ? pass(`not every program reads ${sent} as a number`)
      : fail(given ?? 'digits, with a point before the fraction', sent);
  }),
  'recurring/amount-length': ofCells('amount', ({ sent, given }) => {
    // `amount-numeric` judges an amount that is not a number.
    if (!isPlainNumber(sent) && (given === undefined ? !isLenientNumber(sent) : sent !== given)) return null;
    const [digits, limit] = [digitsOf(sent), longest.amount];
    if (digits > limit) return fail(`at most ${limit} digits`, `${digits} digits`);
    if (sent.length <= limit) return pass();
    return pass(`${sent} has ${digits} digits and ${sent.length} characters: the limit of ${limit} can mean either`);
  }),
} satisfies ClientJudges;

function ofBatch(look: (batch: SentBatch, wire: WireCase) => Finding | null) {
  return bodyJudge('process-recurring-payments', (wire) => {
    const batch = batchOf(wire.testCase, wire.exchange);
    return batch === undefined ? null : look(batch, wire);
  });
}

/** True if only CRLF and LF differ. A CSV writer may convert line ends inside cells like those between rows. */
function isLineEndOnly({ given, sent }: CellDifference): boolean {
  return given.replaceAll('\r\n', '\n') === sent.replaceAll('\r\n', '\n');
}

/** True if another requirement judges the changed value: one on its column, or the one on the charset. */
function hasOwnRow({ column, given, sent, charset }: CellDifference): boolean {
  if (charset || column === 'recurring-payment-id') return true;
  // Other requirements judge an amount that is empty, not a number, too long, or in another notation.
  if (column === 'amount') return sent === '' || !isPlainNumber(sent) || digitsOf(sent) > 10 || sameNumber(given, sent);
  // `amount-conditional` judges a row without any amount.
  if (given !== '' && sent === '') return column === 'client-orderid' || isOtherAmount(column);
  return column === 'client-orderid' && isCut(given, sent);
}

function isRewrittenAmount({ column, given, sent }: CellDifference): boolean {
  return isOtherAmount(column) && sameNumber(given, sent);
}

function isOtherAmount(column: string): boolean {
  return /^amount-(?:from|to|sequence)$/.test(column);
}

/** The number of digits in an amount. It is open whether the limit also counts the decimal point. */
function digitsOf(amount: string): number {
  return amount.replaceAll(/\P{Nd}/gu, '').length;
}

/** True if the text was cut at its end. Lost white space at the end does not count. */
function isCut(given: string, sent: string): boolean {
  return given.startsWith(sent) && given.trimEnd().length > sent.length;
}

const longest = { 'client-orderid': 128, 'recurring-payment-id': 10, amount: 10 } as const;

function presentOf(column: 'client-orderid' | 'recurring-payment-id') {
  return ofBatch((batch) => {
    if (batch.columns.length === 0) return null;
    const cells = columnCells(batch, column);
    if (cells === undefined) return fail(`a column ${column}`, batch.columns.join(', '));
    const empty = cells.find(({ sent }) => sent === '');
    if (empty !== undefined) return fail(`${column} in every row`, `no ${column} in row ${empty.row}`);
    return cells.length === 0 ? null : pass();
  });
}

/** True for numbers that only some programs accept, such as `+1`, `.5` and `1e3`. */
function isLenientNumber(text: string): boolean {
  return /^[+-]?(?:\p{Nd}+(?:\.\p{Nd}*)?|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?$/u.test(text);
}

/** Judges all cells of the column except empty cells. The result is the first failure, or else the first remark. */
function ofCells(column: string, look: (cell: BatchCell) => Finding | null) {
  return ofBatch((batch, { testCase }) => {
    const cells = columnCells(batch, column, recurringInput(testCase)) ?? [];
    const findings = cells.flatMap((cell) => (cell.sent === '' ? [] : (look(cell) ?? [])));
    const failed = findings.find(({ outcome }) => outcome === 'fail');
    return failed ?? findings.find(({ remark }) => remark !== undefined) ?? findings[0] ?? null;
  });
}
