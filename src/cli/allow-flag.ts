/** `--allow`: how much a run may do to the target, said on the command line. */
import { type Allowance, nothingAllowed } from '../run/live-config.ts';
import { didYouMean } from './nearest.ts';
import { UsageError } from './usage-error.ts';

const forms = 'Write --allow closes-day=1 and --allow starts-payments=5/5.00: number of payments, and their total.';

/** The allowance that the flags name; undefined without a flag. What is not named is not allowed. Throws UsageError. */
export function allowanceOf(flags: readonly string[]): Allowance | undefined {
  if (flags.length === 0) return undefined;
  let allow = nothingAllowed;
  const seen = new Set<string>();
  for (const flag of flags) {
    const [name = '', value = ''] = splitAtFirst(flag, '=');
    if (seen.has(name)) throw new UsageError('bad-arguments', `--allow ${name} is given twice`);
    seen.add(name);
    allow = { ...allow, ...entryOf(name, value, flag) };
  }
  return allow;
}

function entryOf(name: string, value: string, flag: string): Partial<Allowance> {
  if (name === 'closes-day') {
    if (!/^\d{1,6}$/.test(value)) throw badValue(flag, 'is not a number of close-days');
    return { 'closes-day': Number(value) };
  }
  if (name === 'starts-payments') {
    const match = /^(\d{1,6})\/((?:0|[1-9]\d{0,11})\.\d{2})$/.exec(value);
    if (match === null) throw badValue(flag, 'is not a number of payments with their total in two decimals');
    return { 'starts-payments': { count: Number(match[1]), total: match[2]! } };
  }
  throw new UsageError('bad-value', `--allow ${flag} names no effect`, {
    hint: didYouMean(name, ['closes-day', 'starts-payments']) ?? forms,
  });
}

function badValue(flag: string, what: string): UsageError {
  return new UsageError('bad-value', `--allow ${flag} ${what}`, { hint: forms });
}

function splitAtFirst(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
