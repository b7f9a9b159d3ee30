/** Observes how a gateway or a client treats the open points. Observations are not judged, but `diff` compares them. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import { gateResultFields } from '../../contracts/requirements/close-day-response.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import type { Case, ClientCase } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import { pluralize } from '../record/pluralize.ts';
import { answerSummary, classify, isPlainFault } from './answers/acceptance.ts';
import {
  closeDayBody,
  errorCodeOf,
  formatValue,
  gatesOf,
  isAcceptedType,
  isBlank,
  isErrorType,
  parameterOf,
  recurringBody,
  responseObject,
  serialOf,
  statusOf,
  typeOf,
} from './answers/bodies.ts';
import { batchOf } from './client/batch.ts';
import { readRequest } from './client/reading.ts';
import { isJudgeable } from './client/wire-judge.ts';
import { namesInDate } from './close-day-response.ts';
import { errorIdPlaces } from './recurring-response.ts';
import { namedTwin } from './twins.ts';

interface Observation<T, Shown = readonly T[]> {
  readonly openPoint: OpenPointId;
  readonly value: string;
  readonly shownBy: Shown;
}

/** Keeps equal values only once, because a list of all values in a long record would be too large. */
function collect<C, T>(cases: readonly C[], observer: (testCase: C) => readonly Observation<T>[]): Observation<T>[] {
  const found = new Map<string, Observation<T, Set<T>>>();
  for (const testCase of cases) {
    for (const { openPoint, value, shownBy } of observer(testCase)) {
      const key = `${openPoint} ${value}`;
      const entry = found.get(key) ?? { openPoint, value, shownBy: new Set() };
      found.set(key, entry);
      for (const one of shownBy) entry.shownBy.add(one);
    }
  }
  const number = ({ openPoint }: Observation<T>) => Number(openPoint.slice(1));
  return [...found.values()]
    .map((entry) => ({ ...entry, shownBy: [...entry.shownBy] }))
    .sort((a, b) => number(a) - number(b) || (a.value < b.value ? -1 : 1));
}

type Observer = (testCase: Case, cases: readonly Case[]) => string | readonly (string | undefined)[] | undefined;

