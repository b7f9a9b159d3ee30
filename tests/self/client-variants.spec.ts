/** Clients that are right in ways of their own are conformant, and what is unusual about them is a remark or an observation. */
import { runClientInProcess } from '../../src/app/prove/run-in-process.ts';
import type { ClientAlteration, Context } from '../../src/peer/client/client.ts';
import { closeDayFieldNames } from '../../src/protocol/index.ts';
import type { CallInput, CloseDayInput, Decoded, DecodedGate, RecurringInput } from '../../src/record/case.ts';
import { expect, test } from '../engine.ts';

const added = ['amount-from', 'amount-to', 'origin'];

/** A decimal with zeros at its end, and what is left without them. */
const decimal = /^(\d+\.\d*[1-9])0+$/;

const variants: Readonly<Record<string, { alteration: ClientAlteration; shows: RegExp }>> = {
  'that is typed: whole counts, decimal sums, no empty fields, order ids of letters, digits and hyphens, HTTPS only': {
    alteration: { refusal: (refusal, context) => refusal ?? untyped(context), input: asTyped },
    shows: /declines an unusual input/,
  },
  'that validates nothing': {
    alteration: { refusal: () => undefined },
    shows: /does not validate/,
  },
  'that sends a charset, a realm and an empty oauth_token': {
    alteration: {
      unsigned: (pairs) => [...pairs, ['oauth_token', '']],
      authorization: (value) => value.replace('OAuth ', 'OAuth realm="shop", '),
      headers: (headers) =>
        headers.map(([name, value]) => [name, /^content-type$/i.test(name) ? `${value}; charset=UTF-8` : value]),
    },
    shows: /realm|oauth_token/,
  },
  'whose decimals lose the zeros at their end': {
    alteration: {
      input: (input) =>
        // In the first column are orders, and what looks like a decimal there is none.
        JSON.parse(
          JSON.stringify(input, (at, text) => (at !== '0' && decimal.test(text) ? text.replace(decimal, '$1') : text)),
        ),
    },
    shows: /is sent as/,
  },
  'that sends its Content-Type in capitals, and lines that end in CRLF but for the last one': {
    alteration: {
      headers: (headers) =>
        headers.map(([name, value]) => [name, /^content-type$/i.test(name) ? value.toUpperCase() : value]),
      // A line feed inside of a cell is the caller's.
      csv: (csv) => csv.replace(/("[^"]*")|\n/g, (_, cell) => cell ?? '\r\n').replace(/\r\n$/, ''),
    },
    shows: /lines end in CRLF/,
  },
  'that sends all totals or none of them, and adds empty columns and one of its own': {
    alteration: {
      fields: (pairs, { operation }) =>
        operation !== 'close-day' || pairs.length < 2
          ? pairs.filter(([name, text]) => text !== '' || name === 'day_close_request_id')
          : closeDayFieldNames.map((name) => [name, pairs.find(([one]) => one === name)?.[1] ?? '']),
      table: ({ columns, rows }) => ({
        columns: [...columns, ...added.filter((name) => !columns.includes(name))],
        rows: rows.map((row) => [
          ...row,
          ...added.filter((name) => !columns.includes(name)).map((name) => (name === 'origin' ? 'shop' : '')),
        ]),
      }),
    },
    shows: /sent empty[\s\S]*a column amount-from, amount-to, origin that was not given/,
  },
  'that makes up ids which it was not given, and sends every other value as it was': {
    alteration: {
      refusal: () => undefined,
      input: (input) =>
        'rows' in input
          ? {
              columns: input.columns.includes('client-orderid') ? input.columns : ['client-orderid', ...input.columns],
              rows: input.rows.map((row) =>
                input.columns.includes('client-orderid')
                  ? row.map((cell, at) => (input.columns[at] === 'client-orderid' ? cell || 'order-0' : cell))
                  : ['order-0', ...row],
              ),
            }
          : { day_close_request_id: 'made0up0id', ...input },
    },
    shows: /made up where none was/,
  },
  'that takes order ids of letters, digits and hyphens, and at most fifty payments': {
    alteration: { refusal: (refusal, context) => refusal ?? narrow(context) },
    shows: /declines an unusual input/,
  },
  'that reads English dates in UTC, counts as numbers, and bodies of 2.4 under HTTP 200 alone': {
    alteration: { decoded: readsNarrowly },
    shows: /declines an answer that is left open[\s\S]*not read: /,
  },
};

for (const [at, [name, { alteration, shows }]] of Object.entries(variants).entries()) {
  // Each is a whole run.
  test(`a client ${name} is conformant, and the report says so`, { tag: at === 4 ? [] : '@all' }, async () => {
    const { result: report } = await runClientInProcess({ seed: '7' }, [alteration]);
    const notRight = report.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(notRight.map(({ id, outcome, actual }) => `${outcome} ${id}: ${actual}`)).toEqual([]);
    expect(report.conclusion).toBe('conformant');
    const told = [...report.results.map(({ remark }) => remark), ...report.observations.map(({ value }) => value)];
    expect(told.join('\n')).toMatch(shows);
  });
}

/** What the document does not say that a client must manage. */
function narrow({ operation, done }: Context) {
  if (operation === 'close-day') return undefined;
  const { columns, rows } = done.input as RecurringInput;
  const ids = rows.map((row) => row[columns.indexOf('client-orderid')] ?? '');
  const isOdd = rows.length > 50 || ids.some((id) => !/^[A-Za-z0-9-]*$/.test(id));
  return isOdd ? { stage: 'csv', reason: 'an order id or a number of payments beyond what is documented' } : undefined;
}

function readsNarrowly(decoded: Decoded, { done: { response } }: Context): Decoded {
  if (decoded.kind === 'parameters' && response.status !== 200) {
    return { kind: 'undecodable', reason: `a body under HTTP ${response.status}` };
  }
  if (decoded.kind !== 'finished') return decoded;
  if (decoded.gates?.length === 0) return { kind: 'undecodable', reason: 'no gates' };
  return { ...decoded, gates: decoded.gates!.map(typed) };
}

function typed(gate: DecodedGate): DecodedGate {
  const text = (member: string) => String(Object.values(gate[member]!)[0]);
  const count = (member: string) => ({ long: String(BigInt(text(member))) });
  const isEnglish = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} [\d:]{8} UTC \d{4}$/.test(text('gateCloseDate'));
  return {
    ...gate,
    saleApprovedCount: count('saleApprovedCount'),
    reversalApprovedCount: count('reversalApprovedCount'),
    gateCloseDate: { text: isEnglish ? text('gateCloseDate') : '' },
  };
}

