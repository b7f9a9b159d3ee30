/** The worst case of a request: no way to read a batch charges more than the ledger books. */
import fc from 'fast-check';
import { encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { isSigned, worstCaseOf } from '../../../src/run/allowance/worst-case.ts';
import { mayBeSameEndpoint, siteOf } from '../../../src/run/target/site.ts';
import { expect, test } from '../../engine.ts';

const site = siteOf({
  environment: 'integration',
  target: 'https://gateway.example/paynet',
  endpointId: '1111',
  states: { closing: '1112' },
  unknownEndpointId: '999',
  recurring: [
    { id: '1234567890', amount: '1.00', savedAmount: '1.00' },
    { id: '42', amount: '2.50', savedAmount: '2.40' },
  ],
});

const closes = { effect: 'closes-day', endpointId: '1111' };

function request(path: string, body = '', method = 'POST') {
  return { method, scheme: 'https', host: 'gateway.example', target: path, body: Buffer.from(body) } as const;
}

test('a version that the configuration names is the only one that leads to the operation', () => {
  const next = { ...site, versions: { 'close-day': 'v3' } };
  expect(worstCaseOf(request('/paynet/api/v3/close-day/1111'), next)).toEqual(closes);
  expect(worstCaseOf(request('/paynet/api/v2/close-day/1111'), next)).toMatchObject({ why: 'forbidden' });
  expect(worstCaseOf(request('/paynet/api/v3/close-day/1111'), site)).toMatchObject({ why: 'forbidden' });
  expect(worstCaseOf(request(batchPath, 'payload='), next)).toMatchObject({ effect: 'starts-payments' });
});

const batchPath = '/paynet/api/v4/process-recurring-payments/1111';
const header = '"client-orderid";"recurring-payment-id";"amount"\n';

/** The worst case of a batch with these form fields. */
function worstOfForm(pairs: readonly Pair[]) {
  return worstCaseOf(request(batchPath, encodeForm(pairs)), site);
}

function worstOfCsv(csv: string) {
  return worstOfForm([['payload', Buffer.from(csv).toString('base64')]]);
}

const payments = (count: number, cents: number) => ({ effect: 'starts-payments', endpointId: '1111', count, cents });

test('a close-day to an endpoint of the configuration closes a day, with any method and body', () => {
  for (const method of ['POST', 'GET', 'PUT']) {
    const worst = worstCaseOf(request('/paynet/api/v2/close-day/1111', '', method), site);
    expect(worst).toEqual(closes);
  }
  expect(worstCaseOf(request('/paynet/api/v2/close-day/1112'), site)).toMatchObject({ effect: 'closes-day' });
});

test('the base URL has no effect, and what goes to the unknown endpoint is marked as such', () => {
  expect(worstCaseOf(request('/paynet/', '', 'GET'), site)).toEqual({ effect: 'none' });
  for (const host of ['', 'https://gateway.example']) {
    const worst = worstCaseOf(request(`${host}/paynet/api/v2/close-day/999`), site);
    expect(worst).toEqual({ effect: 'closes-day', endpointId: '999', unknown: true });
  }
});

test('outside of integration no signed request goes to either operation, with any endpoint', () => {
  const production = { ...site, integration: false };
  for (const path of ['/paynet/api/v2/close-day/999', '/paynet/api/v4/process-recurring-payments/999', batchPath]) {
    expect(worstCaseOf({ ...request(path), isSigned: true }, production)).toMatchObject({ why: 'forbidden' });
    expect(worstCaseOf(request(path), production)).toMatchObject({ why: 'forbidden' });
    expect(worstCaseOf({ ...request(path), isSigned: false }, production)).not.toMatchObject({ why: 'forbidden' });
  }
});

test('a request is signed wherever the signature is', () => {
  const body = (text: string, target = '/') => ({ headers: [], body: Buffer.from(text), target });
  expect(isSigned({ ...body(''), headers: [['authorization', 'OAuth x="y"']] })).toBe(true);
  expect(isSigned(body('day_close_request_id=1&oauth_signature=x'))).toBe(true);
  expect(isSigned(body('day_close_request_id=1&o%61uth%5Fsignature=x'))).toBe(true);
  expect(isSigned(body('', '/paynet/api/v2/close-day/999?o%61uth_signature=x'))).toBe(true);
  expect(isSigned(body('day_close_request_id=1&oauth_version=1.0'))).toBe(false);
});

test('a query changes nothing about where a request leads, but one that may hold a batch is not sent', () => {
  const closeDay = '/paynet/api/v2/close-day/1111';
  expect(worstCaseOf(request(`${closeDay}?x=1`), site)).toEqual(closes);
  expect(worstCaseOf(request('/paynet/api/v2/close-day/7?x=1'), site)).toMatchObject({ why: 'forbidden' });
  for (const name of ['payload', 'PayLoad', 'p%61yload'])
    expect(worstCaseOf(request(`${batchPath}?${name}=x`), site)).toMatchObject({ why: 'forbidden' });
});

test('nothing leads to another host, scheme or path than those of the configuration, to the letter', () => {
  const endpoints = ['1113', '', '1111/', '%31111'].map((endpoint) => `/paynet/api/v2/close-day/${endpoint}`);
  const others = ['/paynet/api/v3/close-day/999', '/paynet/API/v2/close-day/999', '/api/v2/close-day/1111'];
  for (const path of [...endpoints, ...others, '/paynet/../paynet/api/v2/close-day/1111'])
    expect(worstCaseOf(request(path), site), path).toMatchObject({ why: 'forbidden' });
  const right = request('/paynet/api/v2/close-day/999');
  for (const other of [{ host: 'gateway.example:444' }, { scheme: 'http' }] as const)
    expect(worstCaseOf({ ...right, ...other }, site)).toMatchObject({ why: 'forbidden' });
});

test('each row counts as much as the most expensive profile, and a batch without payments counts as one row', () => {
  expect(worstOfForm([])).toEqual(payments(1, 250));
  expect(worstOfForm([['payload', '']])).toEqual(payments(1, 250));
  const columns = '"client-orderid";"recurring-payment-id";"amount-from";"amount-to"\n';
  for (const [csv, count] of [
    [header, 1],
    [`${header}a;1234567890;1.00\n"b;c";42;2.50\n`, 2],
    ['"client-orderid";"recurring-payment-id"\na;1234567890\n', 1],
    ['"client-orderid";"amount"\na;1.00\n', 1],
    [`${header}a;42;ten\n`, 1],
    [`${columns}a;42;1.00;2.00\n`, 1],
    // A line end inside a cell counts as another row.
    [`${header}"a\nb";42;2.00\n`, 2],
  ] as const)
    expect(worstOfCsv(csv), csv).toEqual(payments(count, count * 250));
  const payload: Pair = ['payload', Buffer.from(`${header}a;42;2.00\n`).toString('base64')];
  expect(worstOfForm([payload, ['Payload', payload[1]]])).toMatchObject({ count: 2 });
});

test('a batch with commas or without a header row is read all the same', () => {
  const row = 'cs0123456789-a;42;2.00\n';
  for (const csv of [row, (header + row).replaceAll(';', ',')]) expect(worstOfCsv(csv)).toMatchObject(payments(1, 250));
});

for (const [name, csv] of [
  ['a profile that is not listed', `${header}a;1234567891;1.00\n`],
  ['a profile with a digit more', `${header}a;12345678901;1.00\n`],
  ['more than the amount that is listed', `${header}a;1234567890;1.01\n`],
  ['an amount that is the id of a profile', `${header}a;42;1234567890\n`],
  ['an amount behind a line end in its cell', `${header}a;42;"\n9.99"\n`],
  ['an id in an order id', `${header}"a;7";42;2.00\n`],
  ['an amount with an exponent', `${header}a;42;1e0\n`],
  ['an amount with a comma', `${header}a;42;"1,00"\n`],
  ['an amount in other digits', `${header}a;42;\u0661\n`],
  ['commas, and a number of which nobody knows what it is', 'client-orderid,amount\n7,42,2.00\n'],
  ['something that is no CSV', 'nothing to be seen here'],
  [
    'more than the amount that is listed, in the second of two columns',
    '"client-orderid";"recurring-payment-id";"amount-from";"amount-to"\na;42;1.00;2.51\n',
  ],
] as const) {
  test(`a batch is not sent with ${name}`, () => {
    expect(worstOfCsv(csv)).toMatchObject({ why: 'forbidden' });
  });
}

const sameIds =
  "01111 0001111 +1111 1111.0 1111x 1.111e3 0x457 02127 1_111 0_2127 0x4_57 1,111 1'111 %31111 \u0661\u0661\u0661\u0661 " +
  '\uff11111 1111\u200b 4294968407 18446744073709552727';

test('ids that a parser may take for each other are one endpoint, and no others', () => {
  for (const id of sameIds.split(' '))
    expect([mayBeSameEndpoint('1111', id), mayBeSameEndpoint(id, '1111')], id).toEqual([true, true]);
  for (const id of ['1112', '11111', '999999999', '02128', '1_112', 'x1111', 'none'])
    expect(mayBeSameEndpoint('1111', id)).toBe(false);
  expect(mayBeSameEndpoint('ABC', 'abc')).toBe(true);
});

test('nothing is sent to an unknown endpoint that may be one that exists', () => {
  const written = { ...site, unknownEndpointId: '01111' };
  expect(worstCaseOf(request('/paynet/api/v2/close-day/01111'), written)).toMatchObject({ why: 'forbidden' });
});

const recurring = [
  { id: '1234567890', amount: '1.00' },
  { id: '42', amount: '2.50', savedAmount: '3.75' },
];
const charging = siteOf({ environment: 'integration', target: 'https://gateway.example', endpointId: '1', recurring });
const worstOfBody = (body: string) => worstCaseOf(request('/api/v4/process-recurring-payments/1', body), charging);

/** Profiles of the gateway: the first has a larger saved amount than the configuration, and one is not listed there. */
const saved: Readonly<Record<string, number>> = { '1234567890': 9900, '42': 375, '7777777777': 100 };

interface Payment {
  readonly id: string;
  readonly cents: number;
}

type Reader = (body: string) => Payment[];

const unquoted = (cell: string) => cell.trim().replace(/^"|"$/g, '').replaceAll('""', '"');
const base64 = (text: string) => Buffer.from(text, 'base64').toString('utf8');
const form = (body: string, separator = '&') =>
  body.split(separator).map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    return [decode(name), decode(value)] as const;
  });