const observers: Partial<Record<OpenPointId, Observer>> = {
  A5: (testCase) => {
    const body = closeDayBodyOf(testCase);
    if (body?.root?.response === undefined) return undefined;
    return body.wrapped ? 'wrapped one object deep' : 'not wrapped';
  },
  A6: ({ label, exchanges: [exchange] }) => {
    const status = label.operation === 'close-day' ? statusOf(exchange) : undefined;
    if (status === undefined) return undefined;
    const code = errorCodeOf(exchange);
    return code === undefined
      ? `status ${status}`
      : `status ${status}, errorCode ${code}, '${formatValue(responseObject(exchange)?.errorMessage)}'`;
  },
  A10: ({ exchanges: [exchange] }) => {
    const code = responseObject(exchange)?.errorCode;
    return code === undefined ? undefined : typeOf(code);
  },
  A11: ({ exchanges: [exchange] }) => {
    const date = firstGateMember(exchange, 'gateCloseDate');
    if (date === undefined) return undefined;
    const [, month, day, time, zone, year] = date.split(' ');
    // Read the time as UTC. The error is less than a day, because every time zone is less than a day from UTC.
    const closedAt = Date.parse(`${day} ${month} ${year} ${time} UTC`);
    const difference = Math.abs(closedAt - Date.parse(headerValues(exchange.response!.headers, 'date')[0] ?? ''));
    const distance = difference > 2 * 86_400_000 ? 'more than two days apart' : 'within two days';
    return [
      `zone ${zone ?? 'absent'}`,
      namesInDate(date),
      Number.isNaN(difference) ? undefined : `gateCloseDate and the Date header: ${distance}`,
    ];
  },
  A17: ({ label, exchanges: [exchange] }) => {
    const body = label.operation === 'process-recurring-payments' ? recurringBody(exchange) : undefined;
    return body === undefined ? undefined : `HTTP ${exchange.response?.status}: ${bodyNames[body.kind]}`;
  },
  A18: ({ exchanges: [exchange] }) => {
    if (recurringBody(exchange)?.kind !== 'parameters') return undefined;
    const text = Buffer.from(exchange.response!.body).toString('latin1');
    const ends = [...(/\n(?:&|$)/.test(text) ? ['as a byte'] : []), ...(/%0A(?:&|$)/i.test(text) ? ['as %0A'] : [])];
    const last = /(?:\n|%0A)$/i.test(text) ? 'after the last value too' : 'not after the last value';
    return ends.length === 0 ? 'no 0x0A' : `0x0A ${ends.join(' and ')}, ${last}`;
  },
  A19: ({ exchanges: [exchange] }) => {
    if (parameterOf(exchange, 'error-code') !== '200') return undefined;
    const [type = 'absent', message = ''] = ['type', 'error-message'].map((name) => parameterOf(exchange, name));
    return `HTTP ${exchange.response!.status}, type ${type}, '${message}'`;
  },
  A20: (testCase, cases) => {
    const [exchange] = testCase.exchanges;
    const body = parameterOf(exchange, 'error-code') === '500' ? recurringBody(exchange) : undefined;
    if (body?.kind !== 'parameters') return undefined;
    const places = errorIdPlaces(testCase, body.parameters, cases);
    return places.length > 0 ? places.map((place) => (place === 'error-message' ? `in ${place}` : place)) : 'nowhere';
  },
  A21: (testCase) => {
    const { operation, about } = testCase.label;
    if (operation !== 'process-recurring-payments' || !isPlainFault(testCase.label)) return undefined;
    return testCase.exchanges[0].response?.status === 403 ? about : undefined;
  },
  A24: ({ exchanges: [exchange] }) => {
    const id = firstGateMember(exchange, 'gateId');
    return id && `gateId ${BigInt(id) > 2n ** 53n ? 'above' : 'within'} 2^53`;
  },
  A27: (testCase) => {
    const body = closeDayBodyOf(testCase);
    return body && (body.root === undefined ? 'not JSON' : 'JSON');
  },
  A28: ({ label, exchanges: [exchange] }) => {
    const endpoint = exchange.request.target.split('?')[0]!.split('/').at(-1);
    const epntId = firstGateMember(exchange, 'epntId');
    const isLocked = label.operation === 'close-day' && label.facts?.gate === 'locked';
    return [
      ...(isLocked && exchange.response ? [`close-day on a locked gate: ${answerSummary(exchange)}`] : []),
      ...(epntId === undefined ? [] : [epntId === endpoint ? 'epntId is the endpoint id' : 'epntId is another number']),
    ];
  },
  // RFC 9112 section 6.1 forbids a server to send both headers, but the document does not require this RFC.
  A30: ({ label: { operation }, exchanges: [exchange] }) => {
    const has = (name: string) => headerValues(exchange.response?.headers ?? [], name).length > 0;
    const hasBoth = has('content-length') && has('transfer-encoding');
    return hasBoth ? `${operation}: an answer with Content-Length and Transfer-Encoding` : undefined;
  },
  A34: ({ exchanges: [exchange] }) =>
    isAcceptedType(exchange) ? `status ${parameterOf(exchange, 'status') ?? 'absent'}` : undefined,
  A35: (testCase) => {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    if (!isPlainFault(label) || !label.about?.startsWith('authentication/')) return undefined;
    return classify(testCase) === 'refused' ? `${label.operation}: ${answerSummary(exchange)}` : undefined;
  },
  A39: (testCase, cases) => {
    const serial = serialIn(testCase);
    if (serial === undefined) return undefined;
    const isRepeated = repeatedSerials(cases).has(serial);
    return `theRequestSerialNumber: ${isRepeated ? 'the same for different requests' : 'a new one for each request'}`;
  },
  A40: (testCase, cases) => {
    const gates = (gatesOf(testCase.exchanges[0]) ?? []).filter(isJsonObject);
    const rrnChange = rrnChanges(cases).get(testCase);
    const [first, ...others] = gates.filter(hasRrn);
    const ofEndpoint = others.filter(({ epntId }) => formatValue(epntId) === formatValue(first!.epntId));
    const isShared = ofEndpoint.every(({ RRN }) => RRN === first!.RRN);
    return [
      ...gates.flatMap((gate) => valueForms.map(([member, form]) => formOfValue(member, form, gate[member]))),
      ofEndpoint.length === 0 ? undefined : `RRN of gates of one endpoint: ${isShared ? 'the same' : 'different'}`,
      rrnChange === undefined ? undefined : `RRN of the next close-day: ${rrnChange}`,
    ];
  },
  A41: ({ label, exchanges: [exchange] }) => {
    const response = responseObject(exchange);
    if (label.operation !== 'close-day' || response === undefined) return undefined;
    const extraMembers = (what: string, value: JsonValue | undefined, documented: readonly string[]) => {
      const names = isJsonObject(value) ? Object.keys(value).filter((name) => !documented.includes(name)) : [];
      if (names.length === 0) return `members of ${what}: the documented ones`;
      return `members of ${what}: further ones, ${names.sort().slice(0, 5).join(', ')}`;
    };
    return [
      extraMembers('the body', closeDayBody(exchange)!.root, ['response', 'theRequestSerialNumber']),
      extraMembers('response', response, ['status', 'gates', 'errorCode', 'errorMessage']),
      ...(gatesOf(exchange) ?? []).map((gate) => extraMembers('a gate', gate, gateMembers)),
      statusOf(exchange) === 'error'
        ? `gates beside status error: ${response.gates === undefined ? 'absent' : 'present'}`
        : undefined,
    ];
  },
  A42: ({ exchanges: [exchange] }) => {
    if (!isErrorType(exchange)) return undefined;
    const found = ['serial-number', 'status'].map(
      (name) => `${parameterOf(exchange, name) === undefined ? 'without' : 'with'} ${name}`,
    );
    return `type ${parameterOf(exchange, 'type')}: ${found.join(', ')}`;
  },
};

