/** Prints the exchange of each failure for --trace: request, response, differences to its twin, and a curl command. */
import type { Case } from '../record/case.ts';
import type { Result, ResultRow } from '../record/result/result.ts';
import { causeGroups, exchangeToShow } from './cause-groups.ts';
import { counting } from './counting.ts';
import { type Block, fact, only, textOf } from './document.ts';
import { type ExchangeData, exchangeData } from './pages/exchange-data.ts';
import { curlCommand, type PageExchange, requestLines, responseLines } from './pages/exchange-view.ts';
import { shortened } from './visible.ts';
import type { ReportedRun } from './words.ts';

type Lined = ReturnType<typeof requestLines>[number];

const maxTraced = 3;
const maxLines = 24;
const maxLine = 300;

/** Prints the exchanges of the first failures. `cases` are sorted by number. */
export function traceBlocks(
  result: Result,
  cases: readonly Case[],
  baseStringOf: ReportedRun['baseStringOf'],
): Block[] {
  const failing = causeGroups(counting(result), 'fail').flatMap(({ rows }) => rows);
  if (failing.length === 0) return [];
  const { exchanges } = exchangeData(result, { cases, baseStringOf });
  const isLive = result.subject.kind === 'gateway' && result.subject.target !== 'mock';
  const more = failing.length - maxTraced;
  return [
    ...failing.slice(0, maxTraced).map((row): Block => {
      const blocks = traceOf(row, exchangeToShow(row, result), exchanges, isLive);
      return { card: { outcome: 'fail', title: { strong: row.id }, blocks } };
    }),
    ...textOf(more > 0 ? `… and ${more} more: report.html has the exchanges of all failures` : undefined),
  ];
}

const ofLive = 'The command may start the payment or close the day again.';
const ofEnded = 'The server of this run has ended: use the address of a running server.';

function traceOf(row: ResultRow, number: number | undefined, exchanges: ExchangeData['exchanges'], isLive: boolean) {
  const one = number === undefined ? undefined : exchanges.get(number);
  if (one === undefined) return [{ text: 'Nothing was sent, so there is no exchange.' }];
  const twin = one.twin === undefined ? undefined : exchanges.get(one.twin);
  const lines = requestLines(one);
  const curl = curlCommand(one);
  return [
    ...fact('Exchange', `${one.number}: ${one.label}`),
    { label: 'Sent', code: textOfLines(lines, quotedIn(row.actual)) },
    ...(twin === undefined ? [] : differences(lines, one, twin)),
    { label: 'Answer', code: textOfLines(responseLines(one), quotedIn(row.actual)) },
    ...fact('Twin answer', twin && responseLines(twin)[0]!.text),
    ...only(curl !== undefined && { label: 'Again', command: curl }),
    ...fact('Caution', curl && (isLive ? ofLive : ofEnded)),
  ];
}

function differences(lines: readonly Lined[], one: PageExchange, twin: PageExchange): Block[] {
  const others = requestLines(twin);
  const keys = [...new Set([...lines, ...others].map(({ key }) => key))];
  const at = (all: readonly Lined[], key: string) => all.find((line) => line.key === key);
  const changed = keys.flatMap((key): Block[] => {
    const mine = at(lines, key);
    const other = at(others, key);
    if (mine?.text === other?.text || (mine?.fresh && other?.fresh)) return [];
    if (mine === undefined) return fact('Only twin', shortened(other!.text, maxLine));
    if (other === undefined) return fact('Only sent', shortened(mine.text, maxLine));
    return [{ compared: [mine.text, other.text], names: ['sent', 'twin sent'] }];
  });
  const where = `exchange ${twin.number} differs from ${one.number} in:`;
  return [...fact('Twin', changed.length === 0 ? `exchange ${twin.number} has the same values` : where), ...changed];
}

function quotedIn(text = ''): string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, part]) => part!).sort((a, b) => b.length - a.length);
}

function textOfLines(lines: readonly Lined[], marked: readonly string[]): string {
  const cut = lines.length > maxLines ? [`… ${lines.length - maxLines} more lines: report.html has them`] : [];
  return lines
    .slice(0, maxLines)
    .flatMap(({ text }) => {
      const part = marked.find((one) => text.includes(one));
      if (part === undefined) return [shortened(text, maxLine)];
      const from = text.indexOf(part);
      const first = Math.max(0, from - maxLine / 2);
      const carets = `${' '.repeat(from - first)}${'^'.repeat(part.length)}`;
      return [shortened(text.slice(first), maxLine), carets];
    })
    .concat(cut)
    .join('\n');
}
