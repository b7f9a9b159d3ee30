/** The judges of request bodies (sections 2.1, 2.3, 4.1, 4.2 and 8; base64: RFC 4648 section 4, CSV: RFC 4180). */
import type { Operation } from '../../../contracts/operations.ts';
import { type CloseDayFields, closeDayFieldNames } from '../../protocol/index.ts';
import type { RecurringInput } from '../../record/case.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { type ClientJudges, type Finding, fail, inconclusive, pass, passIf, worstOf } from '../judge.ts';
import { isPlainNumber, isSameNumber } from '../numbers.ts';
import { batchOf, type CellDifference, namesOf, plainName, type SentBatch } from './batch.ts';
import { closeDayInput, isSameTotal, recurringInput } from './inputs.ts';
import { oddValue, type RequestReading } from './reading.ts';
import { type RequestJudge, type WireCase, wireJudge } from './wire-judge.ts';

type FieldName = keyof CloseDayFields;
type Form = RequestReading['form'];

const closeDayJudges = {
  'close-day/body-is-form': bodyJudge('close-day', ({ testCase, reading: { form } }) => {
    if (form.kind === 'empty' && !isUnusableForm(form, closeDayInput(testCase))) return null;
    return judgeForm(form, 'a form of the documented fields, each at most once', (names) => {
      const foreign = names.find((name) => !closeDayFieldNames.includes(name as FieldName));
      if (foreign !== undefined) return `the parameter ${foreign}`;
      const repeated = names.find((name, index) => names.indexOf(name) !== index);
      return repeated === undefined ? undefined : `${repeated} more than once`;
    });
  }),
  'close-day/request-id-present': requestIdJudge((sent) => {
    if (sent === undefined) return fail('day_close_request_id', 'a body without this field');
    return passIf(sent !== '', 'day_close_request_id', 'an empty field');
  }),
  'close-day/request-id-alphabet': requestIdJudge((sent, expected) => {
    if (!sent) return null;
    const isAltered = expected !== undefined && sent !== expected && sent.length === expected.length;
    if (isAltered) return fail(expected, sent);
    const odd = expected === undefined ? oddValue(sent) : undefined;
    if (/^[A-Za-z0-9]+$/.test(sent)) return pass(odd && `${sent} is ${odd.what}`);
    // The document does not define "letter". So accept letters of any script, and accents that follow a letter.
    if (/[^\p{L}\p{M}\p{Nd}]|(?:^|\p{Nd})\p{M}/u.test(sent)) return fail('letters and digits', sent);
    return pass('letters or digits beyond ASCII');
  }),
  'close-day/request-id-length': requestIdJudge((sent, expected) => {
    if (!sent) return null;
    if (expected !== undefined && sent.length !== expected.length) return fail(expected, sent);
    return worstOf([judgeMinLength(8, sent), judgeMaxLength(32, sent)]) ?? pass();
  }),
  'close-day/sale-approved-count': totalJudge('sale_approved_count'),
  'close-day/sale-approved-sum': totalJudge('sale_approved_sum'),
  'close-day/reversal-approved-count': totalJudge('reversal_approved_count'),
  'close-day/reversal-approved-sum': totalJudge('reversal_approved_sum'),
} satisfies ClientJudges;

function bodyJudge(operation: Operation, judgeRequest: RequestJudge) {
  return wireJudge(operation, judgeRequest, { body: true });
}

/** Ignores OAuth parameters, because `parameters-only-in-header` judges them. */
function judgeForm(form: Form, expected: string, faultOf: (names: readonly string[]) => string | undefined): Finding {
  if (form.kind === 'empty') return fail(expected, 'an empty body');
  const names = form.pairs.map(({ name }) => name).filter((name) => !name.startsWith('oauth_'));
  const fault = form.looksLike ?? form.faults[0] ?? faultOf(names);
  return fault === undefined ? pass() : fail(expected, fault);
}

function totalJudge(name: FieldName) {
  return bodyJudge('close-day', ({ testCase, reading: { form } }) => {
    const input = closeDayInput(testCase);
    if (isUnusableForm(form, input) || isMisnamed(form, name)) return null;
    if (input === undefined) return unknownInput;
    const expected = input[name];
    const sent = fieldValue(form, name);
    if (sent === expected) return pass();
    if (!isSameTotal(expected, sent)) return fail(expected === undefined ? `no ${name}` : show(expected), show(sent));
    if (expected && sent) return pass(`${expected} is sent as ${sent}`);
    return pass(`${name} is ${sent === undefined ? 'left out if it is empty' : 'sent empty'}`);
  });
}

