/** What the requests of a client show about open points. Nothing here is judged; two runs can be compared by it. */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import type { ClientCase } from '../../record/client-case.ts';
import { countedWord } from '../../record/counted-word.ts';
import type { Exchange } from '../../record/exchange.ts';
import { batchOf } from './batch.ts';
import { readRequest } from './reading.ts';
import { isWireCase } from './wire-judge.ts';

export interface ClientObserved {
  readonly openPoint: OpenPointId;
  readonly value: string;
  /** The cases that showed it, in the order in which they were given. */
  readonly cases: readonly ClientCase[];
  /** The requests that showed it. */
  readonly exchanges: readonly Exchange[];
}

/** All observations, sorted by open point and value; each value once. */
export function observeClient(cases: readonly ClientCase[]): ClientObserved[] {
  const seen = new Map<string, { openPoint: OpenPointId; value: string; cases: ClientCase[]; exchanges: Exchange[] }>();
  for (const examined of cases) {
    for (const { openPoint, value, exchanges } of looks.flatMap((look) => look(examined))) {
      const key = `${openPoint} ${value}`;
      const entry = seen.get(key) ?? { openPoint, value, cases: [], exchanges: [] };
      seen.set(key, entry);
      if (entry.cases.at(-1) !== examined) entry.cases.push(examined);
      for (const exchange of exchanges) entry.exchanges.push(exchange);
    }
  }
  return [...seen.values()].sort((a, b) => numberOf(a) - numberOf(b) || (a.value < b.value ? -1 : 1));
}

interface Seen {
  readonly openPoint: OpenPointId;
  readonly value: string;
  readonly exchanges: readonly Exchange[];
}

const looks: readonly ((examined: ClientCase) => Seen[])[] = [retries, keyForms, headerForm, csvForm, spaces];

/** Whether a client takes its private key in the other form as well: it is given PKCS#8 everywhere else. */
function keyForms({ label, wire, reply }: ClientCase): Seen[] {
  if (label.input !== 'probe' || !label.special?.startsWith('private key as ') || reply === undefined) return [];
  return [seen('A2', `${label.special}: ${reply.outcome}`, wire)];
}

/** After an answer that misbehaves it is recorded what the client did, and elsewhere only where it sent a second request. */
function retries(examined: ClientCase): Seen[] {
  const { label, wire, reply, adapterFault } = examined;
  const { operation, misbehaviour } = label;
  const requests = countedWord(wire.length, 'request');
  if (misbehaviour !== undefined) {
    const said = reply === undefined ? (adapterFault?.code ?? 'nothing') : reported(reply);
    return [seen('A36', `${operation}, ${misbehaviour}: ${requests}, the client reported ${said}`, wire)];
  }
  return isSentAgain(examined) ? [seen('A36', `${operation}: ${requests} for one call`, wire)] : [];
}

/** Whether the client sent more than one request: a call that was made anew because the adapter ended has its requests from both. */
function isSentAgain({ wire, repeated }: ClientCase): boolean {
  return wire.length > 1 && repeated === undefined;
}

function reported({ outcome, decoded }: NonNullable<ClientCase['reply']>): string {
  return decoded === undefined ? outcome : `${outcome}, ${decoded.kind}`;
}

function headerForm(examined: ClientCase): Seen[] {
  return requestsOf(examined).flatMap((exchange) => {
    const { header, authorization } = readRequest(exchange);
    if (header === undefined || header.parameters.length === 0) return [];
    const order = header.parameters.map(({ name }) => name.replace(/^oauth_/, '')).join(', ');
    const gaps = [...new Set(authorization[0]!.match(/(?<=")[ \t]*,[ \t]*/g))].map((gap) => JSON.stringify(gap));
    return [
      seen('A4', `parameters in the order ${order}`, [exchange]),
      ...(gaps.length === 0 ? [] : [seen('A4', `parameters separated by ${gaps.join(' and ')}`, [exchange])]),
    ];
  });
}

function csvForm(examined: ClientCase): Seen[] {
  if (examined.label.operation !== 'process-recurring-payments') return [];
  return requestsOf(examined).flatMap((exchange) => {
    const csv = batchOf(examined, exchange)?.csv;
    if (csv === undefined || csv.rows.length < 2) return [];
    let [plain, quoted] = [0, 0];
    for (const { text, quoted: isQuoted } of csv.rows.slice(1).flat()) {
      if (/[";\r\n]/.test(text)) continue;
      plain += 1;
      if (isQuoted) quoted += 1;
    }
    const quoting = quoted === 0 ? 'bare' : quoted === plain ? 'in quotes' : 'some in quotes';
    const ends = csv.lineEnds.map((end) => ({ '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' })[end]).sort();
    return [
      ...(plain === 0 ? [] : [seen('A12', `cells of data are ${quoting}`, [exchange])]),
      seen('A12', `lines end in ${ends.join(' and ')}`, [exchange]),
      seen('A12', csv.finalNewline ? 'the last line ends too' : 'the last line has no end', [exchange]),
    ];
  });
}

/** How a space of a value travels in the form; a payload has none. */
function spaces(examined: ClientCase): Seen[] {
  if (examined.label.operation !== 'close-day') return [];
  return requestsOf(examined).flatMap((exchange) =>
    readRequest(exchange).form.pairs.flatMap(({ value, raw }) => {
      if (!value.includes(' ')) return [];
      const written = raw.includes('+')
        ? raw.includes('%20')
          ? '+ and %20'
          : '+'
        : raw.includes('%20')
          ? '%20'
          : 'itself';
      return [seen('A1', `a space in the form body is sent as ${written}`, [exchange])];
    }),
  );
}

function requestsOf(examined: ClientCase): readonly Exchange[] {
  return isWireCase(examined) ? examined.wire : [];
}

function seen(openPoint: OpenPointId, value: string, exchanges: readonly Exchange[]): Seen {
  return { openPoint, value, exchanges };
}

function numberOf({ openPoint }: Pick<Seen, 'openPoint'>): number {
  return Number(openPoint.slice(1));
}