const payloads = (body: string, isName: (name: string) => boolean = (name) => name === 'payload', parted?: string) =>
  form(body, parted)
    .filter(([name]) => isName(name))
    .map(([, value]) => value);

interface Dialect {
  readonly delimiter?: string;
  readonly line?: RegExp;
  readonly quotes?: boolean;
  readonly name?: (name: string) => string;
  readonly which?: 'first' | 'last' | 'most';
  readonly number?: (text: string) => number;
  readonly byPosition?: boolean;
}

const plainNumber = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 100) : Number.NaN);

/** Charges each row as the dialect reads it: the amount that it finds, or else the saved amount of the profile. */
function charge(csv: string, dialect: Dialect = {}): Payment[] {
  const { delimiter = ';', line = /\r\n|\n/, quotes = true, name = (text) => text, which = 'first' } = dialect;
  const { number = plainNumber, byPosition = false } = dialect;
  const [header = [], ...rows] = records(csv.replace(/^\ufeff/, ''), delimiter, line, quotes).map((cells) =>
    cells.map(unquoted),
  );
  const names = header.map(name);
  return rows.flatMap((cells) => {
    const cellsNamed = (wanted: string) => cells.filter((_, at) => names[at] === wanted);
    const id = byPosition ? cells[1] : cellsNamed('recurring-payment-id')[0];
    if (id === undefined || saved[id] === undefined) return [];
    const amounts = byPosition ? cells.slice(2, 3) : cellsNamed('amount');
    const read = amounts.map(number).filter((cents) => !Number.isNaN(cents));
    const chosen = which === 'most' ? Math.max(...read) : which === 'last' ? read.at(-1) : read[0];
    return [{ id, cents: read.length === 0 ? saved[id] : chosen! }];
  });
}

