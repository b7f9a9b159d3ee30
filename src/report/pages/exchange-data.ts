/** The exchanges of a run in report.html: data for lists and filters, and a line of JSON for each exchange. */
import { gzipSync } from 'node:zlib';
import type { Call, Case } from '../../record/case.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { type Outcome, outcomes, type Result, type ResultRow } from '../../record/result/result.ts';
import { formatSubject, type ReportedRun } from '../phrases.ts';
import { shortened } from '../visible.ts';
import type { PageExchange, PageMessage } from './exchange-view.ts';
import { linkedNumbers } from './markup.ts';

interface PageEntry {
  readonly number: number;
  readonly name: string;
  readonly line: string;
  readonly status: string;
  readonly time: string;
  readonly outcome: Outcome | 'none';
  readonly operation: string;
  readonly rows: readonly number[];
}

interface PageHead {
  readonly subject: string;
  readonly reproduce: string;
  readonly rows: readonly Pick<ResultRow, 'id' | 'outcome' | 'dimension' | 'section'>[];
  readonly entries: readonly PageEntry[];
}

export interface ExchangeData {
  readonly head: PageHead;
  readonly exchanges: ReadonlyMap<number, PageExchange>;
  /** Lines of JSON, compressed with gzip, in base64. Line 1 is `head`. Then comes a line for each of `head.entries`. */
  readonly packed: string;
}

const maxNameLength = 300;
const maxValueLength = 4_000;

/** Maximum exchanges of a page, because browsers are slow with longer lists. */
const maxListed = 5_000;

/** Maximum bytes of `packed`, so that a page is small enough for an e-mail. */
const maxPacked = 3_000_000;

/** The exchanges for a page. If a run has more than `maxListed`, later ones appear only if the page links to them. */
export function exchangeData(
  result: Result,
  { cases, baseStringOf }: Pick<ReportedRun, 'cases' | 'baseStringOf'>,
): ExchangeData {
  const findings = cases.length <= maxListed ? [] : [...result.results, ...result.observations];
  const linked = findings.flatMap(({ exchanges }) => linkedNumbers(exchanges));
  const listed = cases.slice(0, maxListed).map((_, index) => index + 1);
  const numbers = [...new Set([...listed, ...linked])].filter((n) => n <= cases.length).sort((a, b) => a - b);
  const rowsOf = new Map(numbers.map((number): [number, number[]] => [number, []]));
  for (const [index, { exchanges }] of result.results.entries()) {
    for (const number of exchanges) rowsOf.get(number)?.push(index);
  }
  const entries = numbers.map((number) => {
    const rows = rowsOf.get(number)!;
    const found = rows.map((index) => result.results[index]!.outcome);
    return entryOf(number, cases[number - 1]!, rows, outcomes.find((outcome) => found.includes(outcome)) ?? 'none');
  });
  const head: PageHead = {
    subject: shortened(formatSubject(result.subject), maxNameLength),
    reproduce: shortened(result.reproduce, maxValueLength),
    rows: result.results.map(({ id, outcome, dimension, section }) => ({ id, outcome, dimension, section })),
    entries,
  };
  // Base strings are long, so a passed exchange gets one only if it is a twin.
  const notPassed = entries.filter(({ outcome }) => ['fail', 'error', 'inconclusive'].includes(outcome));
  const withBaseString = new Set(
    notPassed.flatMap(({ number }) => [number, twinOf(cases[number - 1]!, cases) ?? number]),
  );
  for (let limit = maxBodyLength; ; limit /= 2) {
    const exchanges = new Map(
      numbers.map((number): [number, PageExchange] => {
        const one = exchangeOf(number, cases, limit);
        const { request } = cases[number - 1]!.exchanges[0];
        const hasBaseString = withBaseString.has(number) && request.body.length <= limit;
        const baseString = hasBaseString ? baseStringOf(request) : undefined;
        return [number, { ...one, baseString: baseString && shortened(baseString, 2 * maxBodyLength) }];
      }),
    );
    const lines = [head, ...exchanges.values()].map((one) => JSON.stringify(one));
    const packed = gzipSync(lines.join('\n')).toString('base64');
    if (packed.length <= maxPacked || limit < 64) return { head, exchanges, packed };
  }
}

function entryOf(number: number, testCase: Case, rows: readonly number[], outcome: PageEntry['outcome']): PageEntry {
  const { scenario, number: caseNumber, label } = testCase;
  const [exchange] = testCase.exchanges;
  return {
    number,
    name: `${shortened(scenario, maxNameLength)} ${caseNumber}`,
    line: `${exchange.request.method} ${shortened(exchange.request.target, maxNameLength)}`,
    status: String(exchange.response?.status ?? exchange.failure?.kind ?? 'none'),
    time: `${Math.round(exchange.durationMs)} ms`,
    outcome,
    operation: label.operation,
    rows,
  };
}