const unknownInput = inconclusive('the input of the client is not known', 'configuration');

function requestIdJudge(judge: (sent: string | undefined, expected: string | undefined) => Finding | null) {
  const name = 'day_close_request_id';
  return bodyJudge('close-day', ({ testCase, reading: { form } }) => {
    const input = closeDayInput(testCase);
    return isUnusableForm(form, input) || isMisnamed(form, name) ? null : judge(fieldValue(form, name), input?.[name]);
  });
}

/** True if `body-is-form` reports that the body has no fields. Then judges of single fields give no finding. */
function isUnusableForm(form: Form, input: CloseDayFields | undefined): boolean {
  if (form.kind === 'form') return false;
  return form.kind === 'other' || input === undefined || Object.keys(input).length > 1;
}

function fieldValue({ pairs }: Form, name: FieldName): string | undefined {
  return pairs.find((pair) => pair.name === name)?.value;
}

/** True if the field name is misspelled. `body-is-form` reports this, so judges of the value give no finding. */
function isMisnamed(form: Form, name: FieldName): boolean {
  if (fieldValue(form, name) !== undefined) return false;
  return plainNames(form).has(plainName(name));
}

/** Memoized, because the judge of each field needs these names, and a form may have a million of them. */
const plainNames = memoize(({ pairs }: Form) => new Set(pairs.map((pair) => plainName(pair.name))));

function show(value: string | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The document does not define "character". So a text fails only if bytes, code points and letters are too many. */
function judgeMaxLength(limit: number, text: string): Finding {
  if (Buffer.byteLength(text) <= limit) return pass();
  if (countLetters(text, limit) > limit) return fail(`at most ${limit} characters`, formatLength(text));
  return pass(
    `more than ${limit} bytes, but at most ${limit} letters, not counting accents: the document does not say whether the limit counts bytes or letters`,
  );
}

function judgeMinLength(limit: number, text: string): Finding {
  if (Buffer.byteLength(text) < limit) return fail(`at least ${limit} characters`, formatLength(text));
  if (countLetters(text, limit) >= limit) return pass();
  return pass(
    `${limit} bytes or more, but fewer than ${limit} letters if accents do not count: the document does not say whether the limit counts bytes or letters`,
  );
}

/** Counts a letter and its accents as one. May stop as soon as the count exceeds `limit`: a long text is slow. */
function countLetters(text: string, limit: number): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const start = 64 * limit;
  if (text.length > start && countLetters(text.slice(0, start), limit) > limit) return limit + 1;
  let count = 0;
  for (const _ of new Intl.Segmenter('en').segment(text)) {
    count += 1;
    if (count > limit) break;
  }
  return count;
}

function formatLength(text: string): string {
  return pluralize(Array.from(text).length, 'character');
}