/** What a typed client cannot express. */
function untyped({ operation, done }: Context) {
  const odd =
    operation === 'close-day' ? oddTotals(done.input as CloseDayInput) : oddBatch(done.input as RecurringInput);
  return odd ? { stage: 'types', reason: 'the value does not fit its type' } : undefined;
}

function oddTotals(input: CloseDayInput): boolean {
  const counts = [input.sale_approved_count, input.reversal_approved_count];
  const sums = [input.sale_approved_sum, input.reversal_approved_sum];
  return (
    counts.some((count) => count !== undefined && !/^\d{1,18}$/.test(count)) ||
    sums.some((sum) => sum !== undefined && !/^\d{1,15}\.\d{1,4}$/.test(sum))
  );
}

function oddBatch({ columns, rows }: RecurringInput): boolean {
  const known = ['client-orderid', 'recurring-payment-id', 'amount'];
  if (columns.length !== 3 || !known.every((name) => columns.includes(name))) return true;
  const cells = (name: string) => rows.map((row) => row[columns.indexOf(name)] ?? '');
  return (
    rows.length === 0 ||
    cells('client-orderid').some((id) => !/^[A-Za-z0-9-]+$/.test(id)) ||
    cells('recurring-payment-id').some((id) => !/^[\x21-\x7e]+$/.test(id)) ||
    cells('amount').some((amount) => !/^\d+(\.\d+)?$/.test(amount))
  );
}

/** A number is printed as its type prints it. */
function asTyped(input: CallInput): CallInput {
  if ('rows' in input) return input;
  const whole = (text?: string) => (text !== undefined && /^\d{1,18}$/.test(text) ? String(BigInt(text)) : text);
  const { sale_approved_count: sale, reversal_approved_count: reversal } = input as CloseDayInput;
  const changed = {
    ...input,
    sale_approved_count: whole(sale),
    reversal_approved_count: whole(reversal),
  };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
}
