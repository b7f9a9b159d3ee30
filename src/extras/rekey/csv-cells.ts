/** The cells of a CSV in place (section 2.3), however carelessly it was written. All texts have a character for each byte. */

const idColumns = ['clientorderid', 'orderid', 'recurringpaymentid', 'paymentid'];
const knownColumns = [...idColumns, 'amount', 'amountfrom', 'amountto', 'amountsequence'];

/** A name as people vary it: without case and punctuation. */
export function plainName(name: string): string {
  // No name has as many characters, and a batch may be one line of megabytes.
  return name.length > 1000 ? name : name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** For each column whether it has ids, by its name; undefined where the first line has no name that is known. */
export function idColumnsOf(csv: string): readonly boolean[] | undefined {
  const names = firstLine(csv).split(delimiterOf(csv)).map(plainName);
  return names.some((name) => knownColumns.includes(name)) ? names.map((name) => idColumns.includes(name)) : undefined;
}

/** The text with what `edit` makes of each cell, without its quotes; rows and columns count from 0, and the names are row 0. */
export function editCells(csv: string, edit: (text: string, row: number, column: number) => string): string {
  const delimiter = delimiterOf(csv);
  let [row, column] = [0, 0];
  return csv.replace(fields[delimiter]!, (_, start: string, ...parts: (string | undefined)[]) => {
    if (start === delimiter) column += 1;
    else if (start !== '') [row, column] = [row + 1, 0];
    const [quoted, close, inApostrophes, bare] = parts;
    if (quoted !== undefined) return `${start}"${edit(quoted, row, column)}${close}`;
    if (inApostrophes !== undefined) return `${start}'${edit(inApostrophes, row, column)}'`;
    return `${start}${edit(bare!, row, column)}`;
  });
}

/**
 * A field with what is in front of it: a delimiter, a line end, or the start of the text. A quote ends a field only in front of one
 * of these, or at the end. An apostrophe is one only where another one closes the field; some clients put one in front of a formula.
 */
const fields: Readonly<Record<string, RegExp>> = Object.fromEntries(
  [';', ',', '\t', '|'].map((delimiter) => {
    const ends = `[${delimiter}\\r\\n]`;
    const quoted = `"([^"]*(?:(?:""|"(?!"|${ends}|$))[^"]*)*)("?)`;
    const inApostrophes = `'([^'\\r\\n]*)'(?=${ends}|$)`;
    const start = `(\\r\\n|\\r|\\n|[${delimiter}]|^)`;
    return [delimiter, new RegExp(`${start}(?:${quoted}|${inApostrophes}|([^${delimiter}\\r\\n]*))`, 'g')];
  }),
);

function firstLine(csv: string): string {
  return /^[^\r\n]*/.exec(csv)![0];
}

/** The one under which the first line has the most known names; `;` where none is known. */
function delimiterOf(csv: string): string {
  const line = firstLine(csv);
  const known = (delimiter: string) =>
    line.split(delimiter).filter((cell) => knownColumns.includes(plainName(cell))).length;
  return [',', '\t', '|'].reduce((best, one) => (known(one) > known(best) ? one : best), ';');
}