const batchJudges = {
  'recurring/payload-only': bodyJudge('process-recurring-payments', ({ reading: { form } }) =>
    judgeForm(form, 'a form with only payload', (names) => {
      if (names.length === 1 && names[0] === 'payload') return undefined;
      if (names.length > 8) return `${names.length} parameters`;
      return names.map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name)).join(', ');
    }),
  ),
  /** Only a payload with a + shows whether the client escapes +. */
  'recurring/payload-escaped': bodyJudge('process-recurring-payments', ({ reading: { payload } }) => {
    if (payload === undefined) return null;
    const [fault] = payload.escapeFaults;
    if (fault !== undefined) return fail('+ sent as %2B', fault);
    return payload.sent.includes('+') && /%2B/i.test(payload.raw) ? pass() : null;
  }),
  'recurring/payload-base64': bodyJudge('process-recurring-payments', ({ reading: { payload } }) => {
    if (payload === undefined) return null;
    const [fault] = payload.base64Faults;
    return fault === undefined ? pass() : fail('standard base64, padded, in one line, encoded once', fault);
  }),
  /** A CSV with only one column has no delimiter, so there is no finding. */
  'recurring/csv-delimiter': batchJudge(({ csv, columns }) =>
    csv.delimiter !== ';' ? fail(';', JSON.stringify(csv.delimiter)) : columns.length > 1 ? pass() : null,
  ),
  'recurring/csv-header-quoted': batchJudge(({ headerFaults, extraColumns }) => {
    if (headerFaults[0] !== undefined) {
      const finding = fail('a first row with the column names, each in double quotes', headerFaults[0]);
      const hint = 'Write the column names into the first line.';
      return headerFaults[0].endsWith(' before the column names') ? { ...finding, hint } : finding;
    }
    return extraColumns.length === 0 ? pass() : pass(`a column ${namesOf(extraColumns)} that was not given`);
  }),
  /** Judges the number of rows and cells, the quoting, and all values that no other requirement judges. */
  'recurring/csv-rows': batchJudge(({ rows, rowFaults, differences }, { testCase }) => {
    if (rowFaults[0] !== undefined) return fail('one complete row for each payment', rowFaults[0]);
    const others = differences.filter((difference) => !hasOtherRequirement(difference));
    const isUnusualInput = testCase.call.label.input === 'hardening';
    const changed = others.find((one) => !(isUnusualInput && isLineEndOnly(one)) && !isRewrittenAmount(one));
    if (changed !== undefined) {
      const place = `${changed.column} of row ${changed.row}`;
      return fail(`${JSON.stringify(changed.expected)} as ${place}`, JSON.stringify(changed.sent));
    }
    if (recurringInput(testCase) === undefined) return unknownInput;
    if (rows.length === 0) return null;
    const rewritten = others.find(isRewrittenAmount);
    if (rewritten !== undefined) return pass(`${rewritten.expected} is sent as ${rewritten.sent}`);
    return others.length > 0 ? pass('line ends inside a cell are changed like the line ends of rows') : pass();
  }),
  /** ASCII characters have the same bytes in many charsets. So a CSV with only ASCII characters cannot pass. */
  'recurring/csv-utf-8': batchJudge(({ csv, differences, headerFaults }) => {
    // Without column names, give no finding: the first value may itself begin with a byte-order mark.
    if (headerFaults.includes('no row of column names')) return null;
    if (csv.charsetFaults[0] !== undefined) return fail('UTF-8 without a byte-order mark', csv.charsetFaults[0]);
    const changed = differences.find(({ charsetOnly }) => charsetOnly);
    if (changed !== undefined) return fail(changed.expected, changed.sent);
    return csv.nonAscii ? pass() : null;
  }),
  'recurring/client-orderid-present': presenceJudge('client-orderid'),
  'recurring/client-orderid-length': perCell('client-orderid', ({ sent, expected }) => {
    if (expected !== undefined && isCut(expected, sent)) return fail(expected, sent);
    return judgeMaxLength(128, sent);
  }),
  'recurring/recurring-payment-id-present': presenceJudge('recurring-payment-id'),
  /** Also fails if the client changed the id of the input, for example removed a leading zero. */
  'recurring/recurring-payment-id-length': perCell('recurring-payment-id', ({ sent, expected, charsetOnly }) => {
    if (charsetOnly) return null;
    if (expected !== undefined && sent !== expected) return fail(expected, sent);
    return judgeMaxLength(10, sent);
  }),
  'recurring/amount-conditional': batchJudge((batch) => {
    const { columns, rows } = batch;
    const completeRows = rows.filter((cells) => cells !== undefined);
    const missingAt = completeRows.findIndex((cells) => {
      const has = (name: string) => (cells[columns.indexOf(name)] ?? '') !== '';
      return !has('amount') && !has('amount-sequence') && !(has('amount-from') && has('amount-to'));
    });
    if (missingAt !== -1) return fail('an amount in every row', `no amount in row ${missingAt + 1}`);
    return completeRows.length === 0 ? null : pass();
  }),
  /** An amount such as 1,5 fails. The amounts +1 and 1e3 fail only if the input has another notation. */
  'recurring/amount-numeric': perCell('amount', ({ sent, expected }) => {
    if (isPlainNumber(sent)) {
      if (expected === undefined || sent === expected) return pass();
      return isSameNumber(expected, sent) ? pass(`${expected} is sent as ${sent}`) : null;
    }
    const isUnchanged = expected === undefined || sent === expected;
    return isUnchanged && isLenientNumber(sent)
      ? pass(`not every program reads ${sent} as a number`)
      : fail(expected ?? 'digits, with a point before the fraction', sent);
  }),
  'recurring/amount-length': perCell('amount', ({ sent, expected }) => {
    // If the amount is not a number, give no finding here: `amount-numeric` judges it.
    if (!isPlainNumber(sent) && (expected === undefined ? !isLenientNumber(sent) : sent !== expected)) return null;
    const digits = countDigits(sent);
    if (digits > maxDigits) return fail(`at most ${maxDigits} digits`, `${digits} digits`);
    if (sent.length <= maxDigits) return pass();
    return pass(
      `${sent} has ${digits} digits and ${sent.length} characters: the limit of ${maxDigits} can mean either`,
    );
  }),
} satisfies ClientJudges;

