/** The exchanges of a run as report.html carries them: one line of JSON for each, compressed, and a head with what lists and filters need. */
import { gzipSync } from 'node:zlib';
import type { Case } from '../exchange/case.ts';
import { type Header, headerValues, type ReceivedResponse } from '../exchange/exchange.ts';
import { bodyKey, bodyLength, longBody } from '../exchange/stored-body.ts';
import { formParameters, ProtocolError, parseAuthorization, unsignedSteps } from '../protocol/index.ts';
import type { Statements } from '../report/statements.ts';
import { shortened } from '../report/visible.ts';
import { hintOf, subjectInWords } from '../report/words.ts';
import { type Outcome, outcomes } from '../result/outcome.ts';
import type { Explanation, Result, ResultRow } from '../result/result.ts';
import { saidOfCall, saidOfLabel } from './call.ts';
import { linkedNumbers } from './markup.ts';

/** A body, or as much of it as the page has. */
export interface PageBody {
  readonly text?: string;
  /** Where the bytes are not UTF-8. */
  readonly base64?: string;
  /** Of the whole body. */
  readonly bytes: number;
  readonly cut?: true;
}

export interface PageMessage {
  readonly line: string;
  readonly headers: readonly Header[];
  readonly body: PageBody;
}

/** One line of the data. */
export interface PageExchange {
  readonly number: number;
  readonly scenario: string;
  readonly case: number;
  /** What the suite meant by it. */
  readonly label: string;
  /** Of a client: what it was asked, and what it said; a text under each caption. */
  readonly said: readonly (readonly [caption: string, text: string])[];
  readonly twin?: number;
  readonly url: string;
  readonly request: PageMessage;
  readonly response?: PageMessage;
  readonly failure?: string;
  readonly ms: number;
  readonly at: string;
  /** RFC 5849 3.4.1, where a requirement that is not green rests on the exchange. */
  readonly baseString?: string;
}

/** A requirement as the detail of an exchange shows it. */
export interface PageRow
  extends Pick<
    ResultRow,
    'id' | 'outcome' | 'dimension' | 'section' | 'operation' | 'expected' | 'actual' | 'reason' | 'repeat'
  > {
  readonly statement?: string;
  readonly hint?: string;
  readonly explanations?: readonly Explanation[];
}

/** What is listed of an exchange. */
export interface PageEntry {
  readonly number: number;
  readonly name: string;
  readonly line: string;
  readonly status: string;
  readonly time: string;
  readonly outcome: Outcome | 'none';
  readonly operation: string;
  /** Indexes of the requirements that rest on it. */
  readonly rows: readonly number[];
}

/** The first line of the data. */
export interface PageHead {
  readonly subject: string;
  readonly conclusion: string;
  readonly reproduce: string;
  readonly rows: readonly PageRow[];
  readonly entries: readonly PageEntry[];
}

export interface ExchangeData {
  readonly head: PageHead;
  /** By number, those of the page. */
  readonly exchanges: ReadonlyMap<number, PageExchange>;
  /** gzip in base64: the head, then an exchange a line, in the order of the entries. */
  readonly packed: string;
}

/** Browsers show longer lists badly, and no page should be longer than a mail can be. */
const mostListed = 5_000;
const mostPacked = 3_000_000;
/** Characters of a body: first at most, then half of that, until all has room. */
const longest = 16_384;

/**
 * The traffic of a run. Of a long recording it has the first exchanges, and those that something on the page leads to. What is
 * compressed here is in exchanges.har and report.json too, where it is searched for secrets before any file of a run is kept.
 */
export function exchangeData(result: Result, cases: readonly Case[], statements: Statements): ExchangeData {
  const linked =
    cases.length <= mostListed
      ? []
      : [...result.results, ...result.observations].flatMap(({ exchanges }) => linkedNumbers(exchanges));
  const first = cases.slice(0, mostListed).map((_, index) => index + 1);
  const numbers = [...new Set([...first, ...linked])].filter((n) => n <= cases.length).sort((a, b) => a - b);
  const rowsOf = new Map<number, number[]>();
  for (const [index, { exchanges }] of result.results.entries()) {
    for (const number of exchanges) rowsOf.set(number, [...(rowsOf.get(number) ?? []), index]);
  }
  const entries = numbers.map((number) => entryOf(number, cases[number - 1]!, rowsOf.get(number) ?? [], result));
  const head: PageHead = {
    subject: `${result.subject.kind} ${subjectInWords(result)} at ${result.subject.target}`,
    conclusion: result.conclusion,
    reproduce: result.reproduce,
    rows: result.results.map((row) => pageRow(row, statements)),
    entries,
  };
  const wanted = withBaseString(entries, cases);
  for (let limit = longest; ; limit /= 2) {
    const listed = numbers.map((number) => exchangeOf(number, cases, limit, wanted.has(number)));
    const lines = [head, ...listed].map((one) => JSON.stringify(one));
    const packed = gzipSync(lines.join('\n')).toString('base64');
    if (packed.length <= mostPacked || limit < 64) {
      return { head, exchanges: new Map(listed.map((one) => [one.number, one])), packed };
    }
  }
}