const numbersByName = memoize(
  (cases: readonly Case[]) => new Map(cases.map((one, index) => [`${one.scenario} ${one.number}`, index + 1])),
);

function twinOf({ label: { twin } }: Case, cases: readonly Case[]): number | undefined {
  if (twin === undefined) return undefined;
  return numbersByName(cases).get(`${twin.scenario} ${twin.number}`);
}

function exchangeOf(number: number, cases: readonly Case[], limit: number): PageExchange {
  const testCase = cases[number - 1]!;
  const { durationMs, startedAt, request } = testCase.exchanges[0];
  const twin = twinOf(testCase, cases);
  return {
    number,
    scenario: shortened(testCase.scenario, maxNameLength),
    origin: shortened(`${request.scheme}://${request.host}`, maxNameLength),
    label: shortened(formatLabel(testCase), maxNameLength),
    said: formatCall(testCase.call, limit),
    twin,
    ...pageMessages(testCase.exchanges[0], limit),
    ms: Math.round(durationMs),
    at: new Date(startedAt).toISOString(),
  };
}

const inputs: Readonly<Record<Call['label']['input'], string>> = {
  mandatory: 'An input that a client must handle',
  hardening: 'An unusual input, which a client may decline',
  forbidden: 'An input that the document forbids',
  probe: 'Observed, never judged',
  observed: 'A recorded request: the input of the client is unknown',
};

const intents = {
  valid: 'A correct request',
  fault: 'A request with one fault',
  open: 'A request that the document does not define',
} as const;

function formatLabel({ call, label }: Case): string {
  if (call !== undefined) {
    const { input, special, decoding } = call.label;
    const isNamed = decoding !== undefined && special?.startsWith(decoding.question) === true;
    const facts = [special, decoding && !isNamed && `${decoding.question} (${decoding.form})`];
    return `${[inputs[input], ...facts.filter(Boolean)].join(', ')}.`;
  }
  const { intent, about, openPoint, differsIn, facts } = label;
  const subject = about ?? (openPoint && `open point ${openPoint}`);
  const difference = differsIn ? `: ${differsIn}` : '';
  const point = subject ? ` (${subject})` : '';
  const gate = facts?.gate ? `, gate ${facts.gate}` : '';
  return `${intents[intent]}${difference}${point}${gate}.`;
}

function formatCall(call: Call | undefined, limit: number): (readonly [caption: string, text: string])[] {
  if (call === undefined) return [];
  const { asked, reply, adapterFault } = call;
  const { stages: _, ...reported } = reply ?? {};
  const all: readonly (readonly [string, unknown])[] = [
    ['Input', asked?.input],
    ['Environment', asked?.environment],
    ['The client reported', reply && reported],
    ['Fault of the adapter', adapterFault?.message],
  ];
  return all.flatMap(([caption, data]) =>
    data === undefined ? [] : [[caption, shortened(JSON.stringify(data, undefined, 1), limit)] as const],
  );
}

const maxBodyLength = 16_384;

/** The messages of an exchange. A body keeps `limit` bytes. Other parts keep `limit` characters, at most 4,000. */
export function pageMessages(
  { request, response, failure }: Exchange,
  limit: number,
): Pick<PageExchange, 'request' | 'response' | 'failure'> {
  const cut = (text: string) => shortened(text, Math.min(limit, 4_000));
  const parts = ({ headers, body }: Pick<SentRequest, 'headers' | 'body'>) => ({
    headers: headers.map(([name, value]): Header => [cut(name), cut(value)]),
    body: bodyOf(body, limit),
  });
  return {
    request: { line: `${request.method} ${cut(request.target)} HTTP/1.1`, ...parts(request) },
    response: response && { line: `HTTP/1.1 ${response.status} ${cut(response.reason)}`, ...parts(response) },
    failure: failure && `${failure.kind}: ${cut(failure.message)}`,
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bodyOf(body: Uint8Array, limit: number): PageMessage['body'] {
  const bytes = body.length;
  const prefix = body.subarray(0, limit);
  const rest = bytes > limit ? { cut: true as const } : {};
  for (const dropped of bytes > limit ? [0, 1, 2, 3] : [0]) {
    try {
      return { text: utf8.decode(prefix.subarray(0, prefix.length - dropped)), bytes, ...rest };
    } catch {}
  }
  return { base64: Buffer.from(prefix).toString('base64'), bytes, ...rest };
}