function records(csv: string, delimiter: string, line: RegExp, quotes: boolean): string[][] {
  if (!quotes)
    return csv
      .split(line)
      .filter(Boolean)
      .map((text) => text.split(delimiter));
  // Quoted line ends and delimiters are replaced while the text is split.
  const hidden = csv.replace(/"(?:[^"]|"")*"/g, (cell) => encodeURIComponent(cell).replaceAll('%22', '"'));
  const show = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  return hidden
    .split(line)
    .filter(Boolean)
    .map((text) => text.split(delimiter).map(show));
}

const all = (texts: readonly string[], dialect?: Dialect) => texts.flatMap((text) => charge(base64(text), dialect));
const normalize = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace('recurringpaymentid', 'recurring-payment-id');

const readers: Readonly<Record<string, Reader>> = {
  'as the document says': (body) => all(payloads(body).slice(0, 1)),
  'the last payload': (body) => all(payloads(body).slice(-1)),
  'every payload': (body) => all(payloads(body)),
  'payload in any case': (body) => all(payloads(body, (name) => name.trim().toLowerCase() === 'payload')),
  'payload[] too': (body) => all(payloads(body, (name) => /^payload(\[\d*\])?$/.test(name))),
  'parameters parted by ;': (body) => all(payloads(body, undefined, /[&;]/ as unknown as string)),
  'texts of base64 one behind the other': (body) =>
    payloads(body).flatMap((text) => charge((text.match(/[^=]+=*/g) ?? []).map(base64).join(''))),
  'base64 twice': (body) => payloads(body).flatMap((text) => charge(base64(base64(text)))),
  'no base64': (body) => payloads(body).flatMap((text) => charge(text)),
  'escaped once more': (body) => payloads(body).flatMap((text) => charge(base64(decodeURIComponent(text)))),
  'a CSV with escapes': (body) => payloads(body).flatMap((text) => charge(decodeURIComponent(base64(text)))),
  'a CSV with escapes, escaped twice': (body) =>
    payloads(body).flatMap((text) => charge(decodeURIComponent(decodeURIComponent(base64(text))))),
  'a CSV as a text of JSON': (body) => payloads(body).flatMap((text) => charge(base64(text).replaceAll('\\n', '\n'))),
  hexadecimal: (body) => payloads(body).flatMap((text) => charge(Buffer.from(text, 'hex').toString())),
  'no quotes': (body) => all(payloads(body), { quotes: false }),
  'cells by their place': (body) => all(payloads(body), { byPosition: true }),
  'cells by their place without quotes': (body) => all(payloads(body), { byPosition: true, quotes: false }),
  'names in any case': (body) => all(payloads(body), { name: normalize }),
  'the last of two columns': (body) => all(payloads(body), { name: normalize, which: 'last' }),
  'the greatest of two columns': (body) => all(payloads(body), { name: normalize, which: 'most' }),
  commas: (body) => all(payloads(body), { delimiter: ',' }),
  'any line end': (body) => all(payloads(body), { line: /\r\n|\n|\r/ }),
  'any line end without quotes': (body) => all(payloads(body), { line: /\r\n|\n|\r/, quotes: false }),
  'a point between thousands': (body) =>
    all(payloads(body), {
      number: (text) => (/^\d{1,3}(\.\d{3})+$/.test(text) ? Number(text.replaceAll('.', '')) * 100 : plainNumber(text)),
    }),
  'a comma as the point': (body) => all(payloads(body), { number: (text) => plainNumber(text.replace(',', '.')) }),
  'numbers as far as they go': (body) =>
    all(payloads(body), { number: (text) => Math.round(Number.parseFloat(text) * 100) }),
  exponents: (body) =>
    all(payloads(body), { number: (text) => (text === '' ? Number.NaN : Math.round(Number(text) * 100)) }),
};