const gateMembers: readonly string[] = Object.values(gateResultFields).map(({ member }) => member);

/** Text members of a gate result, each with the kind of its content. Section 2.2 leaves the form of the texts open. */
const valueForms = [
  ['saleApprovedCount', 'count'],
  ['saleAmount', 'amount'],
  ['reversalApprovedCount', 'count'],
  ['reversalAmount', 'amount'],
  ['code39', 'text'],
  ['RRN', 'text'],
] as const;

function formOfValue(member: string, form: 'count' | 'amount' | 'text', value: JsonValue | undefined) {
  // For an amount, observe only the sign. Another judge reports an amount that is not a number.
  if (typeof value !== 'string' || (form === 'amount' && !/^-?\d/.test(value))) return undefined;
  if (isBlank(value)) return `${member}: empty`;
  if (form === 'text') return `${member}: present`;
  if (/^-\d/.test(value)) return `${member}: negative`;
  return `${member}: ${form === 'count' && !/^\d+$/.test(value) ? 'no whole number' : 'not negative'}`;
}

function closeDayBodyOf({ label, exchanges: [exchange] }: Case) {
  return label.operation === 'close-day' ? closeDayBody(exchange) : undefined;
}

function serialIn({ label, exchanges: [exchange] }: Case): string | undefined {
  const serial = label.operation === 'close-day' ? serialOf(exchange) : undefined;
  return typeof serial === 'string' ? serial : undefined;
}