function pageRow(row: ResultRow, statements: Statements): PageRow {
  const { id, outcome, dimension, section, operation, expected, actual, reason, repeat, explanations } = row;
  const text = statements(id);
  const said = { id, outcome, dimension, section, operation, ...(text && { statement: text.statement }) };
  if (outcome === 'pass' || outcome === 'not-applicable') return said;
  const hint = hintOf(row, text);
  const cut = (value: string | undefined) => value && shortened(value, 4_000);
  return { ...said, expected: cut(expected), actual: cut(actual), reason: cut(reason), repeat, explanations, hint };
}

function entryOf(number: number, examined: Case, rows: readonly number[], { results }: Result): PageEntry {
  const { scenario, number: of, label, exchange } = examined;
  const found = rows.map((index) => results[index]!.outcome);
  return {
    number,
    name: `${scenario} ${of}`,
    line: `${exchange.request.method} ${exchange.request.target}`,
    status: String(exchange.response?.status ?? exchange.failure?.kind ?? 'none'),
    time: `${Math.round(exchange.durationMs)} ms`,
    outcome: outcomes.find((outcome) => found.includes(outcome)) ?? 'none',
    operation: label.operation,
    rows,
  };
}

/** Those on which something rests that is not green, and their twins. */
function withBaseString(entries: readonly PageEntry[], cases: readonly Case[]): ReadonlySet<number> {
  const open = entries.filter(({ outcome }) => ['fail', 'error', 'inconclusive'].includes(outcome));
  return new Set(open.flatMap(({ number }) => [number, twinOf(cases[number - 1]!, cases) ?? number]));
}

const byName = new WeakMap<readonly Case[], ReadonlyMap<string, number>>();

function twinOf({ label: { twin } }: Case, cases: readonly Case[]): number | undefined {
  if (twin === undefined) return undefined;
  const known = byName.get(cases) ?? new Map(cases.map((one, index) => [`${one.scenario} ${one.number}`, index + 1]));
  byName.set(cases, known);
  return known.get(`${twin.scenario} ${twin.number}`);
}

function exchangeOf(number: number, cases: readonly Case[], limit: number, signed: boolean): PageExchange {
  const examined = cases[number - 1]!;
  const { request, response, failure, durationMs, startedAt } = examined.exchange;
  const twin = twinOf(examined, cases);
  const baseString = signed && request.body.length <= limit ? baseStringOf(request) : undefined;
  return {
    number,
    scenario: examined.scenario,
    case: examined.number,
    label: saidOfLabel(examined),
    said: saidOfCall(examined.call, limit),
    ...(twin === undefined ? {} : { twin }),
    url: `${request.scheme}://${request.host}${request.target}`,
    request: {
      line: `${request.method} ${request.target} HTTP/1.1`,
      headers: cutHeaders(request.headers, limit),
      body: bodyOf(request.body, request.body.length, limit),
    },
    ...(response === undefined
      ? {}
      : {
          response: {
            line: `HTTP/1.1 ${response.status} ${response.reason}`,
            headers: cutHeaders(response.headers, limit),
            body: bodyOf(startOf(response), bodyLength(response), limit),
          },
        }),
    ...(failure === undefined ? {} : { failure: `${failure.kind}: ${failure.message}` }),
    ms: Math.round(durationMs),
    at: new Date(startedAt).toISOString(),
    ...(baseString === undefined ? {} : { baseString }),
  };
}

function cutHeaders(headers: readonly Header[], limit: number): Header[] {
  return headers.map(([name, value]) => [name, value.length > limit ? `${value.slice(0, limit)} […]` : value]);
}

const starts = new WeakMap<object, Uint8Array>();

/** A long body is read once, and no more is kept of it than is shown: a gateway may give the same one to every request. */
function startOf(response: ReceivedResponse): Uint8Array {
  if (bodyLength(response) < longBody) return response.body;
  const key = bodyKey(response);
  const start = starts.get(key) ?? Uint8Array.from(response.body.subarray(0, longest));
  starts.set(key, start);
  return start;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text that is cut keeps whole characters. */
function bodyOf(body: Uint8Array, bytes: number, limit: number): PageBody {
  const kept = body.subarray(0, limit);
  const cut = bytes > limit ? { cut: true as const } : {};
  for (const back of bytes > limit ? [0, 1, 2, 3] : [0]) {
    try {
      return { text: utf8.decode(kept.subarray(0, kept.length - back)), bytes, ...cut };
    } catch {}
  }
  return { base64: Buffer.from(kept).toString('base64'), bytes, ...cut };
}

function baseStringOf(request: Case['exchange']['request']): string | undefined {
  try {
    const { parameters } = parseAuthorization(headerValues(request.headers, 'authorization')[0] ?? '');
    const signed = parameters.filter(([name]) => name !== 'oauth_signature');
    return unsignedSteps({ ...request, body: formParameters(request) }, signed).baseString;
  } catch (cause) {
    if (cause instanceof ProtocolError) return undefined;
    throw cause;
  }
}