const text = (...values: string[]) => fc.constantFrom(...values);
const id = fc.oneof(
  { weight: 6, arbitrary: text('1234567890', '42') },
  { weight: 1, arbitrary: text('7777777777', '', '1', '043', '7777777777x') },
);
const amount = fc.oneof(
  { weight: 6, arbitrary: text('1.00', '0.50', '1', '2.50') },
  {
    weight: 1,
    arbitrary: text('', 'ten', '1.000', '1,00', '1e2', '1.00x', ' 1.00', '9.99', '-1.00', '42', '1234567890'),
  },
);
const order = fc.oneof(
  { weight: 4, arbitrary: text('cs0123456789-a', 'order', '52sF', '1001') },
  {
    weight: 1,
    arbitrary: text(...'"a;1234567890;9.99"¦"a\nb;42;2.50"¦"a;b"¦x\r42¦"a""b"¦"9\n7777777777;9.99"¦a\t9.99'.split('¦')),
  },
);
const column = text(...'amount¦Amount¦ amount¦"amount"¦AMOUNT¦amount-from¦total¦recurring_payment_id'.split('¦'));
const table = fc
  .record({
    more: fc.array(fc.record({ name: column, cells: fc.array(amount, { minLength: 3, maxLength: 3 }) }), {
      maxLength: 1,
    }),
    rows: fc.array(fc.tuple(order, id, amount), { minLength: 0, maxLength: 3 }),
    quoted: fc.boolean(),
    delimiter: fc.oneof({ weight: 6, arbitrary: text(';') }, { weight: 1, arbitrary: text(',') }),
    end: fc.oneof({ weight: 4, arbitrary: text('\n') }, { weight: 1, arbitrary: text('\r\n', '\r') }),
    without: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(2) }),
    headed: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  })
  .map(({ more, rows, quoted, delimiter, end, without, headed }) => {
    const names = ['client-orderid', 'recurring-payment-id', 'amount', ...more.map(({ name }) => name)];
    const cells = rows.map((row, at) => [...row, ...more.map((extra) => extra.cells[at]!)]);
    const dropCell = <T>(line: readonly T[]) => line.filter((_, at) => at !== without);
    const header = dropCell(names).map((name) => (quoted ? `"${name.replaceAll('"', '')}"` : name));
    const lines = [...(headed ? [header] : []), ...cells.map(dropCell)];
    return lines.map((line) => line.join(delimiter)).join(end) + end;
  });