const repeatedSerials = memoize((cases: readonly Case[]) => {
  const bodies = new Map<string, string>();
  return new Set(
    cases.flatMap((testCase) => {
      const serial = serialIn(testCase);
      if (serial === undefined) return [];
      const body = bodyOf(testCase);
      const first = bodies.get(serial);
      if (first === undefined) bodies.set(serial, body);
      return first === undefined || first === body ? [] : [serial];
    }),
  );
});

/** Whether an answer repeats an earlier RRN of the endpoint. Skips a repeated request with a repeated RRN. */
const rrnChanges = memoize((cases: readonly Case[]) => {
  const rrns = new Map<string, Map<JsonValue | undefined, string>>();
  const later = new Map<Case, string>();
  for (const testCase of cases) {
    const { scenario } = testCase;
    const [exchange] = testCase.exchanges;
    const gates = (gatesOf(exchange) ?? []).filter(isJsonObject).filter(hasRrn);
    if (gates.length === 0) continue;
    const body = bodyOf(testCase);
    // Each scenario has its own mock, so compare only within a scenario.
    const endpoint = `${scenario} ${exchange.request.target}`;
    const earlier = rrns.get(endpoint) ?? new Map<JsonValue | undefined, string>();
    const same = gates.flatMap(({ RRN }) => earlier.get(RRN) ?? []);
    if (earlier.size > 0 && !same.includes(body)) later.set(testCase, same.length > 0 ? 'the same' : 'another one');
    rrns.set(endpoint, earlier);
    for (const { RRN } of gates) if (!earlier.has(RRN)) earlier.set(RRN, body);
  }
  return later;
});

function bodyOf({ exchanges: [exchange] }: Case): string {
  return Buffer.from(exchange.request.body).toString('latin1');
}

function hasRrn({ RRN }: JsonObject): boolean {
  return typeof RRN === 'string' && !isBlank(RRN);
}

const bodyNames = { empty: 'an empty body', parameters: 'the parameters of 2.4', other: 'another body' } as const;

export function observe(cases: readonly Case[]): Observation<Case>[] {
  return collect(cases, (testCase) => {
    const { intent, openPoint, differsIn } = testCase.label;
    const isTested = openPoint !== undefined && intent !== 'fault';
    const values = [
      ...Object.entries(observers).flatMap(([id, look]) =>
        [look(testCase, cases) ?? []].flat().map((value) => [id, value]),
      ),
      ...(isTested ? [[openPoint, `${differsIn}: ${compareWithTwin(testCase, cases)}`]] : []),
    ];
    return values.flatMap(([id, value]) =>
      value === undefined ? [] : [{ openPoint: id as OpenPointId, value, shownBy: [testCase] }],
    );
  });
}

function compareWithTwin(testCase: Case, cases: readonly Case[]): string {
  const twin = namedTwin(testCase, cases);
  const comparable = twin === undefined ? hasAcceptedSubstitute(testCase, cases) : classify(twin) === 'accepted';
  if (comparable) return classify(testCase);
  // If the twin was refused, only an acceptance of this case is evidence.
  const isOnlyAccepted = twin !== undefined && classify(twin) === 'refused' && classify(testCase) === 'accepted';
  return isOnlyAccepted ? 'accepted, while its twin was refused' : 'undetermined, since its twin was not accepted';
}

/** If the twin was not sent, any accepted valid request of the same operation replaces the twin. */
function hasAcceptedSubstitute({ label: { operation, twin } }: Case, cases: readonly Case[]): boolean {
  if (twin === undefined) return false;
  return cases.some(
    (other) => other.label.intent === 'valid' && other.label.operation === operation && classify(other) === 'accepted',
  );
}

function firstGateMember(exchange: Exchange, member: string): string | undefined {
  const gate = gatesOf(exchange)?.[0];
  const value = isJsonObject(gate) ? gate[member] : undefined;
  if (value === undefined) return undefined;
  const text = formatValue(value);
  return member === 'gateCloseDate' || /^-?\d+$/.test(text) ? text : undefined;
}

