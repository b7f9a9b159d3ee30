/** `--allow`: how much a run may do to the target, said on the command line. */
import { type Allowance, nothingAllowed } from '../../run/target/live-config.ts';
import { UsageError } from '../usage-error.ts';
import { didYouMean } from './did-you-mean.ts';

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
    if (!isCount(value)) throw badValue(flag, 'is not a number of close-days up to 1,000,000');
    return { 'closes-day': Number(value) };
  }
  if (name === 'starts-payments') {
    const match = /^(\d+)\/((?:0|[1-9]\d{0,11})\.\d{2})$/.exec(value);
    if (match === null || !isCount(match[1]!)) {
      throw badValue(flag, 'is not a number of payments up to 1,000,000 with their total in two decimals');
    }
    return { 'starts-payments': { count: Number(match[1]), total: match[2]! } };
  }
  throw new UsageError('bad-value', `--allow ${flag} does not say what is allowed`, {
    hint: didYouMean(name, ['closes-day', 'starts-payments']) ?? forms,
  });
}

/** As the schema of the configuration has it. */
function isCount(text: string): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) <= 1_000_000;
}

function badValue(flag: string, what: string): UsageError {
  return new UsageError('bad-value', `--allow ${flag} ${what}`, { hint: forms });
}

function splitAtFirst(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