const packed = fc
  .tuple(
    table,
    text('base64', 'base64', 'base64', 'base64', 'twice', 'none', 'hex', 'url', 'escaped', 'JSON', '%', '%%'),
  )
  .map(([csv, how]) => {
    const bytes = Buffer.from(csv);
    const inBase64 = (text: string) => Buffer.from(text).toString('base64');
    if (how === 'none') return csv;
    if (how === 'escaped') return encodeURIComponent(inBase64(csv));
    if (how === 'JSON') return inBase64(csv.replaceAll('\n', '\\n'));
    if (how === '%') return inBase64(encodeURIComponent(csv));
    if (how === '%%') return inBase64(encodeURIComponent(encodeURIComponent(csv)));
    if (how === 'hex') return bytes.toString('hex');
    if (how === 'url') return bytes.toString('base64url');
    return how === 'twice' ? Buffer.from(bytes.toString('base64')).toString('base64') : bytes.toString('base64');
  });
const names = text('payload', 'payload', 'payload', 'Payload', 'payload[]', 'payload[0]', ' payload');
const batches = fc
  .tuple(fc.array(fc.tuple(names, packed), { minLength: 1, maxLength: 2 }), text('&', '&', '&', ';', ''))
  .map(([parts, parted]) => {
    if (parted === '') return `payload=${encodeURIComponent(parts.map(([, value]) => value).join(''))}`;
    return parts.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join(parted);
  });

test('no naive reader charges more than what is booked for a batch that may be sent', () => {
  const sent = new Set<string>();
  fc.assert(
    fc.property(batches, (written) => {
      const worst = worstOfBody(written);
      if ('why' in worst || worst.effect !== 'starts-payments') return;
      for (const [name, read] of Object.entries(readers)) {
        const charged = tryRead(read, written);
        if (charged.length > 0) sent.add(name);
        const message = `${name} reads ${JSON.stringify(charged)} where ${JSON.stringify(worst)} is booked`;
        // A hundred thousand calls of `expect` would take minutes.
        if (charged.some((payment) => !charging.profiles.has(payment.id))) throw new Error(message);
        if (charged.length > worst.count) throw new Error(message);
        if (charged.reduce((sum, { cents }) => sum + cents, 0) > worst.cents) throw new Error(message);
      }
    }),
    { numRuns: process.env.MUTATIONS === undefined ? 600 : 3_000, seed: 7 },
  );
  // Each dialect charges a profile in at least one batch that may be sent.
  expect([...sent].sort()).toEqual(Object.keys(readers).sort());
});

test('a row without an amount is sent only if the configuration has the saved amount of its profile', () => {
  for (const cell of ['', 'ten']) {
    const csv = (one: string) => `"client-orderid";"recurring-payment-id";"amount"\na;${one};${cell}\n`;
    const worst = (one: string) => worstOfBody(`payload=${Buffer.from(csv(one)).toString('base64url')}`);
    expect(worst('1234567890')).toMatchObject({ why: 'forbidden' });
    expect(worst('42')).toMatchObject({ count: 1, cents: 375 });
  }
});

/** A gateway that cannot read the batch charges no profile. */
function tryRead(read: Reader, written: string): Payment[] {
  try {
    return read(written);
  } catch {
    return [];
  }
}