export function observeClient(cases: readonly ClientCase[]): Observation<Exchange>[] {
  return collect(cases, (testCase): Observation<Exchange>[] => {
    const { exchanges } = testCase;
    const requests = isJudgeable(testCase) ? exchanges : [];
    const observed = (openPoint: OpenPointId, values: readonly string[], shownBy: readonly Exchange[]) =>
      values.map((value) => ({ openPoint, value, shownBy }));
    return [
      ...observed('A36', retries(testCase), exchanges),
      ...observed('A2', keyForms(testCase), exchanges),
      ...requests.flatMap((exchange) => [
        ...observed('A4', headerForm(exchange), [exchange]),
        ...observed('A12', csvForm(testCase, exchange), [exchange]),
        ...observed('A1', spaces(testCase, exchange), [exchange]),
      ]),
    ];
  });
}

function keyForms({ call: { label, reply } }: ClientCase): string[] {
  if (label.input !== 'probe' || !label.special?.startsWith('private key as ') || reply === undefined) return [];
  return [`${label.special}: ${reply.outcome}`];
}

function retries({ exchanges, call: { label, reply, adapterFault, repeated } }: ClientCase): string[] {
  const { operation, misbehaviour } = label;
  const requests = pluralize(exchanges.length, 'request');
  if (misbehaviour !== undefined) {
    const decoded = reply?.decoded === undefined ? '' : `, ${reply.decoded.kind}`;
    const result = reply === undefined ? (adapterFault?.code ?? 'nothing') : `${reply.outcome}${decoded}`;
    return [`${operation}, ${misbehaviour}: ${requests}, the client reported ${result}`];
  }
  // If `repeated` is set, the suite repeated the call, so the second request is not a retry by the client.
  return exchanges.length > 1 && repeated === undefined ? [`${operation}: ${requests} for one call`] : [];
}

function headerForm(exchange: Exchange): string[] {
  const { header, authorization } = readRequest(exchange);
  if (header === undefined || header.parameters.length === 0) return [];
  const order = header.parameters.map(({ name }) => name.replace(/^oauth_/, '')).join(', ');
  const gaps = [...new Set(authorization[0]!.match(/(?<=")[ \t]*,[ \t]*/g))].map((gap) => JSON.stringify(gap));
  return [
    `parameters in the order ${order}`,
    ...(gaps.length === 0 ? [] : [`parameters separated by ${gaps.join(' and ')}`]),
  ];
}

function csvForm(testCase: ClientCase, exchange: Exchange): string[] {
  const isBatch = testCase.label.operation === 'process-recurring-payments';
  const csv = isBatch ? batchOf(testCase, exchange)?.csv : undefined;
  if (csv === undefined || csv.rows.length < 2) return [];
  // Look only at cells that need no quotes. Every correct client quotes the other cells.
  const plainCells = csv.rows
    .slice(1)
    .flat()
    .filter(({ text }) => !/[";\r\n]/.test(text));
  const quotedCount = plainCells.filter((cell) => cell.quoted).length;
  const quoting = quotedCount === 0 ? 'bare' : quotedCount === plainCells.length ? 'in quotes' : 'some in quotes';
  const ends = csv.lineEnds.map((end) => ({ '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' })[end]).sort();
  return [
    ...(plainCells.length === 0 ? [] : [`cells of data are ${quoting}`]),
    `lines end in ${ends.join(' and ')}`,
    csv.finalNewline ? 'the last line ends too' : 'the last line has no end',
  ];
}

/** How the client encodes spaces in the form. A batch has none, because its payload is base64. */
function spaces({ label }: ClientCase, exchange: Exchange): string[] {
  if (label.operation !== 'close-day') return [];
  const spacePairs = readRequest(exchange).form.pairs.filter(({ value }) => value.includes(' '));
  return spacePairs.map(({ raw }) => {
    const written = ['+', '%20'].filter((one) => raw.includes(one)).join(' and ') || 'itself';
    return `a space in the form body is sent as ${written}`;
  });
}