export const requestBodyJudges = { ...closeDayJudges, ...batchJudges };

function batchJudge(judge: (batch: SentBatch, wire: WireCase) => Finding | null) {
  return bodyJudge('process-recurring-payments', (wire) => {
    const batch = batchOf(wire.testCase, wire.exchange);
    return batch === undefined ? null : judge(batch, wire);
  });
}

interface BatchCell extends Omit<CellDifference, 'column' | 'expected'> {
  /** The value of this cell in the input. Undefined if the input is unknown or the rows cannot be paired. */
  readonly expected: string | undefined;
}

function columnCells(
  { columns, rows, differences }: SentBatch,
  column: string,
  input?: RecurringInput,
): BatchCell[] | undefined {
  const at = columns.indexOf(column);
  if (at === -1) return undefined;
  const isPaired = input !== undefined && rows.length === input.rows.length;
  const changes = new Map(differences.filter((one) => one.column === column).map((one) => [one.row, one]));
  return rows.flatMap((cells, index) => {
    if (cells === undefined) return [];
    const row = index + 1;
    const sent = cells[at]!;
    const unchanged = { row, sent, expected: isPaired ? sent : undefined, charsetOnly: false };
    return [changes.get(row) ?? unchanged];
  });
}

/** True if the cell differs from the input only in CRLF or LF. A CSV writer may convert line ends inside cells. */
function isLineEndOnly({ expected, sent }: CellDifference): boolean {
  return expected.replaceAll('\r\n', '\n') === sent.replaceAll('\r\n', '\n');
}

function hasOtherRequirement({ column, expected, sent, charsetOnly }: CellDifference): boolean {
  if (charsetOnly || column === 'recurring-payment-id') return true;
  if (column === 'amount')
    return sent === '' || !isPlainNumber(sent) || countDigits(sent) > maxDigits || isSameNumber(expected, sent);
  if (expected !== '' && sent === '') return column === 'client-orderid' || isOtherAmount(column);
  return column === 'client-orderid' && isCut(expected, sent);
}

function isRewrittenAmount({ column, expected, sent }: CellDifference): boolean {
  return isOtherAmount(column) && isSameNumber(expected, sent);
}

function isOtherAmount(column: string): boolean {
  return /^amount-(?:from|to|sequence)$/.test(column);
}

/** Counts digits without the decimal point. The document does not say if the limit includes the point. */
function countDigits(amount: string): number {
  return amount.replaceAll(/\P{Nd}/gu, '').length;
}

function isCut(expected: string, sent: string): boolean {
  return expected.startsWith(sent) && expected.trimEnd().length > sent.length;
}

/** The limit of an amount (section 2.3). */
const maxDigits = 10;

function presenceJudge(column: 'client-orderid' | 'recurring-payment-id') {
  return batchJudge((batch) => {
    if (batch.columns.length === 0) return null;
    const cells = columnCells(batch, column);
    if (cells === undefined) return fail(`a column ${column}`, batch.columns.join(', '));
    const emptyCell = cells.find(({ sent }) => sent === '');
    if (emptyCell !== undefined) return fail(`${column} in every row`, `no ${column} in row ${emptyCell.row}`);
    return cells.length === 0 ? null : pass();
  });
}

/** True for numbers that only some programs accept, such as `+1`, `.5` and `1e3`. */
function isLenientNumber(text: string): boolean {
  return /^[+-]?(?:\p{Nd}+(?:\.\p{Nd}*)?|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?$/u.test(text);
}

function perCell(column: string, judge: (cell: BatchCell) => Finding | null) {
  return batchJudge((batch, { testCase }) => {
    const cells = columnCells(batch, column, recurringInput(testCase)) ?? [];
    const findings = cells.flatMap((cell) => (cell.sent === '' ? [] : (judge(cell) ?? [])));
    return worstOf(findings) ?? null;
  });
}
